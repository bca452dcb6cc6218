/// Nanoseconds since 1970 as RFC 3339 text in UTC, `2026-11-20T10:02:11.204000000Z`, and back.
///
/// The calendar is proleptic Gregorian; the arithmetic is Howard Hinnant's *chrono-Compatible Low-Level Date
/// Algorithms*.
package enum Timestamp {
    /// The text with nine digits of a second. Any number has one: the years run from 1677 to 2262.
    package static func text(_ nanoseconds: Int64) -> String {
        let (days, rest) = floorDivide(nanoseconds, 86_400_000_000_000)
        let seconds = rest / 1_000_000_000
        let (year, month, day) = civil(days)
        return pad(year, 4) + "-" + pad(month, 2) + "-" + pad(day, 2) + "T" + pad(seconds / 3_600, 2) + ":"
            + pad(seconds / 60 % 60, 2) + ":" + pad(seconds % 60, 2) + "." + pad(rest % 1_000_000_000, 9) + "Z"
    }

    /// The time of a text: any offset, up to nine digits of a second (further ones are cut), a space for the `T`.
    /// `nil` where it is not RFC 3339, or outside of 1677–2262.
    package static func nanoseconds(_ text: some StringProtocol) -> Int64? {
        var scanner = Scanner(units: Array(text.utf8))
        guard let year = scanner.number(4), scanner.take("-"), let month = scanner.number(2), scanner.take("-"),
            let day = scanner.number(2), scanner.take("T") || scanner.take("t") || scanner.take(" "),
            let hour = scanner.number(2), scanner.take(":"), let minute = scanner.number(2), scanner.take(":"),
            let second = scanner.number(2), (1...12).contains(month), (1...daysIn(month, year)).contains(day),
            hour < 24, minute < 60, second <= 60
        else { return nil }
        var fraction: Int64 = 0
        if scanner.take(".") {
            guard let digits = scanner.fraction() else { return nil }
            fraction = digits
        }
        guard let offset = scanner.offset(), scanner.isAtEnd else { return nil }
        let seconds = days(year, month, day) * 86_400 + hour * 3_600 + minute * 60 + second - offset
        let (scaled, overflows) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, overflowsAgain) = scaled.addingReportingOverflow(fraction)
        return overflows || overflowsAgain ? nil : sum
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

    private static func civil(_ days: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let (era, dayOfEra) = floorDivide(days + 719_468, 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
    }

    private static func days(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
        let (era, yearOfEra) = floorDivide(month <= 2 ? year - 1 : year, 400)
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

    private static func floorDivide(_ value: Int64, _ by: Int64) -> (quotient: Int64, remainder: Int64) {
        let (quotient, remainder) = value.quotientAndRemainder(dividingBy: by)
        return remainder < 0 ? (quotient - 1, remainder + by) : (quotient, remainder)
    }

    private static func pad(_ number: Int64, _ count: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, count - digits.utf8.count)) + digits
    }
}
