import DaybookTrials
import Testing

@testable import DaybookStore

/// Puts together answers that come in parts.
extension EventStore {
    func counts(_ query: HistogramQuery) async throws -> [ExactText: [Int64]] { try await whole(query).counts }

    /// The whole histogram, from as many answers as it takes.
    func whole(_ query: HistogramQuery) async throws -> Histogram {
        var query = query
        var whole = Histogram()
        for _ in 0..<100_000 {
            let part = try await histogram(query)
            whole.counts.merge(part.counts) { zip($0, $1).map(+) }
            if whole.others.isEmpty {
                whole.others = part.others
            } else if !part.others.isEmpty {
                whole.others = zip(whole.others, part.others).map(+)
            }
            guard let next = part.next else { return whole }
            query.before = next
        }
        throw StoreError(.limit, "The histogram does not end.")
    }

    /// The whole facets, from as many answers as they take.
    func values(_ query: FacetQuery) async throws -> [FacetQuery.Field: [ExactText: Int64]] {
        var query = query
        var values: [FacetQuery.Field: [ExactText: Int64]] = [:]
        for _ in 0..<100_000 {
            let part = try await facets(query)
            for (field, list) in part.values {
                let isDescending = zip(list, list.dropFirst()).allSatisfy {
                    ($1.count, ExactText($0.value)) < ($0.count, ExactText($1.value))
                }
                #expect(isDescending)
                for value in list { values[field, default: [:]][ExactText(value.value), default: 0] += value.count }
            }
            guard let next = part.next else { return values }
            query.before = next
        }
        throw StoreError(.limit, "The facets do not end.")
    }
}
