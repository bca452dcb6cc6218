/// Decides when one output sends, and what follows from the answer. Pure: no clock, no thread, no journal.
///
/// Times are nanoseconds of a monotonic clock.
struct DeliveryMachine {
    /// What the shell does next.
    enum Decision: Equatable {
        /// Send the batch at the front of the queue.
        case send
        /// Nothing before this time; `nil`: nothing until something changes.
        case wait(until: UInt64?)
    }

    /// What follows from an answer, for the batch at the front of the queue.
    enum Outcome: Equatable {
        /// It is done; this many of its records were refused for good.
        case advance(rejected: Int)
        /// Keep it and try again later.
        case keep
        /// Send its halves instead.
        case halve
        /// It holds one record, and that one is refused for good: it is put in quarantine.
        case setAside
    }

    private enum Phase: Equatable {
        case idle
        case sending
        case waiting(until: UInt64)
        case paused
    }

    /// After so many refused single records without an acceptance, it is the receiver that is wrong: pause.
    static let refusalsBeforePause = 8

    let limits: BatchLimits
    let backoff: Backoff
    private var phase = Phase.idle
    private var attempt = 0
    private var refusals = 0
    private var isSuspended = false
    private var isFlushing = false
    /// Why the output does not send, if it does not: shown to the user once.
    private(set) var trouble: String?

    init(limits: BatchLimits, backoff: Backoff) {
        self.limits = limits
        self.backoff = backoff
    }

    /// Whether a batch is under way.
    var isSending: Bool { phase == .sending }

    /// Whether a full batch would be sent now.
    var isFree: Bool { phase == .idle && !isSuspended }

    /// Whether nothing will be sent before `time`, unless somebody resumes.
    func isStuck(until time: UInt64) -> Bool {
        if isSuspended && phase != .sending { return true }
        switch phase {
        case .paused: return true
        case .waiting(let until): return until >= time
        case .idle, .sending: return false
        }
    }

    /// What to do now.
    /// - Parameters:
    ///   - count: Records waiting.
    ///   - bytes: Their size.
    ///   - since: When the oldest of them was first seen.
    ///   - isComplete: The batch cannot grow, or has been sent before: it does not wait for more records.
    mutating func poll(count: Int, bytes: Int, since: UInt64, isComplete: Bool, now: UInt64) -> Decision {
        guard count > 0, !isSuspended else { return .wait(until: nil) }
        switch phase {
        case .sending, .paused:
            return .wait(until: nil)
        case .waiting(let until) where now < until:
            return .wait(until: until)
        case .waiting, .idle:
            let due = since &+ limits.delay.nanoseconds
            guard isComplete || isFlushing || count >= limits.count || bytes >= limits.bytes || now >= due else {
                return .wait(until: due)
            }
            phase = .sending
            return .send
        }
    }

    /// What follows from the answer to the batch that was sent.
    mutating func finish(_ delivery: Delivery, count: Int, now: UInt64, jitter: Double) -> Outcome {
        switch delivery {
        case .delivered:
            succeed()
            return .advance(rejected: 0)
        case .partly(let rejected):
            succeed()
            return .advance(rejected: min(max(0, rejected), count))
        case .reject:
            succeed()
            return .advance(rejected: 0)
        case .retry(let requested, let reason):
            attempt += 1
            isFlushing = false
            trouble = reason
            let delay = backoff.delay(attempt: attempt, requested: requested, jitter: jitter)
            phase = .waiting(until: now &+ delay.nanoseconds)
            return .keep
        case .refused(let reason):
            phase = .idle
            attempt = 0
            guard count == 1 else { return .halve }
            refusals += 1
            if refusals >= Self.refusalsBeforePause {
                phase = .paused
                trouble = reason
                return .keep
            }
            return .setAside
        case .pause(let reason):
            phase = .paused
            trouble = reason
            return .keep
        }
    }

    private mutating func succeed() {
        phase = .idle
        attempt = 0
        refusals = 0
        trouble = nil
    }

    /// Send what is there now, without waiting for more or for the end of a backoff; a paused output gets one more try.
    mutating func flush() {
        isFlushing = true
        if phase != .sending { phase = .idle }
    }

    /// What a flush was for is settled.
    mutating func endFlush() { isFlushing = false }

    /// Send nothing until `resume`. A batch under way ends as it ends.
    mutating func suspend() { isSuspended = true }

    /// Go on, at once. An output that paused over refused records may refuse some more: else one bad record would hold
    /// up all others for as long as the process lives.
    mutating func resume() {
        isSuspended = false
        if phase == .paused { refusals = 0 }
        if phase != .sending { phase = .idle }
    }
}

extension Duration {
    /// Whole nanoseconds, clamped to what 64 bits hold; negative durations are 0.
    var nanoseconds: UInt64 {
        let (seconds, attoseconds) = components
        guard seconds >= 0, attoseconds >= 0 else { return 0 }
        let (product, overflow) = UInt64(seconds).multipliedReportingOverflow(by: 1_000_000_000)
        return overflow ? .max / 2 : min(.max / 2, product + UInt64(attoseconds / 1_000_000_000))
    }
}
