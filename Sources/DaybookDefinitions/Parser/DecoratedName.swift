import DaybookTools

extension ScalarCursor {
    /// A name, which an editor may have put into a code span, bold or italics; `nil`, and the cursor stays, where none stands.
    mutating func decoratedName() -> (text: String, offset: Int)? {
        var ahead = self
        let opening = ahead.take { $0 == "`" || $0 == "*" }
        let offset = ahead.offset
        let name = ahead.take(while: \.isNameScalar)
        guard !name.isEmpty, opening.isEmpty || ahead.skip(String(opening.reversed())) else { return nil }
        self = ahead
        return (name, offset)
    }
}

/// What is told of a name with marks of Markdown that are no part of it.
enum DecoratedName {
    /// What to write instead of a text that is no name.
    static func hint(_ text: String) -> String {
        let standard = "a name has only ASCII letters, digits and `_`"
        guard let first = text.unicodeScalars.first, "`*~[<\"'".unicodeScalars.contains(first) else { return standard }
        var cursor = ScalarCursor(text)
        _ = cursor.take { !$0.isNameScalar }
        let name = cursor.take(while: \.isNameScalar)
        let isLink = text.contains("](")
        guard !name.isEmpty, isLink || !cursor.rest.unicodeScalars.contains(where: \.isNameScalar) else {
            return text.contains("\\") ? "in code a backslash is a character: leave it out" : standard
        }
        if first == "~" {
            return "write `\(name.clipped)` alone, or `[obsolete] \(name.clipped)` for what is no longer sent"
        }
        return "write `\(name.clipped)` alone"
    }

    /// Markdown shows `_name_` as `name` in italics, and some editors write italics so.
    static func warning(_ name: String, in line: PlacedText, at offset: Int, file: String) -> Diagnostic? {
        let count = name.unicodeScalars.count
        let isEscaped = line.column(at: offset + count) - line.column(at: offset) > count
        let inner = name.drop { $0 == "_" }.reversed().drop { $0 == "_" }.reversed()
        guard name.hasPrefix("_"), name.hasSuffix("_"), !inner.isEmpty, !isEscaped else { return nil }
        return .warning(
            line.location(in: file, offset: offset),
            "`\(name.clipped)` is `\(String(inner).clipped)` in italics in Markdown",
            hint: "write `\(String(inner).clipped)`, or `\\_` for each `_` that is part of the name")
    }
}
