/// Names of values as they are compared where something is hidden by its name: `EMAIL`, `e mail`, `ｅｍａｉｌ` and `email`
/// with a byte order mark in it are one name.
package enum FoldedName {
    /// A name in lower case and half width, without what ``Unicode/Scalar/isUnseenInNames``.
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

    /// Whether a byte stands for itself.
    private static func isPlain(_ byte: UInt8) -> Bool { (0x21...0x7E).contains(byte) && !(0x41...0x5A).contains(byte) }
}

extension Unicode.Scalar {
    /// Whether a name is the same without it: blanks, control characters, characters without a glyph, and U+FFFD, which
    /// stores keep in the place of what no text has.
    package var isUnseenInNames: Bool {
        steers || properties.isWhitespace || value == 0xFFFD || properties.isNoncharacterCodePoint
    }
}
