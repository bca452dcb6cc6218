import DaybookStore

/// Iterates matching records, latest arrivals first, in parts if there are many.
struct MatchingRecords {
    private static let pageSize = 1_000
    /// Time of one part.
    private static let budget: Duration = .milliseconds(500)

    let store: any EventStore
    let filter: RecordFilter
    /// Only records with a smaller arrival number.
    let before: Int64?

    /// Passes records to `body` until it returns `false`.
    /// - Returns: Where to continue; `nil` when all were read.
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
        // If elapsed time could reveal hidden values, the store bounds the part.
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
