import DaybookJournal

/// What the drain thread does: brings records to the outputs, sends what is due, keeps the journal in order.
///
/// Not shared: made by one thread, handed to the drain thread, and used there alone. Outputs are called elsewhere: none
/// can hold the thread up.
final class DrainLoop {
    /// However idle, the thread looks this often: a missed waking costs this much time, and no record.
    private static let longestSleep: UInt64 = 60_000_000_000

    let drain: Drain
    let journal: Journal
    private let clock: PipelineClock
    private let reporter: Reporter
    let lanes: [BatchLane]
    let immediates: [ImmediateLane]
    let inline: InlineOutputs
    let quarantine: Quarantine
    private var flushes: [Flush] = []
    private var contexts = ContextCache()
    /// A record that wakes nobody is looked at after this long at the latest.
    private let patience: UInt64
    private var ledgerTimer: LedgerTimer?

    private struct Flush {
        let through: UInt64
        let deadline: UInt64
        let continuation: CheckedContinuation<Bool, Never>
    }

    init(
        drain: Drain, journal: Journal, table: RoutingTable, options: PipelineOptions, reporter: Reporter,
        ledgerTimer: LedgerTimer? = nil
    ) {
        let backoff = options.backoff
        self.drain = drain
        self.journal = journal
        clock = options.clock
        self.reporter = reporter
        self.ledgerTimer = ledgerTimer
        lanes = table.outputs.enumerated().compactMap { index, target in
            guard case .batch(let output, let limits) = target else { return nil }
            return BatchLane(
                index: index, output: output, limits: limits, backoff: backoff, cursor: journal.cursor(of: output.id),
                transform: table.transforms[index], openedAt: journal.openedAt)
        }
        immediates = table.outputs.enumerated().compactMap { index, target in
            guard case .output(let output, .immediate) = target else { return nil }
            return ImmediateLane(
                index: index, output: output, transform: table.transforms[index], openedAt: journal.openedAt)
        }
        inline = table.inline
        quarantine = Quarantine(beside: journal, outputs: table.storedIDs, limits: options.quarantine)
        patience = lanes.map { $0.machine.limits.delay.nanoseconds }.reduce(
            journal.options.syncInterval.nanoseconds, min)
    }

    /// Runs until it is asked to stop.
    func run() {
        forgetEarlierImmediateRecords()
        // Before housekeeping, which uses segments again that hold nothing but what no output waits for.
        recoverOpenSpans()
        ledgerTimer?.start(now: clock.monotonic())
        while true {
            var stops: [CheckedContinuation<Void, Never>?] = []
            for request in drain.takeRequests() {
                if case .stop(let continuation) = request { stops.append(continuation) } else { handle(request) }
            }
            // Before anything new is sent: its answer would find nobody.
            if !stops.isEmpty { return stop(stops) }
            let now = clock.monotonic()
            if drain.takeSyncWish() { journal.sync() }
            var due = min(journal.housekeep(), quarantine.housekeep())
            if journal.isTakenOver {
                reporter.report(
                    "Another process has opened \(journal.directory) while this one was suspended. It delivers what is there; "
                        + "this one's records stay in memory. Give each process role a directory of its own.")
            }
            noteJournalDrops()
            let seen = journal.lastSequence
            for lane in immediates { due = min(due, advance(lane, now: now)) }
            for lane in lanes { due = min(due, advance(lane, now: now)) }
            due = min(due, settleFlushes(now: now))
            if let timer = ledgerTimer, timer.isDue(now: now) { ledgerTimer?.announce(ledgers(), now: now) }
            sleep(until: min(due, ledgerTimer?.due ?? .max), seen: seen)
        }
    }

    // MARK: Requests

    private func handle(_ request: Drain.Request) {
        switch request {
        case .finished(let index, let delivery, let transformed):
            finish(index, delivery, transformed: transformed)
        case .written(let index):
            guard let lane = immediates.first(where: { $0.index == index }) else { return }
            lane.finish()
            journal.advance(lane.id, to: lane.settled)
        case .flush(let deadline, let continuation):
            let head = journal.lastSequence
            flushes.append(Flush(through: head, deadline: deadline, continuation: continuation))
            for lane in lanes { lane.flush(through: head, now: clock.monotonic()) }
        case .suspend(let continuation):
            for lane in lanes { lane.machine.suspend() }
            journal.suspend()
            quarantine.suspend()
            continuation.resume()
        case .resume:
            journal.resume()
            quarantine.resume()
            for lane in lanes { lane.machine.resume(now: clock.monotonic()) }
        case .online(let isOnline):
            for lane in lanes where lane.output.needsNetwork { lane.machine.setOnline(isOnline) }
        case .ledgers(let continuation):
            continuation.resume(returning: ledgers())
        case .quarantine(let wish, let output, let continuation):
            continuation.resume(returning: answer(wish, output))
        case .stop:
            break
        }
    }

    private func answer(_ wish: QuarantineWish, _ output: String) -> QuarantineAnswer {
        switch wish {
        case .show(let limit): QuarantineAnswer(records: quarantine.records(of: output, limit: limit))
        case .resend: QuarantineAnswer(count: quarantine.release(of: output, to: journal))
        case .discard: QuarantineAnswer(count: quarantine.discard(of: output))
        }
    }

    private func finish(_ index: Int, _ delivery: Delivery, transformed: [UInt64]) {
        guard let lane = lanes.first(where: { $0.index == index }) else { return }
        lane.finish(
            delivery, transformed: transformed, now: clock.monotonic(), jitter: Double.random(in: 0..<1)
        ) { items, batch, reason in
            quarantine.keep(items, of: batch, output: index, reason: reason)
            reporter.report("The output \"\(lane.id)\" refused a record, which is put in quarantine: \(reason).")
        }
        journal.advance(lane.id, to: lane.settled)
        if let trouble = lane.machine.trouble {
            reporter.report("The output \"\(lane.id)\" cannot deliver: \(trouble). Its records are kept.")
        }
    }

    private func stop(_ continuations: [CheckedContinuation<Void, Never>?]) {
        let left = drain.close()
        // An answer that came at the last moment is an answer.
        for case .finished(let index, let delivery, let transformed) in left {
            finish(index, delivery, transformed: transformed)
        }
        for lane in lanes { journal.advance(lane.id, to: lane.settled) }
        for lane in immediates { journal.advance(lane.id, to: lane.settled) }
        noteJournalDrops()
        for lane in lanes { lane.abandon() }
        for lane in immediates { lane.abandon(cursor: journal.cursor(of: lane.id)) }
        let ledgers = ledgers()
        journal.close()
        quarantine.close()
        drain.leave(ledgers)
        for request in left {
            switch request {
            case .flush(_, let flush): flush.resume(returning: false)
            case .suspend(let other): other.resume()
            case .stop(let other): other?.resume()
            case .ledgers(let continuation): continuation.resume(returning: ledgers)
            case .quarantine(_, _, let continuation): continuation.resume(returning: QuarantineAnswer())
            case .finished, .written, .resume, .online: break
            }
        }
        for flush in flushes { flush.continuation.resume(returning: false) }
        for continuation in continuations { continuation?.resume() }
    }

    // MARK: Outputs that take records at once

    /// Records of earlier launches are too late for a console: they are counted, not written.
    private func forgetEarlierImmediateRecords() {
        for lane in immediates {
            let cursor = journal.cursor(of: lane.id)
            guard cursor < journal.openedAt else { continue }
            journal.read(after: cursor, output: lane.index) { frame in
                guard frame.sequence <= journal.openedAt else { return false }
                if frame.flags.isCounted { lane.dropEnded(frame.sequence) }
                return true
            }
            journal.advance(lane.id, to: journal.openedAt)
        }
    }

    /// Gives an output what is new for it. When to look whether it came back.
    private func advance(_ lane: ImmediateLane, now: UInt64) -> UInt64 {
        lane.write(from: journal, contexts: &contexts, now: now) { [drain, index = lane.index] in
            _ = drain.ask(.written(lane: index))
        }
        if lane.settled > journal.cursor(of: lane.id) { journal.advance(lane.id, to: lane.settled) }
        guard let overdue = lane.overdue(now: now) else { return .max }
        guard now >= overdue else { return overdue }
        reporter.report(
            "The output \"\(lane.id)\" does not come back from a record that it got "
                + "\(ImmediateLane.patience / 1_000_000_000) s ago or more. Others are not held up; its own records wait."
        )
        lane.giveUp(of: journal)
        return now &+ ImmediateLane.patience
    }

    // MARK: Batches

    /// Collects what is new for an output and sends what is due. When to look again.
    private func advance(_ lane: BatchLane, now: UInt64) -> UInt64 {
        collect(lane, now: now)
        switch lane.poll(now: now) {
        case .wait(let until):
            return until ?? .max
        case .send:
            guard var batch = lane.front else { return .max }
            batch.dropped = lane.account.ledger.dropped
            Task.detached(executorPreference: lane.executor, priority: .utility) {
                [output = lane.output, index = lane.index, transform = lane.transform, drain, batch] in
                let (sent, transformed) = transform.map { batch.transformed(by: $0) } ?? (batch, [])
                let delivery: Delivery =
                    sent.count == 0
                    ? .delivered : await DeliveryScope.$isDelivering.withValue(true) { await output.send(sent) }
                _ = drain.ask(.finished(lane: index, delivery, transformed: transformed))
            }
            return .max
        }
    }

    private func collect(_ lane: BatchLane, now: UInt64) {
        guard lane.mayHaveRoom else { return }
        let before = lane.settled
        let progress = journal.read(after: lane.collected, output: lane.index) { frame in
            guard frame.flags.isCounted else { return true }
            return lane.collect(frame, context: contexts.context(of: frame), now: now)
        }
        lane.skip(through: progress.through)
        if lane.settled > before { journal.advance(lane.id, to: lane.settled) }
    }

    // MARK: Waiting

    /// Answers the flushes that are done, late, or cannot come further in time. When the next is late.
    private func settleFlushes(now: UInt64) -> UInt64 {
        flushes.removeAll { flush in
            let open = lanes.filter { !$0.isSettled(through: flush.through) }
            let isWritten = immediates.allSatisfy { $0.isSettled(through: flush.through) }
            let isDone = open.isEmpty && isWritten
            let isHopeless = isWritten && open.allSatisfy { $0.machine.isStuck(until: flush.deadline) }
            guard isDone || isHopeless || now >= flush.deadline else { return false }
            flush.continuation.resume(returning: isDone)
            return true
        }
        return flushes.map(\.deadline).min() ?? .max
    }

    /// Waits until there is something to do, or until the next thing is due.
    /// - Parameter seen: The last sequence before the outputs were looked after: all up to it is known to their lanes.
    private func sleep(until due: UInt64, seen: UInt64) {
        let now = clock.monotonic()
        let wakeSequence = lanes.map(\.wakeSequence).min() ?? .max
        let bytes = journal.counters.appendedBytes
        let wakeBytes = lanes.map(\.wakeBytes).min().map { bytes.addingReportingOverflow($0) } ?? (.max, false)
        // A timer that is far away is none for a record that comes now: its batch and its sync are due sooner.
        drain.arm(
            due <= now &+ patience, wakeSequence: wakeSequence, wakeBytes: wakeBytes.overflow ? .max : wakeBytes.0)
        // What came since the lanes looked has perhaps woken nobody.
        let last = journal.lastSequence
        guard last < wakeSequence else { return }
        let latest = last == seen ? due : min(due, now &+ patience)
        drain.sleep(atMost: min(Self.longestSleep, latest > now ? latest - now : 0))
    }
}

extension DrainLoop {
    /// Takes over what the journal had to drop, so that the accounting stays exact.
    func noteJournalDrops() {
        // The cursors first: what the journal gives up from here on lies behind them.
        let cursors = lanes.map { journal.cursor(of: $0.id) }
        let written = immediates.map { journal.cursor(of: $0.id) }
        let (drops, losses) = journal.takeLosses()
        for (lane, cursor) in zip(lanes, cursors) {
            let id = Journal.storedID(of: lane.id)
            lane.note(
                drops: drops.compactMapValues { $0[id] }, losses: losses.filter { $0.output == id }, cursor: cursor)
        }
        for (lane, cursor) in zip(immediates, written) {
            let id = Journal.storedID(of: lane.id)
            lane.note(
                drops: drops.compactMapValues { $0[id] }, losses: losses.filter { $0.output == id }, cursor: cursor)
        }
    }

    /// The accounting of every output, removed ones that lost records included.
    func ledgers() -> [String: Ledger] {
        var ledgers: [String: Ledger] = [:]
        // The journal may give something up while what it holds is counted; then it is counted again. It gives up
        // whole segments, so that a few rounds are enough on any disk.
        for _ in 0..<8 {
            noteJournalDrops()
            let before = (journal.counters.drops, quarantine.drops)
            ledgers = currentLedgers()
            if (journal.counters.drops, quarantine.drops) == before { break }
        }
        let present = Set(ledgers.keys.map(Journal.storedID(of:)))
        for (reason, counts) in Array(journal.counters.drops) + Array(quarantine.drops) {
            for (id, count) in counts where !present.contains(id) {
                ledgers[id, default: Ledger()].accepted += count
                ledgers[id, default: Ledger()].recovered += count
                ledgers[id, default: Ledger()].dropped[Ledger.DropReason(reason), default: 0] += count
            }
        }
        return ledgers
    }

    /// What is stored but not yet in memory is pending too.
    private func currentLedgers() -> [String: Ledger] {
        var ledgers = inline.ledgers
        for lane in lanes {
            let ledger = adding(lane.account.ledger, after: lane.collected, output: lane.index)
            ledgers[lane.id] = quarantine.completed(ledger, of: lane.id)
        }
        for lane in immediates { ledgers[lane.id] = adding(lane.ledger, after: lane.collected, output: lane.index) }
        return ledgers
    }

    private func adding(_ ledger: Ledger, after collected: UInt64, output: Int) -> Ledger {
        var ledger = ledger
        journal.read(after: collected, output: output) { frame in
            guard frame.flags.isCounted else { return true }
            ledger.accepted += 1
            if frame.sequence <= journal.openedAt { ledger.recovered += 1 }
            return true
        }
        return ledger
    }
}

extension DrainLoop {
    /// So many frames are appended at a time, so that log calls wait for none of it long.
    private static let portion = 64

    /// Records the spans that earlier launches left open, each in the context of its own launch. What a death in
    /// between leaves undone the next launch does.
    func recoverOpenSpans() {
        guard !lanes.isEmpty, journal.openedAt > 0 else { return }
        var spans = OpenSpans()
        let after = journal.openedAt - min(journal.openedAt, OpenSpans.reach)
        journal.read(after: after) { frame in
            guard frame.sequence <= journal.openedAt else { return false }
            spans.see(frame)
            return true
        }
        let outputs = lanes.reduce(UInt64(0)) { $0 | 1 << UInt64($1.index) }
        let copies = spans.finished(for: outputs)
        for first in stride(from: 0, to: copies.count, by: Self.portion) {
            // What is added to a start may make it longer than a record may be.
            journal.append(Array(copies[first..<min(copies.count, first + Self.portion)]), beyond: 256)
        }
    }
}

/// Says when the ledgers are to be recorded, and has them recorded. Pure but for the call.
struct LedgerTimer {
    private let interval: UInt64
    private let record: @Sendable ([String: Ledger]) -> Void
    private(set) var due = UInt64.max

    /// - Parameters:
    ///   - interval: At least a second.
    ///   - record: Called on the drain thread; must not wait for anything.
    init(interval: Duration, record: @escaping @Sendable ([String: Ledger]) -> Void) {
        self.interval = max(interval, .seconds(1)).nanoseconds
        self.record = record
    }

    mutating func start(now: UInt64) { due = now &+ interval }

    func isDue(now: UInt64) -> Bool { now >= due }

    mutating func announce(_ ledgers: [String: Ledger], now: UInt64) {
        due = now &+ interval
        record(ledgers)
    }
}
