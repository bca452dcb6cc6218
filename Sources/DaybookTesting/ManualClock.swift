import Daybook
import DaybookBase

/// A pipeline's clock that moves only when advanced. Safe to share between threads.
public final class ManualClock: Sendable {
    private struct Times {
        var wall: Int64
        var monotonic: UInt64 = 1_000_000_000
    }

    private let times: Mutex<Times>

    /// Creates a clock, in nanoseconds since 1970-01-01T00:00:00Z. Default: 2026-01-01T00:00:00Z.
    ///
    /// ```swift
    /// let clock = ManualClock()
    /// var options = PipelineOptions()
    /// options.clock = clock.clock
    /// ```
    public init(wall: Int64 = 1_767_225_600_000_000_000) {
        times = Mutex(Times(wall: wall))
    }

    /// For a pipeline: `options.clock = manual.clock`.
    public var clock: PipelineClock {
        PipelineClock(
            wall: { self.times.withLock { $0.wall } }, monotonic: { self.times.withLock { $0.monotonic } })
    }

    /// Advances the wall and the monotonic clock.
    public func advance(by duration: Duration) {
        times.withLock {
            $0.wall &+= Int64(duration.nanoseconds)
            $0.monotonic &+= duration.nanoseconds
        }
    }

    /// Sets the wall clock, as a user does; durations are not affected. Nanoseconds since 1970.
    public func setWall(_ time: Int64) { times.withLock { $0.wall = time } }
}
