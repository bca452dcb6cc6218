import DaybookJournal

/// What the drain thread does: brings records to the outputs, sends what is due, keeps the journal in order.
///
/// Not shared: made by one thread, handed to the drain thread, and used there alone.
final class DrainLoop {
    /// However idle, the thread looks this often: a missed waking costs this much time, and no record.
    private static let longestSleep: UInt64 = 60_000_000_000

    private let drain: Drain
    private let journal: Journal
    private let clock: PipelineClock
    private let reporter: Reporter
    private let lanes: [BatchLane]
    private let immediate: ImmediateLane
    private var flushes: [Flush] = []
    private var contexts = ContextCache()
    private var journalDrops: [String: [DropReason: UInt64]] = [:]

    private struct Flush {
        let through: UInt64
        let deadline: UInt64
        let continuation: CheckedContinuation<Bool, Never>
    }

    init(
        drain: Drain, journal: Journal, table: RoutingTable, backoff: Backoff, clock: PipelineClock, reporter: Reporter
    ) {
        self.drain = drain
        self.journal = journal
        self.clock = clock
        self.reporter = reporter
        immediate = ImmediateLane(table: table, position: journal.openedAt)
        lanes = table.outputs.enumerated().compactMap { index, target in
            guard case .batch(let output, let limits) = target else { return nil }
            return BatchLane(
                index: index, output: output, limits: limits, backoff: backoff, cursor: journal.cursor(of: output.id),
                openedAt: journal.openedAt)
        }
    }

    /// Runs until it is asked to stop.
    func run() {
        forgetEarlierImmediateRecords()
        while true {
            var stops: [CheckedContinuation<Void, Never>?] = []
            for request in drain.takeRequests() {
                if case .stop(let continuation) = request { stops.append(continuation) } else { handle(request) }
            }
            let now = clock.monotonic()
            if drain.takeSyncWish() { journal.sync() }
            writeImmediate()
            var due = journal.housekeep()
            noteJournalDrops()
            for lane in lanes { due = min(due, advance(lane, now: now)) }
            due = min(due, settleFlushes(now: now))
            if !stops.isEmpty { return stop(stops) }
            sleep(until: due, now: now)
        }
    }

    // MARK: Requests

    private func handle(_ request: Drain.Request) {
        switch request {
        case .finished(let index, let delivery):
            guard let lane = lanes.first(where: { $0.index == index }) else { return }
            lane.finish(delivery, now: clock.monotonic(), jitter: Double.random(in: 0..<1))
            journal.advance(lane.id, to: lane.settled)
            if let trouble = lane.machine.trouble {
                reporter.report("The output \"\(lane.id)\" cannot deliver: \(trouble). Its records are kept.")
            }
        case .flush(let deadline, let continuation):
            flushes.append(Flush(through: journal.lastSequence, deadline: deadline, continuation: continuation))
            for lane in lanes { lane.machine.flush() }
        case .suspend(let continuation):
            for lane in lanes { lane.machine.suspend() }
            journal.sync()
            continuation.resume()
        case .resume:
            for lane in lanes { lane.machine.resume() }
        case .ledgers(let continuation):
            writeImmediate()
            var ledgers = immediate.ledgers
            for lane in lanes {
                // What is stored but not yet in memory is pending too.
                var ledger = lane.ledger
                ledger.accepted += uncollected(lane)
                ledgers[lane.id] = ledger
            }
            continuation.resume(returning: ledgers)
        case .stop:
            break
        }
    }

    private func uncollected(_ lane: BatchLane) -> UInt64 {
        var count: UInt64 = 0
        journal.read(after: lane.collected, output: lane.index) { frame in
            if frame.flags.isCounted { count += 1 }
            return true
        }
        return count
    }

    private func stop(_ continuations: [CheckedContinuation<Void, Never>?]) {
        for lane in lanes { journal.advance(lane.id, to: lane.settled) }
        journal.close()
        var left = drain.close()
        left.append(contentsOf: flushes.map { .flush(deadline: 0, $0.continuation) })
        for request in left {
            switch request {
            case .flush(_, let flush): flush.resume(returning: false)
            case .suspend(let other): other.resume()
            case .stop(let other): other?.resume()
            case .ledgers(let ledgers): ledgers.resume(returning: [:])
            case .finished, .resume: break
            }
        }
        for continuation in continuations { continuation?.resume() }
    }

    // MARK: Outputs that take records at once

    /// Records of earlier launches are too late for a console: they are counted, not written.
    private func forgetEarlierImmediateRecords() {
        guard let oldest = immediate.ids.map(journal.cursor(of:)).min(), oldest < journal.openedAt else { return }
        journal.read(after: oldest) { frame in
            guard frame.sequence <= journal.openedAt else { return false }
            if frame.flags.isCounted { immediate.dropEnded(mask: frame.mask) }
            return true
        }
        for id in immediate.ids { journal.advance(id, to: journal.openedAt) }
    }

    private func writeImmediate() {
        guard !immediate.ids.isEmpty else { return }
        let before = immediate.position
        let progress = journal.read(after: before) { frame in
            guard frame.flags.isCounted, frame.mask & immediate.mask != 0 else { return true }
            var record = try? RecordDecoder.decode(frame.payload, isSpan: frame.flags.contains(.spanEnd))
            record?.sequence = frame.sequence
            record?.context = contexts.context(of: frame).decodedAttributes
            immediate.write(record, mask: frame.mask)
            return true
        }
        immediate.position = progress.through
        guard immediate.position > before else { return }
        for id in immediate.ids { journal.advance(id, to: immediate.position) }
    }

    // MARK: Batches

    /// Collects what is new for an output and sends what is due. When to look again.
    private func advance(_ lane: BatchLane, now: UInt64) -> UInt64 {
        collect(lane, now: now)
        switch lane.poll(now: now) {
        case .wait(let until):
            return until ?? .max
        case .send:
            guard let batch = lane.front else { return .max }
            let (output, index, drain) = (lane.output, lane.index, drain)
            Task.detached(priority: .utility) {
                let delivery = await output.send(batch)
                _ = drain.ask(.finished(lane: index, delivery))
            }
            return .max
        }
    }

    private func collect(_ lane: BatchLane, now: UInt64) {
        guard lane.hasRoom else { return }
        let before = lane.settled
        let progress = journal.read(after: lane.collected, output: lane.index) { frame in
            guard frame.flags.isCounted else { return true }
            guard lane.hasRoom else { return false }
            lane.collect(frame, context: contexts.context(of: frame), now: now)
            return true
        }
        lane.skip(through: progress.through)
        if lane.settled > before { journal.advance(lane.id, to: lane.settled) }
    }

    /// Takes over what the journal had to drop, so that the accounting stays exact.
    private func noteJournalDrops() {
        let drops = journal.counters.drops
        for (reason, counts) in drops {
            for lane in lanes {
                let known = journalDrops[lane.id, default: [:]][reason, default: 0]
                guard let count = counts[lane.id], count > known else { continue }
                lane.noteDropped(count - known, Ledger.DropReason(reason))
                journalDrops[lane.id, default: [:]][reason] = count
            }
        }
    }

    // MARK: Waiting

    /// Answers the flushes that are done or late. When the next is late.
    private func settleFlushes(now: UInt64) -> UInt64 {
        flushes.removeAll { flush in
            let isDone = lanes.allSatisfy { $0.isSettled(through: flush.through) }
            guard isDone || now >= flush.deadline else { return false }
            flush.continuation.resume(returning: isDone)
            return true
        }
        return flushes.map(\.deadline).min() ?? .max
    }

    private func sleep(until due: UInt64, now: UInt64) {
        let head = journal.lastSequence
        drain.arm(due != .max, wakeSequence: lanes.map(\.wakeSequence).min() ?? .max)
        // A record that came before the arming may have woken nobody: look again rather than sleep over it.
        guard journal.lastSequence == head else { return drain.wake() }
        drain.sleep(atMost: min(Self.longestSleep, due > now ? due - now : 0))
    }
}
