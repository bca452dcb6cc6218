/// Normalizes texts that people write alike or cannot tell apart.
extension ReadableText {
    static func narrow(_ scalars: some Sequence<Unicode.Scalar>) -> String { string(scalars.map(\.narrow)) }

    /// Lowercase, half-width, unstyled, with Latin lookalikes and single spaces: for comparison, not display.
    static func folded(_ scalars: some Sequence<Unicode.Scalar>) -> String {
        var result: [Unicode.Scalar] = []
        for scalar in scalars {
            let scalar = scalar.properties.isWhitespace ? " " : scalar.narrow.wideKana.unstyled
            if let last = result.last, let voiced = last.voiced(by: scalar) {
                result[result.count - 1] = voiced
            } else if scalar != " " || result.last != " " {
                result.append(scalar)
            }
        }
        return string(string(result).lowercased().unicodeScalars.map { Unicode.Scalar.lookalikes[$0] ?? $0 })
    }
}

extension Unicode.Scalar {
    /// The half-width equivalent of a full-width scalar.
    var narrow: Unicode.Scalar {
        (0xFF01...0xFF5E).contains(value) ? Unicode.Scalar(value - 0xFEE0) ?? self : self
    }

    /// Whether it is a letter, digit or mark of a script. Styled letters (`𝐟`, `ⓕ`, `ⅾ`) and numbers that are not
    /// digits (`①`, `¹`) are not: readers take them for others, or for footnotes.
    var isLetterOrDigit: Bool {
        switch properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .decimalNumber,
            .nonspacingMark, .spacingMark:
            !properties.isDefaultIgnorableCodePoint
                && ![0x1D2C...0x1D6A, 0x2070...0x214F, 0x1D400...0x1D7FF].contains { $0.contains(value) }
        case .letterNumber: !(0x2160...0x2188).contains(value)
        default: false
        }
    }

    /// Whether its script has no spaces between words.
    var isEastAsian: Bool {
        [0x2E80...0xA4CF, 0xAC00...0xD7AF, 0xF900...0xFAFF, 0xFF66...0xFF9F, 0x20000...0x3FFFF].contains {
            $0.contains(value)
        }
    }

    var isHiragana: Bool { (0x3041...0x3096).contains(value) }

    private static let kana = Array(
        "。「」、・ヲァィゥェォャュョッーアイウエオカキクケコサシスセソタチツテトナニヌネノハヒフヘホマミムメモヤユヨラリルレロワン\u{3099}\u{309A}"
            .unicodeScalars)

    /// The full-width equivalent of half-width kana.
    fileprivate var wideKana: Unicode.Scalar {
        (0xFF61...0xFF9F).contains(value) ? Self.kana[Int(truncatingIfNeeded: value - 0xFF61)] : self
    }

    /// The letter or digit behind a mathematical, circled or Roman numeral style.
    fileprivate var unstyled: Unicode.Scalar {
        func letter(_ number: UInt32) -> Unicode.Scalar { Unicode.Scalar(UInt8(0x61 + number % 26)) }
        switch value {
        case 0x1D400...0x1D6A3: return letter(value - 0x1D400)
        case 0x1D7CE...0x1D7FF: return Unicode.Scalar(UInt8(0x30 + (value - 0x1D7CE) % 10))
        case 0x24B6...0x24E9: return letter(value - 0x24B6)
        case 0x2160, 0x2170: return "i"
        case 0x2164, 0x2174: return "v"
        case 0x2169, 0x2179: return "x"
        case 0x216C...0x216F: return ["l", "c", "d", "m"][Int(truncatingIfNeeded: value - 0x216C)]
        case 0x217C...0x217F: return ["l", "c", "d", "m"][Int(truncatingIfNeeded: value - 0x217C)]
        default: return self
        }
    }

    /// Cyrillic, Greek and extended Latin letters that look like Latin ones, in lower case or as capitals.
    fileprivate static let lookalikes: [Unicode.Scalar: Unicode.Scalar] = Dictionary(
        uniqueKeysWithValues: zip(
            "авекмнорстухіјѕһԁԛԝαβεηικμνορτυχζıɡɑſ".unicodeScalars,
            "abekmhopctyxijshdqwabehikmvoptyxzigas".unicodeScalars))

    /// The kana combined with a following voicing mark.
    fileprivate func voiced(by mark: Unicode.Scalar) -> Unicode.Scalar? {
        guard mark == "\u{3099}" || mark == "\u{309A}" else { return nil }
        let katakana = isHiragana ? value + 0x60 : value
        let steps: UInt32
        switch (Unicode.Scalar(katakana).map(Character.init), mark) {
        case ("ウ", "\u{3099}"): steps = 0x4E
        case (let kana?, "\u{3099}") where "カキクケコサシスセソタチツテトハヒフヘホ".contains(kana): steps = 1
        case (let kana?, "\u{309A}") where "ハヒフヘホ".contains(kana): steps = 2
        default: return nil
        }
        return Unicode.Scalar(value + steps)
    }
}
