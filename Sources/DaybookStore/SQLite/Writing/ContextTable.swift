import DaybookBase

/// A store's contexts, each stored once with its number of records, and deleted with the last of them. A record refers
/// to it by `@` and a number; short contexts, and an earlier version's, stay in the record. Serves one transaction.
package struct ContextTable {
    private static let mark = UInt8(ascii: "@")

    /// The number of a row's context; NULL if the row contains the context.
    private static let number =
        "CASE WHEN substr(stored_records.context, 1, 1) = '@' THEN CAST(substr(stored_records.context, 2) AS INTEGER) END"

    /// The context of a row of `stored_records`.
    static let context =
        "coalesce((SELECT c.context FROM contexts c WHERE c.id = \(number)), stored_records.context)"

    /// ``RecordColumn/names``, as read from `stored_records`.
    static let columns = RecordColumn.allCases
        .map { $0 == .context ? "\(context) AS context" : $0.name }.joined(separator: ", ")

    /// Resolves the text in a row, like ``context`` does in SQL.
    static func context(of stored: String, _ connection: SQLiteConnection) throws(StoreError) -> String {
        guard stored.utf8.first == mark else { return stored }
        let search = try connection.statement(
            "SELECT context FROM contexts WHERE id = CAST(substr(?, 2) AS INTEGER)", [.text(stored)])
        defer { search.reset() }
        return try search.step() ? search.text(0) : stored
    }

    private let connection: SQLiteConnection
    private var known: [String: Int64] = [:]
    private var uses: [Int64: Int64] = [:]
    /// The previous row's context, which usually repeats.
    private var last = ""
    private var lastID: Int64 = 0
    private var lastReference = ""

    init(_ connection: SQLiteConnection) { self.connection = connection }

    /// Counts a row's context, and stores a new one.
    /// - Returns: The text for the row.
    mutating func add(_ context: String) throws(StoreError) -> String {
        if Self.isShort(context), context.utf8.first != Self.mark { return context }
        if lastID == 0 || context != last {
            lastID = try id(of: context)
            last = context
            lastReference = "@\(lastID)"
        }
        uses[lastID, default: 0] += 1
        return lastReference
    }

    func finish() throws(StoreError) {
        for (id, count) in uses {
            try connection.change(
                """
                INSERT INTO context_uses VALUES (?, ?)
                ON CONFLICT (context) DO UPDATE SET records = records + excluded.records
                """, [.integer(id), .integer(count)])
        }
    }

    private mutating func id(of context: String) throws(StoreError) -> Int64 {
        if let id = known[context] { return id }
        let digest = try digest(of: context)
        let search = try connection.statement("SELECT id FROM contexts WHERE digest = ?", [.text(digest)])
        defer { search.reset() }
        if try search.step() {
            known[context] = search.integer(0)
            return search.integer(0)
        }
        let insertion = try connection.statement(
            "INSERT INTO contexts(digest, context) VALUES (?, ?) RETURNING id", [.text(digest), .text(context)])
        defer { insertion.reset() }
        guard try insertion.step() else { throw connection.unchanged(0) }
        let id = insertion.integer(0)
        while try insertion.step() {}
        known[context] = id
        return id
    }

    private func digest(of context: String) throws(StoreError) -> String {
        StoreKey(identity: try connection.identity()).name(ofContext: context)
    }

    /// Deletes a row.
    /// - Parameter uses: Incremented for its context.
    /// - Returns: Whether the row existed.
    static func delete(
        _ id: Int64, on connection: SQLiteConnection, counting uses: inout [Int64: Int64]
    ) throws(StoreError) -> Bool {
        let deletion = try connection.statement(
            "DELETE FROM stored_records WHERE id = ? RETURNING \(number)", [.integer(id)])
        defer { deletion.reset() }
        var isThere = false
        while try deletion.step() {
            isThere = true
            if let context = deletion.optionalInteger(0) { uses[context, default: 0] += 1 }
        }
        return isThere
    }

    /// Subtracts deleted rows' uses, and deletes unused contexts.
    static func remove(_ uses: [Int64: Int64], on connection: SQLiteConnection) throws(StoreError) {
        let count = try connection.statement(
            "UPDATE context_uses SET records = records - ?2 WHERE context = ?1 RETURNING records")
        for (id, gone) in uses {
            count.bind(1, id)
            count.bind(2, gone)
            var left: Int64?
            while try count.step() { left = count.integer(0) }
            count.reset()
            guard let left, left <= 0 else { continue }
            try connection.run("DELETE FROM context_uses WHERE context = ?", [.integer(id)])
            try connection.run("DELETE FROM contexts WHERE id = ?", [.integer(id)])
        }
    }

    /// Whether a context stays in its record; stored apart it would cost as much.
    package static func isShort(_ context: String) -> Bool { context.utf8.count <= 64 }
}
