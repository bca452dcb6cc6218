import DaybookBase
import DaybookJournal
import Dispatch

/// The lane of an output that takes records one at a time.
///
/// The output is called on its own queue, so that one that blocks delays nobody else. Its records then wait in the
/// journal.
final class ImmediateLane: Lane {
    /// Taken out of the journal at once.
    private static let maximumCount = 64
    private static let maximumBytes = 256 << 10
    /// An output busy with one record for so long is reported.
    private static let patience: UInt64 = 10_000_000_000

    /// Some records, and the output's progress with them.
    private final class Portion: Sendable {
        let batch: Batch
        /// Items done; of these, starts of spans, unreadable ones, and ones that the transform dropped.
        let done = Atomic<Int>(0)
        let starts = Atomic<Int>(0)
        let unreadable = Atomic<Int>(0)
        let transformed = Atomic<Int>(0)

        init(_ batch: Batch) { self.batch = batch }

        func write(to output: any Output, _ scope: CallScope, _ transform: RouteTransform?) {
            for item in batch.items {
                if item.isStart {
                    if let record = batch.record(of: item) {
                        scope.run {
                            if let record = transform.map({ $0.transformed(record) }) ?? record { output.start(record) }
                        }
                    }
                    starts.add(1, ordering: .relaxed)
                } else if let record = batch.record(of: item) {
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
    var account: LaneAccount
    var rereadAt: UInt64?
    let takesStarts: Bool
    private let output: any Output
    private let transform: RouteTransform?
    private let surroundings: LaneSurroundings
    /// Everything up to here is written, dropped, gathered or under way.
    private(set) var collected: UInt64
    /// Collected and about to be written.
    private var gathered: Batch?
    private var underWay: Portion?
    /// When the output last progressed, and how far it was.
    private var progress: (at: UInt64, done: Int) = (0, 0)
    /// The journal's appended bytes when the portion began.
    private var startBytes: UInt64 = 0
    private let queue: DispatchQueue

    init(index: Int, output: any Output, transform: RouteTransform?, in surroundings: LaneSurroundings) {
        self.index = index
        self.output = output
        takesStarts = output.takesStarts
        self.transform = transform
        self.surroundings = surroundings
        collected = surroundings.journal.openedAt
        account = LaneAccount(openedAt: surroundings.journal.openedAt)
        queue = DispatchQueue(label: "daybook.output.\(output.id)", qos: .utility)
    }

    var id: String { output.id }
    private var journal: Journal { surroundings.journal }

    // MARK: From the journal

    /// Records of earlier launches are too late for a console: they are counted, not written.
    func dropEarlierRecords() {
        let cursor = journal.cursor(of: id)
        guard cursor < journal.openedAt else { return }
        journal.read(after: cursor, output: index) { frame in
            guard frame.sequence <= journal.openedAt else { return false }
            if frame.flags.isCounted { dropEnded(frame.sequence) }
            return true
        }
        journal.advance(id, to: journal.openedAt)
    }

    private func dropEnded(_ sequence: UInt64) {
        account.collect(sequence)
        account.drop(1, .processEnded)
    }

    var room: LaneRoom? {
        underWay == nil ? LaneRoom(bytes: Self.maximumBytes, frames: Self.maximumCount) : nil
    }

    func collect(_ frame: FrameView, context: ContextBytes, now: UInt64) -> Bool {
        // Another writer's, from before it died: too late, like an earlier launch's.
        guard frame.origin == nil else {
            if frame.flags.isCounted { dropEnded(frame.sequence) }
            return true
        }
        var batch = gathered.take() ?? Batch(output: id, stream: "", after: collected)
        _ = batch.append(frame, context: context)
        gathered = batch
        if frame.flags.isCounted { account.collect(frame.sequence) }
        return true
    }

    func skip(through sequence: UInt64) { collected = max(collected, sequence) }

    // MARK: To the output

    /// Hands the collected records to the output. Returns when to check on it.
    func send(now: UInt64) -> UInt64 {
        if let batch = gathered.take() { write(batch, now: now) }
        if settled > journal.cursor(of: id) { journal.advance(id, to: settled) }
        guard let overdue = overdue(now: now) else { return .max }
        guard now >= overdue else { return overdue }
        surroundings.reporter.report(
            "The output \"\(id)\" has not returned from a record that it received "
                + "\(Self.patience / 1_000_000_000) s ago or more. Other outputs are not delayed; its own records "
                + "wait.")
        giveUp()
        return now &+ Self.patience
    }

    private func write(_ batch: Batch, now: UInt64) {
        let portion = Portion(batch)
        underWay = portion
        progress = (now, 0)
        startBytes = journal.counters.appendedBytes
        queue.async { [output, index, transform, drain = surroundings.drain] in
            portion.write(to: output, .output(index), transform)
            _ = drain.ask(.written(lane: index))
        }
    }

    func finish() {
        if let portion = underWay {
            account = counted(portion)
            underWay = nil
        }
        journal.advance(id, to: settled)
    }

    private func counted(_ portion: Portion) -> LaneAccount {
        let done = portion.done.load(ordering: .acquiring)
        let records = done - min(done, portion.starts.load(ordering: .relaxed))
        let unreadable = min(records, portion.unreadable.load(ordering: .relaxed))
        let transformed = min(records - unreadable, portion.transformed.load(ordering: .relaxed))
        var account = account
        account.deliver(records - unreadable - transformed)
        account.drop(unreadable, .unreadable)
        account.drop(transformed, .transformed)
        return account
    }

    var ledger: Ledger { (underWay.map(counted) ?? account).ledger }

    var settled: UInt64 {
        guard let portion = underWay else { return collected }
        let done = portion.done.load(ordering: .acquiring)
        return done == 0 ? portion.batch.after : portion.batch.items[portion.batch.items.startIndex + done - 1].position
    }

    func isSettled(through sequence: UInt64) -> Bool { settled >= sequence }

    /// Never paused, and never backs off.
    func isStuck(until time: UInt64) -> Bool { false }

    // MARK: An output that does not come back

    /// When the output will have been busy with one record for too long; `nil` while idle.
    private func overdue(now: UInt64) -> UInt64? {
        guard let portion = underWay else { return nil }
        let done = portion.done.load(ordering: .acquiring)
        if done != progress.done { progress = (now, done) }
        return progress.at &+ Self.patience
    }

    /// Gives up records that wait for a stuck output before they fill the journal: after a quarter of its cap has been
    /// written.
    private func giveUp() {
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

    /// The end. The records that the output is busy with wait for the next launch, if the journal still has them.
    func abandon() {
        guard let portion = underWay else { return }
        let cursor = journal.cursor(of: id)
        let left = portion.batch.items.dropFirst(portion.done.load(ordering: .acquiring))
            .filter { !$0.isStart }.map(\.position)
        account = counted(portion)
        underWay = nil
        account.drop(left.count { $0 <= cursor }, .notAnswering)
        account.abandon(left.lazy.filter { $0 > cursor })
    }
}
