import DaybookDefinitions
import DaybookStore
import DaybookTools
import DaybookTrials
import Testing

@testable import DaybookCollector
@testable import DaybookDatabases

/// Tries to write and to reach outside through SQL on PostgreSQL.
@Suite(.enabled(if: PostgreSQLServer.tools != nil, Comment(rawValue: PostgreSQLServer.absence)))
struct PostgreSQLConsoleTests {
    private func open() async throws -> (PostgreSQLStore, address: String) {
        try await offPool {
            let address = try PostgreSQLServer.shared.get().makeDatabase()
            return (try PostgreSQLStore(address: address), address)
        }
    }

    private static let statements: [String] = [
        "INSERT INTO records(id) VALUES (9)", "UPDATE records SET tag = 'x'", "DELETE FROM records",
        "TRUNCATE records", "DROP TABLE records", "ALTER TABLE records ADD COLUMN x int", "CREATE TABLE x(i int)",
        "CREATE TEMP TABLE x(i int)", "CREATE VIEW v AS SELECT 1", "CREATE INDEX ON records(uid)",
        "WITH gone AS (DELETE FROM records RETURNING 1) SELECT * FROM gone",
        "WITH made AS (INSERT INTO arrivals VALUES (1) RETURNING 1) SELECT * FROM made",
        "SELECT * INTO copied FROM records", "SELECT last FROM arrivals FOR UPDATE",
        "EXPLAIN ANALYZE DELETE FROM records",
        "SELECT 1; DELETE FROM records", "COMMIT", "COMMIT; DELETE FROM records", "ROLLBACK", "BEGIN", "END",
        "SET default_transaction_read_only = off", "SET TRANSACTION READ WRITE", "RESET ALL", "DISCARD ALL",
        "COPY records TO '/tmp/x'", "COPY (SELECT 1) TO PROGRAM 'true'", "COPY records FROM STDIN",
        "COPY records TO STDOUT", "LOCK TABLE records", "VACUUM", "ANALYZE", "CLUSTER", "REINDEX TABLE records",
        "DO $$ BEGIN DELETE FROM records; END $$", "CALL nothing()", "GRANT ALL ON records TO public",
        "COMMENT ON TABLE records IS 'x'", "LISTEN x", "NOTIFY x", "PREPARE x AS SELECT 1", "EXECUTE x",
        "DECLARE c CURSOR FOR SELECT 1", "CREATE ROLE x", "ALTER ROLE daybook SUPERUSER", "SET ROLE test",
        "SELECT pg_read_file('/etc/passwd')", "SELECT pg_ls_dir('/')", "SELECT lo_import('/etc/passwd')",
        "SELECT pg_reload_conf()", "SELECT set_config('role', 'test', false)",
        "/* SELECT */ DELETE FROM records", "-- SELECT\nDELETE FROM records", "", ";", "(DELETE FROM records)",
    ]

    @Test(
        "A statement with parameters is an error but no lost connection",
        arguments: ["SELECT $1", "SELECT * FROM records WHERE id = $2"])
    func parameterIsBadStatement(sql: String) async throws {
        let (store, _) = try await open()
        let error = await #expect(throws: StoreError.self) { try await store.query(sql, limits: QueryLimits()) }
        #expect(error?.code == .badStatement)
    }

    @Test("PostgreSQL errors suggest similar table names") func postgreSQLSuggestsNames() async throws {
        let (store, _) = try await open()
        let error = await #expect(throws: StoreError.self) {
            try await store.query("SELECT * FROM recrods", limits: QueryLimits())
        }
        #expect(error?.code == .badStatement)
        #expect(error?.message.hasSuffix("Did you mean records?") == true)
    }

    @Test("PostgreSQL SQL cannot write or reach outside the store") func refusesWritesAndAccess() async throws {
        let (store, _) = try await open()
        try await store.append(.numbered("s", (0, 5), 1...5))
        for sql in Self.statements {
            await #expect(throws: StoreError.self, "\(sql)") { try await store.query(sql, limits: QueryLimits()) }
        }
        #expect(try await store.page(RecordQuery()).count == 5)
        #expect(try await store.append(.numbered("s", (5, 6), [6])).stored == 1)
        let tables = "SELECT count(*) FROM pg_tables WHERE schemaname = 'public'"
        #expect(try await store.query(tables, limits: QueryLimits()).rows == [[.integer(13)]])
    }

    @Test("Settings and locks of a statement end with it") func resetsSessionState() async throws {
        let (store, _) = try await open()
        let locks = """
            SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'
            AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
            """
        for sql in [
            "SELECT set_config('statement_timeout', '0', false), set_config('search_path', 'nowhere', false)",
            "SELECT set_config('transaction_read_only', 'off', false)", "EXPLAIN (ANALYZE) CREATE TABLE x AS SELECT 1",
            "SELECT pg_advisory_lock(1145133378)",
        ] {
            _ = try? await store.query(sql, limits: QueryLimits())
        }
        await #expect(throws: StoreError.self) { try await store.query("SELECT * FROM x", limits: QueryLimits()) }
        for _ in 0..<2 {
            #expect(
                try await store.query("SELECT count(*) FROM records", limits: QueryLimits()).rows == [[.integer(0)]])
            #expect(try await store.query("SHOW transaction_read_only", limits: QueryLimits()).rows == [[.text("on")]])
        }
        #expect(
            try await store.query(locks, limits: QueryLimits())
                .rows == [[.integer(0)]])
    }

    /// What a read-only transaction and a role's rights allow.
    private static let refused: [(sql: String, name: String)] = [
        ("SELECT pg_logical_emit_message(false, 'a', repeat('x', 1000000))", "pg_logical_emit_message"),
        ("SELECT pg_terminate_backend(pid) FROM pg_stat_activity", "pg_terminate_backend"),
        ("SELECT pg_catalog.\"pg_cancel_backend\" (1)", "pg_cancel_backend"), ("SELECT lo_create(0)", "lo_create"),
        ("SELECT lo_put(1, 0, 'x')", "lo_put"), ("SELECT * FROM dblink('', 'SELECT 1')", "dblink"),
        ("SELECT dblink_exec('', 'DROP TABLE x')", "dblink_exec"),
        ("SELECT pg_read_file('/etc/passwd')", "pg_read_file"),
        ("SELECT set_config('a.b', 'c', false)", "set_config"), ("SELECT nextval('x')", "nextval"),
        ("SELECT setval('x', 1)", "setval"), ("SELECT pg_advisory_lock/* */(1)", "pg_advisory_lock"),
        ("SELECT pg_try_advisory_xact_lock(1)", "pg_try_advisory_xact_lock"),
        ("SELECT pg_notify('a', 'b')", "pg_notify"),
        ("SELECT query_to_xml('SELECT lo_create(0)', true, false, '')", "query_to_xml"),
        ("SELECT U&\"\\006Co_create\"(0)", "u&"), ("SELECT ts_stat('SELECT lo_create(0)')", "ts_stat"),
    ]

    @Test("Rejects functions that write, signal or lock, and names them") func refusesUnsafeFunctions() async throws {
        let (store, _) = try await open()
        for (sql, name) in Self.refused {
            let error = await #expect(throws: StoreError.self, "\(sql)") {
                try await store.query(sql, limits: QueryLimits())
            }
            #expect(error?.code == .badStatement && error?.message.contains("the function \(name)") == true, "\(sql)")
        }
        // Names in texts, comments and columns are no function calls.
        let harmless = "SELECT 'lo_create(0)', \"nextval\" /* dblink() */ FROM (SELECT 1 AS nextval) AS x"
        #expect(
            try await store.query(harmless, limits: QueryLimits()).rows == [[.text("lo_create(0)"), .integer(1)]])
    }

    @Test("Truncates the cells of an oversized PostgreSQL row") func postgreSQLTruncatesRow() async throws {
        let (store, _) = try await open()
        var limits = QueryLimits()
        limits.bytes = 1_000
        let result = try await store.query(
            "SELECT 7, string_agg('é', '') , decode(repeat('ff', 500), 'hex') FROM generate_series(1, 300)",
            limits: limits)
        #expect(result.isTruncated)
        #expect(
            result.rows == [
                [
                    .integer(7), .text(String(repeating: "é", count: 300)), .blob([UInt8](repeating: 255, count: 175)),
                ]
            ])
    }

    /// A separate role for SQL, set up as in docs/guides/stores.md.
    @Test("A separate SQL role reads everything but reaches no other session") func isolatesSQLRole() async throws {
        let (store, address) = try await open()
        try await store.append(.numbered("s", (0, 3), 1...3))
        let (tools, owner) = try await offPool {
            let server = try PostgreSQLServer.shared.get()
            return (try #require(PostgreSQLServer.tools), server.ownersAddress(of: address))
        }
        let (role, word) = ("reader_\(UInt32.random(in: 0...UInt32.max))", "a%20b%26")
        try await offPool {
            try Program.run(
                ["\(tools)/psql", "-q", owner, "-c", "CREATE ROLE \(role) LOGIN PASSWORD 'a b&'"])
            try Program.run([
                "\(tools)/psql", "-q", address, "-c", "GRANT SELECT ON ALL TABLES IN SCHEMA public TO \(role)", "-c",
                "ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT SELECT ON TABLES TO \(role)",
            ])
        }
        let guardedAddress = address + "&sql_user=\(role)&sql_password=\(word)"
        let guarded = try await offPool { try PostgreSQLStore(address: guardedAddress) }
        let sqlAddress = PostgreSQLAddress.parsed(guardedAddress).sql
        try await guarded.createViews([
            StoreView(name: "seen", statement: "CREATE VIEW seen AS SELECT id AS \"_id\" FROM records")
        ])
        let counts = "SELECT session_user, (SELECT count(*) FROM records), (SELECT count(*) FROM seen)"
        #expect(
            try await guarded.query(counts, limits: QueryLimits()).rows == [[.text(role), .integer(3), .integer(3)]])
        // A role that may end sessions of the store's role stops its appends.
        let ending = """
            SELECT pg_terminate_backend(pid) FROM pg_stat_activity
            WHERE usename = 'daybook' AND datname = current_database() AND pid <> pg_backend_pid()
            """
        for sql in [
            ending, "SELECT query_to_xml('\(ending.replacing("'", with: "''"))', true, false, '')",
            ending.replacing("pg_terminate_backend(", with: #"U&"pg_cancel_b\0061ckend"("#),
            "SELECT set_config('role', 'daybook', true)", "SELECT set_config('session_authorization', 'daybook', true)",
        ] {
            let refusal = await #expect(throws: StoreError.self) { try await guarded.query(sql, limits: QueryLimits()) }
            #expect(refusal?.message.contains("the function") == true)
            // However the name is hidden, the server itself denies the role.
            let error = try await offPool {
                let connection = try PostgreSQLConnection(sqlAddress)
                return #expect(throws: PostgreSQLError.self) { try connection.run(sql) }
            }
            #expect(error?.message.contains("ermission denied") == true || error?.message.contains("must be") == true)
        }
        #expect(try await guarded.append(.numbered("s", (3, 4), [4])).stored == 1)
    }

    @Test("Daybook's own address parameters are not passed to the server") func stripsOwnParameters() {
        let bare = "postgres://daybook:w%3Fx@h:1/d"
        let (store, sql) = PostgreSQLAddress.parsed(bare + "?sql_user=a%40b&sslmode=require&sql_password=p%26q&x=y")
        #expect(store == PostgreSQLAddress(server: bare + "?sslmode=require&x=y"))
        #expect(sql == PostgreSQLAddress(server: store.server, user: "a@b", password: "p&q"))
        #expect(PostgreSQLAddress.parsed(bare).sql == PostgreSQLAddress(server: bare))
        #expect(PostgreSQLAddress.parsed(bare + "?sql_user=a").store == PostgreSQLAddress(server: bare))
    }

    @Test("PostgreSQL stops a statement on timeout and on cancellation") func postgreSQLTimesOut() async throws {
        let (store, _) = try await open()
        var short = QueryLimits()
        short.time = .milliseconds(50)
        let brief = short
        let late = await #expect(throws: StoreError.self) {
            try await store.query("SELECT pg_sleep(60)", limits: brief)
        }
        #expect(late?.code == .limit)
        var long = QueryLimits()
        long.time = .seconds(60)
        let limits = long
        let task = Task { try await store.query("SELECT pg_sleep(60)", limits: limits) }
        task.cancel()
        let cancelled = await #expect(throws: StoreError.self) { try await task.value }
        #expect(cancelled?.message.contains("cancelled") == true)
        #expect(try await store.query("SELECT 1", limits: limits).rows == [[.integer(1)]])
    }

    @Test("Truncates a PostgreSQL result at the byte limit") func boundsResultBytes() async throws {
        let (store, _) = try await open()
        var limits = QueryLimits()
        limits.time = .seconds(30)
        let result = try await store.query(
            "SELECT repeat('x', 1000000) FROM generate_series(1, 100)", limits: limits)
        #expect(result.isTruncated && result.rows.count < 20)
    }

    @Test("Maps PostgreSQL values to their types") func mapsPostgreSQLTypes() async throws {
        let (store, _) = try await open()
        let result = try await store.query(
            """
            SELECT true, 7::smallint, 2.5, sum(x)::numeric, '\\x00ff'::bytea, 'NaN'::float8,
                timestamptz '2026-11-20 10:02:11.204+00', 12345678901234567890.5, '[1, 2]'::jsonb
            FROM generate_series(1, 3) x
            """, limits: QueryLimits())
        #expect(result.rows[0].prefix(5) == [.integer(1), .integer(7), .real(2.5), .integer(6), .blob([0, 255])])
        #expect(
            result.rows[0].suffix(3) == [
                .text("2026-11-20 10:02:11.204+00"), .text("12345678901234567890.5"), .text("[1, 2]"),
            ])
    }

    @Test("A privileged role may not run SQL") func refusesPrivilegedRole() async throws {
        let (_, address) = try await open()
        let owner = try PostgreSQLServer.shared.get().ownersAddress(of: address)
        let store = try await offPool { try PostgreSQLStore(address: owner, access: .readOnly) }
        let error = await #expect(throws: StoreError.self) { try await store.query("SELECT 1", limits: QueryLimits()) }
        #expect(error?.message.contains("CREATE ROLE") == true)
        // The policy that readers store is not a statement of the user's.
        let definitions = Definitions.load([
            (path: "a.md", bytes: Array("# a\n\n## b\n\nOne.\n\n- mail: !string 9 [private]\n".utf8))
        ]).0
        try await offPool { try PostgreSQLStore(address: address) }.createViews(of: definitions)
        #expect(try await store.storedMasking() == MaskingPolicy(definitions))
        #expect(try await store.head() == 0)
    }
}
