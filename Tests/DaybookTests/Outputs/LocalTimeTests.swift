import DaybookBase
import Foundation
import Testing

@testable import Daybook

struct LocalTimeTests {
    /// In the machine's time zone, over 60 years, at odd seconds.
    @Test("Local time agrees with Foundation around every change of offset") func matchesFoundation() {
        let zone = TimeZone.current
        var moments = stride(from: Int64(-100_000_000), to: 2_000_000_000, by: 7_654_321).map { $0 }
        var change = Date(timeIntervalSince1970: 1_000_000_000)
        for _ in 0..<20 {
            guard let next = zone.nextDaylightSavingTimeTransition(after: change) else { break }
            moments += [-1, 0, 1].map { Int64(next.timeIntervalSince1970) + $0 }
            change = next
        }
        for moment in moments {
            let expected = zone.secondsFromGMT(for: Date(timeIntervalSince1970: TimeInterval(moment)))
            #expect(LocalTime.secondsEast(at: moment) == expected, "at \(moment)")
        }
    }

    @Test("Asks the system for the offset once per quarter of an hour") func asksZoneQuarterHourly() {
        let cache = OffsetCache()
        let asked = Mutex<[Int64]>([])
        func offset(_ seconds: Int64) -> Int {
            cache.secondsEast(at: seconds) { seconds in
                asked.withLock { $0.append(seconds) }
                return seconds < 1_800_000_900 ? -12_600 : 50_400
            }
        }
        #expect([1_800_000_000, 1_800_000_001, 1_800_000_899].map(offset) == [-12_600, -12_600, -12_600])
        #expect([1_800_000_900, 1_800_001_799].map(offset) == [50_400, 50_400])
        #expect(asked.withLock { $0 } == [1_800_000_000, 1_800_000_900])
    }

    @Test("Does not cache offsets of times before 1970") func oldTimesNotCached() {
        let cache = OffsetCache()
        #expect(cache.secondsEast(at: -5) { _ in 7 } == 7)
        #expect(cache.secondsEast(at: -5) { _ in 8 } == 8)
    }
}
