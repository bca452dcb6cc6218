import DaybookBase
import DaybookTestTraits
import DaybookTesting
import DaybookTools
import DaybookTrials
import Testing

@testable import DaybookStore

/// Counts by value, from columns and from rows.
@Suite(.temporaryDirectory) struct ColumnCountTests {
    private let directory = TemporaryDirectory.current
    private var path: String { directory.file("store.sqlite") }

    /// Two extents with columns and a tail without, beside a store that has none.
    private func stores(_ rows: [RecordRow]) async throws -> (columns: SQLiteStore, rows: MemoryStore) {
        let (store, model) = (try SQLiteStore(path: path), MemoryStore())
        for part in stride(from: 0, to: rows.count, by: 150) {
            if part > 0 { try SQLiteFile(path).completeExtent() }
            let batch = RecordBatch(rows: Array(rows[part..<min(part + 150, rows.count)]))
            try await store.append(batch)
            try await model.append(batch)
        }
        await store.settleIndex()
        return (store, model)
    }

    private static func row(_ number: Int, _ random: inout RandomTree) -> RecordRow {
        var row = random.row(number)
        row.time = Int64(random.below(400_000))
        // Whom a record calls private itself, and a credential within a text.
        let told = #""\#(MaskingPolicy.lists[random.below(2)])":["\#(random.one(of: ["order", "price"]))"]"#
        let secret = #""note":"\#(random.one(of: ["token=abcdef0123456789", "plain", #"{\"price\":3}"#]))""#
        for member in [told, secret] where random.below(4) == 0 {
            row.attributes = row.attributes == "{}" ? "{\(member)}" : row.attributes.dropLast() + ",\(member)}"
        }
        if random.below(8) == 0, row.context == "{}" { row.context = "{\(told)}" }
        return row
    }

    private static let sights: [Sight] = [
        .whole, .masked(MaskingPolicy()),
        .masked(MaskingPolicy(private: ["price", "order"], open: ["feed.show": ["price"], "feed": ["order"]])),
    ]

    /// A tree without searches of texts, which no column answers.
    private static func tree(_ random: inout RandomTree) -> FilterExpression {
        random.tree().mapped { if case .text = $0 { .has("price") } else { $0 } }
    }

    @Test(arguments: 0..<4) func countsFromColumnsAreThoseOfRows(_ seed: Int) async throws {
        var random = RandomTree(seed: 4_100 + UInt64(seed))
        let (store, model) = try await stores((0..<400).map { Self.row($0, &random) })
        var (counted, answered) = (Int64(0), 0)
        let names = ["order", "price", "note", "順序", "level", MaskingPolicy.lists[0]]
        let rounds = TestLength.trials(24, long: 60)
        for round in 0..<rounds {
            var filter = RecordFilter(round % 8 == 0 ? .everything : Self.tree(&random))
            filter.sight = random.one(of: Self.sights)
            let fields = FacetQuery.Field.allCases + names.map { .attribute($0) }
            let facets = FacetQuery(filter: filter, fields: fields)
            let found = try await store.values(facets)
            #expect(try await model.values(facets) == found, "\(filter)")
            counted += found[.kind]?.values.reduce(0, +) ?? 0
            if ColumnFilter(filter) != nil { answered += 1 }
            var histogram = HistogramQuery(
                filter: filter, start: Int64(random.below(200_000)) - 50_000, width: Int64(1 + random.below(90_000)),
                count: 1 + random.below(12))
            let field = random.one(of: fields)
            let listed = found[field]?.keys.filter { _ in random.below(2) == 0 } ?? []
            histogram.split = random.one(of: [.kind, .level, .values(Set(listed), of: field)])
            let counts = try await store.whole(histogram)
            let expected = try await model.whole(histogram)
            #expect(counts.counts == expected.counts, "\(histogram)")
            #expect(counts.others.sum == expected.others.sum && counts.others.count <= histogram.count)
        }
        #expect(counted > 1_000 && answered > rounds / 2)
    }
}

extension [Int64] {
    fileprivate var sum: Int64 { reduce(0, +) }
}
