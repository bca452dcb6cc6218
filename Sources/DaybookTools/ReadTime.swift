import DaybookBase

/// A time as others write it: RFC 3339, or a number since 1970 whose unit its size tells.
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
        if let time = Timestamp(rfc3339: text) { return time.nanoseconds }
        // Swift also reads hexadecimal digits and words such as `inf` as a number.
        guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) || "+-.eE".utf8.contains($0) }) else { return nil }
        return Int64(text).flatMap { nanoseconds(of: $0) } ?? Double(text).flatMap { nanoseconds(of: $0) }
    }

    /// Of a whole number, exactly.
    package static func nanoseconds(of number: Int64) -> Int64? {
        let product = number.multipliedReportingOverflow(by: unit(of: Double(number)))
        return product.overflow ? nil : product.partialValue
    }

    /// The text that is read as this time, in nanoseconds: its digits, or RFC 3339 where these would be another unit's.
    package static func text(of nanoseconds: Int64) -> String {
        let digits = String(nanoseconds)
        if self.nanoseconds(of: digits) == nanoseconds { return digits }
        return Timestamp(nanoseconds: nanoseconds).rfc3339(fractionDigits: 9)
    }

    /// Of a number with a fraction, to the microsecond: a double of today's seconds knows no more.
    package static func nanoseconds(of number: Double) -> Int64? {
        let unit = unit(of: number)
        guard let whole = Int64(exactly: number.rounded(.down)) else { return nil }
        let (product, isBeyond) = whole.multipliedReportingOverflow(by: unit)
        let fraction = Int64(((number - Double(whole)) * Double(unit) / 1_000).rounded()) * 1_000
        let (sum, isBeyondToo) = product.addingReportingOverflow(fraction)
        return isBeyond || isBeyondToo ? nil : sum
    }

    /// The unit of a time in nanoseconds, which its digits tell: of today's those in seconds have 10, in milliseconds 13,
    /// and so on.
    private static func unit(of number: Double) -> Int64 {
        let units: [(below: Double, nanoseconds: Int64)] = [(1e11, 1_000_000_000), (1e14, 1_000_000), (1e17, 1_000)]
        return units.first { abs(number) < $0.below }?.nanoseconds ?? 1
    }
}
