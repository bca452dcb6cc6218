import DaybookAPI
import DaybookStore
import DaybookTools

/// Times counts by value over a long history, whole, however many answers it takes.
struct CountQuestions {
    let store: SQLiteStore
    /// How often each is asked, after one warm-up.
    let rounds: Int

    private static let day: Int64 = 86_400_000_000_000
    private static let keyword = FacetQuery.Field.attribute("keyword")

    func run() async throws {
        let tag = FilterExpression.tag("category0.event_name_3")
        try await time("counts by keyword") { try await facets(.attribute("keyword")) }
        try await time("counts by user_id") { try await facets(.attribute("user_id")) }
        try await time("counts by version of one tag") { try await facets(.version, tag) }
        try await time("counts by tag of one session") { try await facets(.tag, .field(.session, "session-777")) }
        try await time("counts by keyword where recipe_id > 2500000") {
            let large = FilterExpression.term(.column("recipe_id", .range(FilterRange(from: .int(2_500_000)))))
            return try await facets(Self.keyword, large)
        }
        try await time("counts by keyword a day") { try await volume([]) }
        try await time("counts by keyword a day of one tag, masked") { try await volume([tag], masked: true) }
        let keyword = FilterExpression.term(.column("keyword", .text("carrot")))
        try await time("counts a day where keyword is carrot, masked") { try await volume([keyword], masked: true) }
        try await time("releases") { Int64(try await ReleaseQuestion([]).answer(from: store).names.count) }
    }

    private func time(_ question: String, _ body: () async throws -> Int64) async throws {
        var times: [Double] = []
        var count: Int64 = 0
        for _ in 0...rounds {
            let start = ContinuousClock.now
            count = try await body()
            times.append((ContinuousClock.now - start).inSeconds * 1_000)
        }
        let sorted = times.dropFirst().sorted()
        print("  \(question): \(Ratio.text(sorted[sorted.count / 2])) ms, \(count)")
    }

    /// The number of records that have one of the most frequent values.
    private func facets(_ field: FacetQuery.Field, _ conditions: FilterExpression...) async throws -> Int64 {
        var query = FacetQuery(filter: RecordFilter(.every(conditions)), fields: [field])
        var counts: [ExactText: Int64] = [:]
        repeat {
            let answer = try await store.facets(query)
            for value in answer.values[field] ?? [] { counts[ExactText(value.value), default: 0] += value.count }
            query.before = answer.next
        } while query.before != nil
        return counts.values.sorted(by: >).prefix(50).reduce(0, +)
    }

    private func volume(_ conditions: [FilterExpression], masked: Bool = false) async throws -> Int64 {
        let times = try await store.timeBounds(within: nil) ?? 0...0
        let start = times.lowerBound / Self.day * Self.day
        var filter = RecordFilter(.every(conditions))
        if masked { filter.sight = .masked(MaskingPolicy()) }
        var query = HistogramQuery(
            filter: filter, start: start, width: Self.day, count: Int((times.upperBound - start) / Self.day) + 1)
        query.split = .values(["carrot", "卵焼き", "timeout"], of: Self.keyword)
        var count: Int64 = 0
        repeat {
            let answer = try await store.histogram(query)
            for series in answer.counts.values { count += series.reduce(0, +) }
            query.before = answer.next
        } while query.before != nil
        return count
    }
}
