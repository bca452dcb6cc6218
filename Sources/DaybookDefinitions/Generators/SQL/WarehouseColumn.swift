/// A column of a definition as a warehouse has it.
struct WarehouseColumn: Hashable {
    /// Where a record keeps the value.
    enum Place: Hashable {
        /// Among the record's own attributes.
        case attributes
        /// In the context, where the common columns are; among the attributes where a sender has no context.
        case context
    }

    /// The name that the warehouse shows: of at most 63 bytes.
    let name: String
    /// The name in the definitions and in the records.
    let key: String
    var type: WarehouseType
    let place: Place
    /// One line of plain text; empty if there is nothing to say.
    let comment: String

    init(_ column: Column, place: Place) {
        name = SQLName.shortened(column.name)
        key = column.name
        type = WarehouseType(column)
        self.place = place
        comment = WarehouseColumn.comment(on: column)
    }

    private static func comment(on column: Column) -> String {
        var parts: [String] = []
        if column.isObsolete { parts.append("Obsolete") }
        parts += column.notes.map { SQLComment.line($0) }
        if !column.values.isEmpty {
            let values = column.values.map { value in
                let description = SQLComment.line(value.description)
                return value.value + (description.isEmpty ? "" : " (\(description))")
            }
            parts.append("Values: " + values.joined(separator: ", "))
        }
        if column.classification != .plain { parts.append(column.classification.rawValue) }
        return parts.filter { !$0.isEmpty }.joined(separator: "; ")
    }
}

/// Prose in SQL.
enum SQLComment {
    /// The first paragraph as one line of plain text, of at most 1,000 characters.
    static func line(_ markdown: String) -> String {
        let paragraph = PlainText.of(Prose.paragraphs(of: markdown).first ?? markdown)
        var line = ""
        for scalar in paragraph.unicodeScalars {
            if scalar.properties.generalCategory == .control || scalar.properties.isWhitespace {
                if !line.isEmpty, line.last != " " { line.append(" ") }
            } else {
                line.unicodeScalars.append(scalar)
            }
        }
        return String(line.prefix(1000)).trimmingSpaces
    }
}

extension String {
    fileprivate var trimmingSpaces: String {
        var text = self[...]
        while text.last == " " { text.removeLast() }
        return String(text)
    }
}
