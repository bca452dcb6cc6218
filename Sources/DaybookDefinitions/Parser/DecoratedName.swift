import DaybookTools

extension ScalarCursor {
    /// A name, perhaps in a code span, bold or italics; `nil` without moving the cursor if there is none.
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

/// Diagnostics for names with extra Markdown markup.
enum DecoratedName {
    /// The hint for a text that is not a name.
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

    /// Markdown renders `_name_` as italic `name`, and some editors write italics that way.
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
