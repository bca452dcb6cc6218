import DaybookTools

/// An item below a column.
enum DeclaredValueLine {
    var isValue: Bool { if case .value = self { true } else { false } }
    var isNote: Bool { if case .note = self { true } else { false } }

    /// `` `value`: description ``.
    case value(Column.DeclaredValue)
    /// Several code spans in a row.
    case several
    /// An empty code span.
    case empty
    /// Anything else.
    case note

    init(_ item: NestedItem) {
        guard item.depth == 1, item.lines[0].text.utf8.first == UInt8(ascii: "`") else {
            self = .note
            return
        }
        var cursor = ScalarCursor(item.lines[0].text)
        cursor.advance()
        let text = cursor.take { $0 != "`" }
        guard cursor.skip("`") else {
            self = .note
            return
        }
        cursor.skipSpaces()
        _ = cursor.skip("\\")
        switch cursor.next {
        case nil: break
        case ":", "：": cursor.advance()
        case ",", "、", "/", "|":
            cursor.advance()
            cursor.skipSpaces()
            self = cursor.next == "`" ? .several : .note
            return
        default:
            self = .note
            return
        }
        cursor.skipSpaces()
        let value = text.trimmed
        guard !value.isEmpty else {
            self = .empty
            return
        }
        let lines = [cursor.rest] + item.lines.dropFirst().map(\.text)
        self = .value(Column.DeclaredValue(value: value, description: lines.joined(separator: "\n").trimmed))
    }
}

extension NestedItem {
    /// An item's leading word that looks like a declared value with missing or other markup. Certain if the word is in
    /// code or quotes, and a separator or nothing follows.
    var valueWithoutMarks: (value: String, isCertain: Bool)? {
        guard DeclaredValueLine(self).isNote else { return nil }
        var cursor = ScalarCursor(lines[0].shownCode)
        if cursor.skip("[ ]") || cursor.skip("[x]") || cursor.skip("[X]") { cursor.skipSpaces() }
        let opening = cursor.take { "`*".unicodeScalars.contains($0) || $0.properties.isQuotationMark }
        var word = cursor.take {
            opening.isEmpty
                ? $0.isNameScalar || $0 == "-"
                : !"`*".unicodeScalars.contains($0) && !$0.properties.isQuotationMark
        }
        guard word.unicodeScalars.contains(where: \.properties.isAlphabetic) else { return nil }
        let closing = cursor.take { "`*".unicodeScalars.contains($0) || $0.properties.isQuotationMark }
        guard opening.isEmpty == closing.isEmpty else { return nil }
        cursor.skipSpaces()
        let isEnd = cursor.next == nil
        if opening.isEmpty {
            let isValue = isEnd && lines.count == 1 || cursor.next == ":" || cursor.next == "："
            return isValue ? (word, false) : nil
        }
        let isSeparated = isEnd || cursor.next.map { ":：=→-–—".unicodeScalars.contains($0) } == true
        if opening.allSatisfy({ $0 == "*" }) {
            // `**Note:** …` is a note, and so is `**Old** readers …`.
            guard isSeparated || word.hasSuffix(":") && word.first?.isLowercase == true else { return nil }
            if word.hasSuffix(":") { word.removeLast() }
            return (word, false)
        }
        return (word, isSeparated)
    }
}

extension PlacedText {
    /// The text, with a backtick for whatever renders as code or a backtick.
    fileprivate var shownCode: String {
        ["<code>", "</code>", "<kbd>", "</kbd>", "<tt>", "</tt>", "<samp>", "</samp>", "&#96;", "&#x60;", "&grave;"]
            .reduce(unescaped().text) { text, mark in
                text.contains("<") || text.contains("&")
                    ? text.replacing(mark, with: "`").replacing(mark.uppercased(), with: "`") : text
            }
    }
}
