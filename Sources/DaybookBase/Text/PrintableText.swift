extension Unicode.Scalar {
    /// Whether it drives a terminal, ends a line, reorders text or hides in it: control characters, marks of direction,
    /// and characters without a glyph. None of them is in a line of a report.
    package var steers: Bool {
        switch value {
        case 0..<0x20, 0x7F..<0xA0, 0xAD, 0x61C, 0x200B...0x200F, 0x2028...0x202E, 0x2060...0x206F, 0xFEFF,
            0xFFF9...0xFFFB, 0xFFFE...0xFFFF, 0xE0000...0xE007F:
            true
        default: false
        }
    }

    /// The two that steer only what stands beside them: Persian, Hindi and composed emoji are not written without.
    fileprivate var isJoiner: Bool { value == 0x200C || value == 0x200D }
}

extension StringProtocol {
    /// The text for a line of a report: `\u{a}` takes the place of a character that steers, so that a text can neither
    /// forge a line nor drive a terminal. Printable text is returned as it is.
    package var printable: String {
        guard unicodeScalars.contains(where: \.steers) else { return String(self) }
        var bytes: [UInt8] = []
        writePrintable(into: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Appends ``printable`` as UTF-8.
    package func writePrintable(into bytes: inout [UInt8]) {
        write(
            escaping: { bytes, scalar in
                bytes.append(contentsOf: "\\u{\(String(scalar.value, radix: 16))}".utf8)
            }, into: &bytes)
    }

    /// The lines of a text that may have several, each of them printable.
    package var printableLines: String {
        split(separator: "\n", omittingEmptySubsequences: false).map(\.printable).joined(separator: "\n")
    }

    /// Appends the text as UTF-8, with what `escape` appends for each character that steers.
    package func write(escaping escape: (inout [UInt8], Unicode.Scalar) -> Void, into bytes: inout [UInt8]) {
        // Almost no text has any, and bytes are quicker to look at than characters.
        if utf8.withContiguousStorageIfAvailable({ !$0.contains(where: Self.mayBegin) }) ?? false {
            bytes.append(contentsOf: utf8)
            return
        }
        var rest = unicodeScalars[...]
        var previous: Unicode.Scalar?
        while let scalar = rest.popFirst() {
            if scalar.steers, !(scalar.isJoiner && Self.joins(previous) && Self.joins(rest.first)) {
                escape(&bytes, scalar)
            } else {
                bytes.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
            }
            previous = scalar
        }
    }

    /// Whether a byte may be the first of a character that steers.
    private static func mayBegin(_ byte: UInt8) -> Bool {
        switch byte {
        case 0..<0x20, 0x7F, 0xC2, 0xD8, 0xE2, 0xEF, 0xF3: true
        default: false
        }
    }

    /// Whether a joiner beside it may be a part of how something is spelt.
    private static func joins(_ scalar: Unicode.Scalar?) -> Bool { scalar.map { !$0.isASCII && !$0.steers } ?? false }
}
