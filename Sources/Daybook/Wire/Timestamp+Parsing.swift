extension Timestamp {
    /// The moment of an RFC 3339 text such as `2026-11-20T10:02:11.204Z` or `…+09:00`: any offset, a space for the `T`,
    /// any number of digits of a second (those beyond nanoseconds are cut). A leap second is the second after it.
    /// `nil` where the text is something else. A moment outside of what 64 bits of nanoseconds hold (1677–2262) becomes the
    /// nearest that they do: programs write the years 1 and 9999 for "none".
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
        // Counted from the second that is nearer to 1970: the earliest moments' own second is out of range.
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

    /// The day number of a civil date: `days_from_civil`.
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
