/// Reads the rows of the persona table: the table before the first scenario whose first column is headed `persona`.
struct PersonaTableParser {
    private(set) var table: PersonaTable?
    private(set) var problems: [ChecklistError.Problem] = []
    private var isOpen = false

    /// Takes a row; `false` if it belongs to another table.
    mutating func read(_ cells: [String], at location: ChecklistLocation, isAllowed: Bool) -> Bool {
        if isOpen {
            row(cells, at: location)
            return true
        }
        guard isAllowed, cells.first == "persona" else { return false }
        if table != nil {
            fail(location, "a second persona table")
        } else if Set(cells).count != cells.count || cells.contains("") {
            fail(location, "the persona table has an empty column name, or one twice")
        }
        table = PersonaTable(columns: Array(cells.dropFirst()), personas: [])
        isOpen = true
        return true
    }

    /// Ends the table at the first line that is no row.
    mutating func end() { isOpen = false }

    private mutating func row(_ cells: [String], at location: ChecklistLocation) {
        guard let columns = table?.columns else { return }
        if cells.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy { "-: ".utf8.contains($0) } }) { return }
        guard let name = cells.first, !name.isEmpty else { return fail(location, "the persona has no name") }
        guard cells.count <= columns.count + 1 else {
            return fail(location, "the row has \(cells.count) cells; the table has \(columns.count + 1) columns")
        }
        if table?.personas.contains(where: { $0.name == name }) == true {
            return fail(location, "a second persona `\(name)`")
        }
        var values: [String: ChecklistValue] = [:]
        for (column, cell) in zip(columns, cells.dropFirst()) where !cell.isEmpty {
            values[column] = ChecklistValue(word: cell) ?? .text(cell)
        }
        table?.personas.append(PersonaTable.Persona(name: name, values: values))
    }

    private mutating func fail(_ location: ChecklistLocation, _ message: String) {
        problems.append(ChecklistError.Problem(location: location, message: message, hint: nil))
    }
}
