import DaybookBase
import DaybookChecklist
import DaybookTestTraits
import DaybookTesting
import DaybookTools
import DaybookTrials
import Testing

@testable import DaybookAPI
@testable import DaybookStore

/// A run judged with the help of columns is the same as one of which every record is observed.
@Suite(.temporaryDirectory) struct RunSurveyTests {
    private let directory = TemporaryDirectory.current
    private var path: String { directory.file("store.sqlite") }

    private static let items = [
        "a.x exactly 1 per _session", "never a.y", "a.*", "a.x after b.z joining n", "never a.x before b.z",
        "b.z until a.y", "daybook.alert", "a.xxx", "\"A.X\" where n = 1", "a.y each n in (1, 2)",
        "a.x when plan = \"free\"", "Check that other.1 is not sent", "t.**", "**", "a.x where plan = \"free\"",
        "a.y where email exists",
        "b.z before a.x within 20s", "a.x where email = \"x@y.z\"",
    ]

    private static func checklist(_ random: inout SeededGenerator) throws -> Checklist {
        func one<Element>(_ elements: [Element]) -> Element { elements.randomElement(using: &random) ?? elements[0] }
        var lines = ["# t", "", "| persona | plan | tier |", "|---|---|---|", "| free | free | 1 |", "", "## s", ""]
        let isNumbered = Bool.random(using: &random)
        // Mostly without the items about all records.
        let known = one([items.filter { $0 != "**" }, items])
        for number in 1...Int.random(in: 1...5, using: &random) {
            let item = one(known)
            lines.append("\(isNumbered ? "\(number)." : "-") [ ] \(item)")
            let isTestable = !item.hasPrefix("never ") && !item.hasPrefix("Check ")
            if isTestable, one([0, 0, 1]) == 1 { lines.append("    - n > 0") }
        }
        return try Checklist(markdown: lines.joined(separator: "\n"), file: "t.md")
    }

    private static func row(_ number: Int, _ random: inout SeededGenerator, deviates: Bool) -> RecordRow {
        func one<Element>(_ elements: [Element]) -> Element { elements.randomElement(using: &random) ?? elements[0] }
        let others = ["other.\(number % 4)", "t.\(number % 150)", "é.x", "e\u{301}.x", ""]
        let tag = one([
            "a.x", "a.y", "b.z", "A.X", "a.xx", "daybook.alert", "daybook.ledger", "other.1", "other.2", one(others),
        ])
        var own = [
            "\"n\":\(one(["1", "2", "\"1\"", "null", "[1]"]))", "\"email\":\(one(["\"x@y.z\"", "\"[private]\"", "5"]))",
        ].filter { _ in one([true, true, false]) }
        // So rare that of many runs no item judges one.
        if one(Array(0..<25)) == 0 { own.append("\"plan\":\(one(["\"free\"", "\"[private]\""]))") }
        if one(Array(0..<25)) == 0 { own.append("\"\(MaskingPolicy.lists[0])\":[\(one(["\"plan\"", "\"n\""]))]") }
        let numbered = number % 7 == 0 && deviates ? "5" : "\"1.9\""
        let common = [
            "\"service.version\":\(one(["\"1.9\"", "\"1.10\"", "\"\"", numbered]))",
            "\"device.model.name\":\(one(["\"Phone\"", "true", "7"]))", "\"device.model.identifier\":\"P1\"",
            "\"plan\":\(deviates ? one(["\"free\"", "\"paid\"", "\"[private]\"", "null"]) : "\"free\"")", "\"tier\":1",
        ].filter { _ in one([true, true, false]) }
        var row = RecordRow.sample(number, tag: tag, attributes: "{\(own.joined(separator: ","))}")
        row.time = Int64(number + one([0, 0, -30, 5])) * 1_000_000_000
        row.kind = one([.event, .event, .message, .error, .span, .request])
        row.context = "{\(common.joined(separator: ","))}"
        row.session = one(["s1", "s2", "s\(number / 9)", nil])
        row.installation = one(["i1", "i2", "i3", nil])
        return row
    }

    /// A store with runs among its records, some of which have been erased.
    private func filled(
        _ store: SQLiteStore, _ book: RunBook, _ random: inout SeededGenerator
    ) async throws -> [Int64] {
        func one<Element>(_ elements: [Element]) -> Element { elements.randomElement(using: &random) ?? elements[0] }
        let file = try SQLiteFile(path)
        let deviates = one([true, false])
        var (number, runs) = (1, [Int64]())
        for extent in 0..<Int.random(in: 1...4, using: &random) {
            if extent > 0 { try file.execute("UPDATE arrivals SET last = (max(last, 1) / 32768 + 1) * 32768") }
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                let scope = RunScope(
                    installation: one(["i1", nil, nil]), session: one(["s1", nil, nil]),
                    version: one(["1.9", nil, nil]))
                let start = RunStart(
                    checklist: "t", persona: one(["free", nil]), tester: nil, build: nil, scope: scope)
                runs.append(try await book.begin(start))
                let rows = (0..<Int.random(in: 0...120, using: &random)).map { _ in
                    defer { number += 1 }
                    return Self.row(number, &random, deviates: deviates)
                }
                try await store.append(RecordBatch(rows: rows))
                if one([true, false]) { _ = try await book.end(one(runs)) }
            }
        }
        await store.settleIndex()
        if one([true, false]) {
            try await store.erase(RecordFilter(.field(.session, "s2")))
            if one([true, false]) { await store.settleIndex() }
        }
        return runs
    }

    private func observed(_ run: StoredRun, _ store: SQLiteStore, _ board: ChecklistBoard) async throws -> JudgedRun {
        var judged = JudgedRun(
            try await board.named(by: run.start), startedBy: run.start, catalog: board.catalog,
            masking: board.mask.policy)
        var query = RecordQuery()
        (query.order, query.limit) = (.oldestFirst, 1_000)
        (query.after, query.before) = (run.id, run.end?.number)
        query.filter.narrow(to: run.start.scope)
        while true {
            let page = try await store.wholeSlice(query)
            for record in page.records where record.row.kind != .run {
                judged.observe(record, JSONChecklistRecord(record, mask: board.mask))
            }
            guard let next = page.next else { return judged }
            query.after = next
        }
    }

    private func compare(_ run: StoredRun, _ store: SQLiteStore, _ book: RunBook) async throws {
        let whole = try await observed(run, store, book.board)
        let judged = try await book.judge(run)
        let about = "\(run.start.scope) \(whole.checklist.scenarios.flatMap(\.items).map(\.text))"
        #expect(judged.seen == whole.seen, "\(about)")
        // Only a scope can be such that columns do not tell it.
        if run.start.scope == RunScope(), whole.seen.records < 2_000 {
            var query = RecordQuery()
            (query.after, query.before) = (run.id, run.end?.number)
            let survey = try await RunSurvey.of(
                query, in: store, scope: RunScope(), comparing: ["plan"], masking: book.board.mask.policy)
            #expect(survey?.seen == whole.seen)
        }
        for audience in [VerdictAudience.managers, .readers] {
            for finished in [true, false] {
                #expect(
                    judged.verdicts(finished: finished, for: audience)
                        == whole.verdicts(finished: finished, for: audience), "\(about)")
            }
        }
    }

    @Test("A run is judged as if every record were observed", arguments: 0..<TestLength.trials(24, long: 60))
    func isAsObserved(_ seed: Int) async throws {
        var random = SeededGenerator(seed: UInt64(seed))
        let store = try SQLiteStore(path: path)
        let catalog = EventCatalog(events: ["a.x": ["n": []], "a.y": ["n": []], "b.z": [:]], common: ["plan": []])
        let names = Set(["email", "plan"].filter { _ in Bool.random(using: &random) })
        let board = ChecklistBoard(
            store: store, checklists: [try Self.checklist(&random)],
            catalog: Bool.random(using: &random) ? catalog : nil,
            masking: MaskingPolicy(private: names, open: Bool.random(using: &random) ? ["a.x": ["plan"]] : [:]))
        let book = RunBook(surveying: store, board)
        for run in try await filled(store, book, &random) {
            try await compare(try await book.stored(run), store, book)
        }
        await store.close()
    }

    /// The survey of a run whose records are in the index; it is judged as observed.
    /// - Parameter foreign: What another program does to the store, in SQL.
    private func surveyed(
        _ count: Int, scope: RunScope = RunScope(), attributes: String = "{}", foreign: String = "",
        context: (Int) -> String
    ) async throws -> RunSurvey? {
        let store = try SQLiteStore(path: path)
        let checklist = try Checklist(
            markdown: "# t\n\n| persona | plan |\n|---|---|\n| free | free |\n\n- [ ] a.x\n", file: "t.md")
        let board = ChecklistBoard(store: store, checklists: [checklist])
        let book = RunBook(surveying: store, board)
        let start = RunStart(checklist: "t", persona: "free", tester: nil, build: nil, scope: scope)
        let run = try await book.begin(start)
        let rows = (1...count).map { number in
            var row = RecordRow.sample(number, tag: number % 3 == 0 ? "a.x" : "b.x", attributes: attributes)
            (row.context, row.installation, row.session) = (context(number), "i1", "s1")
            return row
        }
        try await store.append(RecordBatch(rows: rows))
        let file = try SQLiteFile(path)
        try file.completeExtent()
        try await store.append(RecordBatch(rows: [.sample(count + 1, tag: "c.x")]))
        await store.settleIndex()
        try file.execute(foreign)
        try await compare(try await book.stored(run), store, book)
        var query = RecordQuery()
        (query.after, query.before) = (run, 32_768)
        query.filter.narrow(to: scope)
        let survey = try await RunSurvey.of(
            query, in: store, scope: scope, comparing: ["plan"], masking: board.mask.policy)
        await store.close()
        return survey
    }

    @Test("A survey has the first record of each tag, and one for each value of the persona") func firstRecords()
        async throws
    {
        let survey = try #require(
            await surveyed(60, scope: RunScope(installation: "i1", version: "1.9")) { number in
                "{\"service.version\":\"1.9\"\(number > 1 ? ",\"plan\":\"\(number > 30 ? "paid" : "free")\"" : "")}"
            })
        #expect(survey.tags.map(\.name) == ["b.x", "a.x"] && survey.tags.map(\.number) == [2, 4])
        #expect(survey.samples == [3, 32])
        #expect(survey.seen.records == 60 && survey.seen.first == 2 && survey.seen.last == 61)
    }

    @Test("Columns of an extent whose last record is gone are not read") func foreignDeletion() async throws {
        let survey = try await surveyed(40, foreign: "DELETE FROM stored_records WHERE id IN (9, 41)") { _ in "{}" }
        #expect(survey?.seen.records == 38 && survey?.seen.last == 40)
    }

    @Test("Where columns cannot tell which records belong to a run, all are read") func needsRecords() async throws {
        #expect(try await surveyed(2_100) { "{\"plan\":\"p\($0)\"}" } == nil)
    }

    @Test("A scope that attributes contradict is decided by the records") func contradictedScope() async throws {
        let survey = try await surveyed(
            30, scope: RunScope(installation: "i1"), attributes: "{\"_installation\":\"i2\"}"
        ) { _ in "{}" }
        #expect(survey == nil)
    }

    @Test("A version that is a number is decided by the records") func numberedVersion() async throws {
        #expect(
            try await surveyed(30, scope: RunScope(version: "5"), context: { _ in "{\"service.version\":5}" }) == nil)
    }
}

extension RunBook {
    /// Surveys short runs too.
    fileprivate init(surveying store: SQLiteStore, _ board: ChecklistBoard) {
        self.init(store: store, board: board) { 1 }
        shortRun = -1
    }
}
