import Daybook
import DaybookHTTP
import DaybookStore
import DaybookTestTraits
import DaybookTesting
import Foundation
import Testing

@testable import DaybookCollector

/// Mutes, quiet hours, grouped messages, and their saved state.
@Suite(.timeLimit(.minutes(5)), .temporaryDirectory) struct AlertQuietTests {
    private func seconds(_ count: Int64) -> Int64 { count * 1_000_000_000 }

    private func rules(_ extra: String = "") -> [AlertRule] {
        AlertParser.parse(
            "# Errors\n```sql\nSELECT tag AS label, count(*) FROM records WHERE level >= 17 GROUP BY 1\n```\n"
                + "- every 1m\n- when value > 0\n- notify slack ${HOOK}\n\(extra)", file: "a.md"
        ).rules
    }

    private func runner(
        _ collector: Collector, _ receiver: Receiver, state: String? = nil, _ rules: [AlertRule]? = nil
    ) throws -> AlertRunner {
        try AlertRunner(
            rules: rules ?? self.rules(), store: collector.store, file: AlertStateFile(path: state),
            sender: AlertSender(
                secrets: try .holding(["HOOK": "http://hook.example/secret"]), version: "1", transport: receiver),
            jitter: { 0.5 }
        ) { _, _, _ in }
    }

    private func fail(_ collector: Collector, _ tags: String...) async throws {
        try await collector.store.append(
            RecordBatch(
                rows: tags.map { RecordRow(uid: UUID().uuidString, time: 1, kind: .error, level: 17, tag: $0) }))
    }

    private func recover(_ collector: Collector, _ tag: String) async throws {
        var all = RecordFilter()
        all.narrow(by: .tag(tag))
        try await collector.store.erase(all)
    }

    private func kinds(_ runner: AlertRunner) async -> [String] {
        await runner.state.histories["Errors"]?.events.map(\.kind.rawValue) ?? []
    }

    @Test("One evaluation sends one message and retries it unchanged") func sendsOneMessage() async throws {
        let (collector, receiver) = (try Collector(), Receiver())
        receiver.statuses.withLock { $0 = [500] }
        let runner = try runner(collector, receiver)
        try await fail(collector, "a.a", "a.b", "a.c")
        await runner.evaluate(at: 0)
        await runner.deliver(at: 0)
        await runner.deliver(at: seconds(1))
        #expect(receiver.bodies.count == 2 && Set(receiver.bodies).count == 1)
        #expect(receiver.bodies[0].contains("3 firing: Errors"))
        #expect(await runner.state.outbox.isEmpty)
        #expect(await runner.counts.delivered == 3)
        #expect(await kinds(runner) == ["fired", "fired", "fired", "refused", "delivered"])
    }

    @Test("A mute holds back notices until it ends, even across restarts") func muteSurvivesRestart() async throws {
        let (collector, receiver) = (try Collector(), Receiver())
        let state = TemporaryDirectory.current.file("alerts.json")
        let first = try runner(collector, receiver, state: state)
        try await fail(collector, "a.a")
        await first.evaluate(at: 0)
        await first.deliver(at: 0)
        #expect(await first.mute("Errors", for: 600, by: "Ann", at: seconds(10)))
        #expect(await first.mute("Nothing", for: 600, by: "Ann", at: seconds(10)) == false)

        let second = try runner(collector, receiver, state: state)
        #expect(await second.state.mutes["Errors"] == AlertMute(since: seconds(10), until: seconds(610), by: "Ann"))
        try await fail(collector, "a.b")
        try await recover(collector, "a.a")
        await second.evaluate(at: seconds(60))
        await second.deliver(at: seconds(60))
        // Whoever saw it fire sees it resolve.
        #expect(receiver.bodies.count == 2 && receiver.bodies[1].contains("RESOLVED: Errors (a.a)"))
        let third = try runner(collector, receiver, state: state)
        for second: Int64 in [120, 600] { await third.evaluate(at: seconds(second)) }
        await third.deliver(at: seconds(600))
        #expect(receiver.bodies.count == 2)
        await third.evaluate(at: seconds(660))
        await third.deliver(at: seconds(660))
        #expect(receiver.bodies.count == 3 && receiver.bodies[2].contains("FIRING: Errors (a.b)"))
        #expect(
            await kinds(third) == [
                "fired", "delivered", "muted", "resolved", "held", "delivered", "unmuted", "fired", "delivered",
            ])
    }

    @Test("Alerts that fire and resolve within quiet hours are not sent") func quietHoursDropResolved() async throws {
        let (collector, receiver) = (try Collector(), Receiver())
        let runner = try runner(collector, receiver, rules("- quiet 00:00-01:00"))
        try await fail(collector, "a.a", "a.b")
        await runner.evaluate(at: seconds(60))
        try await recover(collector, "a.a")
        await runner.evaluate(at: seconds(120))
        await runner.deliver(at: seconds(120))
        #expect(receiver.bodies.isEmpty)
        await runner.evaluate(at: seconds(3_600))
        await runner.deliver(at: seconds(3_600))
        #expect(receiver.bodies.count == 1)
        #expect(receiver.bodies[0].contains("(a.b)") && !receiver.bodies[0].contains("(a.a)"))
    }

    @Test("Retries a target when its `retry-after` says so") func obeysRetryAfter() async throws {
        let (collector, receiver) = (try Collector(), Receiver())
        receiver.statuses.withLock { $0 = [429] }
        receiver.answer.withLock { $0 = (["retry-after": "30"], "slow down") }
        let runner = try runner(collector, receiver)
        try await fail(collector, "a.a")
        for second: Int64 in [0, 29] {
            await runner.evaluate(at: seconds(second))
            await runner.deliver(at: seconds(second))
        }
        #expect(receiver.bodies.count == 1)
        #expect(
            await runner.state.deliveries["Errors"]?["slack ${HOOK}"]?.failure
                == "it answered 429 (9 bytes, not shown: the address is secret)")
        await runner.deliver(at: seconds(30))
        #expect(receiver.bodies.count == 2)
        #expect(await runner.state.deliveries["Errors"]?["slack ${HOOK}"] == AlertDelivery(tried: seconds(30)))
    }

    /// Longer waits are cut to an hour.
    @Test(
        "Obeys `retry-after` in every date format, for at most an hour",
        arguments: [
            ("Thu, 01 Jan 1970 00:01:30 GMT", 90), ("Thursday, 01-Jan-70 00:01:30 GMT", 90),
            ("Thu Jan  1 00:01:30 1970", 90),
            ("3600", 3_600), ("86400", 3_600), ("100000", 3_600), ("172800", 3_600),
            ("Fri, 02 Jan 1970 00:00:00 GMT", 3_600),
        ] as [(String, Int64)]) func readsRetryAfterDates(text: String, pause: Int64) async throws
    {
        let (collector, receiver) = (try Collector(), Receiver())
        receiver.statuses.withLock { $0 = [503] }
        receiver.answer.withLock { $0 = (["retry-after": text], "") }
        let runner = try runner(collector, receiver)
        try await fail(collector, "a.a")
        await runner.evaluate(at: 0)
        for second in [0, 1, 60, pause - 1] { await runner.deliver(at: seconds(second)) }
        #expect(receiver.bodies.count == 1)
        await runner.deliver(at: seconds(pause))
        #expect(receiver.bodies.count == 2)
    }

    @Test("The API shows deliveries, history and mutes, and sets mutes") func apiManagesMutes() async throws {
        let (collector, receiver) = (try Collector(), Receiver())
        receiver.statuses.withLock { $0 = [404, 404, 404] }
        let runner = try runner(collector, receiver)
        let handler = HTTPRouter(AlertsAPI(runner, isManager: { _ in true }, now: { seconds(100) }).routes)
        func ask(_ method: String, _ path: String, _ query: [(String, String)] = [], _ body: String = "") async -> (
            Int, String
        ) {
            let head = HTTPRequest.Head(
                method: method, path: "/api/v1/alerts" + path, query: query.map { (name: $0.0, value: $0.1) })
            let answer = await handler.respond(to: HTTPRequest(head: head, body: Array(body.utf8)))
            return (answer.status, answer.text)
        }
        try await fail(collector, "a.a")
        await runner.evaluate(at: 0)
        for second: Int64 in [0, 10, 20] { await runner.deliver(at: seconds(second)) }
        let list = await ask("GET", "")
        #expect(
            list.1.contains(
                #""deliveries":[{"target":"slack ${HOOK}","tried":"20000000000","failure":"it answered 404","failures":3,"waiting":1,"#
            ), "\(list.1)")
        #expect(list.1.contains(#""mute":null"#) && !list.1.contains("secret"))
        let muted = await ask("POST", "/mute", [], #"{"alert":"Errors","for":"2h","by":"Ann"}"#)
        #expect(
            muted.0 == 200 && muted.1.contains(#""mute":{"since":"100000000000","until":"7300000000000","by":"Ann"}"#))
        let history = await ask("GET", "/history", [("alert", "Errors")])
        #expect(
            history.1.hasPrefix(#"{"ok":true,"data":{"events":[{"kind":"muted","time":"100000000000""#), "\(history.1)")
        // Consecutive refusals are one event.
        #expect(history.1.contains(#""kind":"refused","time":"20000000000","count":3"#))
        #expect(
            await ask("POST", "/mute", [], #"{"alert":"Errors","for":"0s","by":"Ann"}"#).1.contains(#""mute":null"#))
        for (body, status) in [
            ("", 400), ("{}", 400), (#"{"alert":"Errors","for":"31d","by":"Ann"}"#, 400),
            (#"{"alert":"Errors","for":"2h","by":""}"#, 400), (#"{"alert":"None","for":"2h","by":"Ann"}"#, 404),
        ] { #expect(await ask("POST", "/mute", [], body).0 == status, "\(body)") }
        #expect(await ask("GET", "/history", [("alert", "None")]).0 == 404)
    }

    /// Only managers see the full address of a target written in the file; the log never does.
    @Test("The log and readers of the API never see a target's path") func hidesTargetPaths() async throws {
        let (collector, receiver, reports) = (try Collector(), Receiver(), Reports())
        receiver.statuses.withLock { $0 = [404, 500, 0] }
        let target = "slack https://ann:hidden@hooks.example/services/T0/hidden"
        let rules = AlertParser.parse(
            "# Errors\n```sql\nSELECT count(*) FROM records\n```\n- every 1m\n- when value > 0\n- notify \(target)\n"
                + "- notify https://hooks.example/hidden?key=${NONE}\n",
            file: "a.md"
        ).rules
        #expect(rules.first?.targets.count == 2)
        let runner = try AlertRunner(
            rules: rules, store: collector.store, file: AlertStateFile(path: nil),
            sender: AlertSender(secrets: .none, version: "1", transport: receiver), jitter: { 0.5 }
        ) { level, message, attributes in reports.add("\(level.name): \(message) \(attributes)") }
        try await fail(collector, "a.a")
        await runner.evaluate(at: 0)
        for second: Int64 in [0, 10, 20, 90_000] { await runner.deliver(at: seconds(second)) }
        for isManager in [false, true] {
            let handler = HTTPRouter(AlertsAPI(runner, isManager: { _ in isManager }, now: { seconds(100) }).routes)
            for (path, query) in [("", []), ("/history", [(name: "alert", value: "Errors")])] {
                let head = HTTPRequest.Head(method: "GET", path: "/api/v1/alerts" + path, query: query)
                let text = await handler.respond(to: HTTPRequest(head: head)).text
                #expect(text.contains("hooks.example") && text.contains("hidden") == isManager, "\(isManager) \(text)")
            }
        }
        #expect(!reports.all.isEmpty && !reports.all.joined().contains("hidden"), "\(reports.all)")
    }

    @Test("An alert's history keeps only the latest 100 events") func historyKeepsLatest() async {
        var history = AlertHistory()
        for number in 0..<1_000 { history.note(.init(kind: .fired, time: Int64(number))) }
        #expect(history.events.count == 100 && history.events.last?.time == 999)
    }

    @Test("A test message goes to every target and is marked as one") func sendsTestMessage() async throws {
        let receiver = Receiver()
        receiver.statuses.withLock { $0 = [200, 500] }
        let rule = try #require(rules("- notify ${HOOK}\n- notify ${NONE}").first)
        let outcomes = await AlertTest.send(
            rule, secrets: try .holding(["HOOK": "http://hook.example/"]), version: "1", transport: receiver, at: 0)
        #expect(outcomes.map(\.target) == ["slack ${HOOK}", "${HOOK}", "${NONE}"])
        #expect(outcomes[0].failure == nil && outcomes[1].failure == "it answered 500")
        #expect(outcomes[2].failure?.contains("has no NONE") == true)
        #expect(receiver.bodies.allSatisfy { $0.contains("TEST: Errors: a test message; nothing is wrong") })
    }
}
