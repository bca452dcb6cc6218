extension Double {
    /// Parses a decimal numeral; `nil` if the double has other digits.
    ///
    /// `0.1` and `1e20` parse; an integer of twenty significant digits does not, since a double keeps about sixteen.
    package init?(exactly numeral: some StringProtocol) {
        guard let number = Double(numeral), number.isFinite,
            Self.digits(of: numeral) == Self.digits(of: number.description)
        else { return nil }
        self = number
    }

    /// The power of ten of the first digit, then the digits without zeros at either end.
    private static func digits(of numeral: some StringProtocol) -> [Int] {
        let parts = numeral.lowercased().split(separator: "e")
        let mantissa = (parts.first ?? "").utf8.filter { $0 != UInt8(ascii: "-") && $0 != UInt8(ascii: "+") }
        let point = mantissa.firstIndex(of: UInt8(ascii: ".")) ?? mantissa.count
        var digits = mantissa.filter { $0 != UInt8(ascii: ".") }.map { Int($0) - 0x30 }
        while digits.last == 0 { digits.removeLast() }
        let zeros = digits.prefix { $0 == 0 }.count
        guard zeros < digits.count else { return [] }
        return [point - zeros + (parts.count > 1 ? Int(parts[1]) ?? 0 : 0)] + digits.dropFirst(zeros)
    }
}
