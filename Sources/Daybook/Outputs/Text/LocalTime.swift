import Synchronization

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// How far the process's time zone is from UTC.
///
/// The system's own answer takes a lock and reads rules, so it is kept for the quarter of an hour it was asked for: since
/// 1972 no zone has changed its offset within one. One atomic word; safe to call from any thread.
enum LocalTime {
    private static let cache = OffsetCache()

    /// Seconds east of Greenwich at a moment given in seconds since 1970.
    static func secondsEast(at seconds: Int64) -> Int {
        cache.secondsEast(at: seconds) { seconds in
            var time = time_t(seconds)
            var local = tm()
            guard localtime_r(&time, &local) != nil else { return 0 }
            return local.tm_gmtoff
        }
    }
}

/// The last offset that was asked for, and its quarter of an hour.
final class OffsetCache: Sendable {
    /// The number of the quarter of an hour since 1970 in the upper 40 bits; in the lower 24 the offset, with
    /// ``bias`` added so that it is not negative. All ones: nothing is kept.
    private let word = Atomic<UInt64>(.max)
    private static let quarter: Int64 = 900
    private static let bias = 1 << 20
    /// 1972: before it, zones had offsets of odd seconds that changed at odd times.
    private static let regular: Int64 = 63_072_000

    func secondsEast(at seconds: Int64, _ ask: (Int64) -> Int) -> Int {
        guard seconds >= Self.regular else { return ask(seconds) }
        let quarter = UInt64(seconds / Self.quarter)
        let kept = word.load(ordering: .relaxed)
        if kept >> 24 == quarter { return Int(kept & 0xFF_FFFF) - Self.bias }
        let offset = ask(seconds)
        word.store(quarter << 24 | UInt64(offset + Self.bias), ordering: .relaxed)
        return offset
    }
}
