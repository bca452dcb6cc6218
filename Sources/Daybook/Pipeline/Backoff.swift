/// How long to wait before trying again: exponential with full jitter.
///
/// Source: M. Brooker, *Exponential Backoff and Jitter*, AWS Architecture Blog, 2015 ("full jitter").
public struct Backoff: Sendable, Hashable {
    /// The ceiling of the first wait. Default 1 s.
    public var initial: Duration
    /// The ceiling of every wait. Default 5 min.
    public var maximum: Duration
    /// A receiver's own wish (`Retry-After`) is honoured up to this. Default 1 h.
    public var maximumRequested: Duration

    /// Full jitter, 1 s to 5 min.
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
    ///   - jitter: A random number in 0..<1.
    package func delay(attempt: Int, requested: Duration?, jitter: Double) -> Duration {
        if let requested { return min(max(requested, .zero), maximumRequested) }
        let doublings = min(max(attempt - 1, 0), 30)
        return min(maximum, initial * (1 << doublings)) * jitter
    }
}
