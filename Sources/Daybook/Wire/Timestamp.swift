import Foundation

/// A moment in nanoseconds since 1970-01-01T00:00:00Z, and its text.
///
/// The calendar is proleptic Gregorian; the arithmetic is Howard Hinnant's *chrono-Compatible Low-Level Date
/// Algorithms*.
package struct Timestamp: Sendable, Hashable {
    package var nanoseconds: Int64

    package init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

    /// The moment of a `Date`, clamped to what 64 bits of nanoseconds hold (the years 1677 to 2262).
    package init(_ date: Date) {
        let value = date.timeIntervalSince1970 * 1e9
        nanoseconds = value >= 9.2e18 ? .max : value <= -9.2e18 ? .min : Int64(value.rounded())
    }

    /// RFC 3339 in UTC, with 0–9 digits of the second's fraction (truncated, not rounded).
    package func rfc3339(fractionDigits: Int) -> String {
        let (seconds, fraction) = nanoseconds.quotientAndRemainder(floorDividingBy: 1_000_000_000)
        let (days, secondOfDay) = seconds.quotientAndRemainder(floorDividingBy: 86_400)
        var text = Self.day(days)
        text += "T\(Self.padded(secondOfDay / 3600, 2)):\(Self.padded(secondOfDay / 60 % 60, 2))"
        text += ":\(Self.padded(secondOfDay % 60, 2))"
        if fractionDigits > 0 { text += "." + Self.padded(fraction, 9).prefix(fractionDigits) }
        return text + "Z"
    }

    /// The day in UTC: `2026-11-20`.
    package var day: String {
        let days = nanoseconds.quotientAndRemainder(floorDividingBy: 86_400_000_000_000).quotient
        return Self.day(days)
    }

    /// The civil date of a day number: `civil_from_days`.
    private static func day(_ daysSince1970: Int64) -> String {
        let shifted = daysSince1970 + 719_468
        let (era, dayOfEra) = shifted.quotientAndRemainder(floorDividingBy: 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthIndex = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * monthIndex + 2) / 5 + 1
        let month = monthIndex < 10 ? monthIndex + 3 : monthIndex - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        return "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2))"
    }

    private static func padded(_ number: Int64, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
}

extension Int64 {
    /// Division that rounds towards minus infinity; the remainder is never negative.
    func quotientAndRemainder(floorDividingBy divisor: Int64) -> (quotient: Int64, remainder: Int64) {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}
