import DaybookBase
import DaybookStore

/// Remembers stored records for a while, so that those resent by a sender without numbers are stored once.
///
/// Records are equal if their uid (`log.record.uid`) and all their content are, so senders that count uids from 1 or
/// reuse them lose nothing. In memory only: a restart forgets it, and collectors do not share it. Thread-safe.
package final class RepeatedRecords: Sendable {
    /// The records that a request is about to store.
    struct Claim {
        /// Without those stored before.
        var batches: [RecordBatch]
        /// Rows left out.
        var repeated = 0
        fileprivate var keys: Set<Key> = []
    }

    /// Two hashes of a record's identity, randomly seeded per process, so that collisions cannot be constructed.
    fileprivate struct Key: Hashable {
        private let high: Int
        private let low: Int

        /// - Parameter hasTime: whether the sender set the time; otherwise a resent record has another.
        init(_ row: RecordRow, hasTime: Bool) {
            // Hash the whole row, so that a new column cannot be forgotten.
            var row = row
            if !hasTime { row.time = 0 }
            func hash(_ half: Int) -> Int {
                var hasher = Hasher()
                hasher.combine(half)
                hasher.combine(hasTime)
                hasher.combine(row)
                return hasher.finalize()
            }
            (high, low) = (hash(0), hash(1))
        }
    }

    private struct State {
        /// When records of the current and the previous generation were stored.
        var recent: [Key: UInt64] = [:]
        var earlier: [Key: UInt64] = [:]
        /// Start of the generation.
        var began: UInt64 = 0
        /// Being stored now.
        var claimed: Set<Key> = []
    }

    /// Records per generation; there are two, at 100 bytes per record.
    private let most: Int
    private let window: UInt64
    private let state = Mutex(State())

    /// - Parameters:
    ///   - window: how many nanoseconds a record is remembered.
    ///   - most: records remembered at least; beyond that the oldest are forgotten. Default: 500,000.
    package init(window: UInt64, most: Int = 500_000) { (self.window, self.most) = (window, most) }

    /// Leaves out rows stored within the window before `now`, or repeated in the request.
    /// - Returns: `nil` if another request is storing one of them, so the outcome is unknown.
    func claim(_ batches: [RecordBatch], at now: UInt64) -> Claim? {
        // Hash outside the lock, which other requests wait for.
        let keys = batches.map { batch in
            batch.origin != nil
                ? []
                : batch.identified.map { (row: $0.place, key: Key(batch.rows[$0.place], hasTime: $0.hasTime)) }
        }
        return state.withLock { state in
            if now &- state.began >= window || state.recent.count >= most {
                state.earlier = state.recent
                state.recent = [:]
                state.began = now
            }
            func isStored(_ key: Key) -> Bool {
                [state.recent[key], state.earlier[key]].contains { $0.map { now &- $0 < window } ?? false }
            }
            var claim = Claim(batches: batches)
            for place in batches.indices {
                var repeated: Set<Int> = []
                for (row, key) in keys[place] {
                    if state.claimed.contains(key) { return nil }
                    if isStored(key) || !claim.keys.insert(key).inserted { repeated.insert(row) }
                }
                guard !repeated.isEmpty else { continue }
                claim.batches[place].rows = batches[place].rows.enumerated().filter { !repeated.contains($0.offset) }
                    .map(\.element)
                claim.repeated += repeated.count
            }
            state.claimed.formUnion(claim.keys)
            return claim
        }
    }

    /// Ends a claim; records that were not stored may come again.
    func settle(_ claim: Claim, isStored: Bool, at now: UInt64) {
        state.withLock { state in
            state.claimed.subtract(claim.keys)
            guard isStored else { return }
            for key in claim.keys { state.recent[key] = now }
        }
    }
}
