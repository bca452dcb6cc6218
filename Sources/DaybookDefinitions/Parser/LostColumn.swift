import DaybookTools

/// A line of prose that would be a column but for its bullet or position.
enum LostColumn {
    static func warnings(_ lines: [PlacedText], file: String) -> [Diagnostic] {
        lines.compactMap { line in
            name(in: line.text).map { name, offset in
                .warning(
                    line.location(in: file, offset: offset), "`\(name.clipped)` is no column here",
                    hint: "write `- \(name.clipped): !type` at the beginning of a line")
            }
        }
    }

    /// The name in `• name: !type` after any sign or number, or in a table row.
    private static func name(in line: String) -> (name: String, offset: Int)? {
        guard line.contains("!") || line.contains("！") else { return nil }
        var cursor = ScalarCursor(line)
        while true {
            _ = cursor.take { !$0.isNameScalar && !$0.properties.isAlphabetic }
            let offset = cursor.offset
            let name = cursor.take { $0.isNameScalar || $0.properties.isAlphabetic || $0 == "-" }
            guard !name.isEmpty else { return nil }
            let isNumber = name.unicodeScalars.allSatisfy(\.isASCIIDigit)
            // A number, a checkbox or a mark precedes the name.
            if isNumber && (cursor.next == "." || cursor.next == ")") || cursor.next == "]" { continue }
            _ = cursor.take { $0.isWhiteSpace || "`*\\".unicodeScalars.contains($0) }
            guard let sign = cursor.next, ":：|".unicodeScalars.contains(sign) else { return nil }
            cursor.advance()
            _ = cursor.take { $0.isWhiteSpace || "`*\\".unicodeScalars.contains($0) }
            guard cursor.skip("!") || cursor.skip("！"), cursor.next?.isNameScalar == true else { return nil }
            return (name, offset)
        }
    }
}

/// A privacy mark below a column, where it has no effect: the values would be shown.
enum PrivacyMark {
    /// Whether the line begins with a mark; then `diagnostics` has an error.
    static func diagnose(_ line: PlacedText, file: String, _ diagnostics: inout [Diagnostic]) -> Bool {
        let line = line.unescaped()
        var cursor = ScalarCursor(line.text)
        _ = cursor.take { "`*_".unicodeScalars.contains($0) }
        guard cursor.skip("[") || cursor.skip("［") || cursor.skip("【") else { return false }
        let word = cursor.take { !"]］】".unicodeScalars.contains($0) }.trimmed.lowercased()
        cursor.advance()
        _ = cursor.take { "`*_.".unicodeScalars.contains($0) || $0.isWhiteSpace }
        let marks = ["private", "sensitive"]
        let near = cursor.isAtEnd ? NearestName.of(word, among: marks) : nil
        guard let mark = marks.contains(word) && cursor.next != "(" ? word : near else { return false }
        diagnostics.append(
            .error(
                line.location(in: file), "a mark below a column marks nothing",
                hint: "write `[\(mark)]` at the end of the column's line"))
        return true
    }
}
