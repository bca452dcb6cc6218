import CThreads

/// A pipeline's clock; tests pass their own.
public struct PipelineClock: Sendable {
    /// Nanoseconds since 1970-01-01T00:00:00Z. May jump.
    public var wall: @Sendable () -> Int64 {
        didSet { isSystem = false }
    }
    /// Nanoseconds of a clock that never goes back, used for all durations and deadlines.
    public var monotonic: @Sendable () -> UInt64

    /// Whether log calls read the system's clock directly.
    @usableFromInline var isSystem = false

    /// Creates a clock for tests; ``system`` is the device's.
    ///
    /// ```swift
    /// let fixed = PipelineClock(wall: { 1_767_225_600_000_000_000 }, monotonic: { 0 })
    /// var options = PipelineOptions()
    /// options.clock = fixed
    /// ```
    public init(wall: @escaping @Sendable () -> Int64, monotonic: @escaping @Sendable () -> UInt64) {
        self.wall = wall
        self.monotonic = monotonic
    }

    public static let system = {
        var clock = PipelineClock(
            wall: { daybook_wall_time() },
            monotonic: { UInt64(bitPattern: daybook_monotonic_time()) })
        clock.isSystem = true
        return clock
    }()

    @inlinable
    package func now() -> Int64 { isSystem ? daybook_wall_time() : wall() }
}

extension Duration {
    /// Whole nanoseconds; negative durations are 0. At most half of what 64 bits hold, so that a sum with a clock's time
    /// does not overflow.
    package var nanoseconds: UInt64 {
        let (seconds, attoseconds) = components
        guard seconds >= 0, attoseconds >= 0 else { return 0 }
        let (product, overflow) = UInt64(seconds).multipliedReportingOverflow(by: 1_000_000_000)
        return overflow ? .max / 2 : min(.max / 2, product + UInt64(attoseconds / 1_000_000_000))
    }
}
