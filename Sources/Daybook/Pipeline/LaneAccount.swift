import DaybookJournal

/// Keeps the ledger of one output: each record is accepted once, whether it came from the journal or was lost in it.
struct LaneAccount {
    private(set) var ledger = Ledger()
    private let openedAt: UInt64
    private var collected = CollectedSequences()
    /// The journal's counts that are in the ledger already.
    private var known: [DropReason: UInt64] = [:]
    /// Sequences that the journal has given up while copies were in memory: nothing but memory has those.
    private var orphans: [(after: UInt64, through: UInt64, reason: DropReason)] = []

    /// - Parameter openedAt: The last sequence of earlier launches.
    init(openedAt: UInt64) { self.openedAt = openedAt }

    /// A record was taken out of the journal.
    mutating func collect(_ sequence: UInt64) {
        collected.append(sequence)
        ledger.accepted += 1
        if sequence <= openedAt { ledger.recovered += 1 }
    }

    /// Collected records arrived.
    mutating func deliver(_ count: Int) { ledger.delivered += UInt64(count) }

    /// Collected records were given up.
    mutating func drop(_ count: Int, _ reason: Ledger.DropReason) {
        if count > 0 { ledger.dropped[reason, default: 0] += UInt64(count) }
    }

    /// Takes over what the journal had to drop.
    /// - Parameters:
    ///   - drops: The journal's counts for this output.
    ///   - losses: What went with segments since the last time, for this output.
    ///   - cursor: The journal's cursor before the two were asked for.
    mutating func note(drops: [DropReason: UInt64], losses: [JournalLoss], cursor: UInt64) {
        var kept: [DropReason: UInt64] = [:]
        for loss in losses {
            let copies = collected.count(after: loss.after, through: loss.through)
            kept[loss.reason, default: 0] += copies
            if copies > 0 { orphans.append((loss.after, loss.through, loss.reason)) }
            if loss.through <= openedAt { ledger.recovered += loss.count - min(loss.count, copies) }
        }
        for (reason, count) in drops {
            let new = count - known[reason, default: 0]
            known[reason] = count
            let lost = new - min(new, kept[reason, default: 0])
            guard lost > 0 else { continue }
            ledger.accepted += lost
            ledger.dropped[Ledger.DropReason(reason), default: 0] += lost
        }
        collected.forget(through: cursor)
        orphans.removeAll { $0.through <= cursor }
    }

    /// Counts those of the records in memory as lost that the journal no longer has: memory is about to go.
    mutating func abandon(_ pending: some Sequence<UInt64>) {
        guard !orphans.isEmpty else { return }
        for sequence in pending {
            guard let orphan = orphans.first(where: { sequence > $0.after && sequence <= $0.through }) else { continue }
            drop(1, Ledger.DropReason(orphan.reason))
        }
    }
}
