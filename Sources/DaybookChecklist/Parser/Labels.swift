/// Prefixes that people write before a tag: `[P0] login`, `iOS: login`, `no login`.
enum Labels {
    static let quotes = Set("\"'“”„‘’«»「『`＂".unicodeScalars)
    /// Words for negation in several languages.
    static let negations = Set(
        ("never no not without nie kein keine keinen nicht ohne jamais pas sans aucun aucune nunca sin никогда не нет без")
            .split(separator: " ").map(String.init))
    private static let signs = Set(":：]】)）」』》>*–—→|".unicodeScalars)

    /// Offsets in a readable text after a label: `[P0]`, `iOS:`, `**P0**`, `no`, but not `Open`.
    /// - Parameter text: as written.
    static func places(in plain: ReadableText, of text: String) -> [Int] {
        let source = Array(text.unicodeScalars)
        var places: [Int] = []
        /// The last scalar besides spaces, quotes and opening brackets.
        var last: Unicode.Scalar?
        var words = 0
        var wordStart: Int?
        /// Whether the previous word alone is a label.
        var isLabel = false
        for index in plain.scalars.indices {
            let scalar = plain.scalars[index]
            let isWord = ItemTokenizer.isWord(scalar)
            if !isWord, let start = wordStart {
                words += 1
                isLabel = Self.isLabel(plain.text(start..<index), isFirst: words == 1)
                wordStart = nil
            }
            if scalar.properties.isWhitespace {
                // The closing markup of a label is only in the text as written.
                let hidden =
                    index > 0 ? source[plain.places[index - 1].upperBound..<plain.places[index].lowerBound] : []
                last = hidden.last { signs.contains($0) } ?? last
                continue
            }
            if wordStart == nil, let last, signs.contains(last) || isLabel { places.append(index) }
            if isWord, wordStart == nil { (wordStart, isLabel) = (index, false) }
            if !quotes.contains(scalar), scalar != "(", scalar != "[" {
                last = scalar
                if !isWord { isLabel = false }
            }
        }
        return places
    }

    /// A negation; or, at the beginning, a word not capitalized like `Open`: `TODO`, `iOS`, `2x`.
    private static func isLabel(_ word: String, isFirst: Bool) -> Bool {
        let second = word.dropFirst().first
        let isTitle = word.first?.isUppercase == true && second?.isLowercase != false
        return isFirst && !isTitle || negations.contains(word.lowercased())
    }
}
