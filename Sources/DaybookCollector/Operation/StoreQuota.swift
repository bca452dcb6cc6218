import DaybookBase
import DaybookStore

/// How large a store may become: beyond that nothing more is received. The store is measured from time to time, so it may
/// grow beyond the bound by what arrives meanwhile. Safe to share between threads.
package final class StoreQuota: Sendable {
    /// Bytes.
    package let limit: Int64
    private let reached = Atomic(false)

    /// A bound that is not reached.
    package init(limit: Int64) { self.limit = limit }

    /// Whether the store was at its bound, or beyond, when it was measured last.
    package var isReached: Bool { reached.load(ordering: .relaxed) }

    /// Measures. A store that cannot tell its size stays as it was.
    /// - Returns: what changed: whether the bound is reached now; `nil` where nothing did.
    package func measure(_ store: any EventStore) async -> Bool? {
        guard let size = try? await store.size() else { return nil }
        let (before, now) = (isReached, size >= limit)
        reached.store(now, ordering: .relaxed)
        return now == before ? nil : now
    }
}
