import CSQLite
import DaybookStore

/// Another program with the same file, for tests.
final class SQLiteFile {
    private let handle: OpaquePointer

    init(_ path: String) throws {
        var opened: OpaquePointer?
        guard sqlite3_open(path, &opened) == SQLITE_OK, let opened else { throw StoreError(.unavailable, path) }
        handle = opened
        sqlite3_busy_timeout(opened, 5_000)
    }

    deinit { sqlite3_close_v2(handle) }

    func execute(_ sql: String) throws {
        guard sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else {
            throw StoreError(.badStatement, String(cString: sqlite3_errmsg(handle)))
        }
    }

    /// Has a store's next record arrive behind a whole segment, as if those before it had been erased: the segment is
    /// indexed, and need not have 32,768 records.
    func completeSegment() throws { try execute("UPDATE arrivals SET last = 32768") }

    /// The first cell of the first row as text.
    func text(_ sql: String) throws -> String? {
        var statement: OpaquePointer?
        guard sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK else {
            throw StoreError(.badStatement, String(cString: sqlite3_errmsg(handle)))
        }
        defer { sqlite3_finalize(statement) }
        guard sqlite3_step(statement) == SQLITE_ROW else { return nil }
        return sqlite3_column_text(statement, 0).map { String(cString: $0) }
    }
}
