/// Times as RFC 3339 writes them: `2026-11-20T10:02:11.204000000Z`, `…+09:00`.
enum RFC3339 {
    /// Nanoseconds since 1970-01-01T00:00:00Z; `nil` if `text` is no such time or lies outside of what 64 bits hold
    /// (1677–2262). Digits beyond nanoseconds are cut; a leap second counts as the second after it.
    static func nanoseconds(_ text: String) -> Int64? {
        var rest = Array(text.utf8)[...]
        func number(_ digits: Int) -> Int64? {
            guard rest.count >= digits, rest.prefix(digits).allSatisfy({ (0x30...0x39).contains($0) }) else {
                return nil
            }
            defer { rest = rest.dropFirst(digits) }
            return rest.prefix(digits).reduce(0) { $0 * 10 + Int64($1 - 0x30) }
        }
        func take(_ options: String) -> UInt8? {
            guard let first = rest.first, options.utf8.contains(first) else { return nil }
            rest.removeFirst()
            return first
        }
        guard let year = number(4), take("-") != nil, let month = number(2), take("-") != nil, let day = number(2),
            take("Tt ") != nil, let hour = number(2), take(":") != nil, let minute = number(2), take(":") != nil,
            let second = number(2), (1...12).contains(month), (1...days(year, month)).contains(day), hour < 24,
            minute < 60, second <= 60
        else { return nil }
        var fraction: Int64 = 0
        if take(".") != nil {
            let digits = rest.prefix { (0x30...0x39).contains($0) }
            guard !digits.isEmpty else { return nil }
            rest = rest.dropFirst(digits.count)
            for position in 0..<9 {
                fraction =
                    fraction * 10 + (position < digits.count ? Int64(digits[digits.startIndex + position]) - 0x30 : 0)
            }
        }
        var offset: Int64 = 0
        guard let zone = take("Zz+-") else { return nil }
        if zone == UInt8(ascii: "+") || zone == UInt8(ascii: "-") {
            guard let hours = number(2), take(":") != nil, let minutes = number(2), hours < 24, minutes < 60 else {
                return nil
            }
            offset = (hours * 60 + minutes) * (zone == UInt8(ascii: "+") ? 60 : -60)
        }
        guard rest.isEmpty else { return nil }
        let seconds = daysSince1970(year, month, day) * 86_400 + hour * 3_600 + minute * 60 + second - offset
        let (whole, tooLarge) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let (total, over) = whole.addingReportingOverflow(fraction)
        return tooLarge || over ? nil : total
    }

    private static func days(_ year: Int64, _ month: Int64) -> Int64 {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// Days from 1970-01-01 in the proleptic Gregorian calendar, for years from 0. The year starts in March, so that the
    /// leap day is its last.
    private static func daysSince1970(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
        let shifted = month > 2 ? year : year - 1
        let fromMarch = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
        let era = (shifted >= 0 ? shifted : shifted - 399) / 400
        let ofEra = shifted - era * 400
        return era * 146_097 + ofEra * 365 + ofEra / 4 - ofEra / 100 + fromMarch - 719_468
    }
}
