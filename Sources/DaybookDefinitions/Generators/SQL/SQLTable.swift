/// A table in a team's own warehouse. Only the envelope is NOT NULL: definitions change, and old records stay.
struct SQLTable: Hashable {
    let name: String
    let comment: String
    /// Whether it holds all events, and so has columns that identify the event.
    let isWide: Bool
    let columns: [WarehouseColumn]

    private static let required: Set = ["_uid", "_time"]

    /// Its DDL, without semicolons.
    func statements(_ dialect: SQLDialect) -> [String] {
        let columns = allColumns(dialect)
        var text = "CREATE TABLE \(dialect.identifier(name)) ("
        for (index, column) in columns.enumerated() {
            text += "\n    \(dialect.identifier(column.name)) \(column.type)"
            if dialect == .clickhouse, !column.comment.isEmpty { text += " COMMENT \(dialect.literal(column.comment))" }
            if index < columns.count - 1 { text += "," }
            if dialect == .sqlite, !column.comment.isEmpty { text += " -- \(column.comment)" }
        }
        text += "\n)"
        let keys = (isWide ? ["event_category", "event_name", "_time"] : ["_time"]).map { dialect.identifier($0) }
            .joined(separator: ", ")
        switch dialect {
        case .sqlite: return [text + " STRICT", index(dialect, on: keys)]
        case .postgresql: return [text, index(dialect, on: keys)] + comments(dialect, columns)
        // Sort and distribution keys are left to Redshift, which chooses them by the queries.
        case .redshift: return [text] + comments(dialect, columns)
        case .clickhouse:
            text += "\nENGINE = MergeTree\nPARTITION BY toYYYYMM(\"_time\")\nORDER BY (\(keys))"
            return [text + (comment.isEmpty ? "" : "\nCOMMENT \(dialect.literal(comment))")]
        }
    }

    func adding(_ column: WarehouseColumn, _ dialect: SQLDialect) -> [String] {
        let table = dialect.identifier(name)
        let name = dialect.identifier(column.name)
        var text = "ALTER TABLE \(table) ADD COLUMN \(name) \(column.type.spelled(in: dialect))"
        guard !column.comment.isEmpty else { return [text] }
        let comment = dialect.literal(column.comment)
        switch dialect {
        case .sqlite: return [text]
        case .postgresql, .redshift: return [text, "COMMENT ON COLUMN \(table).\(name) IS \(comment)"]
        case .clickhouse:
            text += " COMMENT \(comment)"
            return [text]
        }
    }

    private func allColumns(_ dialect: SQLDialect) -> [(name: String, type: String, comment: String)] {
        var all = SQLEnvelope.all.map { item in
            (item.name, item.type(in: dialect) + requirement(of: item.name, dialect), item.comment)
        }
        if isWide {
            let type =
                switch dialect {
                case .sqlite: "TEXT NOT NULL"
                case .postgresql: "text NOT NULL"
                case .redshift: "varchar(64) NOT NULL"
                case .clickhouse: "LowCardinality(String)"
                }
            all += [("event_category", type, ""), ("event_name", type, "")]
        }
        return all + columns.map { ($0.name, $0.type.spelled(in: dialect), $0.comment) }
    }

    /// ClickHouse types are NOT NULL unless declared otherwise.
    private func requirement(of name: String, _ dialect: SQLDialect) -> String {
        SQLTable.required.contains(name) && dialect != .clickhouse ? " NOT NULL" : ""
    }

    private func index(_ dialect: SQLDialect, on keys: String) -> String {
        let index = dialect.identifier(SQLName.shortened(name + "_time"))
        return "CREATE INDEX \(index) ON \(dialect.identifier(name)) (\(keys))"
    }

    private func comments(
        _ dialect: SQLDialect, _ columns: [(name: String, type: String, comment: String)]
    ) -> [String] {
        let table = dialect.identifier(name)
        let own = comment.isEmpty ? [] : ["COMMENT ON TABLE \(table) IS \(dialect.literal(comment))"]
        return own
            + columns.filter { !$0.comment.isEmpty }.map {
                "COMMENT ON COLUMN \(table).\(dialect.identifier($0.name)) IS \(dialect.literal($0.comment))"
            }
    }
}
