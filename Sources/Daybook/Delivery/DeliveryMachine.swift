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
        /// Keep it and try again later, or as much of it as ``size`` then allows.
        case keep
        /// Send less of it: as much as ``size`` now allows.
        case cut
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
    private static let refusalsBeforePause = 8

    /// After so many failures in a row the circuit is open: only the backoff's own attempts are made, and those that
    /// somebody asks for (a flush, a return to the foreground) at most once in `probeInterval`.
    private static let failuresBeforeOpen = 5
    private static let probeInterval = Duration.seconds(30)

    let limits: BatchLimits
    private var pace = RequestPace()
    var ceiling = BatchCeiling()
    let backoff: Backoff
    let wait: RouteWait
    private var phase = Phase.idle
    private var attempt = 0
    private var refusals = 0
    private var isSuspended = false
    /// Whether there is known to be no network.
    private var isOffline = false
    /// For which of the conditions that hold the route waits. Until anybody has told what holds, for all of them: else every
    /// launch would begin with a batch that was to wait.
    private(set) var heldBy: DeliveryConditions
    /// Whether anybody has told what holds; that will not take long, so that a flush waits for it.
    private var isTold = false
    /// Until when the batch at the front was held back when it was last looked at.
    private var heldUntil: UInt64?
    /// Whether a flush sends although the route waits.
    private var ignoresWait = false
    /// When somebody last asked for an attempt while the circuit was open, and got it.
    private var probedAt: UInt64?
    /// Whether the receiver said how long to wait.
    private var isWaitRequested = false
    private var isFlushing = false
    /// Why the output does not send, if it does not: shown to the user once.
    private(set) var trouble: String?

    init(limits: BatchLimits, backoff: Backoff, wait: RouteWait = .never) {
        self.limits = limits
        self.backoff = backoff
        self.wait = wait
        heldBy = wait.conditions
    }

    /// What a batch may have at most: the limits, or what the route allows a backlog where the receiver has shown that it
    /// takes batches at all, and no more than the receiver takes. One that has failed again is no larger than the limits: a
    /// dead server is not probed with a megabyte.
    var size: BatchSize {
        let isLarge = ceiling.taken > 0 && attempt < 2 && limits.backlogBytes > limits.bytes
        return BatchSize(
            count: min(ceiling.count, isLarge ? .max : limits.count),
            bytes: isLarge ? limits.backlogBytes : limits.bytes)
    }

    /// With so many records a batch is sent at once.
    var fullCount: Int { min(ceiling.count, limits.count) }

    /// Whether a full batch would be sent now.
    func isFree(at now: UInt64) -> Bool {
        phase == .idle && !isSuspended && !isOffline && heldUntil == nil && !isPaced(at: now)
    }

    /// Whether nothing will be sent before `time`, unless somebody resumes.
    func isStuck(until time: UInt64) -> Bool {
        if (isSuspended || isOffline) && phase != .sending { return true }
        let notBefore = max(heldUntil ?? 0, pace.notBefore)
        switch phase {
        case .paused: return true
        case .waiting(let until): return max(until, notBefore) >= time
        case .idle: return (isTold || heldUntil == nil) && notBefore >= time
        case .sending: return false
        }
    }

    /// What to do now.
    /// - Parameters:
    ///   - count: Records waiting.
    ///   - bytes: Their size.
    ///   - since: When the oldest of them was first seen.
    ///   - isComplete: The batch cannot grow, or has been sent before: it does not wait for more records.
    ///   - age: How long ago the oldest of them was logged; looked at only while ``heldBy`` is not empty.
    mutating func poll(
        count: Int, bytes: Int, since: UInt64, isComplete: Bool, age: UInt64 = 0, now: UInt64
    ) -> Decision {
        guard count > 0, !isSuspended, !isOffline else { return .wait(until: nil) }
        let limit = wait.atMost.nanoseconds
        heldUntil = heldBy.isEmpty || ignoresWait || age >= limit ? nil : now &+ (limit - age)
        switch phase {
        case .sending, .paused:
            return .wait(until: nil)
        case .waiting(let until) where now < until:
            return .wait(until: until)
        case .waiting, .idle:
            if let heldUntil { return .wait(until: heldUntil) }
            if isPaced(at: now) { return .wait(until: pace.notBefore) }
            let due = since &+ limits.delay.nanoseconds
            guard isComplete || isFlushing || count >= fullCount || bytes >= limits.bytes || now >= due else {
                return .wait(until: due)
            }
            phase = .sending
            return .send
        }
    }

    /// Whether the receiver has asked for so many requests that the next one waits.
    func isPaced(at now: UInt64) -> Bool { now < pace.notBefore }

    /// Nothing of the batch was for the receiver: it is done, and says nothing of the receiver.
    mutating func skip() { phase = .idle }

    /// What follows from the answer to the batch that was sent.
    /// - Parameters:
    ///   - count: Records of the batch.
    ///   - sent: Those of them that the route's transform left. A batch that it thinned out to one cannot be cut usefully: its
    ///     parts are the same again.
    mutating func finish(
        _ delivery: Delivery, count: Int, sent: Int? = nil, now: UInt64, jitter: Double
    ) -> Outcome {
        switch delivery {
        case .delivered:
            succeed(count, now: now)
            return .advance(rejected: 0)
        case .partly(let rejected):
            succeed(count, now: now)
            return .advance(rejected: min(max(0, rejected), count))
        case .retry(nil, _) where isOffline, .noAnswer where isOffline:
            // It failed because the network went; that says nothing of the receiver.
            phase = .idle
            return .keep
        case .reject:
            succeed(count, now: now)
            return .advance(rejected: 0)
        case .retry(let requested, let reason):
            if requested != nil { pace.spend(1, now: now) }
            fail(reason, requested, now: now, jitter: jitter)
            return .keep
        case .noAnswer(let reason):
            if sent ?? count > 1 || count == 1 { ceiling.lose(count) }
            fail(reason, nil, now: now, jitter: jitter)
            return .keep
        case .refused(let reason):
            phase = .idle
            attempt = 0
            pace.spend(1, now: now)
            guard sent ?? count == 1 else {
                ceiling.refuse(count)
                return .cut
            }
            ceiling.refuseOne()
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

    private mutating func fail(_ reason: String, _ requested: Duration?, now: UInt64, jitter: Double) {
        attempt += 1
        endFlush()
        trouble = reason
        isWaitRequested = requested != nil
        let isBelieved = attempt < Self.failuresBeforeOpen
        let delay = backoff.delay(
            attempt: attempt, requested: requested, atLeast: isBelieved ? .zero : Self.probeInterval, jitter: jitter)
        phase = .waiting(until: now &+ delay.nanoseconds)
    }

    private mutating func succeed(_ count: Int, now: UInt64) {
        // What the receiver takes of a full batch is that part of a request's worth.
        if count >= ceiling.count, count < limits.count {
            pace.spend(1 - Double(count) / Double(limits.count), now: now)
        }
        ceiling.take(count)
        phase = .idle
        attempt = 0
        refusals = 0
        probedAt = nil
        trouble = nil
    }

    /// Send what is there now, without waiting for more or for the end of a backoff; a paused output gets one more try.
    /// Not before the receiver's own time, nor too often while the circuit is open.
    /// - Parameter ignoringWaits: Whether it sends although the route waits.
    mutating func flush(now: UInt64, ignoringWaits: Bool = false) {
        isFlushing = true
        if ignoringWaits {
            ignoresWait = true
            heldUntil = nil
        }
        tryEarly(now: now)
    }

    private mutating func tryEarly(now: UInt64) {
        switch phase {
        case .sending: break
        case .waiting(let until) where isWaitRequested && now < until: break
        case .waiting where attempt >= Self.failuresBeforeOpen:
            if let probedAt, now &- probedAt < Self.probeInterval.nanoseconds { break }
            probedAt = now
            phase = .idle
        case .idle, .waiting, .paused: phase = .idle
        }
    }

    /// What a flush was for is settled.
    mutating func endFlush() {
        isFlushing = false
        heedWaits()
    }

    /// No flush that ignores the route's wait is left.
    mutating func heedWaits() { ignoresWait = false }

    /// Send nothing until `resume`. A batch under way ends as it ends.
    mutating func suspend() { isSuspended = true }

    /// Go on, at once. An output that paused over refused records may refuse some more: else one bad record would hold
    /// up all others for as long as the process lives.
    mutating func resume(now: UInt64) {
        isSuspended = false
        if phase == .paused { refusals = 0 }
        tryEarly(now: now)
    }

    /// What holds of the device. Time without a network costs no attempt, and its end is worth one at once: only what the
    /// receiver itself asked for is waited for. A batch under way ends as it ends.
    mutating func setConditions(_ conditions: DeliveryConditions) {
        let isOnline = !conditions.contains(.offline)
        if isOnline, isOffline, case .waiting = phase, !isWaitRequested { phase = .idle }
        isOffline = !isOnline
        heldBy = wait.conditions.intersection(conditions)
        heldUntil = nil
        isTold = true
    }
}

/// How large a batch may be.
struct BatchSize {
    var count: Int
    /// Of encoded records; a single one may have more.
    var bytes: Int
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

/// How long to wait before a retry: exponential backoff with full jitter.
///
/// Source: M. Brooker, *Exponential Backoff and Jitter*, AWS Architecture Blog, 2015 ("full jitter").
public struct Backoff: Sendable, Hashable {
    /// The ceiling of the first wait. Default 1 s.
    public var initial: Duration
    /// The ceiling of every wait. Default 5 min.
    public var maximum: Duration
    /// A receiver's own request (`Retry-After`) is honoured up to this. Default 1 h.
    public var maximumRequested: Duration

    /// Creates a backoff with full jitter; by default from 1 s to 5 min.
    ///
    /// ```swift
    /// var options = PipelineOptions()
    /// options.backoff = Backoff(initial: .seconds(2), maximum: .seconds(600))
    /// ```
    public init(
        initial: Duration = .seconds(1), maximum: Duration = .seconds(300), maximumRequested: Duration = .seconds(3600)
    ) {
        self.initial = initial
        self.maximum = maximum
        self.maximumRequested = maximumRequested
    }

    /// The wait before attempt number `attempt` (1 is the first retry).
    /// - Parameters:
    ///   - requested: What the receiver asked for, if it did.
    ///   - least: The shortest wait that the receiver may ask for, if the backoff's own is longer.
    ///   - jitter: A random number in 0..<1.
    package func delay(
        attempt: Int, requested: Duration?, atLeast least: Duration = .zero, jitter: Double
    ) -> Duration {
        let doublings = min(max(attempt - 1, 0), 30)
        let own = min(maximum, initial * (1 << doublings)) * jitter
        guard let requested else { return own }
        return max(min(requested, maximumRequested), min(own, least))
    }
}

/// Bounds the requests that a receiver can provoke: by taking little of each, refusing, or asking for the next one at once.
/// Those that bring full batches, or all that waits, cost nothing. Pure.
private struct RequestPace {
    /// So many may follow each other at once; then there is one a second.
    private static let burst: UInt64 = 60
    private static let interval = 1_000_000_000.0

    /// When everything is paid for that was spent.
    private var paidAt: UInt64 = 0

    /// The next request waits until then.
    var notBefore: UInt64 { paidAt - min(paidAt, Self.burst * UInt64(Self.interval)) }

    /// Spends so much of a request.
    mutating func spend(_ part: Double, now: UInt64) {
        paidAt = max(paidAt, now) &+ UInt64(Self.interval * part)
    }
}
