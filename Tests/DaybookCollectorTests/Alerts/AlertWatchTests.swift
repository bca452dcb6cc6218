import Daybook
import DaybookChecklist
import DaybookHTTP
import DaybookStore
import DaybookTestTraits
import DaybookTesting
import DaybookTools
import Foundation
import Testing

@testable import DaybookCollector
@testable import DaybookDatabases

/// Alerts with a checklist, over a real store, report events that stop.
@Suite(.timeLimit(.minutes(5)), .temporaryDirectory) struct AlertWatchTests {
    private let collector: Collector
    private let receiver = Receiver()
    private let state = TemporaryDirectory.current.file("alerts.json")

    init() throws { collector = try Collector() }

    private func minutes(_ count: Int64) -> Int64 { count * 60_000_000_000 }

    private func rules(_ items: String, settings: String = "- every 1m\n- over 10m") -> [AlertRule] {
        AlertParser.parse(
            "# Shop works\nCall Ann.\n```checklist\n\(items)\n```\n\(settings)\n- notify ${HOOK}", file: "a.md"
        )
        .rules
    }

    private func runner(_ items: String) throws -> AlertRunner {
        try AlertRunner(
            rules: rules(items), store: collector.store, file: AlertStateFile(path: state),
            sender: AlertSender(
                secrets: try .holding(["HOOK": "http://hook.example/x"]), version: "1", transport: receiver),
            jitter: { 0.5 }, report: { _, _, _ in })
    }

    private func log(_ tag: String, _ attributes: Attributes = [:], minute: Int64) async throws {
        try await collector.store.append(
            RecordBatch(rows: [
                RecordRow(
                    uid: UUID().uuidString, time: minutes(minute), kind: .event, level: 9, tag: tag,
                    attributes: JSONWriter.text(attributes))
            ]))
    }

    /// Evaluates and delivers every minute, with the events of `log` in between.
    private func run(
        _ runner: AlertRunner, _ range: Range<Int64>, log: (Int64) async throws -> Void = { _ in }
    ) async throws {
        for minute in range {
            try await log(minute)
            await runner.evaluate(at: minutes(minute))
            await runner.deliver(at: minutes(minute))
        }
    }

    private var told: [String] {
        receiver.bodies.compactMap { body in
            guard case .object(let object)? = try? JSONReader.value(of: Array(body.utf8)),
                case .string(let text)? = object["text"]
            else { return nil }
            return text
        }
    }

    @Test("A watch fires when an event stops and resolves when it returns") func watchReportsSilence() async throws {
        let runner = try runner("- [ ] shop.complete at least 2\n- [ ] never shop.crash")
        try await run(runner, 0..<30) { minute in
            if minute < 15 { try await log("shop.complete", minute: minute) }
        }
        #expect(told == ["FIRING: Shop works (shop.complete at least 2): got 1"])
        try await run(runner, 30..<45) { try await log("shop.complete", minute: $0) }
        #expect(told.last == "RESOLVED: Shop works (shop.complete at least 2), value 2.0")
        #expect(told.count == 2)
    }

    @Test("A watch fires when one value of an event stops") func watchReportsSilentValue() async throws {
        let runner = try runner("- [ ] shop.complete per version")
        try await run(runner, 0..<40) { minute in
            try await log("shop.complete", ["version": "2.0"], minute: minute)
            if minute < 20 { try await log("shop.complete", ["version": "2.1"], minute: minute) }
        }
        #expect(
            told == [
                "FIRING: Shop works (shop.complete per version: version = \"2.1\"): none since 1970-01-01T00:19:00Z"
            ])
        // A version that nobody uses any more is forgotten.
        for minute in stride(from: Int64(40), to: 25 * 60, by: 5) {
            try await run(runner, minute..<minute + 1) {
                try await log("shop.complete", ["version": "2.0"], minute: $0)
            }
        }
        #expect(told.last?.hasPrefix("RESOLVED: Shop works (shop.complete per version: version = \"2.1\")") == true)
        #expect(told.count == 2)
    }

    /// In a busy store, records that no item mentions are neither read nor judged.
    @Test("A watch ignores records of other events") func watchIgnoresOtherEvents() async throws {
        let rule = try #require(
            rules("- [ ] shop.complete after shop.open\n- [ ] never shop.crash.**\n- [ ] feed.* at least 2").first)
        for minute in 0..<10 as Range<Int64> {
            try await log("shop.open", minute: minute)
            try await log("shop.complete", minute: minute)
            try await log("feed.show", minute: minute)
            for number in 0..<20 { try await log("noise.number\(number)", minute: minute) }
        }
        var reading = try await watched(rule)
        #expect(reading.troubles == [:])
        #expect(reading.values["shop.complete after shop.open"] == 10)
        try await log("shop.crash.hard", minute: 9)
        reading = try await watched(rule)
        #expect(reading.troubles.keys.sorted() == ["never shop.crash.**"])
    }

    /// A private column that no item lists: the reason's text contains its value without its name.
    @Test("Reasons contain no private values") func reasonsHidePrivateValues() async throws {
        let rule = try #require(rules("- [ ] shop.complete each user_id in (\"ann\", \"bob\")").first)
        for user in ["ann", "carol"] { try await log("shop.complete", ["user_id": .string(user)], minute: 1) }
        let shown = try await watched(rule).troubles.values.joined()
        #expect(shown.contains("carol"))
        let masked = try await watched(rule, masking: MaskingPolicy(private: ["user_id"])).troubles.values.joined()
        #expect(!masked.isEmpty && !masked.contains("carol"))
        let trials = await AlertTrial.run(
            rule, in: collector.store, masking: MaskingPolicy(private: ["user_id"]), at: minutes(10))
        #expect(trials.contains(where: \.isTrouble) && !trials.contains { $0.line.contains("carol") })
    }

    /// The first window, read at its end.
    private func watched(_ rule: AlertRule, masking: MaskingPolicy? = nil) async throws -> AlertAnswer {
        guard case .watch(let watched) = rule.question else { return AlertAnswer(values: [:]) }
        var watch = try AlertWatch(
            watched, every: rule.every, from: 0, masking: masking, labels: AlertLabels(pseudonyms: Pseudonyms()),
            judgesHidden: true)
        return try #require(try await watch.reading(of: collector.store, at: minutes(10)))
    }

    /// The file that a release is checked with, parts of which are watched in production.
    private static let release = """
        # shop

        | persona | plan |
        |---|---|
        | paid | paid |
        | free | free |

        ## buying
        - [ ] shop.open
        - [ ] shop.complete when plan = "paid"
        - [ ] Look at the receipt
        ## leaving
        - [ ] shop.close
        - [ ] never shop.crash.**
        ## looking
        - [ ] Look at the cart
        """

    private func rule(_ settings: String) -> (rules: [AlertRule], problems: [Diagnostic]) {
        let result = AlertParser.parse(
            "# Shop works\n\(settings)\n- every 1m\n- over 10m\n", file: "LogAlerts/a.md"
        ) { ("LogAlerts/\($0)", Self.release) }
        return (result.rules, result.problems)
    }

    @Test("Watches the items of a checklist file as written") func watchesChecklistFile() async throws {
        let (rules, problems) = rule("- checklist ../LogChecklists/shop.md\n- persona paid")
        #expect(problems == [])
        let rule = try #require(rules.first)
        // Users on another plan are not judged and do not hide what is missing.
        for (tag, plan) in [("shop.open", "paid"), ("shop.complete", "free"), ("shop.close", "paid")] {
            try await collector.store.append(
                RecordBatch(rows: [
                    RecordRow(
                        uid: UUID().uuidString, time: minutes(1), kind: .event, level: 9, tag: tag, attributes: "{}",
                        context: #"{"plan":"\#(plan)"}"#)
                ]))
        }
        let reading = try await watched(rule)
        #expect(reading.troubles.keys.sorted() == [#"buying / shop.complete when plan = "paid""#])
        guard case .watch(let watch) = rule.question else { return }
        #expect(!watch.text.contains("receipt"))
        #expect(watch.text.contains("- [ ] never shop.crash.**"))
    }

    @Test("Scenario and event settings select items of a checklist file") func selectsChecklistItems() {
        func items(_ settings: String) -> [String] {
            rule("- checklist shop.md\n" + settings).rules.flatMap { rule -> [String] in
                guard case .watch(let watch) = rule.question else { return [] }
                return watch.checklist.scenarios.flatMap(\.items).map(\.text)
            }
        }
        #expect(items("- scenario leaving") == ["shop.close", "never shop.crash.**"])
        #expect(items("- event shop.open\n- event shop.close") == ["shop.open", "shop.close"])
        #expect(items("- scenario leaving\n- event shop.crash.**") == ["never shop.crash.**"])
    }

    @Test(
        "A wrong selection from a checklist is reported with its line",
        arguments: [
            ("- checklist shop.md", "`when` needs a persona (choose one of: paid, free)", 10),
            ("- checklist shop.md\n- persona pad", "no persona is called `pad` (did you mean `paid`?)", 1),
            (
                "- checklist shop.md\n- scenario leving",
                "LogAlerts/shop.md has no scenario `leving` (did you mean `leaving`?)", 3
            ),
            (
                "- checklist shop.md\n- persona free\n- event shop.complete",
                "no item of the checklist is judged, so the alert could not fire", 1
            ),
            ("- checklist shop.md\n- event cart.open", "no chosen item of LogAlerts/shop.md is about `cart.open`", 3),
            (
                "- checklist shop.md\n- persona paid\n- event shop.open\n- event cart.open",
                "no chosen item of LogAlerts/shop.md is about `cart.open`", 5
            ),
            (
                "- checklist shop.md\n- persona paid\n- scenario leaving\n- scenario looking",
                "the scenario `looking` has no item that can be watched", 5
            ),
            (
                "- checklist shop.md\n- scenario buying\n- scenario leaving\n- event shop.close",
                "the scenario `buying` has no item about the chosen events", 3
            ),
            ("- scenario leaving", "this chooses from a file; the alert has no `- checklist FILE`", 2),
        ])
    func locatesWrongSelection(settings: String, message: String, line: Int) {
        let problems = rule(settings).problems
        #expect(problems.contains { $0.text == message && $0.location.line == line }, "\(problems)")
    }

    @Test("A restart continues with the previous window") func restartKeepsWindow() async throws {
        let item = "- [ ] shop.complete per version"
        try await run(try runner(item), 0..<21) { minute in
            try await log("shop.complete", ["version": "2.0"], minute: minute)
            if minute < 8 { try await log("shop.complete", ["version": "2.1"], minute: minute) }
        }
        #expect(told.count == 1)
        // What fires is not sent again; records from before the restart count.
        try await run(try runner(item), 22..<25)
        #expect(told.count == 1)
        // A stop is noticed as if there had been no restart.
        try await run(try runner(item), 26..<40)
        #expect(told.dropFirst().contains { $0.contains("version = \"2.0\"): none since 1970-01-01T00:20:00Z") })
    }

    @Test("Replaced items are watched from the next minute on") func replacesWatchedItems() async throws {
        let runner = try runner("- [ ] shop.complete")
        let open = { (minute: Int64) in
            for tag in ["shop.complete", "shop.open"] { try await log(tag, minute: minute) }
        }
        try await run(runner, 0..<20, log: open)
        #expect(told == [])
        await runner.replace(with: rules("- [ ] shop.complete\n- [ ] shop.pay"))
        try await run(runner, 20..<22, log: open)
        #expect(told == ["FIRING: Shop works (shop.pay): got none"])
        // The same items again; what fired for others resolves.
        await runner.replace(with: rules("- [ ] shop.complete"))
        try await run(runner, 22..<24, log: open)
        #expect(told.count == 2 && told.last?.hasPrefix("RESOLVED: Shop works (shop.pay)") == true, "\(told)")
    }

    @Test("After a long pause, a watch waits for a full window") func pauseRestartsWindow() async throws {
        let item = "- [ ] shop.complete"
        try await run(try runner(item), 0..<15) { try await log("shop.complete", minute: $0) }
        let later = try runner(item)
        try await run(later, 100..<110)
        #expect(told == [])
        try await run(later, 110..<112)
        #expect(told == ["FIRING: Shop works (shop.complete): got none"])
    }

    @Test("A record with a wrong clock counts when it arrives") func usesArrivalTime() async throws {
        let runner = try runner("- [ ] shop.complete")
        try await run(runner, 0..<30) { minute in
            try await log("shop.complete", minute: minute % 2 == 0 ? 5_000_000 : -5_000_000)
        }
        #expect(told == [])
    }

    @Test("A trial judges the last window of records") func trialJudgesLastWindow() async throws {
        for minute in 0..<15 as Range<Int64> { try await log("shop.complete", ["version": "2.1"], minute: minute) }
        for minute in 15..<30 as Range<Int64> { try await log("shop.complete", ["version": "2.0"], minute: minute) }
        let rule = try #require(rules("- [ ] shop.complete per version\n- [ ] shop.refund").first)
        let trials = await AlertTrial.run(rule, in: collector.store, at: minutes(30))
        #expect(
            trials.map(\.line) == [
                "quiet  Shop works (shop.complete per version)  value 10.0",
                "holds  Shop works (shop.complete per version: version = \"2.1\")  value 0.0  none since 1970-01-01T00:14:00Z",
                "holds  Shop works (shop.refund)  value 0.0  got none",
            ])
    }

    @Test("Mistakes in watched checklists give their lines") func locatesWatchMistakes() {
        let text = """
            # A
            ```checklist
            - [ ] shop.complete at leest 2
            - [ ] look at the screen
            ```
            - every 1s
            - over 1h
            - when value > 0

            # B
            ```sql
            SELECT 1
            ```
            - every 1m
            - over 1h
            - when value > 0

            # C
            ```checklist
            - [ ] shop.complete
            ```
            - every 1m
            """
        #expect(
            AlertParser.parse(text, file: "a.md").problems.map { "\($0.location.line): \($0.text)" } == [
                "1: an alert with a checklist has no `when`: it fires for items not fulfilled",
                "1: `every` is at least a hundredth of `over`, and at most as long",
                "3: expected `least` or `most`; found `leest`",
                "10: `over` is for a ```checklist block; a statement chooses its own times",
                "18: the alert `C` has no `- over 1h`, the window that is judged",
            ])
    }

    @Test("The API shows the watched checklist and its state") func apiShowsWatch() async throws {
        let runner = try runner("- [ ] shop.complete")
        try await run(runner, 0..<12)
        let answer = await HTTPRouter(AlertsAPI(runner).routes).respond(
            to: .init(head: .init(method: "GET", path: "/api/v1/alerts")))
        for member in [
            #""sql":null"#, #""checklist":"- [ ] shop.complete""#, #""condition":"not fulfilled over 10m""#,
            #""reason":"got none""#,
        ] { #expect(answer.text.contains(member), "\(answer.text)") }
    }

    /// Two collectors whose records differ only in private values. Targets may learn how these compare; readers learn
    /// nothing, neither from the API nor from the collector's own records, even after a restart.
    @Test(
        "Readers cannot infer private values from an alert",
        arguments: [
            "- [ ] never shop.pay where mail = \"ann\"", "- [ ] shop.pay at least 2 per mail",
            "- [ ] shop.pay\n    - told = \"ann\"",
            "- [ ] shop.open after shop.pay(mail = \"bob\") within 1m", "- [ ] never shop.pay where note matches /ann/",
        ])
    func alertsHidePrivateValues(_ items: String) async throws {
        var shown: [String] = []
        var whole: [String] = []
        for (name, other) in [("ann", "bob"), ("bob", "ann")] {
            let (collector, receiver, state) = (try Collector(), Receiver(), state + name)
            let reports = Reports()
            func start() throws -> AlertRunner {
                try AlertRunner(
                    rules: rules(items), store: collector.store, file: AlertStateFile(path: state),
                    sender: AlertSender(
                        secrets: try .holding(["HOOK": "http://hook.example/x"]), version: "1", transport: receiver),
                    masking: MaskingPolicy(private: ["mail"]), jitter: { 0.5 }
                ) { level, message, _ in reports.add("\(level.name): \(message)") }
            }
            var runner = try start()
            for minute: Int64 in 0..<25 {
                let attributes: Attributes = [
                    "mail": .string(minute < 8 ? name : other), "told": .string(name), "note": "token=\(name)",
                    "daybook.private": .array([.string("told")]),
                ]
                for tag in ["shop.pay", "shop.open"] {
                    try await collector.store.append(
                        RecordBatch(rows: [
                            RecordRow(
                                uid: UUID().uuidString, time: minutes(minute), kind: .event, level: 9, tag: tag,
                                attributes: JSONWriter.text(attributes))
                        ]))
                }
                await runner.evaluate(at: minutes(minute))
                await runner.deliver(at: minutes(minute))
                if minute == 14 { runner = try start() }
                guard minute >= 10 else { continue }
                for isManager in [false, true] {
                    let router = HTTPRouter(AlertsAPI(runner, isManager: { _ in isManager }).routes)
                    var text = await router.respond(to: .init(head: .init(method: "GET", path: "/api/v1/alerts"))).text
                    text += await router.respond(
                        to: .init(
                            head: .init(
                                method: "GET", path: "/api/v1/alerts/history", query: [("alert", "Shop works")]))
                    ).text
                    if isManager { whole.append(name + text) } else { shown.append(text + reports.all.joined()) }
                }
            }
        }
        let half = shown.count / 2
        #expect(
            Array(shown[..<half]) == Array(shown[half...]) && shown[0].contains(#""state":"hidden""#), "\(shown[0])")
        #expect(whole.allSatisfy { !$0.contains(#""state":"hidden""#) })
        #expect(whole[..<half].map { $0.dropFirst(3) } != whole[half...].map { $0.dropFirst(3) })
    }

    @Test("Warns of undefined events and columns with their place") func warnsOfUndefinedEvents() throws {
        let catalog = EventCatalog(
            events: ["recipe_search.search": ["keyword": [], "page": []]], common: ["app_version": []])
        let wrong = try #require(
            rules(
                """
                - [ ] recipe_serch.search at least 1
                - [ ] recipe_search.search where keywrd = "x"
                - [ ] recipe_search.search per app_version
                - [ ] never daybook.ingest.refused
                """
            ).first)
        #expect(
            wrong.problems(with: catalog).map(\.asWarning.description) == [
                "a.md:4:7: warning: no event `recipe_serch.search` is defined (did you mean `recipe_search.search`?)",
                "a.md:5:34: warning: `recipe_search.search` has no column `keywrd` (did you mean `keyword`?)",
            ])
        let right = try #require(rules("- [ ] recipe_search.search").first)
        #expect(right.problems(with: catalog).isEmpty)
    }
}
