import DaybookStore

/// Goes through the records that a filter finds, the latest arrivals first, for what is summed up of them in code: a part
/// of them, where they are many.
struct MatchingRecords {
    private static let pageSize = 1_000
    /// How long one part may take.
    private static let budget: Duration = .milliseconds(500)

    let store: any EventStore
    let filter: RecordFilter
    /// Only records that arrived before this number.
    let before: Int64?

    /// Hands them over one by one, until one is answered with `false`.
    /// - Returns: from where to go on; `nil` when everything has been looked at.
    /// - Throws: ``StoreError``.
    func forEach(
        _ body: (StoredRecord) -> Bool
    ) async throws -> (next: Int64?, progress: SearchProgress) {
        let head = try await store.head()
        let start = min(before ?? .max, head + 1)
        let deadline = ContinuousClock.now + Self.budget
        var query = RecordQuery()
        query.filter = filter
        query.limit = Self.pageSize
        query.before = start
        // Where time must not tell, the store says how far one part goes.
        let isOnePart = filter.steps(within: query.budget) != nil
        while true {
            let slice = try await store.slice(query)
            for record in slice.records where !body(record) { return answer(record.id, start) }
            let isFull = slice.records.count == Self.pageSize
            guard let next = slice.isPartial ? slice.next : isFull ? slice.records.last?.id : nil else {
                return answer(nil, start)
            }
            if isOnePart || ContinuousClock.now >= deadline { return answer(next, start) }
            query.before = next
        }
    }

    private func answer(_ next: Int64?, _ start: Int64) -> (next: Int64?, progress: SearchProgress) {
        (next, SearchProgress(done: start - (next ?? 1), total: start - 1))
    }
}
