import CSQLite
import DaybookBase
import DaybookTools

/// Masked records for statements that may not see private values.
///
/// Temporary views shadow the store's: `records`, whose `attributes`, `context` and `message` come from a function of
/// the record's number, and each view that the statement names, recreated over it. Values are masked when read. The
/// authorizer refuses the stored columns under any name, except to that function, so aliases, subqueries and schema
/// names cannot bypass it.
///
/// Belongs to its connection, and its thread.
final class MaskedRecords {
    /// The function's first argument.
    private enum Part: Int64, CaseIterable { case attributes, context, message }

    private struct Parts {
        var tag = ""
        var attributes = "{}"
        /// Whether they may contain something to mask.
        var areSuspect = false
        /// As shown; `nil` until needed.
        var shownAttributes: String?
        var context = SharedContext("{}", [])
        var shownContext = "{}"
    }

    /// A context with its masked forms. Many records share one.
    private final class SharedContext {
        private static let mostForms = 100

        /// What determines a context's masked form, besides its text.
        private struct Beside: Hashable {
            var tag: String
            /// Names that the attributes call private.
            var told: Set<String>
        }

        let text: String
        /// `nil` for the default sieve.
        let sieve: MaskingSieve?
        private var shown: [Beside: String] = [:]

        init(_ text: String, _ columns: Set<String>) {
            self.text = text
            let told = MaskingPolicy.told(in: text)
            sieve = told.isSubset(of: columns) ? nil : MaskingSieve(columns: columns.union(told))
        }

        /// The masked form beside a record's attributes.
        /// - Parameter bytes: The cache's size, increased by a new form.
        func shown(
            beside attributes: String, areSuspect: Bool, of tag: String, _ policy: MaskingPolicy, bytes: inout Int
        ) -> String {
            let key = Beside(tag: tag, told: areSuspect ? MaskingPolicy.told(in: attributes) : [])
            if let known = shown[key] { return known }
            if shown.count >= Self.mostForms { shown = [:] }
            let masked = policy.masked(attributes: areSuspect ? attributes : "{}", context: text, of: tag).context
            shown[key] = masked
            bytes += masked.utf8.count
            return masked
        }
    }

    /// Cached bytes of masked contexts: those of some ten thousand users.
    private static let mostContextBytes = 8 << 20

    private static let function = "daybook_masked"
    /// Closed tables, and their closed columns; `nil` for all. Other tables hold nothing private.
    private static let closed: [String: Set<String>?] = [
        "stored_records": ["attributes", "context", "message"], "contexts": nil, "identity": nil,
    ]

    /// Whether statements may not read a table, or part of it.
    static func isClosed(_ table: String) -> Bool { closed[table] != nil }

    private(set) var hasMasked = false
    private let policy: MaskingPolicy
    private let columns: Set<String>
    private unowned let connection: SQLiteConnection
    /// The store's tables and views; any other source is SQLite's, and may expose the file's pages.
    private let names: Set<String>
    private var isReading = false
    /// The last record asked for, and its parts once read.
    private var id: Int64?
    private var parts: Parts?
    /// Rules out most texts quickly.
    private let sieve: MaskingSieve
    /// Contexts by text, each masked once.
    private var contexts: [String: SharedContext] = [:]
    private var contextBytes = 0

    /// - Parameters:
    ///   - connection: Must still allow temporary views.
    ///   - sql: The only statement that will run.
    init(_ policy: MaskingPolicy, on connection: SQLiteConnection, for sql: String) throws(StoreError) {
        self.policy = policy
        self.connection = connection
        columns = policy.names
        sieve = MaskingSieve(columns: columns)
        var (views, names): ([(name: String, sql: String)], Set<String>) = ([], ["sqlite_master", "sqlite_schema"])
        let objects = try SQLiteStatement(
            "SELECT name, type, sql FROM sqlite_master WHERE type IN ('table', 'view')", on: connection)
        while try objects.step() {
            let name = objects.text(0)
            if !name.hasPrefix("sqlite_stat") { names.insert(name.lowercased()) }
            if objects.text(1) == "view", name != "records" { views.append((name.lowercased(), objects.text(2))) }
        }
        self.names = names.union(["json_each", "json_tree"])
        try SQLiteFunctions.add(Self.function, 2, self, to: connection) { context, _, values in
            guard let values else { return }
            let masked = Unmanaged<MaskedRecords>.fromOpaque(sqlite3_user_data(context)).takeUnretainedValue()
            masked.answer(context, sqlite3_value_int64(values[0]), sqlite3_value_int64(values[1]))
        }
        try connection.execute("CREATE TEMP VIEW records AS SELECT \(Self.selection) FROM main.stored_records")
        for view in Self.named(in: sql, of: views) where view.hasPrefix("CREATE VIEW ") {
            try connection.execute("CREATE TEMP VIEW " + view.dropFirst("CREATE VIEW ".count))
        }
    }

    private static let selection = RecordColumn.allCases.map { column in
        switch column {
        case .attributes: "\(function)(\(Part.attributes.rawValue), id) AS attributes"
        case .context: "\(function)(\(Part.context.rawValue), id) AS context"
        case .message: "\(function)(\(Part.message.rawValue), id) AS message"
        default: column.name
        }
    }.joined(separator: ", ")

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

    /// Whether to allow an action; see ``SQLiteConnection/authorize(_:)``.
    func allows(_ action: Int32, _ table: String?, _ column: String?, _ database: String?) -> Bool {
        guard action == SQLITE_READ, !isReading, let table = table?.lowercased() else { return true }
        if database == "temp" { return !table.hasPrefix("sqlite_") }
        // A source named without a column, such as a `WITH` whose rows are counted, reveals no value.
        guard names.contains(table) else { return column?.isEmpty == true }
        guard let closed = Self.closed[table] else { return true }
        return closed.map { !$0.contains(column?.lowercased() ?? "") } ?? false
    }

    static func isRefusal(_ error: StoreError) -> Bool {
        error.message.contains("prohibited") || error.message.contains("not authorized")
    }

    private func answer(_ context: OpaquePointer?, _ part: Int64, _ id: Int64) {
        if id != self.id { (self.id, parts) = (id, nil) }
        isReading = true
        defer { isReading = false }
        do throws(StoreError) {
            var text: String?
            switch Part(rawValue: part) {
            case .attributes:
                text = try attributes(of: id)
            case .context:
                let parts = try parts(of: id)
                text = parts.shownContext
                hasMasked = hasMasked || parts.shownContext != parts.context.text
            case .message: text = try message(of: id)
            case nil: break
            }
            guard var text else { return }
            text.withUTF8 { units in
                units.withMemoryRebound(to: CChar.self) { characters in
                    sqlite3_result_text64(
                        context, characters.baseAddress, sqlite3_uint64(characters.count),
                        daybook_sqlite_transient(), UInt8(SQLITE_UTF8))
                }
            }
        } catch {
            sqlite3_result_error(context, error.message, -1)
        }
    }

    /// A record's masked attributes, masked once, on demand.
    private func attributes(of id: Int64) throws(StoreError) -> String {
        var parts = try parts(of: id)
        if let shown = parts.shownAttributes { return shown }
        let shown =
            parts.areSuspect
            ? policy.masked(attributes: parts.attributes, context: parts.context.text, of: parts.tag).attributes
            : parts.attributes
        parts.shownAttributes = shown
        self.parts = parts
        hasMasked = hasMasked || shown != parts.attributes
        return shown
    }

    private func parts(of id: Int64) throws(StoreError) -> Parts {
        if let parts { return parts }
        let record = try connection.statement(
            "SELECT attributes, \(ContextTable.context), tag FROM main.stored_records WHERE id = ?", [.integer(id)])
        defer { record.reset() }
        guard try record.step() else { return Parts() }
        let context = shared(record.text(1))
        var parts = Parts(tag: record.text(2), attributes: record.text(0), context: context)
        record.withText(0) { parts.areSuspect = (context.sieve ?? sieve).suspects($0) }
        parts.shownContext = context.shown(
            beside: parts.attributes, areSuspect: parts.areSuspect, of: parts.tag, policy, bytes: &contextBytes)
        self.parts = parts
        return parts
    }

    private func shared(_ text: String) -> SharedContext {
        if let known = contexts[text] { return known }
        if contextBytes > Self.mostContextBytes { (contexts, contextBytes) = ([:], 0) }
        let context = SharedContext(text, columns)
        contexts[text] = context
        contextBytes += text.utf8.count
        return context
    }

    private func message(of id: Int64) throws(StoreError) -> String? {
        let record = try connection.statement("SELECT message FROM main.stored_records WHERE id = ?", [.integer(id)])
        defer { record.reset() }
        guard try record.step(), let message = record.optionalText(0) else { return nil }
        var isSuspect = false
        record.withText(0) { isSuspect = sieve.suspects($0) }
        guard isSuspect else { return message }
        let clean = policy.masked(message)
        if clean != message { hasMasked = true }
        return clean
    }
}
