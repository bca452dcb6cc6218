/// The views of a set of definitions in one dialect.
public struct SQLViews {
    /// The name of the wide view; nothing else has it.
    public static let activityLog = SQLName.activityLog

    let dialect: SQLDialect
    let warehouse: Warehouse

    /// The views of a Daybook store over its table `records`: one per event, then `activity_log`. Such views are
    /// created only here.
    ///
    /// - Parameters:
    ///   - definitions: Free of errors.
    ///   - dialect: The store's. Redshift has no table `records`, so it has none of these views.
    public static func overRecords(_ definitions: Definitions, dialect: SQLDialect) -> [SQLView] {
        SQLViews(dialect: dialect, warehouse: Warehouse(definitions)).overRecords
    }

    /// The view over the table `records` for the only event of some definitions, under another name than its tag's.
    public static func overRecords(
        _ definitions: Definitions, eventsAs name: String, dialect: SQLDialect
    ) -> [SQLView] {
        let views = SQLViews(dialect: dialect, warehouse: Warehouse(definitions))
        guard let expressions = dialect.recordExpressions else { return [] }
        return views.warehouse.events.prefix(1).map { views.overRecords($0, named: name, expressions) }
    }

    private func envelope(_ expressions: any RecordExpressions.Type) -> [(
        name: String, expression: String, comment: String
    )] {
        SQLEnvelope.all.compactMap { item in
            expressions.envelope[item.name].map { (name: item.name, expression: $0, comment: "") }
        }
    }

    private func overRecords(
        _ event: WarehouseEvent, named name: String, _ expressions: any RecordExpressions.Type
    ) -> SQLView {
        SQLView(
            name: name, comment: event.comment,
            columns: envelope(expressions) + event.columns.map { ($0.name, expressions.value(of: $0), $0.comment) },
            numbers: numbers(of: event.columns), days: days(of: event.columns), source: "records",
            condition: "tag = \(dialect.literal(event.tag)) AND kind = 'event'",
            dialect: dialect)
    }

    /// SQLite's Booleans are numbers.
    private func numbers(of columns: [WarehouseColumn]) -> Set<String> {
        let numbers = columns.filter { $0.type.numberRank != nil || $0.type == .boolean && dialect == .sqlite }
        return Set(numbers.map(\.name)).union(["_id", "_level"])
    }

    private func days(of columns: [WarehouseColumn]) -> Set<String> {
        Set(columns.filter { $0.type == .date }.map(\.name))
    }

    var overRecords: [SQLView] {
        guard let expressions = dialect.recordExpressions else { return [] }
        let envelope = envelope(expressions)
        var views = warehouse.events.map { overRecords($0, named: $0.name, expressions) }
        if hasRoom {
            let names = [
                (name: "event_category", expression: expressions.category, comment: ""),
                (name: "event_name", expression: expressions.event, comment: ""),
            ]
            views.append(
                SQLView(
                    name: SQLName.activityLog, comment: "Every event, with every column",
                    columns: envelope + names
                        + warehouse.columns.map { ($0.name, expressions.value(of: $0), $0.comment) },
                    numbers: numbers(of: warehouse.columns), days: days(of: warehouse.columns), source: "records",
                    // The collector's own records are not events of the app.
                    condition: "kind = 'event' AND NOT (tag >= 'daybook.' AND tag < 'daybook/')", dialect: dialect))
        }
        return views + people(expressions)
    }

    /// For each common column that identifies people, a view of their installations, for erasure requests.
    private func people(_ expressions: any RecordExpressions.Type) -> [SQLView] {
        warehouse.people.compactMap { column in
            let name = column.name + "_installations"
            guard SQLName.shortened(name) == name else { return nil }
            let value = expressions.value(of: column)
            return SQLView(
                name: name, comment: "The installations of each \(column.key)",
                columns: [
                    (column.name, value, ""), ("installation", "installation", ""), ("records", "count(*)", ""),
                    ("first_time", dialect.firstTime, ""), ("last_time", dialect.lastTime, ""),
                ],
                numbers: numbers(of: [column]).union(["records", "first_time", "last_time"]), days: days(of: [column]),
                source: "records",
                condition: "installation IS NOT NULL AND \(value) IS NOT NULL\nGROUP BY 1, 2", dialect: dialect)
        }
    }

    var overWideTable: [SQLView] {
        warehouse.events.map { event in
            let names = SQLEnvelope.all.map(\.name) + event.columns.map(\.name)
            let comments = SQLEnvelope.all.map { _ in "" } + event.columns.map(\.comment)
            let condition =
                "event_category = \(dialect.literal(event.category)) "
                + "AND event_name = \(dialect.literal(event.event))"
            return SQLView(
                name: event.name, comment: event.comment,
                columns: zip(names, comments).map { ($0, dialect.identifier($0), $1) },
                source: dialect.identifier(SQLName.activityLog), condition: condition, dialect: dialect)
        }
    }

    /// Whether the wide table or view stays within the dialect's limit.
    var hasRoom: Bool {
        guard let limit = dialect.columnLimit else { return true }
        return SQLEnvelope.all.count + 2 + warehouse.columns.count <= limit
    }
}

/// A view: its name, and the statements that create it.
public struct SQLView: Sendable, Hashable {
    /// Without quotation marks.
    public let name: String
    /// The statement that creates the view if there is none with its name, without a semicolon. It changes exactly when
    /// the view does.
    public let statement: String
    /// Statements to run after it, such as comments.
    public let following: [String]
    /// One line; may be empty.
    package let comment: String
    /// In the view's order.
    package let columns: [Column]

    /// A column of the view; `comment` may be empty.
    package struct Column: Sendable, Hashable {
        package let name: String
        package let comment: String
        package let isNumber: Bool
        /// Whether it is a date without a time.
        let isDay: Bool
        /// Whether it is an expression instead of a column of the source.
        let isComputed: Bool
    }

    /// A view over `source`.
    ///
    /// - Parameters:
    ///   - columns: Name, expression and comment of each column.
    ///   - numbers: Names of numeric columns.
    ///   - days: Names of date columns.
    ///   - condition: The WHERE condition, or `nil`.
    init(
        name: String, comment: String, columns: [(name: String, expression: String, comment: String)],
        numbers: Set<String> = [], days: Set<String> = [], source: String, condition: String?, dialect: SQLDialect
    ) {
        self.name = name
        self.comment = comment
        self.columns = columns.map {
            Column(
                name: $0.name, comment: $0.comment, isNumber: numbers.contains($0.name), isDay: days.contains($0.name),
                isComputed: !$0.expression.unicodeScalars.allSatisfy { $0.isNameScalar || $0 == "." })
        }
        var text = "CREATE VIEW \(dialect.identifier(name)) AS\nSELECT"
        for (index, column) in columns.enumerated() {
            let name = dialect.identifier(column.name)
            text += "\n    " + (column.expression == name ? name : "\(column.expression) AS \(name)")
            if index < columns.count - 1 { text += "," }
            // SQLite has no comments besides those within the statement, which it keeps.
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
