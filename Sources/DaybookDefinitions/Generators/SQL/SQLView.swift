/// A view: its name, and what makes it.
public struct SQLView: Sendable, Hashable {
    /// Without quotation marks.
    public let name: String
    /// The statement that makes the view where there is none of its name, without a semicolon. It changes exactly when
    /// the view does.
    public let statement: String
    /// Statements for after it, such as comments.
    public let following: [String]

    /// A view over `source`.
    ///
    /// - Parameters:
    ///   - columns: Name, expression and comment of each column.
    ///   - condition: What stands behind WHERE, or `nil`.
    init(
        name: String, comment: String, columns: [(name: String, expression: String, comment: String)], source: String,
        condition: String?, dialect: SQLDialect
    ) {
        self.name = name
        var text = "CREATE VIEW \(dialect.identifier(name)) AS\nSELECT"
        for (index, column) in columns.enumerated() {
            let name = dialect.identifier(column.name)
            text += "\n    " + (column.expression == name ? name : "\(column.expression) AS \(name)")
            if index < columns.count - 1 { text += "," }
            // SQLite has no comments but those in the statement, which it keeps.
            if dialect == .sqlite, !column.comment.isEmpty { text += " -- \(column.comment)" }
        }
        text += "\nFROM \(source)"
        if let condition { text += "\nWHERE \(condition)" }
        if dialect == .clickhouse, !comment.isEmpty { text += "\nCOMMENT \(dialect.literal(comment))" }
        statement = text
        guard dialect == .postgresql || dialect == .redshift else {
            following = []
            return
        }
        let view = dialect.identifier(name)
        var comments = comment.isEmpty ? [] : ["COMMENT ON VIEW \(view) IS \(dialect.literal(comment))"]
        for column in columns where !column.comment.isEmpty {
            let name = dialect.identifier(column.name)
            comments.append("COMMENT ON COLUMN \(view).\(name) IS \(dialect.literal(column.comment))")
        }
        following = comments
    }
}
