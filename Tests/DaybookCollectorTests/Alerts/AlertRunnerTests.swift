import Daybook
import DaybookBase
import DaybookHTTP
import DaybookStore
import DaybookTestTraits
import DaybookTesting
import DaybookTools
import DaybookTrials
import Foundation
import Testing

@testable import DaybookCollector
@testable import DaybookDatabases

@Suite(.timeLimit(.minutes(5)), .temporaryDirectory) struct AlertRunnerTests {
    private let state = TemporaryDirectory.current.file("alerts.json")

    private func seconds(_ count: Int64) -> Int64 { count * 1_000_000_000 }

    private func rules(_ extra: String = "- notify ${HOOK}") -> [AlertRule] {
        AlertParser.parse(
            "# Errors\nCall Ann.\n```sql\nSELECT count(*) FROM records WHERE level >= 17\n```\n- every 1m\n- when value > 0\n\(extra)",
            file: "a.md"
        ).rules
    }

    private func runner(
        _ collector: Collector, _ receiver: Receiver, state: String? = nil, rules: [AlertRule]? = nil,
        reports: Reports = Reports()
    ) throws -> AlertRunner {
        try AlertRunner(
            rules: rules ?? self.rules(), store: collector.store, file: AlertStateFile(path: state),
            sender: AlertSender(
                secrets: try .holding(["HOOK": "http://hook.example/secret", "OTHER": "http://other.example/secret"]),
                version: "1.2.3", transport: receiver), jitter: { 0.5 }
        ) { level, message, _ in reports.add("\(level.name): \(message)") }
    }

    private func fail(_ collector: Collector) async throws {
        try await collector.store.append(
            RecordBatch(rows: [RecordRow(uid: UUID().uuidString, time: 1, kind: .error, level: 17, tag: "a.b")]))
    }

    @Test("Sends one message when an alert fires and one when it resolves") func sendsFiringAndResolved() async throws {
        let collector = try Collector()
        let receiver = Receiver()
        let runner = try runner(collector, receiver)
        await runner.evaluate(at: 0)
        await runner.deliver(at: 0)
        #expect(receiver.bodies.isEmpty)
        try await fail(collector)
        // Not due until its minute is over.
        await runner.evaluate(at: seconds(59))
        #expect(await runner.state.outbox.isEmpty)
        await runner.evaluate(at: seconds(60))
        await runner.deliver(at: seconds(60))
        await runner.evaluate(at: seconds(120))
        await runner.deliver(at: seconds(120))
        #expect(receiver.bodies.count == 1)
        let body = try #require(receiver.bodies.first)
        for member in [
            #""text":"FIRING: Errors, value 1.0""#, #""status":"firing""#, #""condition":"value > 0""#,
            #""since":"1970-01-01T00:01:00.000Z""#, #""description":"Call Ann.""#,
        ] { #expect(body.contains(member), "\(body)") }
        #expect(receiver.urls == ["http://hook.example/secret"])
        #expect(receiver.headers.map { $0["user-agent"] } == ["daybook/1.2.3"])
    }

    @Test("Retries an unreachable target later and in order") func retriesInOrder() async throws {
        let collector = try Collector()
        let receiver = Receiver()
        receiver.statuses.withLock { $0 = [500, 0, 204] }
        let runner = try runner(collector, receiver)
        try await fail(collector)
        await runner.evaluate(at: 0)
        await runner.deliver(at: 0)
        #expect(receiver.bodies.count == 1)
        // Half of the first second.
        await runner.deliver(at: 400_000_000)
        #expect(receiver.bodies.count == 1)
        await runner.deliver(at: 500_000_000)
        #expect(receiver.bodies.count == 2)
        await runner.deliver(at: seconds(2))
        #expect(receiver.bodies.count == 3)
        #expect(await runner.state.outbox.isEmpty)
        #expect(await runner.counts.delivered == 1)
    }

    @Test("Gives up a notice after a day") func dropsNoticeAfterDay() async throws {
        let collector = try Collector()
        let receiver = Receiver()
        receiver.statuses.withLock { $0 = [500] }
        let runner = try runner(collector, receiver)
        try await fail(collector)
        await runner.evaluate(at: 0)
        await runner.deliver(at: 0)
        await runner.deliver(at: seconds(86_400))
        #expect(receiver.bodies.count == 1)
        #expect(await runner.counts.dropped == 1)
    }

    @Test("A restart keeps firing alerts and pending notices") func restartKeepsAlerts() async throws {
        let collector = try Collector()
        let receiver = Receiver()
        receiver.statuses.withLock { $0 = [500] }
        try await fail(collector)
        let first = try runner(collector, receiver, state: state)
        await first.evaluate(at: seconds(1_000))
        await first.deliver(at: seconds(1_000))
        #expect(await first.state.outbox.count == 1)
        let text = try String(contentsOfFile: state, encoding: .utf8)
        #expect(!text.contains("secret"))

        let second = try runner(collector, receiver, state: state)
        #expect(await second.state.machines == first.state.machines)
        await second.evaluate(at: seconds(1_060))
        await second.deliver(at: seconds(1_060))
        // Sent once, although found firing twice.
        #expect(receiver.bodies.count == 2)
        #expect(Set(receiver.bodies).count == 1)
    }

    @Test("A deleted alert resolves at the targets it fired at") func resolvesDeletedAlert() async throws {
        let collector = try Collector()
        let receiver = Receiver()
        try await fail(collector)
        let first = try runner(collector, receiver, state: state)
        await first.evaluate(at: 0)
        await first.deliver(at: 0)
        #expect(receiver.bodies.count == 1)

        let reports = Reports()
        let second = try runner(collector, receiver, state: state, rules: [], reports: reports)
        await second.evaluate(at: seconds(60))
        #expect(await second.state.machines.isEmpty)
        // Pending notices survive another restart.
        let third = try runner(collector, receiver, state: state, rules: [])
        await third.evaluate(at: seconds(61))
        await third.deliver(at: seconds(61))
        #expect(receiver.urls == ["http://hook.example/secret", "http://hook.example/secret"])
        let body = try #require(receiver.bodies.last)
        for member in [
            #""text":"RESOLVED: Errors: the alert is gone: no file contains it""#, #""status":"resolved""#,
            #""alert":"Errors""#, #""since":"1970-01-01T00:00:00.000Z""#, #""condition":null"#, #""description":null"#,
        ] { #expect(body.contains(member), "\(body)") }
        #expect(
            reports.all == ["info: The alert Errors is resolved: the alert is gone: no file contains it."])
        let left = await third.state
        #expect(left.machines.isEmpty && left.outbox.isEmpty && left.histories.isEmpty && left.deliveries.isEmpty)
    }

    @Test("An alert with new targets resolves at the old ones") func resolvesAtOldTargets() async throws {
        let collector = try Collector()
        let receiver = Receiver()
        try await fail(collector)
        let first = try runner(collector, receiver, state: state)
        await first.evaluate(at: 0)
        var quiet = rules("- notify ${OTHER}")
        quiet[0].condition = .init(comparison: .above, bound: 9)
        let second = try runner(collector, receiver, state: state, rules: quiet)
        await second.evaluate(at: seconds(60))
        await second.deliver(at: seconds(60))
        #expect(receiver.urls == ["http://hook.example/secret", "http://hook.example/secret"])
    }

    @Test("Logs a failing target at first, hourly and when it recovers") func logsFailingTargetHourly() async throws {
        let collector = try Collector()
        let receiver = Receiver()
        receiver.statuses.withLock { $0 = [404, 0, 404, 404, 204, 500] }
        let reports = Reports()
        let runner = try runner(collector, receiver, reports: reports)
        try await fail(collector)
        await runner.evaluate(at: 0)
        for second: Int64 in [0, 600, 3_590, 3_600, 4_200] { await runner.deliver(at: seconds(second)) }
        let first = "warning: hook.example did not accept a message of the alert Errors, which will be retried: "
        #expect(
            reports.all.dropFirst() == [
                first + "it answered 404", first + "it answered 404",
                "info: hook.example accepts alert messages again.",
            ])
        // Next time it is news again.
        var all = RecordFilter()
        all.narrow(by: .tag("a.b"))
        try await collector.store.erase(all)
        await runner.evaluate(at: seconds(4_260))
        await runner.deliver(at: seconds(4_260))
        #expect(reports.all.last == first + "it answered 500")
        #expect(!reports.all.joined().contains("secret"))
    }

    @Test("Logs a target that does not answer") func logsUnreachableTarget() async throws {
        let collector = try Collector()
        let receiver = Receiver()
        receiver.statuses.withLock { $0 = [0] }
        let reports = Reports()
        let runner = try runner(collector, receiver, reports: reports)
        try await fail(collector)
        await runner.evaluate(at: 0)
        await runner.deliver(at: 0)
        #expect(reports.all.last?.contains("hook.example did not accept") == true)
        // The error may contain the target's words, and readers see the log.
        #expect(reports.all.last?.hasSuffix("it did not answer") == true)
    }

    @Test("Gives up a message to an undefined target and logs why") func dropsUndefinedTarget() async throws {
        let collector = try Collector()
        let reports = Reports()
        let runner = try runner(collector, Receiver(), rules: rules("- notify ${GONE}"), reports: reports)
        let reason = "the environment has no GONE, which `notify ${GONE}` needs"
        #expect(reports.all == ["error: A target of the alert Errors cannot be notified: \(reason)."])
        // Shown like a refused message, before there is one.
        let shown = await HTTPRouter(AlertsAPI(runner).routes).respond(
            to: HTTPRequest(head: .init(method: "GET", path: "/api/v1/alerts")))
        #expect(shown.text.contains(#""target":"${GONE}","tried":null,"failure":"\#(reason)""#), "\(shown.text)")
        await runner.replace(with: rules())
        #expect(reports.all.count == 1)
        await runner.replace(with: rules("- notify ${GONE}"))
        #expect(reports.all.count == 2)
        try await fail(collector)
        await runner.evaluate(at: 0)
        await runner.deliver(at: 0)
        #expect(
            reports.all.last
                == "error: A message of the alert Errors was given up: the environment has no GONE, which `notify ${GONE}` needs."
        )
    }

    @Test("An unwritable state is refused at startup and logged once later") func reportsUnsavableState() async throws {
        let collector = try Collector()
        let folder = TemporaryDirectory.current.file("alerts")
        let state = folder + "/alerts.json"
        let refusal = #expect(throws: AlertStateFile.Problem.self) {
            try self.runner(collector, Receiver(), state: state)
        }
        #expect(refusal?.description.contains("\(state): the folder \(folder) does not exist") == true)

        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let reports = Reports()
        let runner = try runner(collector, Receiver(), state: state, rules: rules(""), reports: reports)
        try FileManager.default.removeItem(atPath: folder)
        await runner.evaluate(at: 0)
        await runner.evaluate(at: seconds(60))
        await runner.deliver(at: seconds(61))
        #expect(reports.all.count == 1)
        #expect(reports.all[0].hasPrefix("error: The state of the alerts could not be saved: \(state): "))
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        await runner.deliver(at: seconds(62))
        #expect(reports.all.dropFirst() == ["info: The state of the alerts is saved again."])
        #expect(FileManager.default.fileExists(atPath: state))
    }

    @Test("Does not overwrite a file that is not an alert state") func keepsForeignStateFile() async throws {
        try Data("notes".utf8).write(to: URL(fileURLWithPath: state))
        let collector = try Collector()
        #expect(throws: AlertStateFile.Problem.self) { try runner(collector, Receiver(), state: state) }
        let folder = TemporaryDirectory.current.path
        let refusal = #expect(throws: AlertStateFile.Problem.self) {
            try runner(collector, Receiver(), state: folder)
        }
        #expect(refusal?.description.contains("cannot be read: Is a directory") == true)
    }

    @Test("An empty file counts as an empty state") func emptyStateIsValid() throws {
        try Data().write(to: URL(fileURLWithPath: state))
        let collector = try Collector()
        _ = try runner(collector, Receiver(), state: state)
        #expect(try Data(contentsOf: URL(fileURLWithPath: state)).isEmpty == false)
    }

    @Test("Logs a failing statement once and shows it in the API") func reportsFailureOnce() async throws {
        let collector = try Collector()
        let rules = AlertParser.parse(
            "# A\n```sql\nSELECT nothing FROM nowhere\n```\n- every 1m\n- when value > 0", file: "a.md"
        ).rules
        let reports = Reports()
        let runner = try runner(collector, Receiver(), rules: rules, reports: reports)
        await runner.evaluate(at: 0)
        await runner.evaluate(at: seconds(60))
        #expect(reports.all.count == 1)
        let answer = await HTTPRouter(AlertsAPI(runner).routes).respond(
            to: .init(head: .init(method: "GET", path: "/api/v1/alerts")))
        #expect(answer.text.contains(#""state":"failed""#) && answer.text.contains("nowhere"))
        var text = PrometheusText()
        await runner.write(to: &text)
        #expect(text.text.contains("daybook_alert_failures_total{alert=\"A\"} 2\n"))
        #expect(text.text.contains("daybook_alert_firing{alert=\"A\"} 0\n"))
    }

    /// Targets that hang until released or cancelled.
    private final class Gate: HTTPTransport {
        let receiver = Receiver()
        let waiting = Atomic(0)

        func send(_ request: TransportRequest) async throws -> TransportResponse {
            if request.url.host == "slow.example" {
                waiting.add(1, ordering: .relaxed)
                let (never, end) = AsyncStream.makeStream(of: Void.self)
                await withTaskCancellationHandler {
                    for await _ in never {}
                } onCancel: {
                    end.finish()
                }
                try Task.checkCancellation()
            }
            return try await receiver.send(request)
        }
    }

    @Test("A hanging target delays neither other targets nor shutdown") func hangingTargetIsIsolated() async throws {
        let collector = try Collector()
        let gate = Gate()
        let runner = try AlertRunner(
            rules: rules("- notify http://slow.example/a\n- notify http://slow.example/b\n- notify ${HOOK}"),
            store: collector.store, file: AlertStateFile(path: nil),
            sender: AlertSender(
                secrets: try .holding(["HOOK": "http://hook.example/secret"]), version: "1", transport: gate),
            jitter: { 0.5 }, report: { _, _, _ in })
        try await fail(collector)
        await runner.evaluate(at: 0)
        for second: Int64 in 0..<5 { await runner.startDelivering(at: seconds(second)) }
        try await eventually("the third target is told") { gate.receiver.bodies.count == 1 }
        try await eventually("the others are being told") { gate.waiting.load(ordering: .relaxed) > 1 }
        // One message at a time for each.
        #expect(gate.waiting.load(ordering: .relaxed) == 2)
        await runner.stop()
        #expect(await runner.state.outbox.count == 2)
        #expect(await runner.counts.delivered == 1)
        #expect(await runner.state.histories["Errors"]?.events.contains { $0.kind == .refused } == false)
    }

    @Test("Notices for a target that is down wait in bounded space") func boundsWaitingNotices() async throws {
        let collector = try Collector()
        let receiver = Receiver()
        receiver.statuses.withLock { $0 = Array(repeating: 0, count: 300) }
        let reports = Reports()
        let rules = AlertParser.parse(
            """
            # Errors
            ```sql
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000)
            SELECT 'label ' || (i * (SELECT count(*) FROM records)) AS label, 1 FROM n
            WHERE (SELECT count(*) FROM records) > 0
            ```
            - every 1m
            - when value > 0
            - notify ${HOOK}
            """, file: "a.md"
        ).rules
        let runner = try runner(collector, receiver, rules: rules, reports: reports)
        for minute: Int64 in 0..<6 {
            // New labels each time; the earlier ones resolve.
            try await fail(collector)
            await runner.evaluate(at: seconds(60 * minute))
            await runner.deliver(at: seconds(60 * minute))
            #expect(await runner.state.outbox.count <= 3 * AlertOutbox.most)
        }
        #expect(await runner.state.text.utf8.count < 2_000_000)
        #expect(reports.all.filter { $0.contains("Changes are merged") }.count == 1)
        receiver.statuses.withLock { $0 = [] }
        await runner.deliver(at: seconds(60 * 6 + 3_600))
        let body = try #require(receiver.bodies.last)
        let merged = await runner.counts.merged
        #expect(merged > 5_000 && body.contains("\"merged\":\(merged)"), "\(body.suffix(200))")
        #expect(await runner.state.outbox.isEmpty)
        #expect(
            reports.all.last?.contains("accepts alert messages again. \(merged) earlier changes were merged") == true)
        var text = PrometheusText()
        await runner.write(to: &text)
        #expect(text.text.contains("daybook_alert_notices_merged_total \(merged)\n"))
    }

    @Test("Only managers see what a webhook answers") func hidesWebhookResponses() async throws {
        let collector = try Collector()
        let receiver = Receiver()
        receiver.statuses.withLock { $0 = [403] }
        receiver.answer.withLock { $0 = ([:], "the team's own words") }
        let reports = Reports()
        let runner = try runner(
            collector, receiver, rules: rules("- notify http://hook.example/a"), reports: reports)
        try await fail(collector)
        await runner.evaluate(at: 0)
        await runner.deliver(at: 0)
        // The log is made of records, which read keys can see.
        #expect(reports.all.last?.hasSuffix("it answered 403") == true, "\(reports.all)")
        let router = HTTPRouter(AlertsAPI(runner) { $0["authorization"] == "manager" }.routes)
        for path in ["/api/v1/alerts", "/api/v1/alerts/history"] {
            for (key, isShown) in [("manager", true), ("reader", false)] {
                let head = HTTPRequest.Head(
                    method: "GET", path: path, query: path.hasSuffix("y") ? [("alert", "Errors")] : [],
                    headers: ["authorization": key])
                let text = await router.respond(to: HTTPRequest(head: head)).text
                #expect(text.contains("own words") == isShown, "\(text)")
                #expect(text.contains("did not accept it") != isShown, "\(text)")
            }
        }
    }

    @Test("Refuses an alert whose statement writes") func refusesWritingAlert() async throws {
        let collector = try Collector()
        try await fail(collector)
        let rules = AlertParser.parse(
            "# A\n```sql\nWITH a AS (SELECT 1) DELETE FROM records RETURNING 1\n```\n- every 1m\n- when value > 0",
            file: "a.md"
        ).rules
        #expect(await AlertTrial.run(rules[0], in: collector.store, at: 0).map(\.isTrouble) == [true])
        #expect(try await collector.rows().count == 1)
    }

    @Test(
        "A trial gives the same outcome as the collector",
        arguments: [
            ("SELECT max(id) FROM records WHERE tag = 'nothing.here'", "- when no data", "holds", "firing"),
            ("SELECT id FROM records WHERE tag = 'nothing.here'", "- when no data", "holds", "firing"),
            ("SELECT max(id) FROM records WHERE tag = 'nothing.here'", "- when value > 0", "no_data", "no_data"),
            ("SELECT 'x' AS label, max(id) FROM records", "- when no data", "no_data", "no_data"),
            ("SELECT 1", "- when value > 0", "holds", "firing"), ("SELECT 0", "- when value > 0", "quiet", "inactive"),
        ]) func trialMatchesCollector(
            sql: String, when: String, outcome: String, state: String
        ) async throws
    {
        let collector = try Collector()
        let rules = AlertParser.parse("# A\n```sql\n\(sql)\n```\n- every 1m\n\(when)", file: "a.md").rules
        let trials = await AlertTrial.run(try #require(rules.first), in: collector.store, at: 0)
        #expect(trials.map { $0.members["outcome"] } == [.string(outcome)])
        #expect(trials.map(\.isTrouble) == [outcome == "holds"])
        let runner = try runner(collector, Receiver(), rules: rules)
        await runner.evaluate(at: 0)
        #expect(await runner.state.machines["A"]?.shownState.rawValue == state)
    }

    @Test("A statement the store refuses is reported at its alert") func locatesBadStatement() async throws {
        let collector = try Collector()
        func problem(_ sql: String) async throws -> Diagnostic? {
            let rules = AlertParser.parse("\n# A\n```sql\n\(sql)\n```\n- every 1m\n- when no data", file: "a.md").rules
            return await AlertTrial.problem(of: try #require(rules.first), by: collector.store)
        }
        #expect(try await problem("SELECT max(id) FROM records") == nil)
        #expect(try await problem("SELECT nothing FROM records")?.description.hasPrefix("a.md:2:1: error: A: ") == true)
        #expect(
            try await problem("WITH a AS (SELECT 1) DELETE FROM stored_records")?.message.contains("refused") == true)
        #expect(try await problem("SELECT 'many'")?.message == "A: the value `many` is not a number")
    }
}
