import DaybookDefinitions
import DaybookStore

/// Tables and views of the store, with their columns.
package struct SQLSchema: Sendable {
    package struct Table: Sendable {
        package var name: String
        package var about: String
        package var columns: [(name: String, about: String)]

        fileprivate static let form = Form<Table>.object(
            "SQLTable", .init("name", .text, \.name), .init("about", .text, \.about),
            .init("columns", .list(column), \.columns), make: Table.init)

        private static let column = Form<(name: String, about: String)>.object(
            "SQLColumn", .init("name", .text, \.name), .init("about", .text, \.about)
        ) { ($0, $1) }
    }

    /// `nil` for a store without SQL.
    package var dialect: StoreDialect?
    package var tables: [Table]

    static let form = Form<SQLSchema>.object(
        "SQLSchema", .init("dialect", .optional(.word), \.dialect), .init("tables", .list(Table.form), \.tables),
        make: SQLSchema.init)
}

extension SQLSchema {
    package init(_ dialect: StoreDialect?, _ definitions: Definitions) {
        self.init(dialect: dialect, tables: dialect.map { Self.tables($0, definitions) } ?? [])
    }

    /// The most used first.
    private static func tables(_ dialect: StoreDialect, _ definitions: Definitions) -> [Table] {
        let sql = SQLDialect(rawValue: dialect.rawValue) ?? .sqlite
        let views = { (views: [SQLView]) in
            views.map { view in
                Table(
                    name: view.name, about: view.comment, columns: view.columns.map { ($0.name, $0.comment) })
            }
        }
        var analysts = views(SQLViews.ofAnalysts(sql))
        if !analysts.contains(where: { $0.name == "sessions" }) { analysts.append(sessions) }
        return [records] + analysts.sorted { $0.name < $1.name }
            + views(SQLViews.overRecords(definitions, dialect: sql)) + accounts
    }

    private static let records = Table(
        name: "records", about: "Everything, in the order of arrival",
        columns: [
            ("id", "integer"), ("uid", "text"), ("time", "integer, ns"), ("kind", "text"), ("level", "integer, 1–24"),
            ("tag", "text"), ("message", "text"), ("module", "text"), ("attributes", "JSON"), ("context", "JSON"),
            ("session", "text"), ("installation", "text"), ("trace_id", "text"), ("span_id", "text"),
            ("parent_span_id", "text"), ("duration", "integer, ns"), ("file", "text"), ("function", "text"),
            ("line", "integer"),
        ])

    private static let sessions = Table(
        name: "sessions", about: "Visits",
        columns: [
            ("session", ""), ("installation", "of the latest record"), ("version", "of the latest record"),
            ("device", "of the latest record"), ("count", "records"), ("errors", "records of level 17 and above"),
            ("first_time", "nanoseconds since 1970"), ("last_time", "nanoseconds since 1970"),
        ])

    /// Tables of counts besides the records.
    private static let accounts = [
        Table(
            name: "violations", about: "What is not as defined",
            columns: ["_id", "_time", "_version", "event", "violation", "column", "count", "message", "example"].map {
                ($0, "")
            }),
        Table(
            name: "tags", about: "Counts by tag, kind and version",
            columns: ["tag", "kind", "version", "count", "first_time", "last_time"].map { ($0, "") }),
        Table(
            name: "completeness", about: "What has arrived, is missing, or was lost",
            columns: ["installation", "version", "stored", "duplicates", "missing", "lost", "owner", "proven"].map {
                ($0, "")
            }),
        Table(
            name: "ledger", about: "What has arrived of each stream",
            columns: ["stream", "sender", "installation", "version", "stored", "duplicates"].map { ($0, "") }),
        Table(
            name: "losses", about: "What senders say they lost",
            columns: ["sender", "reason", "count"].map { ($0, "") }),
        Table(name: "streams", about: "What is settled", columns: ["stream", "after", "through"].map { ($0, "") }),
        Table(
            name: "stream_gaps", about: "What has not arrived yet",
            columns: ["stream", "after", "through", "missing"].map { ($0, "") }),
    ]
}
