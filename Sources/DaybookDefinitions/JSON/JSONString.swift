/// A string of a JSON text, still as it was written.
struct JSONString {
    /// The bytes between the quotes.
    let range: Range<Int>
    /// Whether it must be decoded before it means anything.
    let hasEscapes: Bool

    /// Whether it says the same as `other`, which is UTF-8.
    func equals(_ other: [UInt8], in bytes: [UInt8]) -> Bool {
        guard !hasEscapes else { return Array(text(in: bytes).utf8) == other }
        return range.count == other.count && bytes[range].elementsEqual(other)
    }

    /// How many bytes of UTF-8 it has once decoded.
    func utf8Count(in bytes: [UInt8]) -> Int { hasEscapes ? text(in: bytes).utf8.count : range.count }

    /// What it says. Escapes that mean nothing become U+FFFD.
    func text(in bytes: [UInt8]) -> String {
        guard hasEscapes else { return String(decoding: bytes[range], as: UTF8.self) }
        var units: [UInt8] = []
        units.reserveCapacity(range.count)
        var index = range.lowerBound
        while index < range.upperBound {
            guard bytes[index] == UInt8(ascii: "\\") else {
                units.append(bytes[index])
                index += 1
                continue
            }
            let scalar = scalar(at: &index, in: bytes)
            units.append(contentsOf: String(Character(scalar)).utf8)
        }
        return String(decoding: units, as: UTF8.self)
    }

    /// The scalar of the escape at `index`, which moves behind it.
    private func scalar(at index: inout Int, in bytes: [UInt8]) -> Unicode.Scalar {
        guard index + 1 < range.upperBound else {
            index += 1
            return "\u{FFFD}"
        }
        index += 2
        switch bytes[index - 1] {
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{C}"
        case UInt8(ascii: "u"):
            guard let unit = unit(at: index, in: bytes) else { return "\u{FFFD}" }
            index += 4
            if 0xD800..<0xDC00 ~= unit, index + 6 <= range.upperBound, bytes[index] == UInt8(ascii: "\\"),
                bytes[index + 1] == UInt8(ascii: "u"), let low = self.unit(at: index + 2, in: bytes),
                0xDC00..<0xE000 ~= low
            {
                index += 6
                return Unicode.Scalar(0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00)) ?? "\u{FFFD}"
            }
            return Unicode.Scalar(unit) ?? "\u{FFFD}"
        case let other: return Unicode.Scalar(other)
        }
    }

    private func unit(at index: Int, in bytes: [UInt8]) -> UInt32? {
        guard index + 4 <= range.upperBound else { return nil }
        return bytes[index..<(index + 4)].reduce(UInt32?.some(0)) { sum, byte in
            guard let sum, let digit = Character(.init(byte)).hexDigitValue else { return nil }
            return sum << 4 | UInt32(digit)
        }
    }
}
