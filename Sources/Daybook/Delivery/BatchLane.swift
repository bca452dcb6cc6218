import DaybookJournal

/// The lane of an output that takes batches: queues records, sends when the machine decides, and handles the answers.
///
/// A class, so that its buffers are never copied by accident.
final class BatchLane: Lane {
    let index: Int
    var account: LaneAccount
    var rereadAt: UInt64?
    private let output: any BatchOutput
    private let transform: RouteTransform?
    private let surroundings: LaneSurroundings
    private let proof: String
    private let runner: SendRunner
    private var queue: BatchQueue
    private var machine: DeliveryMachine
    /// A flush wants everything settled up to here.
    private var flushThrough: UInt64 = 0
    /// A flush wants everything sent up to here, ignoring the route's wait.
    private var waitlessThrough: UInt64 = 0

    init(
        index: Int, output: any BatchOutput, transform: RouteTransform?, machine: DeliveryMachine,
        sendsOn place: SendRunner.Place, in surroundings: LaneSurroundings
    ) {
        self.index = index
        self.output = output
        self.transform = transform
        var machine = machine
        machine.ceiling = BatchCeiling(note: surroundings.journal.note(of: output.id))
        self.machine = machine
        self.surroundings = surroundings
        proof = surroundings.key.proof(of: output.id)
        account = LaneAccount(openedAt: surroundings.journal.openedAt)
        runner = SendRunner(label: "daybook.send.\(output.id)", scope: .output(index), place: place)
        let journal = surroundings.journal
        queue = BatchQueue(
            output: output.id, cursor: journal.cursor(of: output.id), delivered: journal.delivered(of: output.id))
    }

    var id: String { output.id }
    var ledger: Ledger {
        var ledger = account.ledger
        ledger.heldBy = machine.heldBy
        return ledger
    }
    var collected: UInt64 { queue.collected }
    var settled: UInt64 { queue.settled }
    /// The longest a record waits for others.
    var delay: Duration { machine.limits.delay }

    // MARK: From the journal

    var room: LaneRoom? { queue.mayHaveRoom(machine.size) ? LaneRoom() : nil }

    func collect(_ frame: FrameView, context: ContextBytes, now: UInt64) -> Bool {
        guard queue.collect(frame, context: context, upTo: machine.size, now: now) else { return false }
        account.collect(frame.sequence)
        return true
    }

    func skip(through sequence: UInt64) {
        let before = settled
        queue.skip(through: sequence)
        if settled > before { advanceCursor() }
    }

    /// Everything up to the cursor is settled, even if the process dies.
    private func advanceCursor() {
        surroundings.journal.advance(id, to: settled, delivered: queue.delivered, note: machine.ceiling.note)
    }

    // MARK: To the output

    func send(now: UInt64) -> UInt64 {
        // A flush covers what was stored when it was asked for; later records wait for full batches again.
        if isSettled(through: flushThrough) { machine.endFlush() }
        if isSettled(through: waitlessThrough) { machine.heedWaits() }
        queue.fitFront(to: machine.size)
        guard let front = queue.front else { return .max }
        let decision = machine.poll(
            count: front.batch.count, bytes: front.batch.bytes, since: front.since, isComplete: queue.isFrontComplete,
            age: machine.heldBy.isEmpty ? 0 : age(of: front, now: now), now: now)
        guard case .wait(let until) = decision else {
            queue.closeFront()
            send(front.batch)
            return .max
        }
        return until ?? .max
    }

    /// The age of the first record in nanoseconds: by the wall clock, which includes earlier launches, and no less than
    /// its time in this launch. Infinite if it cannot be read.
    private func age(of front: PendingBatch, now: UInt64) -> UInt64 {
        guard let begin = front.batch.begin else { return .max }
        let wall = surroundings.clock.wall().subtractingReportingOverflow(begin).partialValue
        return max(UInt64(max(0, wall)), now - min(now, front.since))
    }

    private func send(_ batch: Batch) {
        var batch = batch
        batch.dropped = account.ledger.dropped
        batch.proof = proof
        runner.run { [output, index, transform, drain = surroundings.drain, batch] in
            let (sent, transformed) = transform.map { batch.transformed(by: $0) } ?? (batch, [])
            let delivery: Delivery = sent.count == 0 ? .delivered : await output.send(sent)
            _ = drain.ask(.finished(lane: index, BatchAnswer(delivery: delivery, transformed: transformed)))
        }
    }

    func finish(_ answer: BatchAnswer, now: UInt64, jitter: Double) {
        guard let batch = queue.front?.batch else { return }
        let sent = batch.count - answer.transformed.count
        guard sent > 0 else {
            // The receiver was asked nothing.
            machine.skip()
            settle(batch, answer, rejected: 0)
            return advanceCursor()
        }
        switch machine.finish(answer.delivery, count: batch.count, sent: sent, now: now, jitter: jitter) {
        case .advance(let rejected): settle(batch, answer, rejected: min(rejected, sent))
        case .setAside: settle(batch, answer, rejected: 0)
        // The next send is fitted to what the receiver may take.
        case .cut, .keep: break
        }
        advanceCursor()
        if case .partly = answer.delivery {
            surroundings.reporter.report(
                "The receiver of the output \"\(id)\" rejected records without saying which: they are counted as rejected."
            )
        }
        if machine.isPaced(at: now) {
            surroundings.reporter.report(
                "The receiver of the output \"\(id)\" takes few records of a request, or asks for the next one at once: it "
                    + "gets about one request a second. Its records are kept.")
        }
        if let trouble = machine.trouble {
            surroundings.reporter.report("The output \"\(id)\" cannot deliver: \(trouble). Its records are kept.")
        }
    }

    /// Settles a batch. Refused records go to quarantine before the cursor passes them.
    private func settle(_ batch: Batch, _ answer: BatchAnswer, rejected: Int) {
        let (refused, reason) = answer.refused(of: batch)
        if !refused.isEmpty {
            surroundings.quarantine.keep(refused, of: batch, output: index, reason: reason)
            surroundings.reporter.report(
                "The output \"\(id)\" refused a record, which is put in quarantine: \(reason).")
        }
        account.deliver(batch.count - answer.transformed.count - refused.count - rejected)
        account.drop(rejected, .rejected)
        account.drop(answer.transformed.count, .transformed)
        queue.settleFront(wasSent: answer.transformed.count < batch.count)
    }

    // MARK: What is asked of it

    /// Delivers everything up to `sequence` without waiting for full batches.
    func flush(through sequence: UInt64, now: UInt64, ignoringWaits: Bool) {
        flushThrough = max(flushThrough, sequence)
        if ignoringWaits { waitlessThrough = max(waitlessThrough, sequence) }
        machine.flush(now: now, ignoringWaits: ignoringWaits)
    }

    func heedWaits() { machine.heedWaits() }

    /// Sends nothing until `resume`. A batch under way completes.
    func suspend() { machine.suspend() }

    func resume(now: UInt64) { machine.resume(now: now) }

    /// Network conditions apply only to outputs that need a network.
    func setConditions(_ conditions: DeliveryConditions) {
        machine.setConditions(output.needsNetwork ? conditions : conditions.intersection(.lowPower))
    }

    func isSettled(through sequence: UInt64) -> Bool { queue.isSettled(through: sequence) }

    func isStuck(until time: UInt64) -> Bool { machine.isStuck(until: time) }

    func abandon() { account.abandon(queue.positions) }

    // MARK: When to be woken

    /// The first sequence number at which a batch may be full; `.max` if the output may not send or its records are
    /// unreadable.
    func wakeSequence(at now: UInt64) -> UInt64 {
        guard isWakeable(at: now) else { return .max }
        return collected &+ UInt64(max(1, machine.fullCount - (queue.front?.batch.count ?? 0)))
    }

    /// More bytes in the journal after which a batch may be full.
    func wakeBytes(at now: UInt64) -> UInt64 {
        guard isWakeable(at: now) else { return .max }
        return UInt64(max(1, machine.limits.bytes - (queue.front?.batch.bytes ?? 0)))
    }

    private func isWakeable(at now: UInt64) -> Bool {
        machine.isFree(at: now) && queue.front?.isClosed != true && rereadAt == nil
    }
}

struct BatchAnswer: Sendable {
    let delivery: Delivery
    /// Journal positions of the records that the route's transform dropped.
    let transformed: [UInt64]

    /// The records that the receiver permanently refused, if known, and why.
    fileprivate func refused(of batch: Batch) -> (items: [Batch.Item], reason: String) {
        switch delivery {
        case .reject(let places, let reason):
            let sent = sentItems(of: batch)
            var isRefused = sent.map { _ in false }
            for place in places where sent.indices.contains(place) { isRefused[place] = true }
            return (sent.indices.filter { isRefused[$0] }.map { sent[$0] }, reason)
        case .refused(let reason):
            return (sentItems(of: batch), reason)
        case .delivered, .partly, .retry, .noAnswer, .pause:
            return ([], "")
        }
    }

    private func sentItems(of batch: Batch) -> [Batch.Item] {
        // Both are in the journal's order.
        var dropped = transformed[...]
        return batch.items.filter { item in
            guard dropped.first == item.position else { return true }
            dropped.removeFirst()
            return false
        }
    }
}
