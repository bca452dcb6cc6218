import DaybookCollector
import DaybookDefinitions
import DaybookStore
import Testing

extension ConformanceCase {
    private static func definitions(_ text: String) -> Definitions {
        Definitions.load([(path: "recipe_search.md", bytes: Array(text.utf8))]).0
    }

    private static let search = """
        # recipe_search
        ## search
        - keyword: !string 256
        - recipe_id: !bigint?
        - is_new: !boolean?
        """

    static let views: [ConformanceCase] = [
        ConformanceCase(name: "An event's view has its columns, and the envelope under plain names") {
            store async throws in
            let row = RecordRow.sample(
                1, tag: "recipe_search.search",
                attributes: #"{"keyword":"卵","recipe_id":9007199254740993,"is_new":true}"#, session: "s"
            ).with { row in
                row.installation = "i"
                row.context = #"{"service.version":"1.2"}"#
            }
            try await store.append(RecordBatch(rows: [row, .sample(2), row.with { $0.kind = .message }]))
            try await store.createViews(of: definitions(search))
            let result = try await store.query("SELECT * FROM recipe_search__search", limits: QueryLimits())
            #expect(
                result.columns == [
                    "_id", "_uid", "_time", "_session", "_installation", "_level", "_version", "keyword", "recipe_id",
                    "is_new",
                ])
            #expect(result.rows.count == 1)
            // Each engine formats times its own way.
            #expect(
                (result.rows.first ?? []).enumerated().filter { $0.offset != 2 }.map(\.element) == [
                    .integer(1), .text("uid-1"), .text("s"), .text("i"), .integer(9), .text("1.2"), .text("卵"),
                    .integer(9_007_199_254_740_993), .integer(1),
                ])
        },
        ConformanceCase(name: "A value of another type than its column's is NULL, unless the column is text") {
            store async throws in
            let attributes = [
                #"{"keyword":5,"recipe_id":"x","is_new":[]}"#, #"{"keyword":true,"recipe_id":true,"is_new":1}"#,
                #"{"keyword":"w","recipe_id":"5","is_new":"true"}"#, #"{"keyword":null,"recipe_id":5.5,"is_new":0}"#,
                #"{"keyword":"","recipe_id":5.0,"is_new":false}"#, #"{"recipe_id":9223372036854775808}"#,
            ]
            try await store.append(
                RecordBatch(
                    rows: attributes.enumerated().map {
                        .sample($0.offset, tag: "recipe_search.search", attributes: $0.element)
                    }))
            try await store.createViews(of: definitions(search))
            for view in ["recipe_search__search", "activity_log"] {
                let sql = "SELECT keyword, recipe_id, is_new FROM \(view) ORDER BY _id"
                #expect(
                    try await store.query(sql, limits: QueryLimits()).rows == [
                        [.text("5"), .null, .null], [.text("true"), .null, .null], [.text("w"), .null, .null],
                        [.null, .null, .null], [.text(""), .integer(5), .integer(0)], [.null, .null, .null],
                    ])
            }
        },
        ConformanceCase(name: "The wide view has events of every tag, and their category and name are never NULL") {
            store async throws in
            let tags = ["other", "a.b", "a.b.c", "", ".b", "a."]
            try await store.append(
                RecordBatch(rows: tags.enumerated().map { .sample($0.offset, tag: $0.element) }))
            try await store.createViews(of: definitions(search))
            let sql = "SELECT event_category, event_name FROM activity_log ORDER BY _id"
            #expect(
                try await store.query(sql, limits: QueryLimits()).rows == [
                    [.text(""), .text("other")], [.text("a"), .text("b")], [.text("a"), .text("b.c")],
                    [.text(""), .text("")], [.text(""), .text("b")], [.text("a"), .text("")],
                ])
        },
        ConformanceCase(name: "Views follow the definitions, and the wide view has every event") { store async throws in
            let smaller = "# recipe_search\n## search\n- keyword: !string 256\n## cancel\n"
            try await store.append(
                RecordBatch(rows: [.sample(1, tag: "recipe_search.search"), .sample(2, tag: "recipe_search.cancel")]))
            for text in [smaller, smaller, search] { try await store.createViews(of: definitions(text)) }
            #expect(try await store.count(in: "recipe_search__search WHERE recipe_id IS NULL") == .integer(1))
            #expect(try await store.count(in: "activity_log") == .integer(2))
            #expect(try await store.count(in: "violations") == .integer(0))
            await #expect(throws: StoreError.self) { try await store.count(in: "recipe_search__cancel") }
            try await store.createViews(of: definitions(smaller))
            #expect(try await store.count(in: "recipe_search__cancel") == .integer(1))
        },
        ConformanceCase(name: "Events are counted by the sending version") { store async throws in
            let versions = [#"{"service.version":"1.2"}"#, #"{"service.version":"1.2"}"#, "{}"]
            let rows = versions.enumerated().map { index, context in
                RecordRow.sample(index, tag: "recipe_search.search").with { $0.context = context }
            }
            let others: [RecordRow] = [
                .sample(8, tag: "daybook.violation"), .sample(9, tag: "recipe_search.search", kind: .message),
            ]
            try await store.append(RecordBatch(rows: rows + others))
            let seen = try await store.sightings()
            #expect(seen.keys.sorted() == ["recipe_search.search"])
            #expect(
                Set(seen["recipe_search.search"] ?? []) == [
                    Coverage.Sighting(version: "1.2", count: 2), Coverage.Sighting(version: nil, count: 1),
                ])
        },
        ConformanceCase(name: "The views of messages, errors and requests have readable times, levels and sources") {
            store async throws in
            let levels = [0, 1, 4, 5, 9, 13, 16, 17, 20, 21, 24]
            let messages = levels.enumerated().map { index, level in
                RecordRow.sample(index, kind: .message, level: level, message: "m\(index)").with { row in
                    (row.file, row.line) = index % 2 == 0 ? ("App/A.swift", 7) : (nil, nil)
                }
            }
            let error = RecordRow.sample(
                50, kind: .error, level: 13,
                attributes: #"{"exception.type":"Timeout","exception.message":"late"}"#
            ).with { $0.file = "B.swift" }
            let request = RecordRow.sample(
                60, kind: .request, level: 9,
                attributes:
                    #"{"http.request.method":"GET","url.full":"https://a.b/c","http.response.status_code":503,"error.type":"503"}"#
            ).with { $0.duration = 1_500_000 }
            let statuses = [
                "\"500\"", "\"0404\"", "\"ok\"", "404.0", "true", "null", "\" 500\"", "\"12345678901234567890\"",
            ]
            let others = statuses.enumerated().map { index, status in
                RecordRow.sample(
                    61 + index, kind: .request, level: 9, attributes: #"{"http.response.status_code":\#(status)}"#)
            }
            try await store.append(RecordBatch(rows: messages + [error, request] + others + [.sample(70)]))
            try await store.createViews(of: Definitions())
            let names: [String?] = [
                nil, "trace", "trace", "debug", "info", "warning", "warning", "error", "error", "fatal", "fatal",
            ]
            #expect(
                try await store.rows("SELECT message, level_name, source, _level FROM messages ORDER BY _id")
                    == zip(messages, names).map { row, name in
                        [
                            .text(row.message ?? ""), name.map { .text($0) } ?? .null,
                            row.file == nil ? .null : .text("App/A.swift:7"), .integer(Int64(row.level)),
                        ]
                    })
            #expect(
                try await store.rows("SELECT kind, error_type, error_message, source FROM errors ORDER BY _id")
                    == Array(repeating: [.text("message"), .null, .null], count: 4).enumerated().map {
                        $0.element + [$0.offset % 2 == 0 ? .null : .text("App/A.swift:7")]
                    } + [[.text("error"), .text("Timeout"), .text("late"), .text("B.swift")]])
            #expect(
                try await store.rows(
                    "SELECT method, url, status_code, error_type, duration_ms FROM requests WHERE method = 'GET'")
                    == [[.text("GET"), .text("https://a.b/c"), .integer(503), .text("503"), .real(1.5)]])
            #expect(
                try await store.rows("SELECT status_code FROM requests ORDER BY _id")
                    == [[.integer(503)], [.integer(500)], [.null], [.null], [.integer(404)]]
                    + Array(repeating: [.null], count: 4))
            #expect(try await store.count(in: "messages WHERE level_name = 'error'") == .integer(2))
        },
        ConformanceCase(name: "The views of spans, sessions and installations agree with the records") {
            store async throws in
            let rows = (0..<24).map { number in
                RecordRow.sample(
                    number, kind: [.span, .request, .event, .message][number % 4], level: number % 5 == 0 ? 17 : 9,
                    attributes: number % 8 == 0 ? #"{"otel.status_code":"ERROR"}"# : "{}",
                    session: number % 7 == 0 ? nil : "s\(number % 3)"
                ).with { row in
                    row.installation = number % 6 == 0 ? nil : "i\(number % 2)"
                    row.context = #"{"service.version":"1.\#(number / 8)","device.model.identifier":"P\#(number % 4)"}"#
                    row.duration = number == 4 ? .max : Int64(number) * 1_500_000
                }
            }
            try await store.append(RecordBatch(rows: rows))
            try await store.createViews(of: Definitions())
            let spans = rows.filter { $0.kind == .span || $0.kind == .request }
            #expect(
                try await store.rows("SELECT count(*), count(end_time), count(status) FROM spans")
                    == [[.integer(Int64(spans.count)), .integer(Int64(spans.count) - 1), .integer(3)]])
            #expect(
                try await store.rows("SELECT name, version, duration_ms, end_time FROM spans WHERE id = 10")
                    == [[.text("recipe.show"), .text("1.1"), .real(13.5), .integer(9_000 + 13_500_000)]])
            let sessions = Dictionary(grouping: rows.filter { $0.session != nil }) { $0.session ?? "" }
            let expected = sessions.sorted { $0.key < $1.key }.compactMap { name, rows -> [QueryResult.Cell]? in
                guard let first = rows.first, let last = rows.last else { return nil }
                let number = Int(last.time / 1_000)
                return [
                    .text(name), last.installation.map { .text($0) } ?? .null, .text("1.\(number / 8)"),
                    .text("P\(number % 4)"), .integer(Int64(rows.count)),
                    .integer(Int64(rows.count { $0.level >= 17 })), .integer(first.time), .integer(last.time),
                ]
            }
            #expect(
                try await store.rows(
                    "SELECT session, installation, version, device, count, errors, first_time, last_time FROM sessions "
                        + "ORDER BY session") == expected)
            let installations = Dictionary(grouping: rows.filter { $0.installation != nil }) { $0.installation ?? "" }
            #expect(
                try await store.rows(
                    "SELECT installation, count, sessions, versions, errors, first_time, last_time FROM installations "
                        + "ORDER BY installation")
                    == installations.sorted { $0.key < $1.key }.map { name, rows in
                        [
                            .text(name), .integer(Int64(rows.count)),
                            .integer(Int64(Set(rows.compactMap(\.session)).count)), .integer(3),
                            .integer(Int64(rows.count { $0.level >= 17 })), .integer(rows.first?.time ?? 0),
                            .integer(rows.last?.time ?? 0),
                        ]
                    })
        },
        ConformanceCase(name: "If one view cannot be created, none is") { store async throws in
            let good = StoreView(name: "good", statement: "CREATE VIEW good AS SELECT 1 AS \"_id\", 2 AS two")
            let bad = StoreView(name: "bad", statement: "CREATE VIEW bad AS SELEKT")
            let error = await #expect(throws: StoreError.self) { try await store.createViews([good, bad]) }
            #expect(error?.code == .badStatement)
            await #expect(throws: StoreError.self) {
                try await store.query("SELECT * FROM good", limits: QueryLimits())
            }
        },
    ]
}

extension EventStore {
    fileprivate func rows(_ sql: String) async throws -> [[QueryResult.Cell]] {
        try await query(sql, limits: QueryLimits()).rows
    }

    fileprivate func count(in view: String) async throws -> QueryResult.Cell? {
        let result = try await query("SELECT count(*) FROM \(view)", limits: QueryLimits())
        return result.rows.first?.first
    }
}
