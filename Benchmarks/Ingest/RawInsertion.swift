import CSQLite
import DaybookStore

/// The limit: one prepared statement, without intervals, counts by tag or accounting.
final class RawInsertion {
    struct Failure: Error { let code: Int32 }

    private var database: OpaquePointer?
    private var statement: OpaquePointer?

    /// Opens a store's file with the collector's own settings.
    init(path: String) throws {
        try check(sqlite3_open(path, &database))
        // The store that made the file may still be closing it.
        try check(sqlite3_busy_timeout(database, 10_000))
        try run("PRAGMA synchronous = FULL; PRAGMA cache_size = -16000; PRAGMA wal_autocheckpoint = 4000")
        let insertion = "INSERT INTO stored_records VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)"
        try check(sqlite3_prepare_v2(database, insertion, -1, &statement, nil))
    }

    deinit {
        sqlite3_finalize(statement)
        sqlite3_close(database)
    }

    func insert(_ rows: [RecordRow], perCommit size: Int) throws {
        var id: Int64 = 0
        for start in stride(from: 0, to: rows.count, by: size) {
            try run("BEGIN IMMEDIATE")
            for row in rows[start..<min(start + size, rows.count)] {
                id += 1
                try insert(row, id)
            }
            try run("COMMIT")
        }
    }

    private func insert(_ row: RecordRow, _ id: Int64) throws {
        sqlite3_bind_int64(statement, 1, id)
        bind(2, row.uid)
        sqlite3_bind_int64(statement, 3, row.time)
        bind(4, row.kind.rawValue)
        sqlite3_bind_int64(statement, 5, Int64(row.level))
        bind(6, row.tag)
        bind(7, row.message)
        bind(8, row.module)
        bind(9, row.attributes)
        bind(10, row.context)
        bind(11, row.session)
        bind(12, row.installation)
        guard sqlite3_step(statement) == SQLITE_DONE else { throw Failure(code: sqlite3_errcode(database)) }
        sqlite3_reset(statement)
    }

    private func bind(_ place: Int32, _ text: String?) {
        guard var text else {
            sqlite3_bind_null(statement, place)
            return
        }
        text.withUTF8 { units in
            units.withMemoryRebound(to: CChar.self) { characters in
                _ = sqlite3_bind_text(
                    statement, place, characters.baseAddress, Int32(characters.count), daybook_sqlite_transient())
            }
        }
    }

    private func run(_ sql: String) throws { try check(sqlite3_exec(database, sql, nil, nil, nil)) }

    private func check(_ code: Int32) throws {
        guard code == SQLITE_OK else { throw Failure(code: code) }
    }
}
