#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Where a pipeline's times come from; tests give their own.
public struct PipelineClock: Sendable {
    /// Nanoseconds since 1970-01-01T00:00:00Z. May jump.
    public var wall: @Sendable () -> Int64 {
        didSet { isSystem = false }
    }
    /// Nanoseconds of a clock that never goes back. Durations and deadlines use it alone.
    public var monotonic: @Sendable () -> UInt64

    /// Whether `wall` is the system's, which log calls then read directly.
    @usableFromInline var isSystem = false

    /// A clock.
    public init(wall: @escaping @Sendable () -> Int64, monotonic: @escaping @Sendable () -> UInt64) {
        self.wall = wall
        self.monotonic = monotonic
    }

    /// The system's clocks.
    public static let system = {
        var clock = PipelineClock(
            wall: { read(CLOCK_REALTIME) }, monotonic: { UInt64(bitPattern: read(CLOCK_MONOTONIC)) })
        clock.isSystem = true
        return clock
    }()

    /// The wall clock's time, for a log call.
    @inlinable @inline(__always)
    package func now() -> Int64 { isSystem ? Self.read(CLOCK_REALTIME) : wall() }

    @inlinable @inline(__always)
    static func read(_ clock: clockid_t) -> Int64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
    }
}
