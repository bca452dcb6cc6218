import CThreads
import Testing

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

@Suite struct ClockTests {
    /// Keeps sums of times and a few years within 64 bits.
    @Test("A clock outside 1970 to 2200 is clamped to that range") func clampsClock() {
        let times = [Int.min, -1, 0, 1_763_000_000, 7_258_118_400, 9_223_372_037, 253_402_300_799, .max].map {
            seconds in
            daybook_nanoseconds(timespec(tv_sec: seconds, tv_nsec: 5))
        }
        let latest: Int64 = 7_258_118_400_000_000_005
        #expect(times == [5, 5, 5, 1_763_000_000_000_000_005, latest, latest, latest, latest])
        #expect(!latest.addingReportingOverflow(60 * 365 * 86_400 * 1_000_000_000).overflow)
    }
}
