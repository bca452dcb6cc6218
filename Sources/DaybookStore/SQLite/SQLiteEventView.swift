/// An ``EventView`` in SQLite's dialect.
enum SQLiteEventView {
    /// The envelope: what every view has before its event's columns.
    private static let envelope: [(name: String, expression: String)] = [
        ("_id", "id"), ("_uid", "uid"),
        // `time` split so that the nanoseconds stay positive before 1970 too. `||` binds closer than `%`.
        (
            "_time",
            "strftime('%Y-%m-%dT%H:%M:%S', (time - (time % 1000000000 + 1000000000) % 1000000000) / 1000000000, "
                + "'unixepoch') || '.' || substr('00000000' || ((time % 1000000000 + 1000000000) % 1000000000), -9) || 'Z'"
        ),
        ("_session", "session"), ("_installation", "installation"), ("_level", "level"),
        ("_version", "json_extract(context, '$.\"service.version\"')"),
    ]

    /// Makes all views, and drops those of events that are no longer given. Used inside a writing transaction.
    /// - Throws: ``StoreError``.
    static func replaceAll(with views: [EventView], on connection: SQLiteConnection) throws(StoreError) {
        let names = Set(views.map { lowercasedASCII($0.name) })
        let search = try connection.statement(
            "SELECT name FROM sqlite_master WHERE type = 'view' AND sql LIKE '% AS \"_id\",%'")
        var dropped: [String] = []
        while try search.step() {
            if !names.contains(lowercasedASCII(search.text(0))) { dropped.append(search.text(0)) }
        }
        search.reset()
        for name in dropped { try connection.execute("DROP VIEW \(identifier(name))") }
        for view in views { try create(view, on: connection) }
    }

    /// Makes the view, anew where it differs.
    private static func create(_ view: EventView, on connection: SQLiteConnection) throws(StoreError) {
        let sql = try definition(of: view)
        let search = try connection.statement("SELECT sql FROM sqlite_master WHERE type = 'view' AND name = ?")
        search.bind(1, view.name)
        let present = try search.step() ? search.text(0) : nil
        search.reset()
        // An unchanged view is left alone: every change of the schema makes all statements prepare again.
        if present == sql { return }
        if present != nil { try connection.execute("DROP VIEW \(identifier(view.name))") }
        try connection.execute(sql)
    }

    /// The statement that makes the view.
    static func definition(of view: EventView) throws(StoreError) -> String {
        var columns = envelope.map { "\($0.expression) AS \(identifier($0.name))" }
        var taken = Set(envelope.map(\.name))
        for column in view.columns {
            let name = EventView.shortened(column.name)
            // SQLite's column names do not differ by ASCII case; of two such columns the first is shown.
            guard taken.insert(lowercasedASCII(name)).inserted else { continue }
            columns.append("\(try expression(for: column)) AS \(identifier(name))")
        }
        return """
            CREATE VIEW \(identifier(view.name)) AS SELECT \(columns.joined(separator: ", ")) \
            FROM records WHERE tag = \(literal(view.tag)) AND kind = 'event'
            """
    }

    private static func expression(for column: EventView.Column) throws(StoreError) -> String {
        // A JSON path has no way to say a quotation mark or a backslash in a key.
        guard !column.name.contains(where: { $0 == "\"" || $0 == "\\" || $0 == "\0" }) else {
            throw StoreError(.badStatement, "The column \(column.name) cannot be shown in a view. Rename it.")
        }
        let path = literal("$.\"\(column.name)\"")
        let value =
            switch column.place {
            case .attributes: "json_extract(attributes, \(path))"
            // A sender without a context, another SDK or a tool, has the common columns among its attributes.
            case .context: "coalesce(json_extract(context, \(path)), json_extract(attributes, \(path)))"
            }
        return column.type == .string ? "CAST(\(value) AS TEXT)" : value
    }

    private static func identifier(_ name: String) -> String { "\"" + doubled(name, "\"") + "\"" }

    private static func literal(_ text: String) -> String { "'" + doubled(text, "'") + "'" }

    private static func doubled(_ text: String, _ mark: Character) -> String {
        text.reduce(into: "") { result, character in
            result.append(character)
            if character == mark { result.append(mark) }
        }
    }

    private static func lowercasedASCII(_ name: String) -> String {
        String(decoding: name.utf8.map { (65...90).contains($0) ? $0 + 32 : $0 }, as: UTF8.self)
    }
}
