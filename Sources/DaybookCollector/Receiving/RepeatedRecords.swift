import DaybookBase
import DaybookStore

/// Remembers for a while which records were stored, so that one that a sender without numbers repeats is stored once.
///
/// A record is the same where its uid (`log.record.uid`) and all that its sender says of it are: uids that senders count
/// from one on, or give to many records, make nothing else a repetition. Kept in memory: a restart forgets all, and each collector knows its own.
/// Safe to share between threads.
package final class RepeatedRecords: Sendable {
    /// What a request has taken on to store.
    struct Claim {
        /// Without what was stored before.
        var batches: [RecordBatch]
        /// How many rows were left out.
        var repeated = 0
        fileprivate var keys: Set<Key> = []
    }

    /// Two hashes of a record's identity, with a key of the process's own: nobody can choose records that collide.
    fileprivate struct Key: Hashable {
        private let high: Int
        private let low: Int

        /// - Parameter hasTime: whether the time is the sender's: a repetition arrives at another.
        init(_ row: RecordRow, hasTime: Bool) {
            // All of the row, so that no column can be forgotten here.
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
        /// When the records of this generation, and of the one before it, were stored.
        var recent: [Key: UInt64] = [:]
        var earlier: [Key: UInt64] = [:]
        /// When the generation began.
        var began: UInt64 = 0
        /// Being stored.
        var claimed: Set<Key> = []
    }

    /// Records of a generation; the memory has two of them, 100 bytes a record.
    private let most: Int
    private let window: UInt64
    private let state = Mutex(State())

    /// - Parameters:
    ///   - window: nanoseconds that a record is remembered.
    ///   - most: so many records are remembered at least; further ones take the place of the oldest. Default: 500,000.
    package init(window: UInt64, most: Int = 500_000) { (self.window, self.most) = (window, most) }

    /// Leaves out rows that were stored in the window before `now`, or stand in the request before.
    /// - Returns: `nil` where another request is storing one of them: whether it is stored is not known yet.
    func claim(_ batches: [RecordBatch], at now: UInt64) -> Claim? {
        // Outside of the lock, for which other requests wait.
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

    /// What was claimed is stored, or was not: it may come again.
    func settle(_ claim: Claim, isStored: Bool, at now: UInt64) {
        state.withLock { state in
            state.claimed.subtract(claim.keys)
            guard isStored else { return }
            for key in claim.keys { state.recent[key] = now }
        }
    }
}
