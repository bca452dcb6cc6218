/// Hexadecimal text: lower case when writing, either case when reading.
package enum Hex {
    /// Sixteen digits, most significant first.
    package static func text(_ word: UInt64) -> String {
        withUnsafeBytes(of: word.bigEndian) { text($0) }
    }

    package static func text(_ bytes: [UInt8]) -> String { bytes.withUnsafeBytes { text($0) } }

    package static func text(_ bytes: UnsafeRawBufferPointer) -> String {
        String(unsafeUninitializedCapacity: bytes.count * 2) { digits in
            for (index, byte) in bytes.enumerated() {
                digits[index * 2] = digit(byte >> 4)
                digits[index * 2 + 1] = digit(byte & 15)
            }
            return bytes.count * 2
        }
    }

    /// `nil` if invalid.
    package static func bytes(_ digits: some StringProtocol) -> [UInt8]? {
        let units = digits.utf8
        guard units.count % 2 == 0 else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(units.count / 2)
        var high: UInt8?
        for unit in units {
            guard let value = value(of: unit) else { return nil }
            if let first = high {
                bytes.append(first << 4 | value)
                high = nil
            } else {
                high = value
            }
        }
        return bytes
    }

    /// Sixteen digits, most significant first; `nil` if invalid.
    package static func word(_ digits: Substring) -> UInt64? {
        guard digits.utf8.count == 16 else { return nil }
        var word: UInt64 = 0
        for unit in digits.utf8 {
            guard let value = value(of: unit) else { return nil }
            word = word << 4 | UInt64(value)
        }
        return word
    }

    private static func digit(_ value: UInt8) -> UInt8 { value < 10 ? 48 + value : 87 + value }

    /// The value of a digit; `nil` for anything else.
    package static func value(of unit: UInt8) -> UInt8? {
        switch unit {
        case 48...57: unit - 48
        case 65...70: unit - 55
        case 97...102: unit - 87
        default: nil
        }
    }
}

extension String {
    /// Scalars to give up for a cut between two characters.
    private static let longestCharacter = 64

    /// The longest prefix of whole characters within `limit` UTF-8 bytes. A character that has no boundary nearby is
    /// cut.
    package func cut(toUTF8Bytes limit: Int) -> String {
        guard utf8.count > limit else { return self }
        guard limit > 0 else { return "" }
        var end = utf8.index(startIndex, offsetBy: limit)
        while end.samePosition(in: unicodeScalars) == nil { end = utf8.index(before: end) }
        // The scalar after it decides whether a character ends there; nothing beyond is read.
        let window = Substring(unicodeScalars[...end])
        var boundary = end
        for _ in 0..<Self.longestCharacter where boundary > startIndex {
            if String.Index(boundary, within: window) != nil { return String(self[..<boundary]) }
            boundary = unicodeScalars.index(before: boundary)
        }
        return String(self[..<end])
    }
}
