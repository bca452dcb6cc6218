/// The shapes of dates in records: RFC 3339, and the same with a space for the `T` or without a zone.
enum DateText {
    /// `2026-11-20`.
    static func isDay(_ text: ArraySlice<UInt8>) -> Bool { day(text)?.isEmpty == true }

    /// A day, a time to the second or finer, and a zone where one is needed.
    static func isMoment(_ text: ArraySlice<UInt8>, needsZone: Bool = false) -> Bool {
        guard var rest = day(text), let separator = rest.popFirst(),
            separator == UInt8(ascii: "T") || separator == UInt8(ascii: "t") || separator == .space,
            number(&rest, 2, in: 0...23), skip(":", &rest), number(&rest, 2, in: 0...59), skip(":", &rest),
            number(&rest, 2, in: 0...60)
        else { return false }
        if skip(".", &rest) {
            guard rest.first?.isDigit == true else { return false }
            rest = rest.drop(while: \.isDigit)
        }
        if rest.isEmpty { return !needsZone }
        if skip("Z", &rest) || skip("z", &rest) { return rest.isEmpty }
        guard skip("+", &rest) || skip("-", &rest), number(&rest, 2, in: 0...23), skip(":", &rest),
            number(&rest, 2, in: 0...59)
        else { return false }
        return rest.isEmpty
    }

    /// What follows the day at the beginning, or `nil` if none stands there.
    private static func day(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        var rest = text
        guard number(&rest, 4, in: 0...9999), skip("-", &rest), number(&rest, 2, in: 1...12), skip("-", &rest),
            number(&rest, 2, in: 1...31)
        else { return nil }
        return rest
    }

    private static func number(_ rest: inout ArraySlice<UInt8>, _ digits: Int, in range: ClosedRange<Int>) -> Bool {
        let prefix = rest.prefix(digits)
        guard prefix.count == digits, prefix.allSatisfy(\.isDigit) else { return false }
        rest = rest.dropFirst(digits)
        return range.contains(prefix.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) })
    }

    private static func skip(_ mark: Unicode.Scalar, _ rest: inout ArraySlice<UInt8>) -> Bool {
        guard rest.first == UInt8(ascii: mark) else { return false }
        rest = rest.dropFirst()
        return true
    }
}
