import CSQLite
import DaybookStore

/// Another program that opens a store's file.
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

    /// Makes the next record arrive after a whole extent, as if earlier ones had been erased: the extent is indexed
    /// without its 32,768 records.
    func completeExtent() throws { try execute("UPDATE arrivals SET last = 32768") }

    /// The first row's first cell as text.
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
