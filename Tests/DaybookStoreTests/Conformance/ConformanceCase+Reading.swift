import DaybookStore
import Testing

extension ConformanceCase {
    static let timing: [ConformanceCase] = [
        ConformanceCase(name: "Pages by time interleave imports, and equal times keep the order of arrival") {
            store async throws in
            // Two devices' recordings of the same hour, imported in turn; 3 and 8 have the same time.
            let times = [10, 30, 50, 70, 90, 20, 40, 50, 80, 100]
            try await store.append(RecordBatch(rows: times.map { .sample($0) }))
            #expect(try await store.page(TimeQuery()).map(\.id) == [10, 5, 9, 4, 8, 3, 7, 2, 6, 1])
            #expect(try await store.page(TimeQuery(order: .oldestFirst)).map(\.id) == [1, 6, 2, 7, 3, 8, 4, 9, 5, 10])
            for order in [RecordQuery.Order.newestFirst, .oldestFirst] {
                var query = TimeQuery(order: order)
                query.limit = 3
                var all: [Int64] = []
                for _ in 0..<4 {
                    let slice = try await store.slice(query)
                    all += slice.records.map(\.id)
                    guard let next = slice.next else { break }
                    query = query.resumed(at: next)
                }
                #expect(all == (try await store.page(TimeQuery(order: order)).map(\.id)))
            }
            var query = TimeQuery()
            query.before = TimePlace(time: 50_000, id: 8)
            query.after = TimePlace(time: 20_000, id: 6)
            #expect(try await store.page(query).map(\.id) == [3, 7, 2])
            query.arrivedAfter = 2
            query.arrivedBefore = 7
            #expect(try await store.page(query).map(\.id) == [3])
        },
        ConformanceCase(name: "Filters apply alike to pages by time and by arrival, also in slices") {
            store async throws in
            try await store.append(
                RecordBatch(
                    rows: (0..<6_000).map { number in
                        .sample(
                            number * 7_919 % 6_000, tag: number % 3 == 0 ? "a.b" : "c", message: "text \(number % 50)",
                            attributes: #"{"user_id":\#(number % 9)}"#)
                    }))
            let conditions: [FilterExpression] = [
                .tag("a.*"), .text("TEXT 7"), .term(.column("user_id", .value("4"))), .tag("nobody"),
            ]
            for filter in conditions.map({ RecordFilter($0) }) {
                let all = try await store.page { query in
                    query.filter = filter
                    query.limit = 1_000
                }
                var query = TimeQuery(filter: filter)
                query.limit = 1_000
                // Time for one small step only.
                query.budget = .zero
                var byTime: [StoredRecord] = []
                for _ in 0..<20 {
                    let slice = try await store.slice(query)
                    byTime += slice.records
                    #expect((0...1_000).contains(slice.progress.done))
                    guard let next = slice.next else { break }
                    query = query.resumed(at: next)
                }
                #expect(byTime.map(\.place) == byTime.map(\.place).sorted(by: >))
                // All of them, if one page by arrival holds all.
                if all.count < 1_000 { #expect(Set(byTime) == Set(all)) } else { #expect(byTime.count == 2_000) }
            }
        },
        ConformanceCase(name: "Pages by time include the earliest and latest possible times") { store async throws in
            var rows = (1...3).map { RecordRow.sample($0) }
            rows[0].time = .max
            rows[1].time = .min
            try await store.append(RecordBatch(rows: rows))
            #expect(try await store.page(TimeQuery()).map(\.id) == [1, 3, 2])
            var query = TimeQuery()
            query.before = TimePlace(time: .max, id: 1)
            query.after = TimePlace(time: .min, id: 2)
            #expect(try await store.page(query).map(\.id) == [3])
        },
    ]

    static let paging: [ConformanceCase] = [
        ConformanceCase(name: "Pages continue before or after a record, both exclusive") { store async throws in
            try await store.append(RecordBatch(rows: (1...10).map { .sample($0) }))
            #expect(try await store.page { $0.limit = 3 }.map(\.id) == [10, 9, 8])
            #expect(
                try await store.page { query in
                    query.limit = 3
                    query.before = 8
                }.map(\.id) == [7, 6, 5])
            #expect(
                try await store.page { query in
                    query.order = .oldestFirst
                    query.after = 8
                }.map(\.id) == [9, 10])
            #expect(
                try await store.page { query in
                    query.after = 3
                    query.before = 6
                }.map(\.id) == [5, 4])
        },
        ConformanceCase(name: "A page beyond the last record is empty") { store async throws in
            try await store.append(RecordBatch(rows: (1...3).map { .sample($0) }))
            for order in [RecordQuery.Order.newestFirst, .oldestFirst] {
                for after in [4, Int64.max - 1, .max] {
                    #expect(
                        try await store.page { query in
                            query.order = order
                            query.after = after
                        }.isEmpty)
                }
                #expect(
                    try await store.page { query in
                        query.order = order
                        query.before = .min
                    }.isEmpty)
                #expect(
                    try await store.page { query in
                        query.order = order
                        query.after = .min
                        query.before = .max
                    }.count == 3)
            }
        },
        ConformanceCase(name: "A limit is clamped to 1 to 1,000") { store async throws in
            try await store.append(RecordBatch(rows: (1...1_200).map { .sample($0) }))
            #expect(try await store.page { $0.limit = 0 }.count == 1)
            #expect(try await store.page { $0.limit = .max }.count == 1_000)
        },
        ConformanceCase(name: "Kind, level, tag and session together narrow a page") { store async throws in
            try await store.append(
                RecordBatch(rows: [
                    .sample(1, tag: "a", kind: .event, level: 9, session: "x"),
                    .sample(2, tag: "a", kind: .error, level: 17, session: "x"),
                    .sample(3, tag: "b", kind: .error, level: 21, session: "x"),
                    .sample(4, tag: "b", kind: .message, level: 17, session: "y"),
                ]))
            #expect(try await store.uids { $0.narrow(by: .kinds(["error", "event"])) } == ["uid-3", "uid-2", "uid-1"])
            #expect(try await store.uids { $0.narrow(by: .level(atLeast: 17)) } == ["uid-4", "uid-3", "uid-2"])
            #expect(try await store.uids { $0.narrow(by: .tag("a")) } == ["uid-2", "uid-1"])
            #expect(try await store.uids { $0.narrow(by: .field(.session, "y")) } == ["uid-4"])
            #expect(
                try await store.uids { query in
                    query.narrow(by: .kinds(["error"]))
                    query.narrow(by: .tag("b"))
                    query.narrow(by: .field(.session, "x"))
                    query.narrow(by: .level(atLeast: 18))
                } == ["uid-3"])
            #expect(try await store.uids { $0.narrow(by: .kinds(["' OR 1=1 --"])) } == [])
        },
    ]

    static let searching: [ConformanceCase] = [
        ConformanceCase(name: "Text is found anywhere in tag, message and attributes, regardless of case") {
            store async throws in
            try await store.append(
                RecordBatch(rows: [
                    .sample(1, tag: "recipe.SEARCH"), .sample(2, message: "the Search failed"),
                    .sample(3, attributes: #"{"keyword":"reSEARCHer"}"#), .sample(4, message: "nothing"),
                ]))
            #expect(try await store.uids { $0.narrow(by: .text("search")) } == ["uid-3", "uid-2", "uid-1"])
            #expect(try await store.uids { $0.narrow(by: .text("SEARCH")) } == ["uid-3", "uid-2", "uid-1"])
        },
        ConformanceCase(name: "Japanese text is found by one, two or more characters") { store async throws in
            try await store.append(
                RecordBatch(rows: [
                    .sample(1, attributes: #"{"keyword":"卵焼き"}"#), .sample(2, message: "肉じゃがを検索"),
                    .sample(3, tag: "検索.実行"),
                ]))
            #expect(try await store.uids { $0.narrow(by: .text("卵")) } == ["uid-1"])
            #expect(try await store.uids { $0.narrow(by: .text("検索")) } == ["uid-3", "uid-2"])
            #expect(try await store.uids { $0.narrow(by: .text("肉じゃが")) } == ["uid-2"])
            #expect(try await store.uids { $0.narrow(by: .text("豚")) } == [])
        },
        ConformanceCase(name: "Half-width kana with voicing marks and full-width kana match each other") {
            store async throws in
            let messages = ["ﾊﾟﾝﾌﾟﾃﾞｨﾝｸﾞ", "パンプディング", "\u{30CF}\u{309A}ンプディング", "ハン"]
            try await store.append(
                RecordBatch(rows: messages.enumerated().map { .sample($0.offset + 1, message: $0.element) }))
            for text in messages.dropLast() + ["ﾊﾟ", "パ", "\u{30CF}\u{309A}", "ﾊﾟﾝ", "パン"] {
                #expect(try await store.uids { $0.narrow(by: .text(text)) } == ["uid-3", "uid-2", "uid-1"], "\(text)")
            }
            #expect(try await store.uids { $0.narrow(by: .text("ハン")) } == ["uid-4"])
        },
        ConformanceCase(name: "Other scripts are found regardless of case") { store async throws in
            try await store.append(
                RecordBatch(rows: [
                    .sample(1, message: "CRÈME brûlée"), .sample(2, message: "Борщ"), .sample(3, message: "ＡＢＣ"),
                ]))
            #expect(try await store.uids { $0.narrow(by: .text("crème BRÛLÉE")) } == ["uid-1"])
            #expect(try await store.uids { $0.narrow(by: .text("БОРЩ")) } == ["uid-2"])
            #expect(try await store.uids { $0.narrow(by: .text("ａｂｃ")) } == ["uid-3"])
        },
        ConformanceCase(name: "Wildcards, quotation marks and line breaks in a text are literal") {
            store async throws in
            try await store.append(
                RecordBatch(rows: [
                    .sample(1, message: "100% done"), .sample(2, message: "100 done"), .sample(3, message: "a_b\\c"),
                    .sample(4, message: "axb"), .sample(5, attributes: #"{"q":"say \"hi\"\nnow"}"#),
                ]))
            #expect(try await store.uids { $0.narrow(by: .text("100%")) } == ["uid-1"])
            #expect(try await store.uids { $0.narrow(by: .text("a_b\\")) } == ["uid-3"])
            #expect(try await store.uids { $0.narrow(by: .text("\"hi\"\nnow")) } == ["uid-5"])
        },
    ]

    static let querying: [ConformanceCase] = [
        ConformanceCase(name: "Completeness has an account for each owner, and trusts only proven ones") {
            store async throws in
            let owners: [StreamOwner] = [
                .proven(digest: "0a"), .proven(digest: "0b"), .unproven(key: "a/b%"), .unproven(key: nil),
            ]
            for (place, name) in (owners.map { $0.name("s/o/logs") } + ["s/o/logs"]).enumerated() {
                for interval in [(UInt64(0), UInt64(2)), (4, 6)] {
                    var batch = RecordBatch.numbered(name, interval, [interval.0 + 1])
                    batch.rows[0].installation = "i"
                    batch.losses = LossReport(
                        sender: StreamOwner.sender(of: name), counts: ["disk_limit": Int64(place + 1)])
                    try await store.append(batch)
                }
            }
            let answer = try await store.query(
                "SELECT owner, proven, stored, missing, lost FROM completeness ORDER BY lost", limits: QueryLimits())
            let expected: [[QueryResult.Cell]] = [
                [.text("proof:0a"), .integer(1), .integer(2), .integer(2), .integer(1)],
                [.text("proof:0b"), .integer(1), .integer(2), .integer(2), .integer(2)],
                [.text("unproven:a%2Fb%25"), .integer(0), .integer(2), .null, .integer(3)],
                [.text("unproven:"), .integer(0), .integer(2), .null, .integer(4)],
                [.text(""), .integer(0), .integer(2), .integer(2), .integer(5)],
            ]
            #expect(answer.rows == expected)
            let gaps = try await store.query("SELECT count(*) FROM stream_gaps", limits: QueryLimits())
            #expect(gaps.rows == [[.integer(3)]])
        },
        ConformanceCase(name: "A statement returns typed cells under its own column names") { store async throws in
            try await store.append(RecordBatch(rows: [.sample(1, message: "m")]))
            let result = try await store.query(
                "SELECT id, message AS text, session, 1.5 AS half FROM records -- a comment\n ; ", limits: QueryLimits()
            )
            #expect(result.columns == ["id", "text", "session", "half"])
            #expect(result.rows == [[.integer(1), .text("m"), .null, .real(1.5)]])
            #expect(!result.isTruncated)
        },
        ConformanceCase(name: "Rows beyond the limit are left out, and the result says so") { store async throws in
            try await store.append(RecordBatch(rows: (1...20).map { .sample($0) }))
            var limits = QueryLimits()
            limits.rows = 20
            #expect(try await store.query("SELECT id FROM records", limits: limits).isTruncated == false)
            limits.rows = 7
            let result = try await store.query("SELECT id FROM records ORDER BY id", limits: limits)
            #expect(result.rows.count == 7)
            #expect(result.isTruncated)
        },
        ConformanceCase(name: "An invalid statement throws the database's own message") { store async throws in
            let error = await #expect(throws: StoreError.self) {
                try await store.query("SELECT nonsense FROM records", limits: QueryLimits())
            }
            #expect(error?.code == .badStatement)
            #expect(error?.message.contains("nonsense") == true)
        },
    ]
}
