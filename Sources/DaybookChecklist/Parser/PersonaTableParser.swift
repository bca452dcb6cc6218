/// Parses the persona table: the one before the first scenario whose first column is headed `persona`.
struct PersonaTableParser {
    private(set) var table: PersonaTable?
    private(set) var problems: [ChecklistError.Problem] = []
    private var isOpen = false
    private var names: Set<String> = []

    /// Takes a row; `false` if it belongs to another table.
    mutating func read(_ cells: [String], at location: SourceLocation, isAllowed: Bool) -> Bool {
        if isOpen {
            row(cells, at: location)
            return true
        }
        let cells = cells.map { Self.undecorated($0) }
        guard Self.isHeading(cells.first) else { return false }
        if !isAllowed {
            fail(location, "a persona table behind the first scenario")
        } else if table != nil {
            fail(location, "a second persona table")
        } else if Set(cells).count != cells.count || cells.contains("") {
            fail(location, "the persona table has an empty column name, or one twice")
        }
        guard isAllowed else { return true }
        table = PersonaTable(columns: Array(cells.dropFirst()), personas: [])
        isOpen = true
        return true
    }

    mutating func end() { isOpen = false }

    static func isHeading(_ cell: String?) -> Bool {
        cell.map { ReadableText.folded(undecorated($0).unicodeScalars) == "persona" } ?? false
    }

    private static func undecorated(_ cell: String) -> String {
        let plain = ReadableText(cell)
        var text = plain.text(plain.scalars.indices)
        text = String(text.drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
        guard text.count > 1, text.first == "\"", text.last == "\"" else { return text }
        return String(text.dropFirst().dropLast())
    }

    private mutating func row(_ cells: [String], at location: SourceLocation) {
        guard let columns = table?.columns else { return }
        if cells.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy { "-: ".utf8.contains($0) } }) { return }
        guard let name = cells.first.map(Self.undecorated), !name.isEmpty else {
            return fail(location, "the persona has no name")
        }
        guard cells.count <= columns.count + 1 else {
            return fail(location, "the row has \(cells.count) cells; the table has \(columns.count + 1) columns")
        }
        guard names.insert(name).inserted else {
            return fail(location, "a second persona `\(name)`")
        }
        var values: [String: ChecklistValue] = [:]
        for (column, cell) in zip(columns, cells.dropFirst()) where !cell.isEmpty {
            let plain = Self.undecorated(cell)
            let isText = ReadableText(cell).scalars.first == "\""
            let word = ["true", "false"].contains(plain.lowercased()) ? plain.lowercased() : plain
            values[column] = (isText ? nil : ChecklistValue(word: word)) ?? .text(plain)
        }
        table?.personas.append(PersonaTable.Persona(name: name, values: values))
    }

    private mutating func fail(_ location: SourceLocation, _ message: String) {
        problems.append(ChecklistError.Problem(location: location, message: message, hint: nil))
    }
}
