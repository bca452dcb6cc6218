import Synchronization

/// Lets at most so many records of some tags pass in a time: `RateLimit("feed.**", 100, per: .seconds(1))`.
///
/// A token bucket per tag: it fills evenly, and a burst may use it up. Safe to share between threads.
public final class RateLimit: FilterStage, Gate {
    private struct Bucket {
        var tokens: Double
        var filledAt: UInt64
    }

    /// Tags beyond this many share one bucket: a program that makes tags up must not fill the memory.
    private static let maximumTags = 1024

    public let pattern: String
    private let burst: Double
    private let tokensPerNanosecond: Double
    private let now: @Sendable () -> UInt64
    private let buckets = Mutex<[String: Bucket]>([:])

    /// Limits what matches, each tag by itself.
    /// - Parameters:
    ///   - pattern: See ``TagPattern``.
    ///   - count: So many records; at least 1.
    ///   - time: In this time; at least 1 ms.
    ///   - clock: Default: the system's.
    public init(_ pattern: String, _ count: Int, per time: Duration, clock: PipelineClock = .system) {
        self.pattern = pattern
        burst = Double(max(1, count))
        tokensPerNanosecond = burst / Double(max(time.nanoseconds, 1_000_000))
        now = clock.monotonic
    }

    public var action: FilterAction { .gate(self) }

    /// A span takes one of the places, at its end.
    public var isCounting: Bool { true }

    public func verdict(tag: String, level: Level) -> GateVerdict {
        let time = now()
        return buckets.withLock { buckets in
            let key = buckets[tag] == nil && buckets.count >= Self.maximumTags ? "" : tag
            var bucket = buckets[key] ?? Bucket(tokens: burst, filledAt: time)
            if time > bucket.filledAt {
                bucket.tokens = min(burst, bucket.tokens + Double(time - bucket.filledAt) * tokensPerNanosecond)
                bucket.filledAt = time
            }
            let passes = bucket.tokens >= 1
            if passes { bucket.tokens -= 1 }
            buckets[key] = bucket
            return passes ? .pass : .drop
        }
    }
}
