/// Nanoseconds since 1970-01-01T00:00:00Z, and their text.
///
/// Proleptic Gregorian. Source: Howard Hinnant, *chrono-Compatible Low-Level Date Algorithms*.
package struct Timestamp: Sendable, Hashable {
    package var nanoseconds: Int64

    package init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

    /// From a `Date`'s `timeIntervalSince1970`, clamped to what 64 bits of nanoseconds hold (1677 to 2262).
    package init(secondsSince1970 seconds: Double) {
        let value = seconds * 1e9
        nanoseconds = value >= 9.2e18 ? .max : value <= -9.2e18 ? .min : Int64(value.rounded())
    }

    /// UTC, with 0–9 fraction digits (truncated, not rounded).
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

    /// `civil_from_days`.
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

    private static func padded(_ number: Int64, _ width: Int) -> String { String(number).zeroPadded(to: width) }
}

extension String {
    /// Digits, with zeros before them up to so many characters.
    package func zeroPadded(to width: Int) -> String { String(repeating: "0", count: max(0, width - count)) + self }
}

extension Int64 {
    /// Rounds towards minus infinity; the remainder is never negative.
    package func quotientAndRemainder(floorDividingBy divisor: Int64) -> (quotient: Int64, remainder: Int64) {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}

extension Timestamp {
    /// Parses RFC 3339, such as `2026-11-20T10:02:11.204Z` or `…+09:00`; `nil` if invalid. Allows any offset, a space
    /// for the `T`, and any number of fraction digits (cut to nanoseconds). A leap second is the second after it. A
    /// time outside of 1677–2262 is clamped: programs write the years 1 and 9999 for "none".
    package init?(rfc3339 text: some StringProtocol) {
        var scanner = Scanner(units: Array(text.utf8))
        guard let year = scanner.number(4), scanner.take("-"), let month = scanner.number(2), scanner.take("-"),
            let day = scanner.number(2), scanner.take("T") || scanner.take("t") || scanner.take(" "),
            let hour = scanner.number(2), scanner.take(":"), let minute = scanner.number(2), scanner.take(":"),
            let second = scanner.number(2), (1...12).contains(month), (1...Self.daysIn(month, year)).contains(day),
            hour < 24, minute < 60, second <= 60
        else { return nil }
        var fraction: Int64 = 0
        if scanner.take(".") {
            guard let digits = scanner.fraction() else { return nil }
            fraction = digits
        }
        guard let offset = scanner.offset(), scanner.isAtEnd else { return nil }
        var seconds = Self.days(year, month, day) * 86_400 + hour * 3_600 + minute * 60 + second - offset
        // Counts from the second nearer to 1970: the earliest times' own second is out of range.
        if seconds < 0, fraction > 0 {
            seconds += 1
            fraction -= 1_000_000_000
        }
        let (scaled, overflows) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, overflowsAgain) = scaled.addingReportingOverflow(fraction)
        self.init(nanoseconds: overflows || overflowsAgain ? (seconds < 0 ? .min : .max) : sum)
    }

    private struct Scanner {
        let units: [UInt8]
        var place = 0

        init(units: [UInt8]) { self.units = units }

        var isAtEnd: Bool { place == units.count }

        mutating func take(_ character: Unicode.Scalar) -> Bool {
            guard place < units.count, units[place] == UInt8(ascii: character) else { return false }
            place += 1
            return true
        }

        mutating func digit() -> Int64? {
            guard place < units.count, (48...57).contains(units[place]) else { return nil }
            defer { place += 1 }
            return Int64(units[place] - 48)
        }

        mutating func number(_ count: Int) -> Int64? {
            var number: Int64 = 0
            for _ in 0..<count {
                guard let digit = digit() else { return nil }
                number = number * 10 + digit
            }
            return number
        }

        /// Nanoseconds.
        mutating func fraction() -> Int64? {
            guard var value = digit() else { return nil }
            var count = 1
            while let digit = digit() {
                if count < 9 { value = value * 10 + digit }
                count += 1
            }
            while count < 9 {
                value *= 10
                count += 1
            }
            return value
        }

        /// Seconds east of Greenwich.
        mutating func offset() -> Int64? {
            if take("Z") || take("z") { return 0 }
            let sign: Int64
            if take("+") { sign = 1 } else if take("-") { sign = -1 } else { return nil }
            guard let hours = number(2), take(":"), let minutes = number(2), hours < 24, minutes < 60 else {
                return nil
            }
            return sign * (hours * 3_600 + minutes * 60)
        }
    }

    /// `days_from_civil`.
    private static func days(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
        let (era, yearOfEra) = (month <= 2 ? year - 1 : year).quotientAndRemainder(floorDividingBy: 400)
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    private static func daysIn(_ month: Int64, _ year: Int64) -> Int64 {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }
}
