import DaybookJournal

/// One output with the records on their way to it, as the drain thread drives it: what the journal has for it is
/// collected, then sent; what is done with moves the journal's cursor and is accounted for.
///
/// Confined to the drain thread.
protocol Lane: AnyObject {
    /// The output's bit in the journal.
    var index: Int { get }
    /// The output's id.
    var id: String { get }
    /// Keeps the output's ledger.
    var account: LaneAccount { get set }
    /// The accounting of what was collected, with what the output is in the middle of.
    var ledger: Ledger { get }
    /// Everything up to here has been taken out of the journal.
    var collected: UInt64 { get }
    /// Everything up to here is delivered, dropped, or not for this output: where the cursor may stand.
    var settled: UInt64 { get }

    /// Whether it also collects spans that have only begun.
    var takesStarts: Bool { get }
    /// How much it can collect now; `nil` for nothing.
    var room: LaneRoom? { get }
    /// When the journal is read for it again although nothing has happened; `nil` unless its files could not be read.
    var rereadAt: UInt64? { get set }
    /// Takes the next record of the journal. `false` if there is no room for it now.
    func collect(_ frame: FrameView, context: ContextBytes, now: UInt64) -> Bool
    /// Notes that the journal has been read up to `sequence`; what lies between is not for this output.
    func skip(through sequence: UInt64)
    /// Sends what is due. When to look again.
    func send(now: UInt64) -> UInt64

    /// Whether everything up to `sequence` is settled.
    func isSettled(through sequence: UInt64) -> Bool
    /// Whether nothing will be sent before `time`, unless somebody resumes.
    func isStuck(until time: UInt64) -> Bool
    /// The end: what only memory holds is lost with it.
    func abandon()
}

/// How much a lane takes out of the journal at once.
struct LaneRoom {
    var bytes = Int.max
    var frames = Int.max
}

/// What all lanes of a pipeline work with.
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

    /// Takes over what the journal had to drop.
    /// - Parameters:
    ///   - drops: The journal's counts, by output.
    ///   - losses: What went with segments since the last time, for any output.
    ///   - cursor: The journal's cursor for this output before the two were asked for.
    func note(drops: [DropReason: [String: UInt64]], losses: [JournalLoss], cursor: UInt64) {
        let id = Journal.storedID(of: id)
        var own: [Ledger.DropReason: UInt64] = [:]
        for (reason, counts) in drops { own[Ledger.DropReason(reason)] = counts[id] }
        account.note(drops: own, losses: losses.filter { $0.output == id }, cursor: cursor)
    }

    /// The accounting with what is stored but not yet collected: that is pending too.
    func ledger(withStored journal: Journal) -> Ledger {
        var ledger = ledger
        let stored = journal.stored(for: id, after: collected)
        ledger.accepted += stored.all
        ledger.recovered += stored.recovered
        return ledger
    }
}

/// Keeps the ledger of one output: each record is accepted once, whether it came from the journal or was lost in it.
struct LaneAccount {
    private(set) var ledger = Ledger()
    private let openedAt: UInt64
    private var collected = CollectedSequences()
    /// The journal's counts that are in the ledger already.
    private var known: [Ledger.DropReason: UInt64] = [:]
    /// Sequences that the journal has given up while copies were in memory: nothing but memory has those.
    private var orphans: [(after: UInt64, through: UInt64, reason: Ledger.DropReason)] = []

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

    /// Counts those of the records in memory as lost that the journal no longer has: memory is about to go.
    mutating func abandon(_ pending: some Sequence<UInt64>) {
        guard !orphans.isEmpty else { return }
        for sequence in pending {
            guard let orphan = orphans.first(where: { sequence > $0.after && sequence <= $0.through }) else { continue }
            drop(1, orphan.reason)
        }
    }
}

/// The sequence numbers of the records that were lately taken out of the journal, in order.
///
/// They tell a record that is lost from one that only the journal has lost, while a copy is on its way.
private struct CollectedSequences {
    private var sequences: [UInt64] = []

    /// Adds one; higher than all before.
    mutating func append(_ sequence: UInt64) { sequences.append(sequence) }

    /// How many lie after the one and up to the other.
    func count(after: UInt64, through: UInt64) -> UInt64 {
        guard through > after else { return 0 }
        return UInt64(index(after: through) - index(after: after))
    }

    /// Forgets those that the journal's cursor has passed.
    mutating func forget(through sequence: UInt64) {
        let count = index(after: sequence)
        if count > 0 { sequences.removeFirst(count) }
    }

    /// The place of the first that is higher.
    private func index(after sequence: UInt64) -> Int {
        var (low, high) = (0, sequences.count)
        while low < high {
            let middle = (low + high) / 2
            if sequences[middle] <= sequence { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
