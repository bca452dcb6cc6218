import DaybookBase
import DaybookJournal
import Dispatch
import Foundation

/// The thread that brings records from the journal to the outputs, and what log calls tell it.
///
/// A log call wakes the thread only when it must: for an output that takes records at once, for a fatal record, when a
/// batch may be full or the journal needs care, or when no timer is set. Everything else waits for the timer.
final class Drain: Sendable {
    /// What others ask of the thread. Rarely, so that a pointer for each costs less than code that copies them all.
    indirect enum Request: Sendable {
        /// A batch output answered.
        case finished(lane: Int, BatchAnswer)
        /// An output that takes records at once has taken those it was given.
        case written(lane: Int)
        /// Deliver everything stored by now.
        case flush(deadline: UInt64, ignoringWaits: Bool, CheckedContinuation<Bool, Never>)
        case suspend(CheckedContinuation<Void, Never>)
        case resume
        case conditions(DeliveryConditions)
        case ledgers(CheckedContinuation<[String: Ledger], Never>)
        case quarantine(QuarantineWish, output: String, CheckedContinuation<QuarantineAnswer, Never>)
        /// Stop for good; nobody may wait for it.
        case stop(CheckedContinuation<Void, Never>?)
    }

    private let signal = Signal()
    /// Of the thread that writes the log, which no sync and no output holds up.
    private let writerSignal = Signal()
    /// Who waits for it waits until that thread has ended.
    private let writer = DispatchGroup()
    private let isWriterWoken = Atomic<Bool>(false)
    private let requests = Mutex<[Request]>([])
    /// From this sequence number on a batch may be full; 0 while the thread has no timer that is soon enough for a record
    /// that comes now.
    private let wakeSequence = Atomic<UInt64>(0)
    /// From this many bytes appended on a batch may be full.
    private let wakeBytes = Atomic<UInt64>(.max)
    /// The accounting at the end.
    private let lastLedgers = Mutex<[String: Ledger]>([:])
    /// Whether the thread has been woken and has not looked yet.
    private let isWoken = Atomic<Bool>(false)
    private let isStopped = Atomic<Bool>(false)
    /// Whether a record has come that must be on stable storage at once.
    private let isSyncWanted = Atomic<Bool>(false)
    private let isForked = Atomic<Bool>(false)

    init() { isForked.setInChildren(true) }

    deinit { isForked.forgetInChildren() }

    /// What a log call does after its record is stored.
    @inline(__always)
    func note(_ appended: Appended, isUrgent: Bool, isFatal: Bool) {
        if isFatal { isSyncWanted.store(true, ordering: .relaxed) }
        if isUrgent || appended.sequence >= wakeSequence.load(ordering: .sequentiallyConsistent)
            || appended.totalBytes >= wakeBytes.load(ordering: .relaxed)
        {
            wake()
        } else if appended.attention.contains(.workDue), !isWoken.load(ordering: .relaxed) {
            // Every later record asks again, so that a look that comes too early is no loss.
            wake()
        }
        if appended.attention.contains(.workDue), !isWriterWoken.load(ordering: .relaxed) { wakeWriter() }
    }

    @inline(never)
    private func wakeWriter() {
        guard !isWriterWoken.exchange(true, ordering: .sequentiallyConsistent) else { return }
        writerSignal.raise()
    }

    /// Whether a record has come that must be on stable storage at once; asks once.
    func takeSyncWish() -> Bool { isSyncWanted.exchange(false, ordering: .relaxed) }

    /// Wakes the thread, once until it looks.
    @inline(__always)
    func wake() {
        guard !isWoken.exchange(true, ordering: .sequentiallyConsistent) else { return }
        signal.raise()
    }

    /// Asks the thread; `false` when it has stopped for good, and nobody will answer.
    func ask(_ request: Request) -> Bool {
        guard !isParents else { return false }
        let isTaken = requests.withLock { requests in
            guard !isStopped.load(ordering: .relaxed) else { return false }
            requests.append(request)
            return true
        }
        signal.raise()
        return isTaken
    }

    /// Whether the thread has stopped for good.
    var isClosed: Bool { isStopped.load(ordering: .relaxed) || isParents }

    /// Whether this process was forked from the one that has the thread: it has no pipeline, and may not wait for a lock
    /// that nobody here would give back.
    var isParents: Bool { isForked.load(ordering: .relaxed) }

    // MARK: What the thread itself calls

    /// Starts the thread, which runs `loop` until it is asked to stop, and beside it one that copies what is logged from
    /// the journal's ring to its log whenever there is much of it: a sync, which the first one waits for, may take long.
    func start(_ loop: sending DrainLoop, journal: Journal) {
        writer.enter()
        let copying = Thread {
            while !self.isClosed {
                self.writerSignal.wait(atMost: 3_600_000_000_000)
                self.isWriterWoken.store(false, ordering: .sequentiallyConsistent)
                journal.writeLog()
            }
            self.writer.leave()
        }
        copying.name = "daybook.journal"
        copying.qualityOfService = .utility
        copying.start()
        // Sound: the loop is handed over whole; only the new thread touches it from here on.
        nonisolated(unsafe) let loop = loop
        let thread = Thread { loop.run() }
        thread.name = "daybook.drain"
        thread.qualityOfService = .utility
        thread.start()
    }

    /// Takes the requests that wait, and forgets the wakings that led here.
    func takeRequests() -> [Request] {
        isWoken.store(false, ordering: .sequentiallyConsistent)
        return requests.withLock { requests in
            defer { requests.removeAll() }
            return requests
        }
    }

    /// Says from which sequence number and byte on, and whether at all, the next record must wake the thread.
    func arm(_ armed: Bool, wakeSequence: UInt64, wakeBytes: UInt64) {
        self.wakeBytes.store(wakeBytes, ordering: .relaxed)
        self.wakeSequence.store(armed ? wakeSequence : 0, ordering: .sequentiallyConsistent)
    }

    /// Waits on the signal, not for a time: whoever wakes the thread ends it at once; `nanoseconds` is when a batch, a
    /// retry or a sync is due.
    func wait(atMost nanoseconds: UInt64) { signal.wait(atMost: nanoseconds) }

    /// Refuses requests from now on, waits until the thread that writes the log is done with the journal, and returns the
    /// requests that came before.
    func close() -> [Request] {
        let left = requests.withLock { requests in
            isStopped.store(true, ordering: .relaxed)
            defer { requests.removeAll() }
            return requests
        }
        writerSignal.raise()
        writer.wait()
        return left
    }

    /// Keeps the accounting for those who ask after the end.
    func leave(_ ledgers: [String: Ledger]) { lastLedgers.withLock { $0 = ledgers } }

    /// The accounting at the end; empty before it.
    var ledgersAtEnd: [String: Ledger] { lastLedgers.withLock { $0 } }
}

/// Wakes one sleeping thread; wakings that come while it is awake are coalesced.
private final class Signal: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)
    private let isRaised = Atomic<Bool>(false)

    /// Wakes the waiter, or makes its next wait return at once.
    func raise() {
        if !isRaised.exchange(true, ordering: .sequentiallyConsistent) { semaphore.signal() }
    }

    /// Waits until raised, at most `nanoseconds` of the monotonic clock. Now and then it returns early: a signal that is
    /// raised just when the time is over ends the next wait too.
    func wait(atMost nanoseconds: UInt64) {
        _ = semaphore.wait(timeout: .now() + .nanoseconds(Int(clamping: nanoseconds)))
        // Before the waiter looks at what it was woken for: what is raised from here on ends its next wait.
        _ = isRaised.exchange(false, ordering: .sequentiallyConsistent)
    }
}
