import Daybook
import DaybookTestTraits
import DaybookTesting
import Foundation
import Testing

@testable import DaybookStore

/// A store whose index is ahead, behind, outdated or missing answers like one without.
@Suite(.temporaryDirectory) struct SearchIndexTests {
    private let directory = TemporaryDirectory.current
    private var path: String { directory.file("store.sqlite") }

    /// The index covers the first extent; a tail follows. Ten rows of each hundred, so that every block has some, and
    /// one unlike the others.
    private static let runs: [[RecordRow]] =
        stride(from: 0, to: 36_000, by: 100).map { start in (max(start, 1)..<start + 10).map(row) } + [[row(12_345)]]

    private static func row(_ number: Int) -> RecordRow {
        var row = RecordRow.sample(
            number, tag: ["feed.show", "feed.show.again", "feed", "debug.net"][number / 7 % 4],
            kind: number % 97 == 0 ? .error : .event, level: number % 97 == 0 ? 17 : 9,
            attributes: #"{"id":\#(number),"keyword":"\#(["卵焼き", "肉じゃが", "egg"][number / 5 % 3])"}"#,
            session: "session-\(number / 500)")
        row.time = Int64(number) * 1_000_000_000
        row.uid = number % 2 == 0 ? "uid-\(number)" : String(repeating: "a", count: 48) + "-\(number)"
        // Long contexts are stored apart and referenced, short ones inline.
        let device = number / 700 % 2 == 0 ? "" : #","device.model.name":"\#(String(repeating: "long ", count: 12))""#
        row.context = #"{"service.version":"\#(number / 20_000).0"\#(device)}"#
        row.installation = "installation-\(number / 3_000)"
        row.module = number > 35_000 ? "New" : "App"
        row.traceID = number % 1_000 < 3 ? "trace-\(number / 1_000)" : nil
        if number == 12_345 { row.message = "Ｒare \"needle\" in 東京都" }
        return row
    }

    private static let filters: [FilterExpression] = [
        .text("rare"), .text("東"), .text("東京"), .text("東京都"), .text("卵"), .text("\"NEEDLE\" in 東"),
        .text("no such text anywhere"), .text("\"id\":35"), .text("4"), .text("egg"), .tag("feed.**"), .tag("feed.*"),
        .tag("debug.net"), .kinds(["error"]), .level(atLeast: 13), .field(.session, "session-70"),
        .field(.session, "none"), .field(.installation, "installation-4"), .field(.version, "1.0"),
        .field(.module, "New"), .field(.trace, "trace-7"), .field(.uid, "uid-20000"),
        .field(.uid, String(repeating: "a", count: 48) + "-30001"),
        .all([.since(10_000 * 1_000_000_000), .until(10_500 * 1_000_000_000)]),
        .all([.text("肉じゃが"), .tag("feed"), .not(.field(.session, "session-3"))]),
    ]

    /// Filters as people write them.
    private static let written = [
        "id=12345", "id:30000..30003", "id=12345,40001 OR id=7", "has:id session=session-70", "-has:id", "has:none",
        "service.version=1.0 id>39990", "\"service.version\"=\"1.0\" module=New", "needle", "level>=warn -kind=event",
        "tag=feed.* id<40", "name=net", "installation=installation-4,installation-5 tag=debug.**", "uid=uid-20000",
        "after:1970-01-01T02:46:40 before:1970-01-01T02:55", "service.version>1", "trace=trace-7", "id=\"12345\"",
    ]

    private struct Answer: Equatable {
        var question: String
        var value: AnyHashable
    }

    /// Everything that an index helps to answer.
    /// - Parameter isModel: Whether the store answers in one part whatever the budget, so that asking once is enough.
    private func answers(of store: any EventStore, isModel: Bool = false) async throws -> [Answer] {
        var answers: [Answer] = []
        func note(_ question: String, _ value: AnyHashable) {
            answers.append(Answer(question: question, value: value))
        }
        let written = try Self.written.map { text in
            try #require(try FilterParser.parse(text, now: 0).expression)
        }
        for (place, condition) in (Self.filters + written).enumerated() {
            var query = RecordQuery()
            query.narrow(by: condition)
            query.limit = 40
            query.order = place % 2 == 0 ? .newestFirst : .oldestFirst
            note("\(query.filter)", try await store.page(query).map(\.row.uid))
        }
        // Parts add up to the whole: what the index has counted is not repeated in each.
        func count(_ query: HistogramQuery, inParts: Bool = true) async throws {
            var parts = query
            parts.budget = .zero
            let whole = try await store.counts(query)
            note("\(query)", whole)
            if inParts { note("\(query) in parts", isModel ? whole : try await store.counts(parts)) }
        }
        let minute: Int64 = 60_000_000_000
        for width in [minute / 2, minute, 7 * minute, 60 * minute] {
            for condition in [.tag("feed.**"), .level(atLeast: 13), .not(.tag("feed.**"))] as [FilterExpression] {
                var query = HistogramQuery(
                    filter: RecordFilter(condition), start: 2 * 60 * minute, width: width, count: 10)
                query.split = width == minute ? .level : .kind
                try await count(query, inParts: width == minute)
            }
        }
        // Times off the minute: around the indexed extent, within it, and across its end.
        for (since, until) in [(nil, 33_000.5), (-7.5, 33_001), (600.25, 9_000.75), (30_000.5, nil)]
            as [(Double?, Double?)]
        {
            var query = HistogramQuery(start: 0, width: 10 * minute, count: 70)
            if let since { query.filter.narrow(by: .since(Int64(since * 1_000_000_000))) }
            if let until { query.filter.narrow(by: .until(Int64(until * 1_000_000_000))) }
            try await count(query)
        }
        var facets = FacetQuery(fields: FacetQuery.Field.allCases)
        facets.limit = 1_000
        var parts = facets
        parts.budget = .zero
        let values = try await store.values(facets)
        note("values", values)
        note("values in parts", isModel ? values : try await store.values(parts))
        var sessions = SessionQuery()
        sessions.limit = 200
        note("sessions", try await store.sessions(sessions))
        sessions.limit = 5
        for installation in [nil, "installation-11", "installation-5"] {
            sessions.installation = installation
            sessions.before =
                installation == "installation-5"
                ? SessionPlace(lastTime: 17_000 * 1_000_000_000, session: "\u{10FFFF}") : nil
            note("sessions of \(installation ?? "all")", try await store.sessions(sessions))
        }
        note("bounds", try await store.timeBounds(within: nil))
        return answers
    }

    private func expectSame(_ answers: [Answer], _ expected: [Answer]) {
        #expect(answers.count == expected.count && answers.count > 60)
        for (answer, expected) in zip(answers, expected) { #expect(answer == expected) }
    }

    @Test("An indexed store answers like the unindexed model") func indexMatchesModel() async throws {
        let store = try SQLiteStore(path: path)
        let model = MemoryStore()
        let file = try SQLiteFile(path)
        for run in Self.runs.sorted(by: { $0[0].time < $1[0].time }) {
            try file.execute("UPDATE arrivals SET last = \(run[0].time / 1_000_000_000 - 1)")
            try await store.append(RecordBatch(rows: run))
            try await model.append(RecordBatch(rows: run))
        }
        await store.settleIndex()
        #expect(try indexedExtents() == "0")
        expectSame(try await answers(of: store), try await answers(of: model, isModel: true))

        var filter = RecordFilter()
        filter.narrow(by: .field(.installation, "installation-3"))
        #expect(try await store.erase(filter) == 300)
        try await model.erase(filter)
        let expected = try await answers(of: model, isModel: true)
        // The extent is outdated or already rebuilt.
        expectSame(try await answers(of: store), expected)
        await store.settleIndex()
        expectSame(try await answers(of: store), expected)
        #expect(try SQLiteFile(path + "-index").text("SELECT version <> 0 FROM segments") == "1")
    }

    /// A whole extent in which one record differs from the rest, and a tail.
    private func appendWithNeedle(to store: SQLiteStore) async throws {
        try await store.append(RecordBatch(rows: (1...1_000).map { .sample($0, message: $0 == 77 ? "needle" : nil) }))
        try SQLiteFile(path).completeExtent()
        try await store.append(RecordBatch(rows: [.sample(1_001)]))
        await store.settleIndex()
    }

    private func indexedExtents() throws -> String? {
        try SQLiteFile(path + "-index").text("SELECT group_concat(segment) FROM segments")
    }

    @Test("Rebuilds a missing, damaged or foreign index") func rebuildsBadIndex() async throws {
        do { try await appendWithNeedle(to: SQLiteStore(path: path)) }
        let index = path + "-index"
        let damages: [() throws -> Void] = [
            { try FileManager.default.removeItem(atPath: index) },
            { try Data(repeating: 0x41, count: 9_000).write(to: URL(filePath: index)) },
            { try SQLiteFile(index).execute("UPDATE origin SET store = 'another'") },
        ]
        for damage in damages {
            try damage()
            let store = try SQLiteStore(path: path)
            #expect(try await store.uids { $0.narrow(by: .text("needle")) } == ["uid-77"])
            await store.settleIndex()
            #expect(try indexedExtents() == "0")
            #expect(try await store.uids { $0.narrow(by: .text("needle")) } == ["uid-77"])
        }
    }

    @Test("Trims an index that is ahead of its store") func trimsIndexAheadOfStore() async throws {
        do {
            let store = try SQLiteStore(path: path)
            try await store.append(RecordBatch(rows: [.sample(1)]))
        }
        try SQLiteFile(path + "-index").execute("INSERT INTO segments VALUES (0, 0, 0, 1, 1, 0, 0)")
        let store = try SQLiteStore(path: path)
        #expect(try await store.uids { $0.limit = 10 } == ["uid-1"])
        #expect(try await store.uids { $0.narrow(by: .tag("recipe.show")) } == ["uid-1"])
    }

    @Test("A read-only store uses the existing index") func readOnlyUsesIndex() async throws {
        let store = try SQLiteStore(path: path)
        try await appendWithNeedle(to: store)
        let reading = try SQLiteStore(path: path, access: .readOnly)
        #expect(try await reading.uids { $0.narrow(by: .text("needle")) } == ["uid-77"])
    }
}
