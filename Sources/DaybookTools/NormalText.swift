import Foundation

extension String {
    /// The text in Unicode's normal form C.
    package var composed: String { inPieces { $0.precomposedStringWithCanonicalMapping } }

    /// The text in Unicode's normal form KC.
    package var compatiblyComposed: String {
        // Foundation on Linux (6.3) leaves apart what only its compatibility form composes: of half-width ﾊﾟ it makes ハ and
        // a combining mark. NFC of that is NFKC.
        inPieces { $0.precomposedStringWithCompatibilityMapping.precomposedStringWithCanonicalMapping }
    }

    /// Maps a text piece by piece: for each letter that it composes, Foundation on Linux moves all that stands behind, which
    /// takes a minute for a megabyte of Hangul in jamo.
    private func inPieces(_ map: (String) -> String) -> String {
        // None of either form changes ASCII.
        if utf8.allSatisfy({ $0 < 0x80 }) { return self }
        var result = ""
        var piece = String.UnicodeScalarView()
        var count = 0
        for scalar in unicodeScalars {
            if count >= 256, scalar.composesWithNothingBefore || count >= 2_048 && scalar.isStarter {
                result += map(String(piece))
                (piece, count) = (String.UnicodeScalarView(), 0)
            }
            piece.append(scalar)
            count += 1
        }
        return result + map(String(piece))
    }
}

extension Unicode.Scalar {
    fileprivate var isStarter: Bool { properties.canonicalCombiningClass == .notReordered }

    /// Whether neither form ever joins it, or what it decomposes to, with what stands before: marks, the vowels and finals of
    /// Hangul in each form that Unicode has of them, and the half-width sound marks of kana.
    fileprivate var composesWithNothingBefore: Bool {
        switch value {
        case 0x1160...0x11FF, 0x3131...0x318E, 0xD7B0...0xD7FB, 0xFF9E...0xFFDC, 0x16D63...0x16D6A: return false
        default:
            switch properties.generalCategory {
            case .nonspacingMark, .spacingMark, .enclosingMark: return false
            default: return true
            }
        }
    }
}
