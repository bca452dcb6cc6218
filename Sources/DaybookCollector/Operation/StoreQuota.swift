import DaybookBase
import DaybookStore

/// The store's size limit, at which nothing more is received. The size is measured periodically, so the store can
/// exceed it by what arrives in between. Thread-safe.
package final class StoreQuota: Sendable {
    /// In bytes.
    package let limit: Int64
    private let reached = Atomic(false)

    package init(limit: Int64) { self.limit = limit }

    package var isReached: Bool { reached.load(ordering: .relaxed) }

    /// Measures the store; a failed measurement changes nothing.
    /// - Returns: whether the limit is reached, if that changed; otherwise `nil`.
    package func measure(_ store: any EventStore) async -> Bool? {
        guard let size = try? await store.size() else { return nil }
        let (before, now) = (isReached, size >= limit)
        reached.store(now, ordering: .relaxed)
        return now == before ? nil : now
    }
}
