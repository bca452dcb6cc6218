package enum NameWords {
    /// In lower case: `Product Viewed`, `productViewed` and `PRODUCT-VIEWED` become `product` and `viewed`.
    package static func of(_ name: some StringProtocol) -> [String] {
        let letters = Array(name)
        var words: [String] = [""]
        for (place, letter) in letters.enumerated() {
            guard letter.isLetter || letter.isNumber else {
                words.append("")
                continue
            }
            if letter.isUppercase, place > 0 {
                let isBegin = letters[place - 1].isLowercase || letters[place - 1].isNumber
                // The last of several capitals begins the next word: `HTTPRequest`.
                let isBeginBehindCapitals =
                    letters[place - 1].isUppercase && place + 1 < letters.count && letters[place + 1].isLowercase
                if isBegin || isBeginBehindCapitals { words.append("") }
            }
            words[words.count - 1] += letter.lowercased()
        }
        return words.filter { !$0.isEmpty }
    }
}
