import DaybookBase

/// A time as others write it: RFC 3339 and what is next to it, or a number since 1970 whose unit its size tells.
package enum ReadTime {
    /// What is read, in words, for an error's text.
    package static let description = "RFC 3339, or a number of seconds, ms, µs or ns since 1970"

    /// Nanoseconds since 1970; `nil` where the value is no time.
    package static func nanoseconds(of value: Value) -> Int64? {
        switch value {
        case .string(let text): nanoseconds(of: text)
        case .int(let number): nanoseconds(of: number)
        case .double(let number): nanoseconds(of: number)
        default: nil
        }
    }

    /// Of a text: RFC 3339, or the digits of a number.
    package static func nanoseconds(of text: String) -> Int64? {
        if let time = Timestamp(rfc3339: text) ?? lenient(text).flatMap({ Timestamp(rfc3339: $0) }) {
            return time.nanoseconds
        }
        // Swift also reads hexadecimal digits and words such as `inf` as a number.
        guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) || "+-.eE".utf8.contains($0) }) else { return nil }
        return Int64(text).map { nanoseconds(of: $0) } ?? Double(text).flatMap { nanoseconds(of: $0) }
    }

    /// Of a text that somebody types to choose records: a day or a time without an offset is of UTC, and a number is one
    /// only where the time is plausible: `20261120` is a day to people.
    package static func nanoseconds(ofQuestion text: String) -> Int64? {
        for spelling in [text, text + "Z", text + ":00Z", text + "T00:00:00Z"] {
            if let time = Timestamp(rfc3339: spelling) ?? lenient(spelling).flatMap({ Timestamp(rfc3339: $0) }) {
                return time.nanoseconds
            }
        }
        return nanoseconds(of: text).flatMap { $0 < PlausibleTime.earliest ? nil : $0 }
    }

    /// Of a whole number, exactly; beyond what 64 bits of nanoseconds hold (1677–2262) the nearest that they do.
    package static func nanoseconds(of number: Int64) -> Int64 {
        let (product, isBeyond) = number.multipliedReportingOverflow(by: unit(of: Double(number)))
        return isBeyond ? number < 0 ? .min : .max : product
    }

    /// Of a whole number that OpenTelemetry says is one of nanoseconds. One that is before 2008 in every unit is no time
    /// of an app in any, and stays what it is.
    package static func nanoseconds(ofOTLP number: Int64) -> Int64 {
        number.magnitude < 1_200_000_000 ? number : nanoseconds(of: number)
    }

    /// Of a number with a fraction, to the microsecond: a double of today's seconds knows no more. Beyond what 64 bits of
    /// nanoseconds hold, the nearest that they do; `nil` where the number needs more bits itself.
    package static func nanoseconds(of number: Double) -> Int64? {
        let unit = unit(of: number)
        guard let whole = Int64(exactly: number.rounded(.down)) else {
            // A field of OTLP has 64 bits without a sign; what not even these hold is no time.
            return number.magnitude <= Double(UInt64.max) ? number < 0 ? .min : .max : nil
        }
        let fraction = Int64(((number - Double(whole)) * Double(unit) / 1_000).rounded()) * 1_000
        var (sum, isBeyond) = whole.multipliedReportingOverflow(by: unit)
        if !isBeyond { (sum, isBeyond) = sum.addingReportingOverflow(fraction) }
        return isBeyond ? number < 0 ? .min : .max : sum
    }

    /// The text that is read as this time, in nanoseconds: its digits, or RFC 3339 where these would be another unit's.
    package static func text(of nanoseconds: Int64) -> String {
        if self.nanoseconds(of: nanoseconds) == nanoseconds { return String(nanoseconds) }
        return Timestamp(nanoseconds: nanoseconds).rfc3339(fractionDigits: 9)
    }

    /// Why a value is no time, for an error's text: what is read, what was given, and what it lacks.
    package static func problem(of value: Value) -> String {
        let given = JSONWriter.text(value).cut(toUTF8Bytes: 100)
        guard case .string(let text) = value else { return "\(description); not \(given)" }
        if nanoseconds(of: text + "Z") != nil {
            return "\(given) has no offset: write Z or one such as +09:00 behind it"
        }
        if nanoseconds(of: text + "T00:00Z") != nil {
            return "\(given) has no time of day and no offset: 2026-11-20T10:02:11Z"
        }
        return "\(description); not \(given)"
    }

    /// The unit of a time in nanoseconds, which its digits tell: of today's those in seconds have 10, in milliseconds 13,
    /// and so on. Each unit reaches to the end of the year 9999, which programs write for "none".
    private static func unit(of number: Double) -> Int64 {
        let size = abs(number)
        let end = 253_402_300_800.0
        if size < end { return 1_000_000_000 }
        if size < end * 1e3 { return 1_000_000 }
        return size < end * 1e6 ? 1_000 : 1
    }

    /// RFC 3339 of a text that says the same in another way: without seconds, with a comma before their fraction, with an
    /// offset without its colon or behind a space, with `UTC` for it, or with the name of a zone behind it.
    private static func lenient(_ text: String) -> String? {
        var rest = text[...]
        func isSpace(_ character: Character) -> Bool { character.isWhitespace }
        rest = rest.drop(while: isSpace)
        while rest.last.map(isSpace) == true { rest.removeLast() }
        if rest.last == "]", let zone = rest.lastIndex(of: "[") { rest = rest[..<zone] }
        let minute = rest.prefix(16)
        rest = rest.dropFirst(16)
        var second = ":00"
        if rest.first == ":" {
            second = String(rest.prefix(3))
            rest = rest.dropFirst(3)
            if let mark = rest.first, mark == "." || mark == "," {
                let digits = rest.dropFirst().prefix { $0.isNumber }
                second += "." + digits
                rest = rest.dropFirst(1 + digits.count)
            }
        }
        rest = rest.drop(while: isSpace)
        if ["Z", "UTC", "GMT"].contains(rest.uppercased()) { return minute + second + "Z" }
        guard let sign = rest.first, "+-".contains(sign) else { return nil }
        let hour = rest.dropFirst().prefix(2)
        var minutes = rest.dropFirst(3)
        if minutes.first == ":" { minutes.removeFirst() }
        return minute + second + "\(sign)\(hour):" + (minutes.isEmpty ? "00" : minutes)
    }
}
