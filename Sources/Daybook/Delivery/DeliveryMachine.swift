/// Decides when an output sends, and what follows from its answers. Pure: no clock, no thread, no journal.
///
/// Times are monotonic nanoseconds.
struct DeliveryMachine {
    /// What the shell does next.
    enum Decision: Equatable {
        /// Send the front batch.
        case send
        /// Nothing before this time; `nil`: nothing until something changes.
        case wait(until: UInt64?)
    }

    /// What happens to the front batch after an answer.
    enum Outcome: Equatable {
        /// It is settled; the receiver rejected this many of its records.
        case advance(rejected: Int)
        /// Retry later, as much as ``size`` then allows.
        case keep
        /// Send less of it, as ``size`` now allows.
        case cut
        /// Its only record is permanently refused: quarantine it.
        case setAside
    }

    private enum Phase: Equatable {
        case idle
        case sending
        case waiting(until: UInt64)
        case paused
    }

    /// After this many single refusals without an acceptance, the receiver is at fault: pause.
    private static let refusalsBeforePause = 8

    /// After this many failures in a row the circuit is open: the backoff's own attempts go on, but those on request (a
    /// flush, a return to the foreground) are limited to one per `probeInterval`.
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
    private var isOffline = false
    /// The conditions that hold and make the route wait. All of its conditions until the first report: otherwise every
    /// launch would send a batch that was to wait.
    private(set) var heldBy: DeliveryConditions
    /// Whether conditions were reported. That happens soon, so a flush waits for it.
    private var isTold = false
    /// Until when the front batch was held back at the last poll.
    private var heldUntil: UInt64?
    private var ignoresWait = false
    /// The last attempt on request while the circuit was open.
    private var probedAt: UInt64?
    /// Whether the receiver set the wait.
    private var isWaitRequested = false
    private var isFlushing = false
    /// Why the output cannot send; shown to the user once.
    private(set) var trouble: String?

    init(limits: BatchLimits, backoff: Backoff, wait: RouteWait = .never) {
        self.limits = limits
        self.backoff = backoff
        self.wait = wait
        heldBy = wait.conditions
    }

    /// The limits of a batch; more for a backlog if the route allows it and the receiver has taken batches, and never
    /// more than the receiver takes. After a repeated failure no more than the limits: a dead server is not probed with
    /// a megabyte.
    var size: BatchSize {
        let isLarge = ceiling.taken > 0 && attempt < 2 && limits.backlogBytes > limits.bytes
        return BatchSize(
            count: min(ceiling.count, isLarge ? .max : limits.count),
            bytes: isLarge ? limits.backlogBytes : limits.bytes)
    }

    /// A batch with this many records is sent at once.
    var fullCount: Int { min(ceiling.count, limits.count) }

    /// Whether a full batch would be sent now.
    func isFree(at now: UInt64) -> Bool {
        phase == .idle && !isSuspended && !isOffline && heldUntil == nil && !isPaced(at: now)
    }

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
    ///   - since: When the oldest was first read.
    ///   - isComplete: The batch cannot grow or was sent before, so it does not wait for more.
    ///   - age: Time since the oldest was logged; read only while ``heldBy`` is not empty.
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

    /// Whether the receiver caused so many requests that the next one waits.
    func isPaced(at now: UInt64) -> Bool { now < pace.notBefore }

    /// The transform dropped the whole batch, which says nothing about the receiver.
    mutating func skip() { phase = .idle }

    /// Handles the answer to the batch that was sent.
    /// - Parameters:
    ///   - count: Records of the batch.
    ///   - sent: Those left by the route's transform. A batch thinned out to one cannot be cut usefully: its parts are
    ///     the same again.
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
            // It failed because the network went, which says nothing about the receiver.
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
        // The share of a full batch that the receiver takes is free; the rest of the request is paid for.
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

    /// Sends now, without waiting for more records or the backoff; a paused output gets one more try. Respects the
    /// receiver's requested wait and the limit while the circuit is open.
    /// - Parameter ignoringWaits: Whether to override the route's wait.
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

    mutating func endFlush() {
        isFlushing = false
        heedWaits()
    }

    /// No flush that ignores the route's wait is left.
    mutating func heedWaits() { ignoresWait = false }

    /// Sends nothing until `resume`. A batch under way completes.
    mutating func suspend() { isSuspended = true }

    /// Resumes at once. An output paused over refusals may refuse some more: otherwise one bad record would block all
    /// others as long as the process lives.
    mutating func resume(now: UInt64) {
        isSuspended = false
        if phase == .paused { refusals = 0 }
        tryEarly(now: now)
    }

    /// Being offline costs no attempt. When it ends, one is made at once unless the receiver asked to wait. A batch
    /// under way completes.
    mutating func setConditions(_ conditions: DeliveryConditions) {
        let isOnline = !conditions.contains(.offline)
        if isOnline, isOffline, case .waiting = phase, !isWaitRequested { phase = .idle }
        isOffline = !isOnline
        heldBy = wait.conditions.intersection(conditions)
        heldUntil = nil
        isTold = true
    }
}

struct BatchSize {
    var count: Int
    /// Of encoded records; a single one may exceed it.
    var bytes: Int
}

/// How long to wait before a retry: exponential backoff with full jitter.
///
/// Source: M. Brooker, *Exponential Backoff and Jitter*, AWS Architecture Blog, 2015 ("full jitter").
public struct Backoff: Sendable, Hashable {
    /// The ceiling of the first wait. Default 1 s.
    public var initial: Duration
    /// The ceiling of every wait. Default 5 min.
    public var maximum: Duration
    /// Longest wait honoured from the receiver (`Retry-After`). Default 1 h.
    public var maximumRequested: Duration

    /// Creates a backoff; by default from 1 s to 5 min.
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

    /// The wait before retry number `attempt`, from 1.
    /// - Parameters:
    ///   - requested: What the receiver asked for, if it did.
    ///   - least: Lower bound for a requested wait, at most the backoff's own.
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

/// Bounds the requests that a receiver provokes by taking little of each, refusing, or asking for the next one at once.
/// Full batches, and those with all that waits, are free. Pure.
private struct RequestPace {
    /// Requests that may follow at once; then one a second.
    private static let burst: UInt64 = 60
    private static let interval = 1_000_000_000.0

    /// When everything spent is paid for.
    private var paidAt: UInt64 = 0

    var notBefore: UInt64 { paidAt - min(paidAt, Self.burst * UInt64(Self.interval)) }

    mutating func spend(_ part: Double, now: UInt64) {
        paidAt = max(paidAt, now) &+ UInt64(Self.interval * part)
    }
}
