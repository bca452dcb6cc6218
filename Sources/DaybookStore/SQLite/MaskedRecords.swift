import CSQLite
import DaybookBase
import DaybookTools

/// Masked records for statements that may not see private values.
///
/// A temporary view passes stored attributes, contexts and messages through a function that masks them. Only this view
/// may read them and call the function, says the authorizer, which SQLite tells the innermost view that asks. A `WITH`
/// table is told like a view, so the name is random, and new with each connection, which runs one statement: nobody who
/// learns it can use it. Over it temporary views shadow the store's: `records`, and each view that the statement names,
/// recreated. Values are masked when read; those that a statement does not use are not.
///
/// Belongs to its connection, and its thread.
final class MaskedRecords {
    /// The function's first argument.
    private enum Part: Int32 { case attributes, context }

    private static let function = "daybook_masked"
    /// Closed tables, and their closed columns; `nil` for all. Other tables hold nothing private.
    private static let closed: [String: Set<String>?] = [
        "stored_records": ["attributes", "context", "message"], "contexts": nil, "identity": nil,
    ]

    /// Whether statements may not read a table, or part of it.
    static func isClosed(_ table: String) -> Bool { closed[table] != nil }

    var hasMasked: Bool { mask.hasMasked }
    private let mask: RowMask
    /// The view that may read everything.
    private let reader = "daybook_" + HashKey.random().hash("reader")
    /// The store's tables and views; any other source is SQLite's, and may expose the file's pages.
    private let names: Set<String>

    /// - Parameters:
    ///   - connection: Must still allow temporary views.
    ///   - sql: The only statement that will run.
    init(_ policy: MaskingPolicy, on connection: SQLiteConnection, for sql: String) throws(StoreError) {
        try Self.checkJoins(of: sql)
        mask = RowMask(policy, connection)
        var (views, names): ([(name: String, sql: String)], Set<String>) = ([], ["sqlite_master", "sqlite_schema"])
        let objects = try SQLiteStatement(
            "SELECT name, type, sql FROM sqlite_master WHERE type IN ('table', 'view')", on: connection)
        while try objects.step() {
            let name = objects.text(0)
            if !name.hasPrefix("sqlite_stat") { names.insert(name.lowercased()) }
            if objects.text(1) == "view", name != "records" { views.append((name.lowercased(), objects.text(2))) }
        }
        self.names = names.union(["json_each", "json_tree"])
        try addFunctions(to: connection)
        let columns = RecordColumn.allCases.map { column in
            switch column {
            case .attributes: "\(Self.function)(\(Part.attributes.rawValue), tag, attributes, context) AS attributes"
            case .context: "\(Self.function)(\(Part.context.rawValue), tag, attributes, context) AS context"
            case .message: "\(Self.function)(message) AS message"
            default: column.name
            }
        }
        try connection.execute(
            """
            CREATE TEMP VIEW \(reader) AS SELECT \(columns.joined(separator: ", ")) FROM main.stored_records;
            CREATE TEMP VIEW records AS SELECT \(RecordColumn.names) FROM temp.\(reader);
            """)
        for view in Self.named(in: sql, of: views) where view.hasPrefix("CREATE VIEW ") {
            try connection.execute("CREATE TEMP VIEW " + view.dropFirst("CREATE VIEW ".count))
        }
    }

    /// Refuses joins by column names with closed tables: SQLite does not ask the authorizer about columns of USING and
    /// NATURAL, and shows them where rows of the other table are missing.
    private static func checkJoins(of sql: String) throws(StoreError) {
        let text = sql.utf8.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
        let words = Set(
            text.split { byte in
                switch byte {
                case 0x30...0x39, 0x61...0x7A, UInt8(ascii: "_"), UInt8(ascii: "$"), 0x80...: false
                default: true
                }
            }.map { String(decoding: $0, as: UTF8.self) })
        guard words.contains("using") || words.contains("natural"), let table = closed.keys.first(where: words.contains)
        else { return }
        throw StoreError(
            .badStatement,
            "A statement without private values cannot name `\(table)` and join with USING or NATURAL. Read what may be "
                + "private through `records` and the views of events, join with ON, or ask for private values.")
    }

    /// The texts of the views that a statement may read: those named in it, or in such a view's text.
    private static func named(in sql: String, of views: [(name: String, sql: String)]) -> [String] {
        var rest = views
        var texts = [sql.lowercased()]
        var found: [String] = []
        while let text = texts.popLast() {
            let named = rest.filter { text.contains($0.name) }
            rest.removeAll { view in named.contains { $0.name == view.name } }
            found += named.map(\.sql)
            texts += named.map { $0.sql.lowercased() }
        }
        return found
    }

    private func addFunctions(to connection: SQLiteConnection) throws(StoreError) {
        try SQLiteFunctions.add(Self.function, 4, mask, to: connection) { context, _, values in
            guard let values, let tag = SQLiteFunctions.text(values[1]),
                let attributes = SQLiteFunctions.text(values[2]), let stored = SQLiteFunctions.text(values[3])
            else { return }
            // Sound: the connection keeps the mask as long as the function.
            let mask = Unmanaged<RowMask>.fromOpaque(sqlite3_user_data(context)).takeUnretainedValue()
            do throws(StoreError) {
                if sqlite3_value_int(values[0]) == Part.context.rawValue {
                    try mask.withContext(stored, of: tag, beside: attributes) { answer($0, context) }
                } else if try !mask.withAttributes(attributes, of: tag, in: stored, { answer($0, context) }) {
                    sqlite3_result_value(context, values[2])
                }
            } catch {
                sqlite3_result_error(context, error.message, -1)
            }
        }
        try SQLiteFunctions.add(Self.function, 1, mask, to: connection) { context, _, values in
            guard let values, let message = SQLiteFunctions.text(values[0]) else { return }
            // Sound: as above.
            let mask = Unmanaged<RowMask>.fromOpaque(sqlite3_user_data(context)).takeUnretainedValue()
            if !mask.withMessage(message, { answer($0, context) }) { sqlite3_result_value(context, values[0]) }
        }
    }

    /// Whether to allow an action; see ``SQLiteConnection/authorize(_:)``.
    func allows(
        _ action: Int32, _ first: String?, _ second: String?, _ database: String?, _ view: String?
    ) -> Bool {
        if view == reader || mask.isReading { return true }
        // Called with other values, the function would tell their stand-ins, and what others have in a context.
        if action == SQLITE_FUNCTION { return second?.lowercased() != Self.function }
        guard action == SQLITE_READ, let table = first?.lowercased() else { return true }
        if database == "temp" { return !table.hasPrefix("sqlite_") }
        // A source named without a column, such as a `WITH` whose rows are counted, reveals no value.
        guard names.contains(table) else { return second?.isEmpty == true }
        guard let closed = Self.closed[table] else { return true }
        return closed.map { !$0.contains(second?.lowercased() ?? "") } ?? false
    }

    static func isRefusal(_ error: StoreError) -> Bool {
        error.message.contains("prohibited") || error.message.contains("not authorized")
    }
}

private func answer(_ text: [UInt8], _ context: OpaquePointer?) {
    text.withUnsafeBufferPointer { SQLiteFunctions.answer($0, context) }
}
