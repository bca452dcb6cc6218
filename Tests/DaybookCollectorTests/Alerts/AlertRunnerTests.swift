import Daybook
import DaybookHTTP
import DaybookStore
import Foundation
import Synchronization
import Testing

@testable import DaybookCollector

@Suite(.timeLimit(.minutes(1))) struct AlertRunnerTests {
    private func seconds(_ count: Int64) -> Int64 { count * 1_000_000_000 }

    private func rules(_ extra: String = "- notify ${HOOK}") -> [AlertRule] {
        AlertParser.parse(
            "# Errors\nCall Ann.\n```sql\nSELECT count(*) FROM records WHERE level >= 17\n```\n- every 1m\n- when value > 0\n\(extra)",
            file: "a.md"
        ).rules
    }

    private func runner(
        _ collector: Collector, _ receiver: Receiver, state: String? = nil, extra: String = "- notify ${HOOK}"
    ) throws -> AlertRunner {
        try AlertRunner(
            rules: rules(extra), store: collector.store, file: AlertStateFile(path: state),
            environment: ["HOOK": "http://hook.example/secret"], transport: receiver, jitter: { 0.5 },
            report: { _, _, _ in })
    }

    private func fail(_ collector: Collector) async throws {
        try await collector.store.append(
            RecordBatch(rows: [RecordRow(uid: UUID().uuidString, time: 1, kind: .error, level: 17, tag: "a.b")]))
    }

    @Test func whatFiresIsToldOnceAndSoIsItsEnd() async throws {
        let collector = try Collector()
        let receiver = Receiver()
        let runner = try runner(collector, receiver)
        await runner.evaluate(at: 0)
        await runner.deliver(at: 0)
        #expect(receiver.bodies.isEmpty)
        try await fail(collector)
        // Not due before its minute is over.
        await runner.evaluate(at: seconds(59))
        #expect(await runner.state.outgoing.isEmpty)
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
    }

    @Test func aTargetThatDoesNotAnswerIsTriedAgainLaterAndInOrder() async throws {
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
        #expect(await runner.state.outgoing.isEmpty)
        #expect(await runner.counts.delivered == 1)
    }

    @Test func aNoticeIsGivenUpAfterADay() async throws {
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

    @Test func aRestartRemembersWhatFiresAndWhatIsStillToBeTold() async throws {
        let collector = try Collector()
        let receiver = Receiver()
        receiver.statuses.withLock { $0 = [500] }
        let state = FileManager.default.temporaryDirectory.appending(path: "daybook-alerts-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: state) }
        try await fail(collector)
        let first = try runner(collector, receiver, state: state)
        await first.evaluate(at: seconds(1_000))
        await first.deliver(at: seconds(1_000))
        #expect(await first.state.outgoing.count == 1)
        let text = try String(contentsOfFile: state, encoding: .utf8)
        #expect(!text.contains("secret"))

        let second = try runner(collector, receiver, state: state)
        #expect(await second.state.machines == first.state.machines)
        await second.evaluate(at: seconds(1_060))
        await second.deliver(at: seconds(1_060))
        // Told once, although it was found firing twice.
        #expect(receiver.bodies.count == 2)
        #expect(Set(receiver.bodies).count == 1)

        // An alert that is gone is forgotten, and what it had to tell too.
        let third = try AlertRunner(
            rules: [], store: collector.store, file: AlertStateFile(path: state), environment: [:], transport: receiver,
            report: { _, _, _ in })
        #expect(await third.state.machines.isEmpty)
    }

    @Test func aFileThatIsNoStateIsNotOverwritten() async throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "daybook-alerts-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        try Data("notes".utf8).write(to: URL(fileURLWithPath: path))
        let collector = try Collector()
        #expect(throws: AlertStateFile.Problem.self) { try runner(collector, Receiver(), state: path) }
    }

    @Test func aStatementThatFailsIsReportedOnceAndShown() async throws {
        let collector = try Collector()
        let rules = AlertParser.parse(
            "# A\n```sql\nSELECT nothing FROM nowhere\n```\n- every 1m\n- when value > 0", file: "a.md"
        ).rules
        let reports = Mutex<[String]>([])
        let runner = try AlertRunner(
            rules: rules, store: collector.store, file: AlertStateFile(path: nil), environment: [:],
            transport: Receiver()
        ) { _, message, _ in reports.withLock { $0.append(message) } }
        await runner.evaluate(at: 0)
        await runner.evaluate(at: seconds(60))
        #expect(reports.withLock { $0 }.count == 1)
        let answer = await AlertsHandler(runner).respond(to: .init(head: .init(method: "GET", path: "/api/v1/alerts")))
        #expect(answer.text.contains(#""state":"failed""#) && answer.text.contains("nowhere"))
        var text = PrometheusText()
        await runner.write(to: &text)
        #expect(text.text.contains("daybook_alert_failures_total 2\n"))
        #expect(text.text.contains("daybook_alert_firing{alert=\"A\"} 0\n"))
    }

    @Test func aStatementThatWritesIsRefused() async throws {
        let collector = try Collector()
        try await fail(collector)
        let rules = AlertParser.parse(
            "# A\n```sql\nDELETE FROM records RETURNING 1\n```\n- every 1m\n- when value > 0", file: "a.md"
        ).rules
        #expect(await AlertTrial.run(rules[0], in: collector.store, at: 0).map(\.isTrouble) == [true])
        #expect(try await collector.rows().count == 1)
    }
}
