#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// The source of a pipeline's times; tests pass their own.
public struct PipelineClock: Sendable {
    /// Nanoseconds since 1970-01-01T00:00:00Z. May jump.
    public var wall: @Sendable () -> Int64 {
        didSet { isSystem = false }
    }
    /// Nanoseconds of a clock that never goes back. Durations and deadlines use only this clock.
    public var monotonic: @Sendable () -> UInt64

    /// Whether `wall` is the system's, which log calls then read directly.
    @usableFromInline var isSystem = false

    /// Creates a clock from two functions, for tests; ``system`` is the device's.
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

    /// The system's clocks.
    public static let system = {
        var clock = PipelineClock(
            wall: { nanoseconds(of: read(CLOCK_REALTIME)) },
            monotonic: { UInt64(bitPattern: nanoseconds(of: read(CLOCK_MONOTONIC))) })
        clock.isSystem = true
        return clock
    }()

    /// The wall clock's time, for a log call.
    @inlinable @inline(__always)
    package func now() -> Int64 { isSystem ? Self.nanoseconds(of: Self.read(CLOCK_REALTIME)) : wall() }

    @inlinable @inline(__always)
    static func read(_ clock: clockid_t) -> timespec {
        var time = timespec()
        clock_gettime(clock, &time)
        return time
    }

    /// Nanoseconds since 1970, from then to 2200: a clock beyond is wrong, and is taken for the nearer end, so that sums
    /// of times and of years do not overflow.
    @inlinable @inline(__always)
    package static func nanoseconds(of time: timespec) -> Int64 {
        min(max(Int64(time.tv_sec), 0), latestSecond) &* 1_000_000_000 &+ Int64(time.tv_nsec)
    }

    /// 2200-01-01.
    @usableFromInline static let latestSecond: Int64 = 7_258_118_400
}
