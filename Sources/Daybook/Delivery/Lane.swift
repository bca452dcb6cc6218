import DaybookJournal

/// One output and the records on their way to it, as the drain thread drives it: it collects from the journal, sends,
/// moves the journal's cursor and keeps the accounts.
///
/// Confined to the drain thread.
protocol Lane: AnyObject {
    /// The output's bit in the journal.
    var index: Int { get }
    var id: String { get }
    var account: LaneAccount { get set }
    /// Includes what the output is busy with.
    var ledger: Ledger { get }
    /// Everything up to here has been read from the journal.
    var collected: UInt64 { get }
    /// Everything up to here is delivered, dropped, or not for this output: the limit for the cursor.
    var settled: UInt64 { get }

    /// Whether it also collects starts of spans.
    var takesStarts: Bool { get }
    /// How much it can collect now; `nil` for nothing.
    var room: LaneRoom? { get }
    /// When to retry unreadable files; `nil` if there are none.
    var rereadAt: UInt64? { get set }
    /// Takes the next record of the journal. `false` if there is no room now.
    func collect(_ frame: FrameView, context: ContextBytes, now: UInt64) -> Bool
    /// The journal has been read up to `sequence`; the rest is not for this output.
    func skip(through sequence: UInt64)
    /// Sends what is due. Returns when to look again.
    func send(now: UInt64) -> UInt64

    func isSettled(through sequence: UInt64) -> Bool
    /// Whether nothing will be sent before `time` unless somebody resumes.
    func isStuck(until time: UInt64) -> Bool
    /// The end: what only memory holds is lost.
    func abandon()
}

/// How much a lane reads from the journal at once.
struct LaneRoom {
    var bytes = Int.max
    var frames = Int.max
}

/// What the lanes of a pipeline share.
struct LaneSurroundings {
    let drain: Drain
    let journal: Journal
    let quarantine: Quarantine
    let reporter: Reporter
    let clock: PipelineClock
    /// The installation's secret.
    let key: HashKey
}

extension Lane {
    var takesStarts: Bool { false }

    /// Takes over the journal's drops.
    /// - Parameters:
    ///   - drops: The journal's counts, by output.
    ///   - losses: Lost with segments since the last call, for any output.
    ///   - cursor: The journal's cursor for this output, read before the other two.
    func note(drops: [DropReason: [String: UInt64]], losses: [JournalLoss], cursor: UInt64) {
        let id = Journal.storedID(of: id)
        var own: [Ledger.DropReason: UInt64] = [:]
        for (reason, counts) in drops { own[Ledger.DropReason(reason)] = counts[id] }
        account.note(drops: own, losses: losses.filter { $0.output == id }, cursor: cursor)
    }

    /// Adds what is stored and not yet collected, which is pending too.
    func ledger(withStored journal: Journal) -> Ledger {
        var ledger = ledger
        let stored = journal.stored(for: id, after: collected)
        ledger.accepted += stored.all
        ledger.recovered += stored.recovered
        return ledger
    }
}

/// Keeps an output's ledger: each record is accepted once, whether it was read from the journal or lost in it.
struct LaneAccount {
    private(set) var ledger = Ledger()
    private let openedAt: UInt64
    private var collected = CollectedSequences()
    /// The journal's counts already in the ledger.
    private var known: [Ledger.DropReason: UInt64] = [:]
    /// Sequences that the journal dropped while copies were in memory, which alone has them.
    private var orphans: [(after: UInt64, through: UInt64, reason: Ledger.DropReason)] = []

    /// - Parameter openedAt: The last sequence of earlier launches.
    init(openedAt: UInt64) { self.openedAt = openedAt }

    mutating func collect(_ sequence: UInt64) {
        collected.append(sequence)
        ledger.accepted += 1
        if sequence <= openedAt { ledger.recovered += 1 }
    }

    mutating func deliver(_ count: Int) { ledger.delivered += UInt64(count) }

    mutating func drop(_ count: Int, _ reason: Ledger.DropReason) {
        if count > 0 { ledger.dropped[reason, default: 0] += UInt64(count) }
    }

    /// Takes over the journal's drops.
    /// - Parameters:
    ///   - drops: The journal's counts for this output.
    ///   - losses: Lost with segments since the last call, for this output.
    ///   - cursor: The journal's cursor, read before the other two.
    mutating func note(drops: [Ledger.DropReason: UInt64], losses: [JournalLoss], cursor: UInt64) {
        var kept: [Ledger.DropReason: UInt64] = [:]
        for loss in losses {
            let copies = collected.count(after: loss.after, through: loss.through)
            let reason = Ledger.DropReason(loss.reason)
            kept[reason, default: 0] += copies
            if copies > 0 { orphans.append((loss.after, loss.through, reason)) }
            if loss.through <= openedAt { ledger.recovered += loss.count - min(loss.count, copies) }
        }
        for (reason, count) in drops {
            let new = count - known[reason, default: 0]
            known[reason] = count
            let lost = new - min(new, kept[reason, default: 0])
            guard lost > 0 else { continue }
            ledger.accepted += lost
            ledger.dropped[reason, default: 0] += lost
        }
        collected.forget(through: cursor)
        orphans.removeAll { $0.through <= cursor }
    }

    /// Counts pending records that the journal no longer has as lost: memory is about to go.
    mutating func abandon(_ pending: some Sequence<UInt64>) {
        guard !orphans.isEmpty else { return }
        for sequence in pending {
            guard let orphan = orphans.first(where: { sequence > $0.after && sequence <= $0.through }) else { continue }
            drop(1, orphan.reason)
        }
    }
}

/// Sequence numbers lately read from the journal, in order.
///
/// They distinguish a lost record from one that only the journal has lost while a copy is under way.
private struct CollectedSequences {
    private var sequences: [UInt64] = []

    /// - Parameter sequence: Higher than all before.
    mutating func append(_ sequence: UInt64) { sequences.append(sequence) }

    func count(after: UInt64, through: UInt64) -> UInt64 {
        guard through > after else { return 0 }
        return UInt64(index(after: through) - index(after: after))
    }

    /// Forgets those that the journal's cursor has passed.
    mutating func forget(through sequence: UInt64) {
        let count = index(after: sequence)
        if count > 0 { sequences.removeFirst(count) }
    }

    /// The index of the first higher one.
    private func index(after sequence: UInt64) -> Int {
        var (low, high) = (0, sequences.count)
        while low < high {
            let middle = (low + high) / 2
            if sequences[middle] <= sequence { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
