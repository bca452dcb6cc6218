import DaybookBase

/// Recognizes the syntax of other query languages and keyboards, which would be searched for literally, and suggests
/// ours. Pure.
enum FilterMistake {
    /// A term or group, as its neighbour sees it.
    struct Side {
        var start: Int
        var word: String?
        var name: String?
        var isGroup: Bool
    }

    static let signs = "<>=!~:".unicodeScalars
    private static let infixes = [
        "is", "in", "eq", "ne", "gt", "gte", "ge", "lt", "lte", "le", "like", "ilike", "contains", "equals", "between",
    ]

    // MARK: Words

    /// - Parameters:
    ///   - previous: The search word before it.
    ///   - next: What follows, up to a space.
    static func message(of word: String, after previous: String?, before next: String) -> String? {
        let quoted = "to search for it, write \(FilterTerm.quoted(word))"
        switch halfWidth(word) {
        case "AND", "OR", "NOT":
            return
                "`\(word)` needs something to join\(word == halfWidth(word) ? "" : ", and narrow letters"); \(quoted)"
        case "&&", "&": return "`\(word)` is written AND here, or left out: all parts must match; \(quoted)"
        case "||", "|": return "`\(word)` is written OR here; \(quoted)"
        case "-": return "`-` stands right before what it excludes, as in -egg; \(quoted)"
        default: break
        }
        if word.hasPrefix(",") { return "a comma stands between two values without spaces: order=a,b; \(quoted)" }
        if word.contains("&&") || word.contains("||") {
            return "`&&` and `||` are written AND and OR here, between spaces; \(quoted)"
        }
        let sign = String(String.UnicodeScalarView(word.unicodeScalars.prefix { signs.contains($0) }))
        let rest = word.dropFirst(sign.count)
        if sign.isEmpty {
            guard word.hasPrefix("+"), let first = word.dropFirst().first, first.isLetter else { return nil }
            return "`+` is left out here: all parts must match; \(quoted)"
        }
        if sign.allSatisfy({ $0 == "!" }) { return "`!` is written - here, as in -egg; \(quoted)" }
        let value = rest.isEmpty ? (next.isEmpty ? "VALUE" : next) : String(rest)
        return "`\(sign)` has a name before it and a value behind it, without spaces: "
            + "\(previous ?? "NAME")\(meant(by: sign))\(value); \(quoted)"
    }

    /// The operator that another language's operator stands for.
    static func meant(by written: String) -> String {
        if written.contains("!") || written.contains("<") && written.contains(">") { return "!=" }
        guard let order = written.first(where: { "<>".contains($0) }) else { return "=" }
        return "\(order)" + (written.contains("=") ? "=" : "")
    }

    // MARK: Neighbours

    static func error(of side: Side, after previous: Side?) -> FilterError? {
        guard let previous else { return nil }
        for (one, other) in [(previous, side), (side, previous)] {
            guard let word = one.word, other.word == nil, ["and", "or", "not"].contains(word.lowercased()) else {
                continue
            }
            return FilterError(
                column: one.start + 1,
                message: "`\(word)` is written \(word.uppercased()) here; to search for it, write \"\(word)\"")
        }
        if let word = side.word, ["after", "before"].contains(previous.name), word.prefix(3).contains(":") {
            return FilterError(
                column: side.start + 1,
                message:
                    "a day and a time have a T between them, and no space: \(previous.name ?? ""):2026-11-20T\(word)")
        }
        let name = FilterParser.names.contains(previous.word?.lowercased() ?? "")
        if let word = side.word, infixes.contains(word.lowercased()), previous.word != nil,
            name || word == word.uppercased()
        {
            return infix(word, at: side.start)
        }
        if let word = previous.word, word.lowercased() == "in", side.isGroup { return infix(word, at: previous.start) }
        return nil
    }

    private static func infix(_ word: String, at place: Int) -> FilterError {
        FilterError(
            column: place + 1,
            message: "`\(word)` is written with a sign here, and no spaces: level>=error, order=a,b, order=pop*, "
                + "price:1..2; to search for it, write \"\(word)\"")
    }

    // MARK: Characters

    /// The characters that close a quotation opened by `mark`; `nil` if it opens none. Includes typographic and
    /// full-width marks.
    static func closing(_ mark: Unicode.Scalar) -> String.UnicodeScalarView? {
        switch mark {
        case "\"", "`": String(mark).unicodeScalars
        case "“", "”", "„", "‟", "«", "»", "＂": "“”„‟«»＂".unicodeScalars
        case "'", "‘", "’", "‚", "‛", "＇": "'‘’‚‛＇".unicodeScalars
        default: nil
        }
    }

    /// Whether a value that starts with the character needs an escape.
    static func hasMeaning(first character: Unicode.Scalar) -> Bool {
        signs.contains(character) || closing(character) != nil || narrow(character) != nil
            || "[{".unicodeScalars.contains(character)
    }

    /// The plain operator that a full-width or mathematical sign after a name stands for.
    static func narrow(_ character: Unicode.Scalar) -> String? {
        switch character {
        case "＝", "：", "＜", "＞", "！", "～": halfWidth(String(character))
        case "≥": ">="
        case "≤": "<="
        case "≠": "!="
        default: nil
        }
    }

    /// Invisible characters of pasted text, such as byte order or direction marks; not joiners, which letters and emoji
    /// need.
    static func isInvisible(_ character: Unicode.Scalar) -> Bool {
        let isJoiner =
            character == "\u{200C}" || character == "\u{200D}" || (0xE0020...0xE007F).contains(character.value)
        return !isJoiner && [.format, .control].contains(character.properties.generalCategory)
    }

    private static func halfWidth(_ text: String) -> String {
        String(
            String.UnicodeScalarView(
                text.unicodeScalars.map {
                    (0xFF01...0xFF5E).contains($0.value) ? Unicode.Scalar($0.value - 0xFEE0) ?? $0 : $0
                }))
    }
}
