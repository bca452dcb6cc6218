/// The views of a SQLite store.
enum SQLiteViews {
    /// Makes all views, and drops those that are no longer given. Used inside a writing transaction.
    /// - Throws: ``StoreError``.
    static func replaceAll(with views: [StoreView], on connection: SQLiteConnection) throws(StoreError) {
        let names = Set(views.map { lowercasedASCII($0.name) })
        for name in try present(on: connection) where !names.contains(lowercasedASCII(name)) {
            try drop(name, on: connection)
        }
        for view in views { try create(view, on: connection) }
    }

    /// The views that were made here: the envelope begins each of them.
    private static func present(on connection: SQLiteConnection) throws(StoreError) -> [String] {
        let search = try connection.statement(
            "SELECT name FROM sqlite_master WHERE type = 'view' AND sql LIKE '% AS \"_id\",%'")
        defer { search.reset() }
        var names: [String] = []
        while try search.step() { names.append(search.text(0)) }
        return names
    }

    /// Makes the view, anew where it differs.
    private static func create(_ view: StoreView, on connection: SQLiteConnection) throws(StoreError) {
        let search = try connection.statement("SELECT sql FROM sqlite_master WHERE type = 'view' AND name = ?")
        search.bind(1, view.name)
        let present = try search.step() ? search.text(0) : nil
        search.reset()
        // An unchanged view is left alone: every change of the schema makes all statements prepare again.
        if present == view.statement { return }
        if present != nil { try drop(view.name, on: connection) }
        try connection.execute(view.statement)
        for statement in view.following { try connection.execute(statement) }
    }

    private static func drop(_ name: String, on connection: SQLiteConnection) throws(StoreError) {
        let quoted = name.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"")
        try connection.execute("DROP VIEW \"\(quoted)\"")
    }

    private static func lowercasedASCII(_ name: String) -> String {
        String(decoding: name.utf8.map { (65...90).contains($0) ? $0 + 32 : $0 }, as: UTF8.self)
    }
}
