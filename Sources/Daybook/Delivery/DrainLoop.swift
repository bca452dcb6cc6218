import DaybookJournal

/// The drain thread's loop: reads the journal for each lane, lets the lanes send, and keeps the journal in order.
///
/// A record's way: the loop reads it from the journal; a lane queues it and cuts batches; the lane's machine decides
/// when to send and what follows from the answer; the output sends; the lane moves the journal's cursor and accounts
/// for it.
///
/// Not shared: handed to the drain thread and used only there. Outputs run elsewhere and cannot block the thread.
final class DrainLoop {
    /// A missed waking costs at most this, and no record.
    private static let longestWait: UInt64 = 60_000_000_000
    /// Retry interval for unreadable files, as on a locked phone. A flush retries at once.
    private static let rereadInterval: UInt64 = 5_000_000_000

    private let drain: Drain
    private let journal: Journal
    private let clock: PipelineClock
    private let reporter: Reporter
    private let immediates: [ImmediateLane]
    private let batches: [BatchLane]
    /// Immediate ones first.
    private let lanes: [any Lane]
    private let inline: InlineOutputs
    private let quarantine: Quarantine
    private var flushes: [Flush] = []
    private var contexts = ContextCache()
    private var timer: DrainTimer
    private var ledgerTimer: LedgerTimer?

    private struct Flush {
        let through: UInt64
        let deadline: UInt64
        let ignoresWaits: Bool
        let continuation: CheckedContinuation<Bool, Never>
    }

    init(
        drain: Drain, journal: Journal, table: RoutingTable, options: PipelineOptions, key: HashKey,
        reporter: Reporter, ledgerTimer: LedgerTimer?
    ) {
        self.drain = drain
        self.journal = journal
        clock = options.clock
        self.reporter = reporter
        self.ledgerTimer = ledgerTimer
        inline = table.inline
        quarantine = Quarantine(beside: journal, outputs: table.storedIDs, limits: options.quarantine)
        let surroundings = LaneSurroundings(
            drain: drain, journal: journal, quarantine: quarantine, reporter: reporter, clock: options.clock, key: key)
        var immediates: [ImmediateLane] = []
        var batches: [BatchLane] = []
        for (index, target) in table.outputs.enumerated() {
            let transform = table.transforms[index]
            switch target {
            case .output(_, .inline):
                break
            case .output(let output, .immediate):
                immediates.append(ImmediateLane(index: index, output: output, transform: transform, in: surroundings))
            case .batch(let output, let limits, let wait):
                if options.conditions == nil, wait != .never {
                    reporter.report(
                        "A route to \"\(output.id)\" should wait for conditions (\(wait.conditions)), but nothing reports "
                            + "them, so it does not wait: set PipelineOptions.conditions.")
                }
                let machine = DeliveryMachine(
                    limits: limits, backoff: options.backoff, wait: options.conditions == nil ? .never : wait)
                batches.append(
                    BatchLane(
                        index: index, output: output, transform: transform, machine: machine,
                        sendsOn: options.sendPlace, in: surroundings))
            }
        }
        self.immediates = immediates
        self.batches = batches
        lanes = immediates + batches
        timer = DrainTimer(
            patience: batches.map(\.delay.nanoseconds).reduce(journal.options.syncInterval.nanoseconds, min))
    }

    func run() {
        for lane in immediates { lane.dropEarlierRecords() }
        // Before housekeeping, which reuses segments that no output waits for.
        OpenSpans.finish(in: journal, for: batches.reduce(0) { $0 | 1 << UInt64($1.index) })
        ledgerTimer?.start(now: clock.monotonic())
        // Records of earlier launches have waited long enough for a full batch.
        for lane in batches { lane.flush(through: journal.openedAt, now: clock.monotonic(), ignoringWaits: false) }
        while true {
            var stops: [CheckedContinuation<Void, Never>?] = []
            for request in drain.takeRequests() {
                if case .stop(let continuation) = request { stops.append(continuation) } else { handle(request) }
            }
            // Before anything new is sent: nobody would handle its answer.
            if !stops.isEmpty { return stop(stops) }
            let now = clock.monotonic()
            var due = keepHouse()
            let seen = journal.lastSequence
            for lane in lanes { due = min(due, drive(lane, now: now)) }
            due = min(due, settleFlushes(now: now))
            if let timer = ledgerTimer, timer.isDue(now: now) { ledgerTimer?.announce(ledgers(), now: now) }
            wait(until: min(due, ledgerTimer?.due ?? .max), seen: seen)
        }
    }

    /// The journal's slow work. Returns when it is due again.
    private func keepHouse() -> UInt64 {
        if drain.takeSyncWish() { journal.sync() }
        let due = min(journal.housekeep(unseenSince: timer.unseenSince), quarantine.housekeep())
        if journal.isTakenOver {
            reporter.report(
                "Another process has opened \(journal.directory) in this one's place. It delivers what is there; "
                    + "this one's records stay in memory. Give each process role its own directory.")
        }
        if journal.counters.replacedFiles > 0 {
            reporter.report(
                "Somebody removed or changed files of \(journal.directory) while the app runs. They were written anew, and "
                    + "what could not be is counted as damaged. Leave the directory alone, or remove it while the app does "
                    + "not run."
            )
        }
        noteJournalDrops()
        return due
    }

    /// Reads new records for a lane, and sends what is due. Returns when to look again.
    private func drive(_ lane: any Lane, now: UInt64) -> UInt64 {
        guard let room = lane.room else { return lane.send(now: now) }
        if lane.rereadAt ?? now <= now { read(for: lane, room, now: now) }
        return min(lane.send(now: now), lane.rereadAt ?? .max)
    }

    private func read(for lane: any Lane, _ room: LaneRoom, now: UInt64) {
        let takesStarts = lane.takesStarts
        let progress = journal.read(
            after: lane.collected, output: lane.index, limitBytes: room.bytes, limitFrames: room.frames
        ) { frame in
            guard frame.flags.isCounted || takesStarts && frame.flags.isStart else { return true }
            return lane.collect(frame, context: contexts.context(of: frame), now: now)
        }
        lane.skip(through: progress.through)
        // The first retry is immediate: housekeeping repairs removed files.
        let next = lane.rereadAt == nil ? now : now &+ Self.rereadInterval
        lane.rereadAt = progress.isUnreadable ? next : nil
    }

    /// Delivers what is there without waiting for full batches, and retries unreadable files.
    /// - Returns: The last record covered.
    @discardableResult
    private func flush(ignoringWaits: Bool) -> UInt64 {
        let (head, now) = (journal.lastSequence, clock.monotonic())
        for lane in lanes where lane.rereadAt != nil { lane.rereadAt = now }
        for lane in batches { lane.flush(through: head, now: now, ignoringWaits: ignoringWaits) }
        return head
    }

    // MARK: Requests

    private func handle(_ request: Drain.Request) {
        switch request {
        case .finished(let index, let answer):
            finish(index, answer)
        case .written(let index):
            immediates.first { $0.index == index }?.finish()
        case .flush(let deadline, let ignoringWaits, let continuation):
            flushes.append(
                Flush(
                    through: flush(ignoringWaits: ignoringWaits), deadline: deadline, ignoresWaits: ignoringWaits,
                    continuation: continuation))
        case .suspend(let continuation):
            for lane in batches { lane.suspend() }
            journal.suspend()
            quarantine.suspend()
            continuation.resume()
        case .resume:
            journal.resume()
            quarantine.resume()
            for lane in batches { lane.resume(now: clock.monotonic()) }
            flush(ignoringWaits: false)
        case .conditions(let conditions):
            for lane in batches { lane.setConditions(conditions) }
        case .ledgers(let continuation):
            continuation.resume(returning: ledgers())
        case .quarantine(let wish, let output, let continuation):
            continuation.resume(returning: answer(wish, output))
        case .stop:
            break
        }
    }

    private func finish(_ index: Int, _ answer: BatchAnswer) {
        batches.first { $0.index == index }?
            .finish(answer, now: clock.monotonic(), jitter: Double.random(in: 0..<1))
    }

    private func answer(_ wish: QuarantineWish, _ output: String) -> QuarantineAnswer {
        switch wish {
        case .show(let limit): QuarantineAnswer(records: quarantine.records(of: output, limit: limit))
        case .resend: QuarantineAnswer(count: quarantine.release(of: output, to: journal))
        case .discard: QuarantineAnswer(count: quarantine.discard(of: output))
        }
    }

    private func stop(_ continuations: [CheckedContinuation<Void, Never>?]) {
        let left = drain.close()
        // An answer at the last moment still counts.
        for case .finished(let index, let answer) in left { finish(index, answer) }
        for lane in lanes { journal.advance(lane.id, to: lane.settled) }
        noteJournalDrops()
        for lane in lanes { lane.abandon() }
        let ledgers = ledgers()
        journal.close()
        quarantine.close()
        drain.leave(ledgers)
        for request in left {
            switch request {
            case .flush(_, _, let flush): flush.resume(returning: false)
            case .suspend(let other): other.resume()
            case .stop(let other): other?.resume()
            case .ledgers(let continuation): continuation.resume(returning: ledgers)
            case .quarantine(_, _, let continuation): continuation.resume(returning: QuarantineAnswer())
            case .finished, .written, .resume, .conditions: break
            }
        }
        for flush in flushes { flush.continuation.resume(returning: false) }
        for continuation in continuations { continuation?.resume() }
    }

    // MARK: Waiting

    /// Answers flushes that are done, late or stuck. Returns the next deadline.
    private func settleFlushes(now: UInt64) -> UInt64 {
        flushes.removeAll { flush in
            let open = lanes.filter { !$0.isSettled(through: flush.through) }
            let isHopeless = open.allSatisfy { $0.isStuck(until: flush.deadline) }
            guard open.isEmpty || isHopeless || now >= flush.deadline else { return false }
            flush.continuation.resume(returning: open.isEmpty)
            return true
        }
        // What an ended flush hurried waits again.
        if !flushes.contains(where: \.ignoresWaits) { for lane in batches { lane.heedWaits() } }
        return flushes.map(\.deadline).min() ?? .max
    }

    /// Waits until there is something to do or due.
    /// - Parameter seen: The last sequence before the lanes ran; they know everything up to it.
    private func wait(until due: UInt64, seen: UInt64) {
        let now = clock.monotonic()
        let wakeSequence = batches.map { $0.wakeSequence(at: now) }.min() ?? .max
        let bytes = journal.counters.appendedBytes
        let wakeBytes =
            batches.map { $0.wakeBytes(at: now) }.min().map { bytes.addingReportingOverflow($0) } ?? (.max, false)
        let until = timer.set(due: due, seen: seen, now: now)
        drain.arm(timer.isSet, wakeSequence: wakeSequence, wakeBytes: wakeBytes.overflow ? .max : wakeBytes.0)
        // A record since the lanes ran may have woken nobody.
        let last = journal.lastSequence
        guard last < wakeSequence else { return }
        let latest = last == seen ? until : min(until, now &+ timer.patience)
        drain.wait(atMost: min(Self.longestWait, latest > now ? latest - now : 0))
    }

    // MARK: Accounting

    /// Takes over the journal's drops, so that the accounting stays exact.
    private func noteJournalDrops() {
        // Cursors first: what the journal drops after this lies behind them.
        let places = lanes.map { (lane: $0, cursor: journal.cursor(of: $0.id)) }
        let (drops, losses) = journal.takeLosses()
        for (lane, cursor) in places { lane.note(drops: drops, losses: losses, cursor: cursor) }
    }

    /// The ledgers of all outputs, including removed ones that lost records.
    private func ledgers() -> [String: Ledger] {
        // The journal's writer thread may drop segments during the count. It drops whole segments, so a few rounds
        // suffice.
        var ledgers = Unchanged.answer(of: [journal.counters.drops, quarantine.drops]) {
            noteJournalDrops()
            var ledgers = inline.ledgers
            for lane in immediates { ledgers[lane.id] = lane.ledger(withStored: journal) }
            for lane in batches {
                ledgers[lane.id] = quarantine.completed(lane.ledger(withStored: journal), of: lane.id)
            }
            return ledgers
        }
        var present: Set<String> = []
        for id in ledgers.keys { present.insert(Journal.storedID(of: id)) }
        for drops in [journal.counters.drops, quarantine.drops] {
            for (reason, counts) in drops {
                for (id, count) in counts where !present.contains(id) {
                    var ledger = ledgers[id] ?? Ledger()
                    ledger.accepted += count
                    ledger.recovered += count
                    ledger.dropped[Ledger.DropReason(reason), default: 0] += count
                    ledgers[id] = ledger
                }
            }
        }
        return ledgers
    }
}

/// Answers computed in steps while another thread changes the subject.
enum Unchanged {
    /// An answer during which nothing changed, or the last round's.
    /// - Parameter mark: Differs after a change. Read before the first step, so that no change falls between two.
    static func answer<Mark: Equatable, Answer>(
        of mark: @autoclosure () -> Mark, rounds: Int = 8, _ body: () -> Answer
    ) -> Answer {
        var before = mark()
        var answer = body()
        for _ in 1..<rounds {
            let after = mark()
            if after == before { break }
            before = after
            answer = body()
        }
        return answer
    }
}

/// Decides until when the drain thread sleeps, and so which log calls must wake it.
///
/// While records come, the thread keeps a timer even if nothing is due, so that the next call need not wake it.
struct DrainTimer {
    /// The longest a record that wakes nobody waits, in nanoseconds.
    let patience: UInt64
    /// The last record seen before the previous sleep.
    private var lastSeen: UInt64 = 0
    /// Since when a new record wakes nobody; `nil` if it must wake the thread.
    private(set) var unseenSince: UInt64?

    init(patience: UInt64) { self.patience = patience }

    /// Whether a new record finds a timer. A distant one does not count: the record's batch and sync are due sooner.
    var isSet: Bool { unseenSince != nil }

    /// The thread goes to sleep.
    /// - Parameters:
    ///   - due: When the next thing is due; `.max` for nothing.
    ///   - seen: The last record that the lanes know.
    /// - Returns: When to wake up.
    mutating func set(due: UInt64, seen: UInt64, now: UInt64) -> UInt64 {
        let soon = now &+ patience
        let until = seen == lastSeen ? due : min(due, soon)
        lastSeen = seen
        unseenSince = until <= soon ? now : nil
        return until
    }
}
