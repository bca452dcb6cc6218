/// A store that tells somebody after each append that stored something.
public struct ObservedStore: EventStore {
    private let store: any EventStore
    private let onAppend: @Sendable (_ head: Int64) -> Void

    /// Wraps a store.
    /// - Parameter onAppend: Told the largest arrival number after a commit; must be quick.
    public init(_ store: any EventStore, onAppend: @escaping @Sendable (_ head: Int64) -> Void) {
        self.store = store
        self.onAppend = onAppend
    }

    public func append(_ batch: RecordBatch) async throws -> AppendResult {
        let result = try await store.append(batch)
        // The records are stored: that the head cannot be read now makes a notice late, and the batch no less stored.
        if result.stored > 0, let head = try? await store.head() { onAppend(head) }
        return result
    }

    public func page(_ query: RecordQuery) async throws -> [StoredRecord] { try await store.page(query) }
    public func head() async throws -> Int64 { try await store.head() }
    public func tagSummaries() async throws -> [TagSummary] { try await store.tagSummaries() }

    public func query(_ sql: String, limits: QueryLimits) async throws -> QueryResult {
        try await store.query(sql, limits: limits)
    }
}
