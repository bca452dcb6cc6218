/// Names as compared when they decide what is hidden: `EMAIL`, `e mail`, `ｅｍａｉｌ` and `email` with a byte order mark in
/// it are one name.
package enum FoldedName {
    /// A name in lower case and half width, without scalars that are ``Unicode/Scalar/isUnseenInNames``.
    package static func of(_ name: String) -> String {
        if name.utf8.allSatisfy(isPlain) { return name }
        var folded = String.UnicodeScalarView()
        for scalar in name.unicodeScalars where !scalar.isUnseenInNames {
            let isWide = (0xFF01...0xFF5E).contains(scalar.value)
            let narrow = isWide ? Unicode.Scalar(scalar.value - 0xFEE0) ?? scalar : scalar
            folded.append(contentsOf: narrow.properties.lowercaseMapping.unicodeScalars)
        }
        return String(folded)
    }

    /// Whether folding keeps the byte.
    private static func isPlain(_ byte: UInt8) -> Bool { (0x21...0x7E).contains(byte) && !(0x41...0x5A).contains(byte) }
}

extension Unicode.Scalar {
    /// Whether names ignore it: blanks, control characters, characters without a glyph, and U+FFFD, which stores write
    /// for what cannot be stored.
    package var isUnseenInNames: Bool {
        steers || properties.isWhitespace || value == 0xFFFD || properties.isNoncharacterCodePoint
    }
}
