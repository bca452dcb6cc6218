#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Nanoseconds since an arbitrary start; never goes back. A value, so that a test can put its own in its place.
public struct MonotonicClock: Sendable {
    let now: @Sendable () -> UInt64

    /// A clock that reads `now`, in nanoseconds.
    public init(_ now: @escaping @Sendable () -> UInt64) {
        self.now = now
    }

    /// The system's.
    public static let system = MonotonicClock {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
}

extension Duration {
    /// In nanoseconds; a negative duration is zero, an overlong one the largest.
    var nanoseconds: UInt64 {
        let (seconds, attoseconds) = components
        guard seconds >= 0, attoseconds >= 0 else { return 0 }
        let (product, overflow) = UInt64(seconds).multipliedReportingOverflow(by: 1_000_000_000)
        return overflow ? .max : product &+ UInt64(attoseconds / 1_000_000_000)
    }
}
