import DaybookBase
import DaybookStore
import DaybookTools
import DaybookTrials
import Testing

@testable import DaybookCollector
@testable import DaybookDatabases

/// Tries to write and to reach outside through SQL on ClickHouse.
@Suite(
    .enabled(if: ClickHouseCluster.program != nil, Comment(rawValue: ClickHouseCluster.absence)),
    .serialized)
struct ClickHouseConsoleTests {
    private func open() async throws -> ClickHouseStore {
        try await offPool { try ClickHouseStore(address: ClickHouseCluster.shared.get().makeDatabase()) }
    }

    private static let statements: [String] = [
        "INSERT INTO stored_records(id) VALUES (9)", "INSERT INTO all_claims SELECT * FROM all_claims",
        "ALTER TABLE stored_records DELETE WHERE 1", "ALTER TABLE stored_records ADD COLUMN x Int8",
        "DROP TABLE stored_records", "DROP VIEW records", "TRUNCATE TABLE stored_records", "RENAME TABLE claims TO x",
        "CREATE TABLE x(i Int8) ENGINE = Memory", "CREATE TEMPORARY TABLE x(i Int8)", "CREATE VIEW v AS SELECT 1",
        "CREATE DATABASE x", "DETACH TABLE claims", "ATTACH TABLE claims", "OPTIMIZE TABLE claims",
        "CHECK TABLE claims",
        "SET readonly = 0", "SET max_execution_time = 0", "SELECT 1 SETTINGS readonly = 0", "USE system",
        "KILL QUERY WHERE 1", "SYSTEM SHUTDOWN", "SYSTEM RELOAD CONFIG", "SELECT 1 INTO OUTFILE '/tmp/x'",
        "SELECT * FROM file('/etc/passwd', 'TSV', 'a String')", "SELECT * FROM numbers(3)",
        "SELECT * FROM url('http://127.0.0.1:1/', 'TSV', 'a String')",
        "SELECT * FROM remote('127.0.0.1:1', system.one)", "SELECT * FROM mysql('a:1', 'b', 'c', 'd', 'e')",
        "SELECT * FROM cluster('two_shards', system.one)", "SELECT 1 FORMAT JSON",
        "SELECT 1; DROP TABLE stored_records", "/* SELECT */ DROP TABLE claims", "-- SELECT\nDROP TABLE claims", "",
        ";",
    ]

    @Test("ClickHouse SQL cannot write or reach outside the store") func refusesWritesAndAccess() async throws {
        let store = try await open()
        try await store.append(.numbered("s", (0, 5), 1...5))
        for sql in Self.statements {
            await #expect(throws: StoreError.self, "\(sql)") { try await store.query(sql, limits: QueryLimits()) }
        }
        #expect(try await store.page(RecordQuery()).count == 5)
        #expect(try await store.append(.numbered("s", (5, 6), [6])).stored == 1)
    }

    @Test("Rejects functions with external access and names them") func refusesExternalFunctions() async throws {
        let store = try await open()
        for name in ["url", "File", "remote", "s3", "mysql", "executable"] {
            let error = await #expect(throws: StoreError.self) {
                try await store.query("SELECT * FROM \(name) /* x */ ('a')", limits: QueryLimits())
            }
            #expect(error?.message.contains("the function \(name.lowercased())") == true)
        }
        let harmless = try await store.query("SELECT 'url(1)', count() AS file FROM records", limits: QueryLimits())
        #expect(harmless.columns.last == "file")
    }

    @Test("Servers that cannot mask answer only queries without private data") func oldServersLimitMasking()
        async throws
    {
        let store = try await open()
        try await store.append(.numbered("s", (0, 5), 1...5))
        var limits = QueryLimits()
        limits.masking = MaskingPolicy()
        let masked = limits
        for sql in [
            "SELECT message FROM records", "SELECT * FROM records",
            "SELECT count(*) FROM (SELECT * FROM stored_records)",
            "SELECT `attributes` AS x FROM stored_records", "SELECT 1 FROM records WHERE context LIKE 'a'",
        ] {
            let error = await #expect(throws: StoreError.self, "\(sql)") { try await store.query(sql, limits: masked) }
            #expect(error?.message.contains("older than 22.3") == true)
        }
        let counts = try await store.query("SELECT count(*) FROM records", limits: masked)
        #expect(counts.rows == [[.integer(5)]])
        limits.masking = nil
        #expect(try await store.query("SELECT * FROM records", limits: limits).rows.count == 5)
    }

    @Test("ClickHouse stops a statement on timeout and on cancellation") func clickHouseTimesOut() async throws {
        let store = try await open()
        var short = QueryLimits()
        short.time = .milliseconds(50)
        let brief = short
        let late = await #expect(throws: StoreError.self) {
            try await store.query("SELECT sleep(1)", limits: brief)
        }
        #expect(late?.code == .limit)
        var long = QueryLimits()
        long.time = .seconds(60)
        let limits = long
        let task = Task { try await store.query("SELECT sleep(3)", limits: limits) }
        task.cancel()
        let cancelled = await #expect(throws: StoreError.self) { try await task.value }
        #expect(cancelled?.message.contains("cancelled") == true)
        #expect(try await store.query("SELECT 1", limits: limits).rows == [[.integer(1)]])
    }

    @Test("Truncates a ClickHouse result at the byte limit") func boundsResultBytes() async throws {
        let store = try await open()
        var limits = QueryLimits()
        limits.time = .seconds(30)
        let result = try await store.query(
            "SELECT arrayStringConcat(arrayMap(x -> 'xxxxxxxxxx', range(100000))) FROM (SELECT arrayJoin(range(100)))",
            limits: limits)
        #expect(result.isTruncated && result.rows.count < 20)
    }

    @Test("Maps ClickHouse values to their types") func mapsClickHouseTypes() async throws {
        let store = try await open()
        let result = try await store.query(
            """
            SELECT toUInt8(1), toInt16(-7), 2.5, toNullable(toInt64(6)), NULL, toUInt64(18446744073709551615),
                'tab\\t, line\\n, back\\\\slash', toDateTime(1), [1, 2]
            """, limits: QueryLimits())
        #expect(result.rows[0].prefix(5) == [.integer(1), .integer(-7), .real(2.5), .integer(6), .null])
        #expect(
            result.rows[0].suffix(4) == [
                .text("18446744073709551615"), .text("tab\t, line\n, back\\slash"), .text("1970-01-01 00:00:01"),
                .text("[1,2]"),
            ])
    }
}
