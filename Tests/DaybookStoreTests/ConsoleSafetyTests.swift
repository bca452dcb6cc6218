import DaybookStore
import DaybookTestTraits
import DaybookTesting
import Foundation
import Testing

/// Tries to write and to reach outside through ``EventStore/query(_:limits:)``.
@Suite(.temporaryDirectory) struct ConsoleSafetyTests {
    private let directory = TemporaryDirectory.current
    private let store: SQLiteStore

    init() async throws {
        store = try SQLiteStore(path: directory.file("store.sqlite"))
        try await store.append(.numbered("s", (0, 5), 1...5))
    }

    @Test("Rejects 200 writing statements without changing a file") func refusesWritingStatements() async throws {
        let statements = Self.statements(directory.path)
        #expect(statements.count >= 200)
        #expect(Set(statements).count == statements.count)
        let before = try fingerprint()
        for statement in statements {
            let error = await #expect(throws: StoreError.self, "\(statement)") {
                try await store.query(statement, limits: QueryLimits())
            }
            #expect(error?.message.isEmpty == false)
        }
        #expect(try fingerprint() == before)
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted() == Self.files)
        #expect(try await store.query("SELECT count(*) FROM records", limits: QueryLimits()).rows == [[.integer(5)]])
    }

    private static let files = [
        "store.sqlite", "store.sqlite-index", "store.sqlite-index-shm", "store.sqlite-index-wal", "store.sqlite-shm",
        "store.sqlite-wal",
    ]

    /// The whole database as another program reads it.
    private func fingerprint() throws -> String {
        let file = try SQLiteFile(directory.file("store.sqlite"))
        let parts = [
            "SELECT group_concat(sql) FROM sqlite_master", "SELECT group_concat(uid || tag || attributes) FROM records",
            "SELECT group_concat(tag || count) FROM tags", "SELECT group_concat(stream || through) FROM streams",
            "SELECT last FROM arrivals", "PRAGMA user_version", "PRAGMA application_id", "PRAGMA journal_mode",
            "PRAGMA integrity_check",
        ]
        return try parts.map { try file.text($0) ?? "" }.joined(separator: "|")
    }

    private static func statements(_ folder: String) -> [String] {
        let tables = ["records", "tags", "streams", "arrivals", "sqlite_master"]
        var statements: [String] = []
        for table in tables {
            statements += [
                "DELETE FROM \(table)", "DELETE FROM \(table) WHERE 1", "DELETE FROM main.\(table)",
                "DELETE FROM \(table) RETURNING *", "UPDATE \(table) SET rowid = rowid + 1", "DROP TABLE \(table)",
                "DROP TABLE IF EXISTS \(table)", "ALTER TABLE \(table) RENAME TO gone",
                "ALTER TABLE \(table) ADD COLUMN extra TEXT", "CREATE INDEX i_\(table) ON \(table)(rowid)",
                "CREATE TABLE copy_\(table) AS SELECT * FROM \(table)",
                "CREATE TEMP TABLE temp_\(table) AS SELECT * FROM \(table)",
                "CREATE VIEW view_\(table) AS SELECT * FROM \(table)",
                "CREATE TEMP VIEW view_\(table) AS SELECT * FROM \(table)",
                "CREATE TRIGGER trigger_\(table) AFTER INSERT ON \(table) BEGIN DELETE FROM records; END",
                "INSERT INTO \(table) DEFAULT VALUES", "INSERT INTO \(table) SELECT * FROM \(table)",
                "REPLACE INTO \(table) SELECT * FROM \(table)", "ANALYZE \(table)", "REINDEX \(table)",
                "WITH x AS (SELECT 1) DELETE FROM \(table)", "SELECT 1; DELETE FROM \(table)",
                "SELECT * FROM \(table); DROP TABLE \(table)",
            ]
        }
        let pragmas = [
            "user_version = 7", "application_id = 7", "journal_mode = DELETE", "journal_mode", "synchronous = OFF",
            "writable_schema = 1", "query_only = 0", "trusted_schema = 1", "schema_version = 9", "page_size = 512",
            "auto_vacuum = 1", "incremental_vacuum", "wal_checkpoint(TRUNCATE)", "foreign_keys = 1",
            "encoding = 'UTF-16'",
            "cache_size = 1", "temp_store = 2", "temp_store_directory = '/tmp'", "locking_mode = EXCLUSIVE", "optimize",
            "mmap_size = 1", "secure_delete = 1", "table_info(records)", "database_list", "integrity_check",
            "quick_check",
            "shrink_memory", "hard_heap_limit = 1", "soft_heap_limit = 1", "threads = 8", "busy_timeout = 0",
            "case_sensitive_like = 1", "recursive_triggers = 1", "reverse_unordered_selects = 1", "cell_size_check = 0",
            "ignore_check_constraints = 1", "legacy_alter_table = 1", "max_page_count = 1", "defer_foreign_keys = 1",
        ]
        statements += pragmas.map { "PRAGMA \($0)" }
        statements += [
            "ATTACH '\(folder)/new.sqlite' AS other", "ATTACH DATABASE ':memory:' AS other",
            "ATTACH '\(folder)/store.sqlite' AS other", "ATTACH 'file:\(folder)/x.sqlite?mode=rwc' AS other",
            "DETACH main", "DETACH DATABASE temp", "VACUUM", "VACUUM main", "VACUUM INTO '\(folder)/copy.sqlite'",
            "BEGIN", "BEGIN IMMEDIATE", "BEGIN EXCLUSIVE", "COMMIT", "END", "ROLLBACK", "SAVEPOINT s", "RELEASE s",
            "ROLLBACK TO s", "ANALYZE", "REINDEX", "CREATE TABLE t(x)", "CREATE TEMP TABLE t(x)",
            "CREATE TABLE IF NOT EXISTS records(x)", "CREATE VIRTUAL TABLE t USING fts5(x)",
            "CREATE VIRTUAL TABLE t USING rtree(id, a, b)", "CREATE VIRTUAL TABLE temp.t USING fts5(x)",
            "CREATE UNIQUE INDEX i ON records(uid)", "DROP INDEX records_tag", "DROP INDEX IF EXISTS records_tag",
            "DROP VIEW IF EXISTS records", "DROP TRIGGER IF EXISTS t", "ALTER TABLE records RENAME COLUMN uid TO u",
            "ALTER TABLE records DROP COLUMN message", "UPDATE records SET tag = 'x' WHERE id = 1",
            "UPDATE records SET tag = 'x' RETURNING id", "UPDATE OR REPLACE records SET id = 1",
            "UPDATE tags SET count = 0", "UPDATE arrivals SET last = 0",
            "INSERT INTO tags VALUES ('a','b',1,1,1) ON CONFLICT DO UPDATE SET count = 0",
            "INSERT OR IGNORE INTO arrivals VALUES (1)", "REPLACE INTO streams VALUES ('s', 0, 0)",
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 9) INSERT INTO arrivals SELECT i FROM n",
            "EXPLAIN DELETE FROM records", "EXPLAIN QUERY PLAN DELETE FROM records",
            "SELECT load_extension('libx')", "SELECT load_extension('libx', 'entry')", "SELECT LOAD_EXTENSION('libx')",
            "SELECT writefile('\(folder)/x', 'y')", "SELECT readfile('/etc/passwd')", "SELECT edit('x')",
            "SELECT fts3_tokenizer('simple')", "SELECT fts3_tokenizer('x', x'00')",
            "SELECT * FROM pragma_table_info('records')",
            "SELECT * FROM pragma_journal_mode", "SELECT * FROM pragma_user_version",
            "/* hidden */ DELETE FROM records", "-- hidden\nDELETE FROM records", ";DELETE FROM records",
            "SELECT 1;;; -- x\n DELETE FROM records", "SELECT 1; SELECT 2", "SELECT 1; nonsense", "", "  ", "-- only",
            "DELETE FROM records\0 WHERE 0", "SELECT 1 \0; DELETE FROM records",
        ]
        return statements
    }

    @Test("Stops an endless statement at the time limit") func stopsEndlessStatement() async throws {
        var limits = QueryLimits()
        limits.time = .milliseconds(50)
        let endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n"
        let error = await #expect(throws: StoreError.self) { try await store.query(endless, limits: limits) }
        #expect(error?.code == .limit)
        #expect(try await store.query("SELECT 1", limits: QueryLimits()).rows == [[.integer(1)]])
    }

    @Test("Cancelling the task stops its statement") func cancelsStatement() async throws {
        let store = store
        var limits = QueryLimits()
        limits.time = .seconds(60)
        let patient = limits
        let task = Task {
            try await store.query(
                "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n", limits: patient)
        }
        task.cancel()
        let error = await #expect(throws: StoreError.self) { try await task.value }
        #expect(error?.message.contains("cancelled") == true)
    }

    @Test(
        "Rejects statements that would need too much memory or time",
        arguments: [
            "SELECT zeroblob(1000000000)", "SELECT hex(zeroblob(100000000))", "SELECT printf('%.*c', 900000000, 'x')",
            "SELECT 'a' LIKE '\(String(repeating: "%a", count: 1_000))'",
            "SELECT \(String(repeating: "(", count: 300))1\(String(repeating: ")", count: 300))",
        ])
    func refusesCostlyStatements(sql: String) async throws {
        await #expect(throws: StoreError.self) { try await store.query(sql, limits: QueryLimits()) }
    }

    @Test("Reads JSON members as rows but rejects other table-valued functions") func readsJSONTables() async throws {
        let sql = """
            SELECT each.value, tree.type FROM json_each('{"a":[7]}', '$.a') AS each, json_tree('{"b":"c"}', '$.b') AS tree
            """
        #expect(try await store.query(sql, limits: QueryLimits()).rows == [[.integer(7), .text("text")]])
        // SQLite's other eponymous virtual tables stay refused.
        let error = await #expect(throws: StoreError.self) {
            try await store.query("SELECT * FROM pragma_table_info('stored_records')", limits: QueryLimits())
        }
        #expect(error?.code == .badStatement)
    }

    @Test("Answers queries on the views of events") func queriesEventViews() async throws {
        let statement =
            "CREATE VIEW recipe__show AS SELECT id AS \"_id\", json_extract(attributes, '$.a') AS a FROM records"
        try await store.createViews([StoreView(name: "recipe__show", statement: statement)])
        let result = try await store.query("SELECT count(*), max(a) FROM recipe__show", limits: QueryLimits())
        #expect(result.rows == [[.integer(5), .null]])
    }

    @Test("Truncates a SQLite result at the byte limit") func boundsResultBytes() async throws {
        let sql =
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 100) SELECT zeroblob(1000000) FROM n"
        let result = try await store.query(sql, limits: QueryLimits())
        #expect(result.isTruncated)
        #expect(result.rows.count < 20)
    }

    @Test("Truncates the cells of a row larger than the byte limit") func truncatesOversizedRow() async throws {
        var limits = QueryLimits()
        limits.bytes = 100
        let cut = try await store.query(
            "SELECT 7, 'aé' || hex(zeroblob(9)), 'a卵卵卵卵卵卵卵', 1.5, zeroblob(1000)", limits: limits)
        #expect(cut.isTruncated)
        #expect(
            cut.rows == [
                [.integer(7), .text("aé" + String(repeating: "0", count: 17)), .text(""), .real(1.5), .blob([])]
            ])
        limits.bytes = 50
        let text = try await store.query("SELECT 'a卵卵卵卵卵卵卵卵卵卵卵卵卵' FROM records", limits: limits)
        #expect(text.rows == [[.text("a卵卵卵卵卵卵卵卵卵卵卵")]] && text.isTruncated)
        let whole = try await store.query("SELECT 'a卵卵卵' FROM records", limits: limits)
        #expect(whole.rows == [[.text("a卵卵卵")]] && whole.isTruncated)
    }
}
