import DaybookStore
import Testing

@Suite struct EventViewTests {
    private let directory: TemporaryDirectory
    private let store: SQLiteStore
    private let search = EventView(
        tag: "recipe_search.search",
        columns: [
            .init(name: "keyword", type: .string), .init(name: "recipe_id", type: .integer),
            .init(name: "is_new", type: .boolean), .init(name: "user_id", type: .integer, place: .context),
        ])

    init() throws {
        directory = try TemporaryDirectory()
        store = try SQLiteStore(path: directory.file("store.sqlite"))
    }

    private func rows(_ sql: String) async throws -> [[QueryResult.Cell]] {
        try await store.query(sql, limits: QueryLimits()).rows
    }

    @Test func columnsAndEnvelopeAreReadByPlainNames() async throws {
        var row = RecordRow(
            uid: "u", time: 1_763_632_931_204_000_001, kind: .event, level: 9, tag: "recipe_search.search",
            attributes: #"{"keyword":"卵","recipe_id":9007199254740993,"is_new":true}"#,
            context: #"{"user_id":7,"service.version":"1.2"}"#)
        row.session = "s"
        row.installation = "i"
        try await store.append(RecordBatch(rows: [row, .sample(2)]))
        try await store.createEventViews([search])
        #expect(
            try await rows("SELECT * FROM recipe_search__search") == [
                [
                    .integer(1), .text("u"), .text("2025-11-20T10:02:11.204000001Z"), .text("s"), .text("i"),
                    .integer(9), .text("1.2"), .text("卵"), .integer(9_007_199_254_740_993), .integer(1), .integer(7),
                ]
            ])
        let columns = try await store.query("SELECT * FROM recipe_search__search", limits: QueryLimits()).columns
        #expect(
            columns == [
                "_id", "_uid", "_time", "_session", "_installation", "_level", "_version", "keyword", "recipe_id",
                "is_new", "user_id",
            ])
    }

    @Test(arguments: [
        (0, "1970-01-01T00:00:00.000000000Z"), (5_000_000_007, "1970-01-01T00:00:05.000000007Z"),
        (-1, "1969-12-31T23:59:59.999999999Z"), (1_795_177_712_086_605_707, "2026-11-20T12:28:32.086605707Z"),
    ])
    func timesHaveNineDigitsOfTheSecond(time: Int64, text: String) async throws {
        let row = RecordRow(uid: "u", time: time, kind: .event, level: 9, tag: "recipe_search.search")
        try await store.append(RecordBatch(rows: [row]))
        try await store.createEventViews([search])
        #expect(try await rows("SELECT _time FROM recipe_search__search") == [[.text(text)]])
    }

    @Test func commonColumnIsFoundAmongTheAttributesOfASenderWithoutContext() async throws {
        try await store.append(
            RecordBatch(rows: [.sample(1, tag: "recipe_search.search", attributes: #"{"user_id":9,"keyword":5}"#)]))
        try await store.createEventViews([search])
        #expect(try await rows("SELECT user_id, keyword FROM recipe_search__search") == [[.integer(9), .text("5")]])
    }

    @Test func viewFollowsItsDefinition() async throws {
        try await store.createEventViews([search])
        try await store.createEventViews([search])
        var changed = search
        changed.columns.append(.init(name: "order", type: .string))
        try await store.createEventViews([changed])
        #expect(try await rows("SELECT \"order\" FROM recipe_search__search") == [])
    }

    @Test func viewOfAnEventThatIsNoLongerDefinedIsDroppedAndOthersAreLeftAlone() async throws {
        let other = EventView(tag: "other.event", columns: [])
        try await store.createEventViews([search, other])
        try await store.createEventViews([other])
        #expect(
            try await rows("SELECT name FROM sqlite_master WHERE type = 'view' ORDER BY name")
                == [[.text("completeness")], [.text("other__event")], [.text("stream_gaps")]])
    }

    @Test func namesAreQuotedAndCollisionsResolved() async throws {
        let view = EventView(
            tag: "odd'tag.\"x\"; DROP TABLE records",
            columns: [
                .init(name: "select", type: .string), .init(name: "it's", type: .string),
                .init(name: "Keyword", type: .string), .init(name: "keyword", type: .string),
                .init(name: "_id", type: .string), .init(name: "日本語", type: .string), .init(name: "a.b", type: .string),
            ])
        try await store.append(
            RecordBatch(rows: [.sample(1, tag: view.tag, attributes: #"{"it's":"ok","a.b":"dot","日本語":"語"}"#)]))
        try await store.createEventViews([view])
        let name =
            "\"" + view.name.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
        let result = try await store.query("SELECT * FROM \(name)", limits: QueryLimits())
        #expect(result.columns.dropFirst(7) == ["select", "it's", "Keyword", "日本語", "a.b"])
        #expect(result.rows[0].dropFirst(7) == [.null, .text("ok"), .null, .text("語"), .text("dot")])
        #expect(try await store.head() == 1)
    }

    @Test func columnThatNoPathCanNameIsRefusedAndNoViewIsMade() async throws {
        let bad = EventView(tag: "a.b", columns: [.init(name: "q\"uote", type: .string)])
        await #expect(throws: StoreError.self) { try await store.createEventViews([search, bad]) }
        #expect(
            try await rows("SELECT name FROM sqlite_master WHERE type = 'view' AND name LIKE '%\\_\\_%' ESCAPE '\\'")
                == [])
    }

    @Test func longNamesAreShortenedToSixtyThreeBytesAndStayApart() {
        let long = String(repeating: "abcdefghij", count: 6)
        #expect(EventView.name(forTag: "category.event") == "category__event")
        #expect(EventView.shortened(long + "abc") == long + "abc")
        let first = EventView.name(forTag: long + ".x")
        let second = EventView.name(forTag: long + ".xy")
        #expect(EventView.shortened(long + "abcd").utf8.count == 63)
        #expect(first.utf8.count <= 63 && first != second || long.utf8.count + 3 <= 63)
        let japanese = EventView.shortened(String(repeating: "検", count: 40))
        #expect(japanese.utf8.count <= 63)
        #expect(japanese.hasPrefix(String(repeating: "検", count: 18) + "_"))
    }
}
