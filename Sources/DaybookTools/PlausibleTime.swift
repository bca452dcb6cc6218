/// Which times a record can be of. Devices have clocks that were never set, that are years ahead, and senders that take
/// milliseconds for nanoseconds: what they say is kept as it came, and no answer is led by it.
package enum PlausibleTime {
    /// 2010-01-01T00:00:00Z: what is older was recorded by a clock that begins anew without its battery (1970, 1980, 2000,
    /// 2008), or is a number of another unit or epoch.
    package static let earliest: Int64 = 1_262_304_000_000_000_000
    /// How far a clock may be ahead: a day, in nanoseconds, so that no time zone that was taken for UTC counts.
    package static let tolerance: Int64 = 86_400_000_000_000

    /// The times that are plausible at a moment. A clock that is itself before ``earliest`` judges nobody.
    /// - Parameter moment: when a record arrived, or now: nanoseconds since 1970.
    package static func range(at moment: Int64) -> Range<Int64> {
        guard moment >= earliest else { return .min ..< .max }
        let (end, isBeyond) = moment.addingReportingOverflow(tolerance)
        return earliest..<(isBeyond ? .max : end)
    }

    /// The time by which sums over records count one: its own, or that of its arrival where it is further ahead than
    /// ``tolerance``.
    package static func counted(_ time: Int64, arrived: Int64) -> Int64 {
        arrived >= earliest && time >= range(at: arrived).upperBound ? arrived : time
    }

    /// The first of two times: one before ``earliest`` only where there is no other.
    package static func first(_ one: Int64, _ other: Int64) -> Int64 {
        (one < earliest) == (other < earliest) ? min(one, other) : max(one, other)
    }
}
