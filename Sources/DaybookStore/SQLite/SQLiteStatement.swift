import CSQLite

/// A prepared statement. Belongs to its connection's thread. Parameters count from 1, columns from 0.
final class SQLiteStatement {
    private let handle: OpaquePointer
    /// Not owned: the connection owns cached statements; others do not outlive the call that created them.
    private unowned let connection: SQLiteConnection
    /// The previous row's context; rows with an equal one share its memory.
    private var context = ""

    /// Prepares exactly one statement.
    /// - Parameter isKept: Tells SQLite that it will be reused often.
    /// - Throws: ``StoreError``: a syntax error, no statement, or a second statement.
    init(_ sql: String, on connection: SQLiteConnection, isKept: Bool = false) throws(StoreError) {
        var prepared: OpaquePointer?
        var code = SQLITE_OK
        var hasMore = false
        let flags = isKept ? UInt32(SQLITE_PREPARE_PERSISTENT) : 0
        sql.withCString { text in
            var tail: UnsafePointer<CChar>?
            code = sqlite3_prepare_v3(connection.handle, text, -1, flags, &prepared, &tail)
            // Only white space and comments may follow; anything that compiles, or fails to, is a second statement.
            while code == SQLITE_OK, let rest = tail, rest.pointee != 0, !hasMore {
                var second: OpaquePointer?
                let secondCode = sqlite3_prepare_v3(connection.handle, rest, -1, 0, &second, &tail)
                hasMore = secondCode != SQLITE_OK || second != nil
                sqlite3_finalize(second)
            }
        }
        guard code == SQLITE_OK else { throw connection.error(code) }
        guard let prepared else { throw StoreError(.badStatement, "There is no statement to run. Write a SELECT.") }
        guard !hasMore else {
            sqlite3_finalize(prepared)
            throw StoreError(.badStatement, "Only one statement can be run at a time. Remove what follows the first.")
        }
        handle = prepared
        self.connection = connection
    }

    deinit { sqlite3_finalize(handle) }

    var isReadOnly: Bool { sqlite3_stmt_readonly(handle) != 0 }

    var columnNames: [String] {
        (0..<sqlite3_column_count(handle)).map { sqlite3_column_name(handle, $0).map { String(cString: $0) } ?? "" }
    }

    /// Moves to the next row; `false` after the last.
    func step() throws(StoreError) -> Bool {
        let code = sqlite3_step(handle)
        if code == SQLITE_ROW { return true }
        if code == SQLITE_DONE { return false }
        let error = connection.error(code)
        reset()
        throw error
    }

    /// Runs a statement that must change one row. A trigger may prevent the change, which SQLite reports as success.
    func change() throws(StoreError) {
        while try step() {}
        let count = connection.changes
        guard count == 1 else { throw connection.unchanged(count) }
    }

    /// Resets for another run; parameters keep their values.
    func reset() { sqlite3_reset(handle) }

    func bind(_ place: Int32, _ value: Int64?) {
        if let value { sqlite3_bind_int64(handle, place, value) } else { sqlite3_bind_null(handle, place) }
    }

    func bind(_ place: Int32, _ value: String?) {
        guard var value else {
            sqlite3_bind_null(handle, place)
            return
        }
        value.withUTF8 { units in
            units.withMemoryRebound(to: CChar.self) { characters in
                _ = sqlite3_bind_text64(
                    handle, place, characters.baseAddress ?? emptyText, sqlite3_uint64(characters.count),
                    daybook_sqlite_transient(), UInt8(SQLITE_UTF8))
            }
        }
    }

    /// Binds a text without a copy: its memory must stay valid and unchanged until ``clear()``.
    func bindBorrowed(_ place: Int32, _ text: UnsafeBufferPointer<UInt8>) {
        text.withMemoryRebound(to: CChar.self) { characters in
            _ = sqlite3_bind_text64(
                handle, place, characters.baseAddress ?? emptyText, sqlite3_uint64(characters.count), nil,
                UInt8(SQLITE_UTF8))
        }
    }

    /// Binds a blob without a copy; its memory must stay valid and unchanged until ``clear()``.
    func bindBorrowed(_ place: Int32, blob: UnsafeRawBufferPointer) {
        // A null pointer would bind NULL.
        sqlite3_bind_blob64(
            handle, place, blob.baseAddress ?? UnsafeRawPointer(emptyText), sqlite3_uint64(blob.count), nil)
    }

    func clear() { sqlite3_clear_bindings(handle) }

    var columnCount: Int32 { sqlite3_column_count(handle) }

    func isInteger(_ column: Int32) -> Bool { sqlite3_column_type(handle, column) == SQLITE_INTEGER }

    func isBlob(_ column: Int32) -> Bool { sqlite3_column_type(handle, column) == SQLITE_BLOB }

    func isNull(_ column: Int32) -> Bool { sqlite3_column_type(handle, column) == SQLITE_NULL }

    func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(handle, column) }

    func optionalInteger(_ column: Int32) -> Int64? { isNull(column) ? nil : integer(column) }

    func text(_ column: Int32) -> String {
        guard let text = sqlite3_column_text(handle, column) else { return "" }
        let count = Int(sqlite3_column_bytes(handle, column))
        return String(streamSafe: UnsafeBufferPointer(start: text, count: count))
    }

    /// Lends a text's UTF-8 to `body` for the call; `body` is not called for NULL.
    func withText(_ column: Int32, _ body: (UnsafeBufferPointer<UInt8>) -> Void) {
        guard let text = sqlite3_column_text(handle, column) else { return }
        body(UnsafeBufferPointer(start: text, count: Int(sqlite3_column_bytes(handle, column))))
    }

    /// Lends a blob's bytes to `body` for the call.
    func withBlob<Result, Failure>(
        _ column: Int32, _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let bytes = sqlite3_column_blob(handle, column)
        return try body(UnsafeRawBufferPointer(start: bytes, count: Int(sqlite3_column_bytes(handle, column))))
    }

    func optionalText(_ column: Int32) -> String? { isNull(column) ? nil : text(column) }

    /// Bytes of a text or a blob, without conversion; 0 for other types.
    func size(_ column: Int32) -> Int {
        switch sqlite3_column_type(handle, column) {
        case SQLITE_TEXT, SQLITE_BLOB: Int(sqlite3_column_bytes(handle, column))
        default: 0
        }
    }

    /// A cell of a cut row: the beginning of a text or a blob.
    func cell(_ column: Int32, within budget: inout AnswerBudget) -> QueryResult.Cell {
        let isText = sqlite3_column_type(handle, column) == SQLITE_TEXT
        guard isText || sqlite3_column_type(handle, column) == SQLITE_BLOB else { return cell(column) }
        // Sound until the next step. SQLite materializes a zeroblob only when its bytes are requested.
        guard budget.bytes > 0, let start = sqlite3_column_blob(handle, column) else {
            return isText ? .text("") : .blob([])
        }
        let bytes = UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, column)))
        let beginning = budget.beginning(of: bytes, isText: isText)
        return isText ? .text(String(streamSafe: beginning)) : .blob(Array(beginning))
    }

    /// A column's text, reusing the previous row's string if equal.
    fileprivate func context(_ column: Int32) -> String {
        withText(column) { bytes in
            let isKnown = context.utf8.withContiguousStorageIfAvailable { known in
                known.count == bytes.count && known.elementsEqual(bytes)
            }
            if isKnown != true { context = String(streamSafe: bytes) }
        }
        return context
    }

    func cell(_ column: Int32) -> QueryResult.Cell {
        switch sqlite3_column_type(handle, column) {
        case SQLITE_INTEGER: return .integer(integer(column))
        case SQLITE_FLOAT: return .real(sqlite3_column_double(handle, column))
        case SQLITE_TEXT: return .text(text(column))
        case SQLITE_BLOB:
            guard let bytes = sqlite3_column_blob(handle, column) else { return .blob([]) }
            let count = Int(sqlite3_column_bytes(handle, column))
            return .blob(Array(UnsafeRawBufferPointer(start: bytes, count: count)))
        default: return .null
        }
    }
}

/// The address of an empty text, since a null pointer would bind NULL. Immutable and never freed, so any thread may
/// read it.
nonisolated(unsafe) private let emptyText: UnsafePointer<CChar> = {
    let byte = UnsafeMutablePointer<CChar>.allocate(capacity: 1)
    byte.initialize(to: 0)
    return UnsafePointer(byte)
}()

/// The current row of a statement that reads records.
extension SQLiteStatement: RecordCells {
    func text(_ column: RecordColumn) -> String? { optionalText(Int32(column.rawValue)) }
    func integer(_ column: RecordColumn) -> Int64? { optionalInteger(Int32(column.rawValue)) }
    func json(_ column: RecordColumn) -> String {
        column == .context ? context(Int32(column.rawValue)) : text(Int32(column.rawValue))
    }
}

extension SQLiteStatement {
    /// Binds all parameters; `nil` is NULL.
    func bind(_ values: [SQLValue?]) {
        for (index, value) in values.enumerated() {
            switch value {
            case .integer(let integer): bind(Int32(index + 1), integer)
            case .text(let text): bind(Int32(index + 1), text)
            case nil: bind(Int32(index + 1), Int64?.none)
            }
        }
    }
}
