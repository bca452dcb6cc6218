extension Column {
    /// Sorts nested items into declared values and notes.
    mutating func add(_ nested: [NestedItem], file: String, diagnostics: inout [Diagnostic]) {
        for item in nested {
            details.append(Detail(text: item.text, depth: item.depth, indent: item.indent))
            let place = item.lines[0].location(in: file)
            switch DeclaredValueLine(item) {
            case .value(let value):
                if values.contains(where: { $0.value == value.value }) {
                    diagnostics.append(.error(place, "the value `\(value.value.clipped)` is declared twice"))
                } else {
                    values.append(value)
                }
            case .several:
                diagnostics.append(
                    .warning(
                        place, "these values are not declared: an item declares one",
                        hint: "give each value its own item: ``- `value`: note``"))
                notes.append(item.text)
            case .empty:
                diagnostics.append(.error(place, "the declared value is empty"))
            case .note:
                notes.append(item.text)
            }
        }
    }
}

/// What an item below a column says.
private enum DeclaredValueLine {
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
