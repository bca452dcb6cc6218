/// Plausible record times. Some devices' clocks were never set or are years ahead, and some senders confuse
/// milliseconds and nanoseconds: records keep such times, but no result depends on them.
package enum PlausibleTime {
    /// 2010-01-01T00:00:00Z. Earlier times come from clocks that restart without their battery (1970, 1980, 2000,
    /// 2008), or from another unit or epoch.
    package static let earliest: Int64 = 1_262_304_000_000_000_000
    /// How far a clock may be ahead: a day, in nanoseconds, which covers local times sent as UTC.
    package static let tolerance: Int64 = 86_400_000_000_000

    /// The plausible times at a moment; everything if the moment itself is before ``earliest``.
    /// - Parameter moment: a record's arrival, or now, in nanoseconds since 1970.
    package static func range(at moment: Int64) -> Range<Int64> {
        guard moment >= earliest else { return .min ..< .max }
        let (end, isBeyond) = moment.addingReportingOverflow(tolerance)
        return earliest..<(isBeyond ? .max : end)
    }

    /// The time used in aggregates: the record's, or its arrival if the record's is ahead by more than ``tolerance``.
    package static func counted(_ time: Int64, arrived: Int64) -> Int64 {
        arrived >= earliest && time >= range(at: arrived).upperBound ? arrived : time
    }

    /// The earlier of two times; one before ``earliest`` only if both are.
    package static func first(_ one: Int64, _ other: Int64) -> Int64 {
        (one < earliest) == (other < earliest) ? min(one, other) : max(one, other)
    }
}
