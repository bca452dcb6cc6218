import DaybookBase
import DaybookJournal
import Dispatch

/// One output that takes records one at a time, with the few that are on their way to it.
///
/// Confined to the drain thread; the output itself is called on a queue of its own, so that one that blocks holds up
/// nobody else. What waits for it meanwhile stays in the journal.
final class ImmediateLane {
    /// What is taken out of the journal at once.
    private static let maximumCount = 64
    private static let maximumBytes = 256 << 10
    /// An output that is busy with one record for so long is reported.
    static let patience: UInt64 = 10_000_000_000

    /// Some records, and how far the output has come with them.
    private final class Portion: Sendable {
        let batch: Batch
        /// How many the output is done with; how many of these could not be read, and how many its transform dropped.
        let done = Atomic<Int>(0)
        let unreadable = Atomic<Int>(0)
        let transformed = Atomic<Int>(0)

        init(_ batch: Batch) { self.batch = batch }

        func write(to output: any Output, _ scope: CallScope, _ transform: RouteTransform?) {
            for item in batch.items {
                if let record = batch.record(of: item) {
                    scope.run {
                        if let record = transform.map({ $0.transformed(record) }) ?? record {
                            output.write(record)
                        } else {
                            transformed.add(1, ordering: .relaxed)
                        }
                    }
                } else {
                    unreadable.add(1, ordering: .relaxed)
                }
                done.add(1, ordering: .sequentiallyConsistent)
            }
        }
    }

    let index: Int
    let output: any Output
    private let transform: RouteTransform?
    private var account: LaneAccount
    /// Everything up to here is written, dropped or under way.
    private(set) var collected: UInt64
    private var underWay: Portion?
    /// When the output last came on, and how far it was.
    private var progress: (at: UInt64, done: Int) = (0, 0)
    /// The journal's bytes when the portion was begun.
    private var startBytes: UInt64 = 0
    private let queue: DispatchQueue

    init(index: Int, output: any Output, transform: RouteTransform?, openedAt: UInt64) {
        self.index = index
        self.output = output
        self.transform = transform
        collected = openedAt
        account = LaneAccount(openedAt: openedAt)
        queue = DispatchQueue(label: "daybook.output.\(output.id)", qos: .utility)
    }

    var id: String { output.id }

    /// Counts a record of an earlier launch that ended before it was written.
    func dropEnded(_ sequence: UInt64) {
        account.collect(sequence)
        account.drop(1, .processEnded)
    }

    /// Hands the next records to the output if it is free for them.
    /// - Parameter done: Called on the output's queue when it has taken them.
    func write(from journal: Journal, contexts: inout ContextCache, now: UInt64, done: @escaping @Sendable () -> Void) {
        guard underWay == nil else { return }
        var batch = Batch(output: id, stream: "", after: collected)
        let read = journal.read(
            after: collected, output: index, limitBytes: Self.maximumBytes, limitFrames: Self.maximumCount
        ) { frame in
            guard frame.flags.isCounted else { return true }
            // Another writer's, from before it died: too late, as what is of an earlier launch.
            guard frame.origin == nil else {
                dropEnded(frame.sequence)
                return true
            }
            _ = batch.append(frame, context: contexts.context(of: frame))
            account.collect(frame.sequence)
            return true
        }
        collected = max(collected, read.through)
        guard batch.count > 0 else { return }
        let portion = Portion(batch)
        underWay = portion
        progress = (now, 0)
        startBytes = journal.counters.appendedBytes
        queue.async { [output, index, transform] in
            portion.write(to: output, .output(index), transform)
            done()
        }
    }

    /// Takes note that the records under way are written.
    func finish() {
        guard let portion = underWay else { return }
        account = counted(portion)
        underWay = nil
    }

    private func counted(_ portion: Portion) -> LaneAccount {
        let done = portion.done.load(ordering: .acquiring)
        let unreadable = min(done, portion.unreadable.load(ordering: .relaxed))
        let transformed = min(done - unreadable, portion.transformed.load(ordering: .relaxed))
        var account = account
        account.deliver(done - unreadable - transformed)
        account.drop(unreadable, .unreadable)
        account.drop(transformed, .transformed)
        return account
    }

    /// The accounting now, what the output is in the middle of included.
    var ledger: Ledger { (underWay.map(counted) ?? account).ledger }

    /// Where the journal's cursor may stand.
    var settled: UInt64 {
        guard let portion = underWay else { return collected }
        let done = portion.done.load(ordering: .acquiring)
        return done == 0 ? portion.batch.after : portion.batch.items[portion.batch.items.startIndex + done - 1].position
    }

    /// Whether everything up to `sequence` is written or dropped.
    func isSettled(through sequence: UInt64) -> Bool { settled >= sequence }

    /// Takes over what the journal had to drop.
    func note(drops: [DropReason: UInt64], losses: [JournalLoss], cursor: UInt64) {
        account.note(drops: drops, losses: losses, cursor: cursor)
    }

    // MARK: An output that does not come back

    /// When the output will have been busy with one record for too long; `nil` while it is not busy.
    func overdue(now: UInt64) -> UInt64? {
        guard let portion = underWay else { return nil }
        let done = portion.done.load(ordering: .acquiring)
        if done != progress.done { progress = (now, done) }
        return progress.at &+ Self.patience
    }

    /// Gives up what waits for an output that does not come back, when it would otherwise fill the journal: a quarter of
    /// its cap has been written since.
    func giveUp(of journal: Journal) {
        guard journal.counters.appendedBytes &- startBytes >= UInt64(journal.options.capBytes / 4) else { return }
        let read = journal.read(after: collected, output: index) { frame in
            guard frame.flags.isCounted else { return true }
            account.collect(frame.sequence)
            account.drop(1, .notAnswering)
            return true
        }
        collected = max(collected, read.through)
        journal.advance(id, to: collected)
        startBytes = journal.counters.appendedBytes
    }

    /// The end. What the output is in the middle of waits for the next launch, unless the journal has it no more.
    func abandon(cursor: UInt64) {
        guard let portion = underWay else { return }
        let left = portion.batch.items.dropFirst(portion.done.load(ordering: .acquiring)).map(\.position)
        account = counted(portion)
        underWay = nil
        account.drop(left.count { $0 <= cursor }, .notAnswering)
        account.abandon(left.lazy.filter { $0 > cursor })
    }
}
