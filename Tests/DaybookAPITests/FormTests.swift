import DaybookBase
import DaybookCollector
import DaybookDefinitions
import DaybookStore
import DaybookTools
import Foundation
import Testing

@testable import DaybookAPI

/// A form writes what it reads, and says where an answer is not of it.
@Suite struct FormTests {
    private static let progress = SearchProgress(done: 3, total: 9_007_199_254_740_993)

    private static var row: RecordRow {
        var row = RecordRow(
            uid: "u", time: -1, kind: .event, level: 9, tag: "a.b", attributes: #"{"n":12345678901234567890,"t":"卵"}"#,
            context: "not JSON")
        (row.message, row.session, row.duration, row.line) = ("say \"hi\"", "s", .max, 7)
        return row
    }

    @Test("Every answer reads back as it was written") func answersReadBack() throws {
        let record = StoredRecord(id: 5, row: Self.row)
        let defined = DefinedEvents(Definitions())
        let shown = [RecordBounds.listed, RecordBounds(text: 2, object: 9)].map {
            ShownRecord(record, by: defined, times: 0..<10, masking: nil, bounds: $0)
        }
        #expect(shown.map(\.isCut) == [false, true] && shown.allSatisfy(\.isImplausible))
        for next in [nil, .arrival(4), .time(TimePlace(time: -7, id: 2))] as [PagePlace?] {
            try RecordsAnswer.stored.expectTrip(
                RecordsAnswer(head: 5, records: [record], isPartial: true, next: next, progress: Self.progress))
            try RecordsAnswer.shown.expectTrip(
                RecordsAnswer(head: 5, records: shown, isPartial: false, next: next, progress: Self.progress))
        }
        try RecordAnswer.form.expectTrip(RecordAnswer(record: shown[0], isUndefined: true, nearest: "a.c"))
        try CountAnswer.form.expectTrip(CountAnswer(head: 1, count: 2, next: nil, progress: Self.progress))
        try ErasureAnswer.form.expectTrip(ErasureAnswer(erased: 3, remains: "in a backup"))
        var unread = Unread()
        try ImportAnswer.form.expectTrip(ImportAnswer(AppendResult(stored: 1, duplicates: 2), unread: unread))
        unread.add("kind")
        try ImportAnswer.form.expectTrip(ImportAnswer(AppendResult(stored: 1, duplicates: 2), unread: unread))
        try StatusAnswer.form.expectTrip(StatusAnswer(head: 1, limits: QueryLimits(), pairs: true, start: "history"))
        var facets = Facets(
            values: [.attribute("n"): [.init(value: "1", count: 2)], .kind: []], next: 8, progress: Self.progress)
        facets.cut[.kind] = .init(values: 1, records: 2, most: 3)
        try FacetsAnswer.form.expectTrip(FacetsAnswer(facets, of: [.attribute("n"), .kind]))
        let tags = TagAnswer.all([
            TagSummary(tag: "a.b", kind: "event", version: "1", count: 2, firstTime: 3, lastTime: 4),
            TagSummary(tag: "a.b", kind: "event", count: 5, firstTime: 1, lastTime: 4),
        ])
        #expect(tags.map(\.summary.count) == [7] && tags[0].summaries.map(\.count) == [5, 2])
        try TagsAnswer.form.expectTrip(TagsAnswer(tags: tags, next: "[]", unlisted: UnlistedNames()))
        try PartialAnswer.tags.expectTrip(PartialAnswer(tags, next: 1, Self.progress))
        let session = SessionSummary(session: "a.b", device: "Phone", count: 2, errors: 1, firstTime: 3, lastTime: -4)
        try SessionsAnswer.form.expectTrip(SessionsAnswer(sessions: [session], next: session.place))
        try PartialAnswer.sessions.expectTrip(PartialAnswer([session], next: 7, Self.progress))
        var histogram = Histogram()
        let query = HistogramQuery(start: -5, width: 60, count: 2)
        histogram.add(3, "event", bucket: 1, of: query)
        try HistogramAnswer.form.expectTrip(HistogramAnswer(histogram, of: query, outside: 4))
        let violation = ShownViolation(Violation(.tooLong, tag: "a.b", column: "c", expected: "!string 3", found: "5"))
        try ViolationsAnswer.form.expectTrip(
            ViolationsAnswer(
                head: 9, records: 1, groups: [.init(tag: "a.b", first: violation, count: 2)], next: nil,
                progress: Self.progress))
        let cells: [QueryResult.Cell] = [
            .null, .integer(.min), .integer(1), .real(1.5), .real(.infinity), .text("t"), .blob([0, 255]),
        ]
        let result = QueryResult(columns: ["a"], rows: cells.map { [$0] }, isTruncated: true)
        let answer = SQLAnswer(
            result, isMasked: true, milliseconds: 4, warnings: [.init(line: 1, column: 2, message: "m")])
        try SQLAnswer.exact.expectTrip(answer)
        #expect(
            try SQLAnswer.exact.read(try JSONReader.value(of: SQLAnswer.exact.bytes(of: answer))).result
                == result)
    }

    @Test("A board reads back as its file says") func boardsReadBack() throws {
        let text = """
            # Day
            Prose.
            ## Ratings
            ```sql chart=line x=day y=a,b
            SELECT 1
            ```
            ```filter
            tag=feed.*
            ```
            ## Empty
            """
        let (board, problems) = BoardParser.parse(text, file: "boards/day.md")
        #expect(problems.isEmpty && board.blocks.count > 2)
        let read = ReadBoard(board, problems: ["p"], version: "v")
        try BoardsAnswer.form.expectTrip(BoardsAnswer(isWritable: true, boards: [read]))
        let again = try ReadBoard.form.read(try JSONReader.value(of: ReadBoard.form.bytes(of: read))).board
        #expect(again.blocks.map(\.content) == board.blocks.map(\.content))
    }

    @Test(
        "What is of another form is refused with its place",
        arguments: [
            (#"{"tags":[{"tag":"a","kind":"event","count":"x"}]}"#, "tags.0.count is not a whole number"),
            (#"{"tags":7}"#, "tags is not a list"), ("[]", "the answer is not an object"),
            (#"{"tags":[],"next":3}"#, "next is not a text"),
        ])
    func refusesOthers(_ json: String, _ message: String) throws {
        let value = try JSONReader.value(of: Array(json.utf8))
        let error = #expect(throws: FormError.self) { try TagsAnswer.form.read(value) }
        #expect(error?.description == message)
    }

    @Test("The page's types are those of the forms") func pageTypesAreCurrent() throws {
        let file = URL(fileURLWithPath: #filePath).appending(path: "../../BrowserTests/api.d.ts").standardized
        let kept = try? String(contentsOf: file, encoding: .utf8)
        let text = PageTypes.text(with: PageTypes.ofAlerts)
        if kept != text {
            let made = FileManager.default.temporaryDirectory.appending(path: "api.d.ts")
            try text.write(to: made, atomically: true, encoding: .utf8)
            Issue.record("\(file.path) is not what the forms say; they say \(made.path)")
        }
    }
}
