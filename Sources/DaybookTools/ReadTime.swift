import DaybookBase

/// Parses foreign times: RFC 3339 and similar, or a number since 1970 whose unit follows from its size.
package enum ReadTime {
    /// The accepted forms, for error messages.
    package static let description = "RFC 3339, or a number of seconds, ms, µs or ns since 1970"

    /// Nanoseconds since 1970; `nil` if the value is not a time.
    package static func nanoseconds(of value: Value) -> Int64? {
        switch value {
        case .string(let text): nanoseconds(of: text)
        case .int(let number): nanoseconds(of: number)
        case .double(let number): nanoseconds(of: number)
        default: nil
        }
    }

    /// Of a text: RFC 3339, or a number's digits.
    package static func nanoseconds(of text: String) -> Int64? {
        if let time = Timestamp(rfc3339: text) ?? lenient(text).flatMap({ Timestamp(rfc3339: $0) }) {
            return time.nanoseconds
        }
        // Swift also parses hexadecimal digits and words such as `inf` as numbers.
        guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) || "+-.eE".utf8.contains($0) }) else { return nil }
        return Int64(text).map { nanoseconds(of: $0) } ?? Double(text).flatMap { nanoseconds(of: $0) }
    }

    /// Of a text typed to select records: a date or time without an offset is UTC, and a number counts only if the time
    /// is plausible: to people, `20261120` is a date.
    package static func nanoseconds(ofQuestion text: String) -> Int64? {
        for spelling in [text, text + "Z", text + ":00Z", text + "T00:00:00Z"] {
            if let time = Timestamp(rfc3339: spelling) ?? lenient(spelling).flatMap({ Timestamp(rfc3339: $0) }) {
                return time.nanoseconds
            }
        }
        return nanoseconds(of: text).flatMap { $0 < PlausibleTime.earliest ? nil : $0 }
    }

    /// Of an integer, exactly; clamped to 64 bits of nanoseconds (1677–2262).
    package static func nanoseconds(of number: Int64) -> Int64 {
        let (product, isBeyond) = number.multipliedReportingOverflow(by: unit(of: Double(number)))
        return isBeyond ? number < 0 ? .min : .max : product
    }

    /// Of an integer that OpenTelemetry defines as nanoseconds. One that is before 2008 in every unit stays as it is.
    package static func nanoseconds(ofOTLP number: Int64) -> Int64 {
        number.magnitude < 1_200_000_000 ? number : nanoseconds(of: number)
    }

    /// Of a number with a fraction, to the microsecond, which is a double's precision for current seconds. Clamped to
    /// 64 bits of nanoseconds; `nil` if the number itself exceeds 64 bits.
    package static func nanoseconds(of number: Double) -> Int64? {
        let unit = unit(of: number)
        guard let whole = Int64(exactly: number.rounded(.down)) else {
            // OTLP fields are unsigned 64 bits; anything beyond is not a time.
            return number.magnitude <= Double(UInt64.max) ? number < 0 ? .min : .max : nil
        }
        let fraction = Int64(((number - Double(whole)) * Double(unit) / 1_000).rounded()) * 1_000
        var (sum, isBeyond) = whole.multipliedReportingOverflow(by: unit)
        if !isBeyond { (sum, isBeyond) = sum.addingReportingOverflow(fraction) }
        return isBeyond ? number < 0 ? .min : .max : sum
    }

    /// A text that parses to this time in nanoseconds: its digits, or RFC 3339 if they would be taken for another unit.
    package static func text(of nanoseconds: Int64) -> String {
        if self.nanoseconds(of: nanoseconds) == nanoseconds { return String(nanoseconds) }
        return Timestamp(nanoseconds: nanoseconds).rfc3339(fractionDigits: 9)
    }

    /// The error message for a value that is not a time: accepted forms, the value, and what it lacks.
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

    /// A number's unit in nanoseconds, from its digits: current seconds have 10, milliseconds 13, and so on. Each unit
    /// extends to the end of 9999, which programs write for "none".
    private static func unit(of number: Double) -> Int64 {
        let size = abs(number)
        let end = 253_402_300_800.0
        if size < end { return 1_000_000_000 }
        if size < end * 1e3 { return 1_000_000 }
        return size < end * 1e6 ? 1_000 : 1
    }

    /// Converts similar forms to RFC 3339: without seconds, with a decimal comma, with an offset without colon or after
    /// a space, with `UTC` instead, or followed by a zone's name.
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
