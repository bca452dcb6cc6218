import DaybookBase

enum SQLiteNames {
    /// Adds similar names to an error about an unknown table or column.
    static func suggested(by error: StoreError, of sql: String, on connection: SQLiteConnection) -> StoreError {
        if let table = name(behind: "no such table: ", in: error) {
            // In other names with a dot, the dot is part of an event's tag.
            let name = table.hasPrefix("main.") ? table.dropFirst("main.".count) : table
            return error.suggesting((try? tables(connection)) ?? [], for: name)
        }
        if let column = name(behind: "no such column: ", in: error) {
            let name = column.split(separator: ".").last ?? column
            return error.suggesting((try? columns(of: sql, connection)) ?? [], for: name)
        }
        return error
    }

    /// From `SQLite: no such column: r.tga.`, returns `r.tga`.
    private static func name(behind words: String, in error: StoreError) -> Substring? {
        guard let place = error.message.firstRange(of: words) else { return nil }
        return error.message[place.upperBound...].dropLast()
    }

    /// Tables and views that people may read.
    private static func tables(_ connection: SQLiteConnection) throws(StoreError) -> [String] {
        let search = try SQLiteStatement(
            "SELECT name FROM main.sqlite_master WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite_%' ORDER BY name",
            on: connection)
        var names: [String] = []
        while try search.step() { names.append(search.text(0)) }
        return names.filter { !MaskedRecords.isClosed($0) }
    }

    /// Columns of the tables that a statement names.
    private static func columns(of sql: String, _ connection: SQLiteConnection) throws(StoreError) -> [String] {
        let text = sql.lowercased()
        var columns: [String] = []
        for table in try tables(connection) where text.contains(table.lowercased()) {
            let quoted = table.replacing("\"", with: "\"\"")
            let all = try SQLiteStatement("SELECT * FROM \"\(quoted)\"", on: connection).columnNames
            columns += all.filter { !columns.contains($0) }
        }
        return columns
    }
}
