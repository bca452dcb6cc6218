import DaybookBase
import DaybookJournal
import Dispatch
import Foundation

/// The thread that delivers records from the journal to the outputs, and what log calls tell it.
///
/// A log call wakes the thread only for an immediate output, a fatal record, a batch that may be full, a journal that
/// needs care, or if no timer is set. Everything else waits for the timer.
final class Drain: Sendable {
    /// Requests to the thread. Indirect: they are rare, and pointers need less code than copies.
    indirect enum Request: Sendable {
        /// A batch output answered.
        case finished(lane: Int, BatchAnswer)
        /// An immediate output has taken its records.
        case written(lane: Int)
        /// Deliver everything stored by now.
        case flush(deadline: UInt64, ignoringWaits: Bool, CheckedContinuation<Bool, Never>)
        case suspend(CheckedContinuation<Void, Never>)
        case resume
        case conditions(DeliveryConditions)
        case ledgers(CheckedContinuation<[String: Ledger], Never>)
        case quarantine(QuarantineWish, output: String, CheckedContinuation<QuarantineAnswer, Never>)
        /// Stop permanently; the continuation is optional.
        case stop(CheckedContinuation<Void, Never>?)
    }

    private let signal = Signal()
    /// Of the thread that writes segments, which no sync and no output delays.
    private let writerSignal = Signal()
    /// Left when that thread has ended.
    private let writer = DispatchGroup()
    private let isWriterWoken = Atomic<Bool>(false)
    private let requests = Mutex<[Request]>([])
    /// From this sequence number on a batch may be full; 0 if no timer is set soon enough for the next record.
    private let wakeSequence = Atomic<UInt64>(0)
    /// From this many appended bytes on a batch may be full.
    private let wakeBytes = Atomic<UInt64>(.max)
    /// The final accounting.
    private let lastLedgers = Mutex<[String: Ledger]>([:])
    /// Whether the thread was woken and has not looked yet.
    private let isWoken = Atomic<Bool>(false)
    private let isStopped = Atomic<Bool>(false)
    /// Whether a fatal record asked for a sync.
    private let isSyncWanted = Atomic<Bool>(false)
    private let isForked = Atomic<Bool>(false)

    init() { isForked.setInChildren(true) }

    deinit { isForked.forgetInChildren() }

    /// Called by a log call after its record is stored.
    @inline(__always)
    func note(_ appended: Appended, isUrgent: Bool, isFatal: Bool) {
        if isFatal { isSyncWanted.store(true, ordering: .relaxed) }
        if isUrgent || appended.sequence >= wakeSequence.load(ordering: .sequentiallyConsistent)
            || appended.totalBytes >= wakeBytes.load(ordering: .relaxed)
        {
            wake()
        } else if appended.attention.contains(.workDue), !isWoken.load(ordering: .relaxed) {
            // Every later record asks again, so looking too early loses nothing.
            wake()
        }
        if appended.attention.contains(.workDue), !isWriterWoken.load(ordering: .relaxed) { wakeWriter() }
    }

    @inline(never)
    private func wakeWriter() {
        guard !isWriterWoken.exchange(true, ordering: .sequentiallyConsistent) else { return }
        writerSignal.raise()
    }

    /// Whether a sync was asked for; clears the request.
    func takeSyncWish() -> Bool { isSyncWanted.exchange(false, ordering: .relaxed) }

    /// Wakes the thread; further calls are coalesced until it looks.
    @inline(__always)
    func wake() {
        guard !isWoken.exchange(true, ordering: .sequentiallyConsistent) else { return }
        signal.raise()
    }

    /// `false` if the thread has stopped permanently and will not answer.
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

    var isClosed: Bool { isStopped.load(ordering: .relaxed) || isParents }

    /// Whether this process was forked from the one with the thread. It has no pipeline, and must not wait for a lock
    /// that nobody here will release.
    var isParents: Bool { isForked.load(ordering: .relaxed) }

    // MARK: What the thread itself calls

    /// Starts the thread with `loop`, and a second one that writes a filling ring to segments, since a sync on the
    /// first may take long.
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
        // Sound: the loop is handed over whole, and only the new thread uses it from here on.
        nonisolated(unsafe) let loop = loop
        let thread = Thread { loop.run() }
        thread.name = "daybook.drain"
        thread.qualityOfService = .utility
        thread.start()
    }

    /// Takes the waiting requests, and resets the wake flag.
    func takeRequests() -> [Request] {
        isWoken.store(false, ordering: .sequentiallyConsistent)
        return requests.withLock { requests in
            defer { requests.removeAll() }
            return requests
        }
    }

    /// Sets from which sequence number and byte on the next record must wake the thread; always if not `armed`.
    func arm(_ armed: Bool, wakeSequence: UInt64, wakeBytes: UInt64) {
        self.wakeBytes.store(wakeBytes, ordering: .relaxed)
        self.wakeSequence.store(armed ? wakeSequence : 0, ordering: .sequentiallyConsistent)
    }

    /// Waking ends the wait at once; `nanoseconds` is when a batch, a retry or a sync is due.
    func wait(atMost nanoseconds: UInt64) { signal.wait(atMost: nanoseconds) }

    /// Refuses requests from now on, waits for the thread that writes segments, and returns the requests left.
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

    func leave(_ ledgers: [String: Ledger]) { lastLedgers.withLock { $0 = ledgers } }

    /// Empty before the end.
    var ledgersAtEnd: [String: Ledger] { lastLedgers.withLock { $0 } }
}

/// Wakes one sleeping thread; wakings while it is awake are coalesced.
private final class Signal: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)
    private let isRaised = Atomic<Bool>(false)

    /// Wakes the waiter, or makes its next wait return at once.
    func raise() {
        if !isRaised.exchange(true, ordering: .sequentiallyConsistent) { semaphore.signal() }
    }

    /// Waits until raised, at most `nanoseconds` of the monotonic clock. A signal raised just at the timeout also ends
    /// the next wait early.
    func wait(atMost nanoseconds: UInt64) {
        _ = semaphore.wait(timeout: .now() + .nanoseconds(Int(clamping: nanoseconds)))
        // Reset before the waiter looks, so that a later signal ends its next wait.
        _ = isRaised.exchange(false, ordering: .sequentiallyConsistent)
    }
}
