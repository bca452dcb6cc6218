import CSQLite

/// The SQL functions of reading connections.
///
/// - `daybook_contains(text, needle)`: whether the folded text contains an already folded needle; see ``TextFolding``.
/// - `daybook_version(context)`: the context's `service.version`.
/// - `daybook_holds(term, text)`: whether a filter's term, written as ``FilterTerm/description``, holds for a column's
///   text or JSON.
enum SQLiteFunctions {
    static func add(to connection: SQLiteConnection) throws(StoreError) {
        try add("daybook_contains", 2, FoldingBuffer(), to: connection) { context, _, values in
            guard let values, let text = sqlite3_value_text(values[0]), let needle = sqlite3_value_text(values[1])
            else {
                sqlite3_result_int(context, 0)
                return
            }
            // Sound: SQLite keeps the texts until the function returns, and the buffer is the connection's own.
            let buffer = Unmanaged<FoldingBuffer>.fromOpaque(sqlite3_user_data(context)).takeUnretainedValue()
            let folded = buffer.fold(.init(start: text, count: Int(sqlite3_value_bytes(values[0]))))
            let isFound = folded.contains(.init(start: needle, count: Int(sqlite3_value_bytes(values[1]))))
            sqlite3_result_int(context, isFound ? 1 : 0)
        }
        try addHolds(to: connection)
        try add("daybook_version", 1, ContextReader(), to: connection) { context, _, values in
            guard let values, let text = sqlite3_value_text(values[0]) else { return }
            let reader = Unmanaged<ContextReader>.fromOpaque(sqlite3_user_data(context)).takeUnretainedValue()
            let bytes = UnsafeBufferPointer(start: text, count: Int(sqlite3_value_bytes(values[0])))
            guard let version = reader.contexts.fields(of: bytes).version else { return }
            SQLiteFunctions.answer(version, context)
        }
    }

    private static func addHolds(to connection: SQLiteConnection) throws(StoreError) {
        try add("daybook_holds", 2, TermReader(), to: connection) { context, _, values in
            guard let values, let term = SQLiteFunctions.text(values[0]), let text = SQLiteFunctions.text(values[1])
            else {
                sqlite3_result_int(context, 0)
                return
            }
            // Sound: the reader is the connection's own.
            let reader = Unmanaged<TermReader>.fromOpaque(sqlite3_user_data(context)).takeUnretainedValue()
            sqlite3_result_int(context, reader.holds(term, text) ? 1 : 0)
        }
    }

    /// An argument's text, which SQLite keeps until the function returns; `nil` for NULL.
    static func text(_ value: OpaquePointer?) -> UnsafeBufferPointer<UInt8>? {
        guard let text = sqlite3_value_text(value) else { return nil }
        return UnsafeBufferPointer(start: text, count: Int(sqlite3_value_bytes(value)))
    }

    /// Answers with a copy of a text.
    static func answer(_ text: UnsafeBufferPointer<UInt8>, _ context: OpaquePointer?) {
        text.withMemoryRebound(to: CChar.self) { characters in
            // A null pointer would answer NULL.
            guard let start = characters.baseAddress else {
                return sqlite3_result_text(context, "", 0, daybook_sqlite_transient())
            }
            sqlite3_result_text64(
                context, start, sqlite3_uint64(characters.count), daybook_sqlite_transient(), UInt8(SQLITE_UTF8))
        }
    }

    static func answer(_ text: String, _ context: OpaquePointer?) {
        var text = text
        text.withUTF8 { answer($0, context) }
    }

    /// Registers a function with an object, which SQLite releases with the connection.
    static func add(
        _ name: String, _ arguments: Int32, _ object: AnyObject, to connection: SQLiteConnection,
        _ body: @convention(c) (OpaquePointer?, Int32, UnsafeMutablePointer<OpaquePointer?>?) -> Void
    ) throws(StoreError) {
        let retained = Unmanaged.passRetained(object).toOpaque()
        // SQLite calls the destructor when the connection closes, and also when this call fails.
        let code = sqlite3_create_function_v2(
            connection.handle, name, arguments, SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS, retained, body,
            nil, nil
        ) { object in
            if let object { Unmanaged<AnyObject>.fromOpaque(object).release() }
        }
        if code != SQLITE_OK { throw connection.error(code) }
    }
}

/// Belongs to its connection's thread.
private final class ContextReader {
    var contexts = ContextFieldsCache()
}

/// Evaluates terms. Belongs to its connection's thread.
private final class TermReader {
    /// Most cached terms.
    private static let most = 64

    private var known: [(text: [UInt8], match: TextMatch)] = []

    func holds(_ term: UnsafeBufferPointer<UInt8>, _ text: UnsafeBufferPointer<UInt8>) -> Bool {
        match(term).holds(text)
    }

    private func match(_ term: UnsafeBufferPointer<UInt8>) -> TextMatch {
        for entry in known where entry.text.count == term.count && entry.text.elementsEqual(term) { return entry.match }
        if known.count == Self.most { known.removeFirst(Self.most / 2) }
        // A term's description parses to that term.
        let expression = try? FilterParser.parse(String(decoding: term, as: UTF8.self), now: 0).expression
        let match = TextMatch(expression)
        known.append((Array(term), match))
        return match
    }
}
