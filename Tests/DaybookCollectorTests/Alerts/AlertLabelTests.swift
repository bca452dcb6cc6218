import Daybook
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

/// Labels reveal nothing private, are never lost and never make an alert fail, whatever records contain.
@Suite(.timeLimit(.minutes(5)), .temporaryDirectory) struct AlertLabelTests {
    private static let masking = MaskingPolicy(private: ["email", "user_id"])

    private func statePath() -> String { TemporaryDirectory.current.file(UUID().uuidString) }

    private func minutes(_ count: Int64) -> Int64 { count * 60_000_000_000 }

    private func rules(_ question: String, _ settings: String) -> [AlertRule] {
        AlertParser.parse("# A\n\(question)\n- every 1m\n\(settings)\n- notify http://hook.example/x\n", file: "a.md")
            .rules
    }

    private func watch(_ items: String) -> [AlertRule] { rules("```checklist\n\(items)\n```", "- over 5m") }

    private func runner(
        _ rules: [AlertRule], _ collector: Collector, _ receiver: Receiver, _ reports: Reports, state: String? = nil
    ) throws -> AlertRunner {
        try AlertRunner(
            rules: rules, store: collector.store, file: AlertStateFile(path: state),
            sender: AlertSender(secrets: .none, version: "1", transport: receiver), masking: Self.masking,
            jitter: { 0.5 }
        ) { _, message, attributes in reports.add("\(message) \(JSONWriter.text(attributes))") }
    }

    private func log(_ collector: Collector, _ attributes: Attributes, minute: Int64) async throws {
        try await collector.store.append(
            RecordBatch(rows: [
                RecordRow(
                    uid: UUID().uuidString, time: minutes(minute), kind: .event, level: 9, tag: "shop.pay",
                    attributes: JSONWriter.text(attributes))
            ]))
    }

    private func shown(_ runner: AlertRunner) async -> String {
        var text = ""
        for isManager in [false, true] {
            let router = HTTPRouter(AlertsAPI(runner, isManager: { _ in isManager }).routes)
            for (path, query) in [("", []), ("/history", [(name: "alert", value: "A")])] {
                let head = HTTPRequest.Head(method: "GET", path: "/api/v1/alerts" + path, query: query)
                text += await router.respond(to: .init(head: head)).text
            }
        }
        return text
    }

    /// The private column in each position, with each kind of value.
    @Test(
        "Private values in labels are neither sent nor stored",
        arguments: ["email", "user_id", "plan, email", "email, plan", "user_id, plan, email", "email, user_id"])
    func labelsHidePrivateValues(columns: String) async throws {
        let values: [Value] = [
            "victim", "victim\" , plan = \"x", "plan: victim", .int(987_654_321), .double(987_654_321.5),
            "a, victim: b\nc",
            "\u{0}victim",
        ]
        for value in values {
            let (collector, receiver, reports) = (try Collector(), Receiver(), Reports())
            let state = statePath()
            let rules = watch("- [ ] shop.pay per \(columns)\n- [ ] never shop.crash")
            let runner = try runner(rules, collector, receiver, reports, state: state)
            for minute: Int64 in 0..<15 {
                if minute < 3 {
                    try await log(collector, ["email": value, "user_id": value, "plan": "free"], minute: minute)
                }
                await runner.evaluate(at: minutes(minute))
                await runner.deliver(at: minutes(minute))
            }
            var texts = receiver.bodies + reports.all
            texts.append(try String(contentsOfFile: state, encoding: .utf8))
            #expect(texts.count { $0.contains("[private ") } > 1, "\(texts)")
            texts.append(await shown(runner))
            for text in texts {
                #expect(!text.contains("victim") && !text.contains("987654321"), "\(columns) \(value): \(text)")
            }
            // Columns are named, and open values shown.
            if columns.contains("plan") {
                #expect(receiver.bodies.contains { $0.contains(#"plan = \"free\""#) }, "\(receiver.bodies)")
            }
            let trials = await AlertTrial.run(
                try #require(rules.first), in: collector.store, masking: Self.masking, at: minutes(9))
            #expect(trials.contains { $0.line.contains("[private ") }, "\(trials)")
            #expect(!trials.contains { $0.line.contains("victim") || $0.line.contains("987654321") })
        }
    }

    /// Otherwise a restart would notify again and resolve what still fires.
    @Test("Labels made from private values stay the same after a restart") func pseudonymsSurviveRestart() async throws
    {
        let sql =
            "```sql\nSELECT attributes ->> '$.email' AS label, count(*) FROM records WHERE tag = 'shop.pay' GROUP BY 1\n```"
        for rules in [rules(sql, "- when value > 0"), watch("- [ ] shop.pay per email")] {
            let (collector, receiver, reports) = (try Collector(), Receiver(), Reports())
            let state = statePath()
            for name in ["ann", "bob"] { try await log(collector, ["email": .string(name)], minute: 0) }
            var process = try runner(rules, collector, receiver, reports, state: state)
            for minute: Int64 in 0..<14 {
                // By then the first window has ended.
                if minute > 6 { process = try runner(rules, collector, receiver, reports, state: state) }
                await process.evaluate(at: minutes(minute))
                await process.deliver(at: minutes(minute))
            }
            let told = receiver.bodies.joined()
            #expect(!told.contains("RESOLVED"), "\(receiver.bodies)")
            let labels = Set(told.matches(of: /\[private [0-9a-f]{12}\]/).map { String($0.output) })
            #expect(labels.count == 2, "\(told)")
            for label in labels { #expect(receiver.bodies.count { $0.contains(label) } == 1, "\(receiver.bodies)") }
        }
    }

    /// A single record must not silence a watch.
    @Test("No value of a record makes a watch fail") func noValueBreaksWatch() async throws {
        let values: [Value] = [
            .string(String(repeating: "x", count: 4_200)), .string(String(repeating: "\n", count: 5_000)), "\u{0}", "",
            "NaN",
            .bool(true), .null, .array([1, 2]), .object(["a": 1]), .double(1e300),
            .string(String(repeating: "é", count: 900_000)),
        ]
        let (collector, receiver, reports) = (try Collector(), Receiver(), Reports())
        let runner = try runner(watch("- [ ] shop.pay per item\n- [ ] shop.refund"), collector, receiver, reports)
        for minute: Int64 in 0..<7 {
            if minute == 1 { for value in values { try await log(collector, ["item": value], minute: minute) } }
            await runner.evaluate(at: minutes(minute))
        }
        let machine = try #require(await runner.state.machines["A"])
        #expect(machine.failure == nil && machine.standings["shop.refund"]?.phase == .firing, "\(machine.standings)")
        let labels = machine.seen.keys.filter { $0.hasPrefix("shop.pay per item: ") }
        #expect(labels.count == values.count && labels.allSatisfy { $0.utf8.count <= AlertLabels.longest })
    }

    @Test("Combinations beyond the watched limit are counted and reported") func countsExcessCombinations() async throws
    {
        let (collector, receiver, reports) = (try Collector(), Receiver(), Reports())
        let runner = try runner(watch("- [ ] shop.pay per item\n- [ ] shop.refund"), collector, receiver, reports)
        let rows = (0..<1_003).map { number in
            RecordRow(
                uid: "\(number)", time: minutes(1), kind: .event, level: 9, tag: "shop.pay",
                attributes: #"{"item":\#(number)}"#)
        }
        for minute: Int64 in 0..<7 {
            if minute == 1 { try await collector.store.append(RecordBatch(rows: rows)) }
            await runner.evaluate(at: minutes(minute))
        }
        let machine = try #require(await runner.state.machines["A"])
        #expect(machine.failure == nil && machine.seen.count == 1_000)
        let remark = "records with values of `per` columns beyond the 1000 combinations that are watched: 3"
        #expect(machine.remarks.contains(remark), "\(machine.remarks)")
        #expect(machine.standings["shop.refund"]?.phase == .firing)
        #expect(reports.all.count { $0.contains(remark) } == 1)
        #expect(await shown(runner).contains(remark))
        var metrics = PrometheusText()
        await runner.write(to: &metrics)
        #expect(metrics.text.contains("daybook_alert_partial{alert=\"A\"} 1\n"))
    }

    // MARK: Answers of statements

    private static let labels = AlertLabels(pseudonyms: Pseudonyms())
    private static let rule = AlertRule(
        name: "A", prose: "", question: .sql(""), every: 60, condition: .init(comparison: .above, bound: 10),
        firesWithoutData: false, duration: 0, targets: [], file: "a.md", line: 1)

    private func reading(_ rows: [[QueryResult.Cell]], isTruncated: Bool = false) throws -> AlertAnswer {
        try AlertAnswer(
            QueryResult(columns: ["label", "n"], rows: rows, isTruncated: isTruncated), Self.labels)
    }

    private func fires(_ reading: AlertAnswer, _ machine: inout AlertMachine) -> [String] {
        machine.take(reading, of: Self.rule, at: 1).filter { $0.status == .firing }.map(\.label)
    }

    /// Another row must not silence one that is in trouble.
    @Test(
        "No row prevents another from firing",
        arguments: [
            [.text("a"), .text("zzz")], [.text("a"), .text("nan")], [.text("a"), .real(.nan)],
            [.text("a"), .blob([1])],
            [.text("bad"), .integer(0)], [.text("bad"), .text("no number")], [.null, .null], [.blob([0]), .integer(1)],
            [.text(String(repeating: "x", count: 100_000)), .integer(11)], [.text("\u{0}\n"), .real(.infinity)],
        ] as [[QueryResult.Cell]])
    func noRowSilencesAnother(row: [QueryResult.Cell]) throws {
        for rows in [
            [row, [.text("bad"), .integer(11)]], [[.text("bad"), .integer(11)], row],
            [row, row, [.text("bad"), .integer(11)]],
        ] {
            var machine = AlertMachine()
            let told = fires(try reading(rows), &machine)
            #expect(told.contains { $0 == "bad" || $0.hasPrefix("bad (") }, "\(rows): \(told)")
            #expect(told.allSatisfy { $0.utf8.count <= AlertLabels.longest })
        }
    }

    @Test("Labels that look alike stay separate and are counted") func keepsSimilarLabelsApart() throws {
        let long = String(repeating: "x", count: 5_000)
        let reading = try reading([
            [.integer(1), .integer(11)], [.text("1"), .integer(12)], [.text(long + "a"), .integer(13)],
            [.text(long + "b"), .integer(14)], [.null, .integer(15)], [.blob([1]), .integer(16)],
        ])
        #expect(reading.values.count == 6)
        #expect(reading.remarks == ["labels that occur more than once, such as ``, and are told as ` (2)`: 2"])
        var machine = AlertMachine()
        #expect(fires(reading, &machine).count == 6 && !machine.remarks.isEmpty)
    }

    /// Unread labels have not resolved; those beyond the limit are counted.
    @Test("Unread labels keep their state and excess labels are counted") func unreadLabelsKeepState() throws {
        var machine = AlertMachine()
        #expect(
            fires(try reading([[.text("a"), .integer(11)], [.text("b"), .integer(11)]]), &machine) == ["a", "b"])
        #expect(fires(try reading([[.text("a"), .real(.nan)], [.text("b"), .integer(11)]]), &machine) == [])
        #expect(machine.standings.keys.sorted() == ["a", "b"])
        #expect(machine.remarks == ["labels whose value is not a number, such as `a`: 1"])
        #expect(fires(try reading([[.text("b"), .integer(11)]], isTruncated: true), &machine) == [])
        #expect(machine.standings.keys.sorted() == ["a", "b"] && machine.remarks.count == 1)
        #expect(fires(try reading([[.text("b"), .integer(11)]]), &machine) == [] && machine.remarks == [])
        #expect(machine.standings.keys.sorted() == ["b"])
        let many = (0..<10_001).map { [QueryResult.Cell.text("\($0)"), .integer(11)] }
        #expect(fires(try reading(many), &machine).count == 999)
        #expect(
            machine.remarks == [
                "rows behind the first 10000: the statement returns more than are judged",
                "labels beyond the 1000 that are told: 9001",
            ], "\(machine.remarks)")
    }

    @Test("A result without any number is a failure") func requiresSomeNumber() {
        #expect(throws: AlertAnswer.Problem.self) {
            try reading([[.text("a"), .real(.nan)], [.text("b"), .text("x")]])
        }
    }

    // MARK: The state

    /// Version 1 kept values unmasked, and the responses of targets.
    @Test("Loading a version 1 state replaces private values in labels") func upgradeDropsPrivateLabels() throws {
        let label = #"shop.pay per plan, email: plan = \"free\", email = \"victim\""#
        let text = """
            {"version":1,"alerts":[{"name":"A","evaluated":5,"standings":[{"label":"\(label)","phase":"firing","since":1,
            "value":0,"reason":"none since 1970-01-01T00:19:00Z","targets":["${HOOK}"],"held":false}],
            "seen":[{"label":"\(label)","time":1}]}],
            "notices":[{"alert":"A","status":"firing","label":"\(label)","since":1,"value":0,"time":1,"reason":"r",
            "target":"${HOOK}","attempts":1}],
            "histories":[{"name":"A","events":[{"kind":"fired","time":1,"count":1,"label":"\(label)","reason":"none since"},
            {"kind":"refused","time":1,"count":1,"target":"${HOOK}","reason":"it answered 404 (/victim)"}]}],
            "deliveries":[{"name":"A","target":"${HOOK}","tried":1,"failure":"it answered 404 (/victim)","failures":1}]}
            """
        let state = try AlertState(text: text)
        #expect(
            !state.text.contains("victim") && state.text.contains("shop.pay per plan, email: [private]"),
            "\(state.text)")
        #expect(state.machines["A"]?.standings.count == 1 && state.outbox.count == 1)
        #expect(try AlertState(text: state.text) == state)
        #expect(try AlertState(text: text).labels != state.labels)
    }
}
