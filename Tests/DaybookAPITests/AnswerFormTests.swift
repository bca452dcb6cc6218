import DaybookBase
import DaybookChecklist
import DaybookDefinitions
import DaybookStore
import DaybookTools
import Foundation
import Testing

@testable import DaybookAPI
@testable import DaybookCollector

/// Answers that questions make read back as they were written.
@Suite struct AnswerFormTests {
    private static let definitions = Definitions.load([
        (
            path: "feed.md",
            bytes: Array("# feed\n\nThe feed.\n\n## show\n\nIt is shown.\n\n- article_id: !bigint 記事\n".utf8)
        )
    ]).0

    private static let stream = String(repeating: "a", count: 48)

    private static func store(_ rows: [RecordRow]) async throws -> MemoryStore {
        let store = MemoryStore()
        try await store.append(
            RecordBatch(
                origin: .init(stream: "\(stream)/otlp/logs", after: 0, through: UInt64(rows.count)),
                losses: LossReport(sender: "\(stream)/otlp", counts: ["rejected": 5]), rows: rows))
        return store
    }

    private static func row(_ number: Int, _ attributes: String = "{}") -> RecordRow {
        var row = RecordRow(
            uid: "\(stream)-\(number)", time: 1_795_166_531_000_000_000, kind: .event, level: 9, tag: "feed.show",
            attributes: attributes, context: #"{"service.version":"4.\#(number).0"}"#)
        row.sequence = UInt64(number)
        row.installation = "i"
        return row
    }

    @Test("Answers about records read back") func recordAnswersReadBack() async throws {
        let store = try await Self.store([Self.row(1), Self.row(2)])
        try Endpoints.losses.form.expectTrip(try await LossesAnswer([], from: store))
        try Endpoints.losses.form.expectTrip(LossesAnswer(losses: [], next: "[\"s\"]"))
        try Endpoints.releases.form.expectTrip(try await ReleaseQuestion([]).answer(from: store))
        let record = try #require(try await store.record(id: 1))
        let explanation = try await RecordExplanation(
            record, Self.definitions, masking: MaskingPolicy(Self.definitions), from: store)
        #expect(explanation.isDefined && explanation.accounts == 1)
        try Endpoints.recordExplanation.form.expectTrip(explanation)
        try Endpoints.recordBodies.form.expectTrip(RecordBodies(request: "{}", response: nil))
        try LiveNotice.form.expectTrip(LiveNotice(head: .max))
        for text in ["user_id=42 -tag=feed.*", "a OR b", "(", "own:1"] {
            try Endpoints.filter.form.expectTrip(FilterAnswer(text, now: 0))
        }
    }

    @Test("Answers about what is defined read back") func definedReadsBack() throws {
        var links = Project.Links()
        links.event = [Project.Link(title: "SQL", url: "https://bi.example/{event}")]
        try Endpoints.definitions.form.expectTrip(DefinitionsAnswer(Self.definitions, links: links))
        let check = DefinitionCheck(of: "# feed\n\n## show\n\n- a: !nonsense\n", named: "feed.md")
        #expect(!check.diagnostics.isEmpty)
        try Endpoints.definitionCheck.form.expectTrip(check)
        let report = Array(
            #"{"events":[{"event":"feed.show","calls":2,"called":[{"file":"a.swift","line":3}],"fired":null},{"event":"b.c"}]}"#
                .utf8)
        let events = try EventCoverage.events(ofReport: report)
        #expect(events.map(\.calls) == [2, nil])
        try Endpoints.coverage.form.expectTrip(CoverageAnswer([("after", "1")], of: (events, 7)))
        try Endpoints.coverage.form.expectTrip(CoverageAnswer([], of: nil))
        for dialect in [StoreDialect.sqlite, nil] {
            try Endpoints.sqlSchema.form.expectTrip(SQLSchema(dialect, Self.definitions))
        }
    }

    @Test("An insight reads back, running and ended") func insightsReadBack() throws {
        let insight = try Insight(parsing: "a.b -> a.c within 1h")
        var answer = InsightAnswer(3, insight, sql: "SELECT 1")
        (answer.warnings, answer.elapsed) = (["a.b is not defined."], .milliseconds(12))
        try Endpoints.insight.form.expectTrip(answer)
        let cells: [InsightTable.Cell] = [.none, .text("t"), .count(.max), .share(0.5), .duration(1_500_000_000)]
        answer.outcome = (InsightTable(columns: ["a"], rows: [cells], moreValues: 4), true)
        let text = try Endpoints.insight.form.expectTrip(answer)
        #expect(text.contains(#"[[null,"t","9223372036854775807",0.5,1.5]]"#), "\(text)")
    }

    @Test("Checklists, runs and reports read back") func checklistsReadBack() async throws {
        let markdown = "# release\n\n## feed\n- [ ] feed.show where article_id = 7\n- [ ] feed.hide\n- [ ] Look.\n"
        let checklist = try Checklist(markdown: markdown, file: "release.md")
        let store = try await Self.store([Self.row(1, #"{"article_id":7}"#)])
        let board = ChecklistBoard(store: store, checklists: [checklist])
        let runs = RunBook(store: store, board: board) { 5 }
        let run = try await runs.start(
            RunStart(
                checklist: "release", persona: nil, tester: "Aya", build: "1", scope: RunScope(installation: "i")))
        try Endpoints.runStart.form.expectTrip(run)
        try await store.append(RecordBatch(rows: [Self.row(2, #"{"article_id":8}"#)]))
        for parameters in [[], [("run", String(run.id))]] as [Parameters] {
            let question = try ChecklistQuestion(parameters)
            let answer = try await question.answer(from: runs, for: .managers) { _ in true }
            #expect(answer.checklists.first?.scenarios.first?.items.count == 3)
            try Endpoints.checklists.form.expectTrip(answer)
            try Endpoints.checklistReport.form.expectTrip(
                try await question.report(on: "release", from: runs, for: .readers))
        }
        try Endpoints.runVerdict.form.expectTrip(try await runs.verdict(run.id, for: .managers))
        try Endpoints.runFinish.form.expectTrip(try await runs.end(run.id))
        var note = SignOffNote(checklist: "release", checklistID: "release", tester: "Aya", time: 6)
        (note.run, note.notes) = (run.start.run, "slow")
        (note.counts, note.shownCounts) = (["ok": 1, "waived": 2], ["ok": 1])
        _ = try await board.append(note.row(uid: "n", snapshot: "{}", isPrivate: true))
        let list = try await runs.list(of: "release", for: .managers)
        #expect(list.runs.map(\.signOff?.tester) == ["Aya"])
        try Endpoints.runs.form.expectTrip(list)
        for text in [markdown, "# release\n- [ ] a.b exactly x\n"] {
            try Endpoints.checklistCheck.form.expectTrip(
                ChecklistCheck(of: text, named: "release.md", catalog: nil, hasFolder: true))
        }
        try Endpoints.checklistSource.form.expectTrip(
            ChecklistSource(file: "release.md", markdown: markdown, version: "v", isWritable: false))
        try Endpoints.checklistSignOff.form.expectTrip(SignedRun(id: 2, run: 1))
        try Endpoints.checklistWrite.form.expectTrip(WrittenChecklist(id: "release", file: "release.md", version: "v"))
        try Endpoints.boardBlockUndo.form.expectTrip(WrittenFile("day.md", version: nil))
    }

    @Test("What pairs a phone reads back") func pairingReadsBack() throws {
        let link = OfferedPairing(code: "c", collector: "https://logs.example", isLocal: false, lifetime: .seconds(300))
        #expect(link.link == "daybook://pair?collector=https://logs.example&code=c")
        try Endpoints.pairing.form.expectTrip(link)
        let values: [String: ChecklistValue] = [
            "a": .integer(.max), "b": .boolean(true), "c": .number(0.5), "d": .text("x"), "e": .structure("[1]"),
        ]
        try Endpoints.pairingRedeem.form.expectTrip(
            RedeemedPairing(
                key: ("k", 9), tester: nil, run: 4,
                checklist: NamedChecklist.all([try Checklist(markdown: "# a\n- [ ] a.b\n", file: "a.md")])[0],
                persona: PersonaTable.Persona(name: "free", values: values)))
        try Endpoints.pairingRedeem.form.expectTrip(
            RedeemedPairing(key: nil, tester: nil, run: nil, checklist: nil, persona: nil))
    }

    @Test("Alerts and their history read back") func alertsReadBack() throws {
        let label = ShownAlert.Label(
            label: "4.12.0", standing: .init(phase: .firing, since: 3, value: 2.5, reason: "r", isHeld: true))
        let alert = ShownAlert(
            name: "Errors", state: .noData, prose: "Call Ann.", sql: "SELECT 1", checklist: nil, condition: "value > 0",
            every: "5m", targets: ["mailto:a@example.com"], evaluated: 4, failure: nil, remarks: ["one row"],
            labels: [label],
            deliveries: [.init(target: "t", tried: 1, failure: "f", failures: 2, waiting: 3, nextTry: nil)],
            mute: AlertMute(since: 1, until: .max, by: "Ann"), quiet: ["22:00-08:00"], file: "errors.md", line: 3)
        try Endpoints.alerts.form.expectTrip(AlertsAnswer(alerts: [alert], notices: nil))
        try Endpoints.alerts.form.expectTrip(AlertsAnswer())
        var event = AlertHistory.Event(kind: .refused, time: 5, target: "t", count: 4)
        (event.since, event.value) = (2, 1)
        let text = try Endpoints.alertHistory.form.expectTrip(AlertEvents(events: [event]))
        #expect(text == #"{"events":[{"kind":"refused","time":"5","count":4,"since":"2","value":1.0,"target":"t"}]}"#)
        try Endpoints.alertFile.form.expectTrip(
            WrittenAlert(file: "a.md", version: "v", warnings: [StatementWarning(line: 1, column: 2, message: "m")]))
        try Endpoints.alertFileUndo.form.expectTrip(RemovedAlert(file: "a.md"))
    }
}
