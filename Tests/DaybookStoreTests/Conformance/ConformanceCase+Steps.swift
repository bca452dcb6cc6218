import DaybookBase
import DaybookStore
import DaybookTools
import DaybookTrials
import Testing

extension ConformanceCase {
    /// Where a page ends.
    static let ending: [ConformanceCase] = [
        ConformanceCase(name: "Pages are bounded by the bytes shown") { store async throws in
            let policy = MaskingPolicy(private: ["mail"])
            let hidden = [15, 16_000, 90_000]
            let rows = hidden.enumerated().flatMap { place, count in
                (0..<70).map { number in
                    RecordRow.sample(
                        number,
                        attributes: "{\"mail\":\"\(String(repeating: "x", count: count))\",\"note\":\"\(number)\"}",
                        session: "s\(place)")
                }
            }
            try await store.append(RecordBatch(rows: rows))
            for (place, count) in hidden.enumerated() {
                var query = RecordQuery()
                query.filter.sight = .masked(policy)
                query.filter.narrow(by: .field(.session, "s\(place)"))
                query.limit = 60
                query.bytes = 1 << 20
                query.budget = .seconds(60)
                let slice = try await store.slice(query)
                #expect(slice.records.count == 60 && !slice.isPartial, "\(count)")
                var byTime = TimeQuery(filter: query.filter)
                byTime.limit = 60
                #expect(try await store.slice(byTime).records.count == 60, "\(count)")
                // With full access, pages end by the stored bytes.
                query.filter.sight = .whole
                #expect(try await store.slice(query).isPartial == (count > 20_000), "\(count)")
            }
        }
    ]

    /// How far a partial answer gets, and the largest filters.
    static let stepping: [ConformanceCase] = [
        ConformanceCase(name: "The progress of a slice reveals nothing about masked values") { store async throws in
            var random = SeededGenerator(seed: 107)
            var starts: [Int64] = []
            for side in 0..<2 {
                starts.append(try await store.head())
                try await store.append(RecordBatch(rows: TwinRecords.rows(of: side)))
            }
            await (store as? SQLiteStore)?.settleIndex()
            var parts = 0
            for trial in 0..<(store is SQLiteStore ? TestLength.trials(6, long: 10) : TestLength.trials(2, long: 6)) {
                let text = TwinRecords.question(&random)
                guard let expression = try FilterParser.parse(text, now: 0).expression else { continue }
                var filter = RecordFilter()
                filter.sight = .masked(TwinRecords.policy)
                filter.narrow(by: expression)
                let asksForText = filter.expression.conjuncts.contains {
                    if case .term(.text) = $0 { true } else { false }
                }
                if !asksForText, Bool.random(using: &random) { filter.narrow(by: .text("zebra")) }
                let budget: Duration = trial % 2 == 0 ? .zero : .milliseconds(150)
                let order: RecordQuery.Order = Bool.random(using: &random) ? .newestFirst : .oldestFirst
                let limit = [1, 100, 1_000].randomElement(using: &random) ?? 1
                var answers: [String] = []
                for start in starts {
                    answers.append(
                        try await TwinRecords.answer(of: store, start, filter, order, limit, budget))
                }
                #expect(answers[0] == answers[1], "\(text), \(budget), \(order), \(limit)")
                if answers[0].contains("next Optional") { parts += 1 }
            }
            // A server's steps are larger.
            if store is SQLiteStore { #expect(parts > 0) }
        },
        ConformanceCase(name: "A filter with the most terms allowed is answered, however they are combined") {
            store async throws in
            try await store.append(
                RecordBatch(rows: (0..<5).map { .sample($0, message: "egg", attributes: "{\"amount\":\($0)}") }))
            let sights = [Sight.whole, .masked(MaskingPolicy(private: ["other"]))]
            for (place, text) in LongFilters.joined.enumerated() {
                for sight in TestLength.isLong ? sights : [sights[place % 2]] {
                    var filter = RecordFilter()
                    filter.sight = sight
                    filter.narrow(by: try #require(try FilterParser.parse(text, now: 0).expression))
                    #expect(try await store.page { $0.filter = filter }.count == 5, "\(text.prefix(80))")
                }
            }
            for text in LongFilters.nested {
                var filter = RecordFilter()
                filter.narrow(by: try #require(try FilterParser.parse(text, now: 0).expression))
                let match = FilterMatch(filter)
                let expected = match.matches(.sample(1, message: "egg", attributes: "{\"amount\":1}"))
                #expect(try await store.page { $0.filter = filter }.count == (expected ? 5 : 0), "\(text.prefix(80))")
            }
        },
        ConformanceCase(name: "A digest is keyed with the store's key") { store async throws in
            var rows = (0..<20).map { RecordRow.sample($0).with { $0.uid = "digest-\($0.time)" } }
            for place in rows.indices where place % 2 == 0 { rows[place].isDigest = true }
            for _ in 0..<2 { try await store.append(RecordBatch(rows: rows)) }
            let uids = try await store.uids { $0.order = .oldestFirst }
            #expect(Array(uids[..<20]) == Array(uids[20...]))
            for (place, row) in rows.enumerated() {
                #expect((uids[place] == row.uid) == !row.isDigest)
                #expect(uids[place].count == (row.isDigest ? 32 : row.uid.count))
            }
            // A file with this name has a digest and is recognised.
            let digest = "0123456789abcdef0123456789abcdef0123456789abcdef"
            let file = RecordBatch.file(
                .imported(file: digest), [.sample(50, sequence: 1), .sample(51, sequence: 2)])
            #expect(try await store.append(file).stored == 2)
            #expect(try await store.append(file).stored == 0)
            let streams = try await store.ledger(LedgerQuery()).ledgers.map(\.stream)
            #expect(!streams.isEmpty && !streams.contains { $0.contains(digest) })
        },
    ]
}

/// The longest and deepest filters allowed.
private enum LongFilters {
    /// Each of them matches every record with the message `egg`.
    static let joined: [String] = {
        let terms: [(Int) -> String] = [
            { "-q\($0)z" }, { "amount>=-\($0 + 1)" }, { _ in "egg" }, { "has:amount -q\($0)" }, { "level>=-\($0)" },
            { "-(q\($0) OR zz)" }, { "-session=s\($0)" }, { "tag!=a\($0)" }, { "-mail=*\($0)" },
        ]
        return terms.flatMap { term in
            [(200, " "), (85, " AND "), (200, " OR ")].map { most, joint in
                largest(most) { (0..<$0).map(term).joined(separator: joint) }
            }
        }
    }()
    static let nested = [("(egg OR ", ")"), ("-(q OR ", ")"), ("NOT (q ", ")"), ("(egg ", ")")].map { beginning, end in
        largest(1_000) { String(repeating: beginning, count: $0) + "egg" + String(repeating: end, count: $0) }
    }

    private static func largest(_ most: Int, _ text: (Int) -> String) -> String {
        var taken = 1..<most + 1
        while taken.count > 1 {
            let middle = taken.lowerBound + taken.count / 2
            let isTaken = (try? FilterParser.parse(text(middle), now: 0)) != nil
            taken = isTaken ? middle..<taken.upperBound : taken.lowerBound..<middle
        }
        return text(taken.lowerBound)
    }
}

/// The same records twice, differing only in private values.
private enum TwinRecords {
    /// More than the 4,096 of the smallest step.
    static let count = TestLength.trials(4_500, long: 6_000)
    static let policy = MaskingPolicy(private: ["email", "balance"])

    static func rows(of side: Int) -> [RecordRow] {
        (0..<count).map { number in
            let name = side == 0 && number % 3 == 0 || side == 1 && number == 7 ? "zebra" : "okapi"
            var row = RecordRow.sample(
                number,
                attributes: """
                    {"amount":\(number % 50),"email":"\(name)\(number % 500)@x","balance":\(number * (side + 1)),\
                    "note":"\(number % 1_000 == 1 ? "rare" : "plain")"}
                    """, session: "s\(number / 1_000)")
            if number % 5 == 0 { row.message = "sent {\"email\": \"\(name)\"} off" }
            return row
        }
    }

    static func question(_ random: inout SeededGenerator) -> String {
        func pick(_ words: [String]) -> String { words.randomElement(using: &random) ?? "" }
        let word = pick(["zebra", "zebr", "okapi7@x", "z", "\"\\\"email\\\":\\\"ze\"", "plain", "rare", "zebra3@x"])
        return pick([
            word, "-\(word)", "\(word) amount=3", "amount=3 OR \(word)", "plain \(word)", "has:email \(word)",
            "message=*\(word)*", "note=\(word)", "session=s1 \(word)", "note=rare -\(word)", "amount<40 \(word)",
        ])
    }

    /// A store's answer about one side, with positions relative to it.
    /// - Parameter start: The number before its first record.
    static func answer(
        of store: any EventStore, _ start: Int64, _ filter: RecordFilter, _ order: RecordQuery.Order, _ limit: Int,
        _ budget: Duration
    ) async throws -> String {
        var query = RecordQuery()
        (query.filter, query.order, query.limit, query.budget) = (filter, order, limit, budget)
        (query.after, query.before) = (start, start + Int64(count) + 1)
        let slice = try await store.slice(query)
        var byTime = TimeQuery(filter: filter, order: order)
        (byTime.limit, byTime.budget, byTime.arrivedAfter) = (limit, budget, query.after)
        byTime.arrivedBefore = query.before
        let times = try await store.slice(byTime)
        var histogram = HistogramQuery(filter: filter, start: 0, width: 1_000_000, count: 7)
        (histogram.after, histogram.before, histogram.budget) = (query.after, query.before, budget)
        let counts = try await store.histogram(histogram)
        var facets = FacetQuery(filter: filter, fields: [.session])
        (facets.after, facets.before, facets.budget) = (query.after, query.before, budget)
        let values = try await store.facets(facets)
        let found = slice.records.map { "\($0.id - start) \($0.row.time)" }
        return """
            \(found) next \(String(describing: slice.next.map { $0 - start })) \(slice.isPartial) \(slice.progress)
            \(times.records.map { $0.id - start }) next \(String(describing: times.next?.time)) \(times.isPartial)
            \(times.progress)
            \(counts.counts.sorted { $0.key < $1.key }) next \(String(describing: counts.next.map { $0 - start }))
            \(counts.progress)
            \(values.values.mapValues { $0.sorted { $0.value < $1.value } }) \(String(describing: values.next.map { $0 - start }))
            \(values.progress)
            """
    }
}
