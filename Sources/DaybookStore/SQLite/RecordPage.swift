/// A ``RecordQuery`` as one statement and its values.
struct RecordPage {
    private enum Value { case integer(Int64), text(String) }

    private(set) var sql: String
    private var values: [Value] = []

    /// Translates a query. Its limit is brought into 1–1,000.
    init(_ query: RecordQuery) {
        var conditions: [String] = []
        if let before = query.before {
            conditions.append("id < ?")
            values.append(.integer(before))
        }
        if let after = query.after {
            conditions.append("id > ?")
            values.append(.integer(after))
        }
        if let tag = query.tag {
            conditions.append("tag = ?")
            values.append(.text(tag))
        }
        if let session = query.session {
            conditions.append("session = ?")
            values.append(.text(session))
        }
        if let level = query.minimumLevel {
            conditions.append("level >= ?")
            values.append(.integer(Int64(level)))
        }
        if !query.kinds.isEmpty {
            conditions.append("kind IN (\(query.kinds.map { _ in "?" }.joined(separator: ",")))")
            values += query.kinds.map { .text($0) }
        }
        if !query.text.isEmpty {
            let search = TextSearch(query.text)
            conditions.append(search.condition)
            values += search.values.map { .text($0) }
        }
        let filter = conditions.isEmpty ? "" : " WHERE " + conditions.joined(separator: " AND ")
        let order = query.order == .newestFirst ? "DESC" : "ASC"
        sql = "SELECT \(RecordColumns.names) FROM records\(filter) ORDER BY id \(order) LIMIT ?"
        values.append(.integer(Int64(min(max(query.limit, 1), 1_000))))
    }

    /// Reads the page.
    /// - Throws: ``StoreError``.
    func read(_ connection: SQLiteConnection) throws(StoreError) -> [StoredRecord] {
        let statement = try connection.statement(sql)
        defer { statement.reset() }
        for (index, value) in values.enumerated() {
            switch value {
            case .integer(let integer): statement.bind(Int32(index + 1), integer)
            case .text(let text): statement.bind(Int32(index + 1), text)
            }
        }
        var page: [StoredRecord] = []
        while try statement.step() { page.append(RecordColumns.record(statement)) }
        return page
    }
}
