import Foundation

extension String {
    /// NFC.
    package var composed: String { inPieces { $0.precomposedStringWithCanonicalMapping } }

    /// NFKC.
    package var compatiblyComposed: String {
        // Foundation on Linux (6.3) does not compose what only the compatibility form yields: half-width ﾊﾟ becomes ハ
        // and a combining mark. NFC of that is NFKC.
        inPieces { $0.precomposedStringWithCompatibilityMapping.precomposedStringWithCanonicalMapping }
    }

    /// Maps a text in pieces: Foundation on Linux moves the whole rest for each composed letter, which takes a minute
    /// per megabyte of Hangul in jamo.
    private func inPieces(_ map: (String) -> String) -> String {
        // Neither form changes ASCII.
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

    /// Whether neither form ever composes it, or its decomposition, with what precedes: excludes marks, all forms of
    /// Hangul vowels and finals, and half-width kana sound marks.
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
