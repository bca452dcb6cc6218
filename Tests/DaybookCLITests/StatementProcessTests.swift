import DaybookBase
import DaybookCollector
import DaybookDatabases
import DaybookProcesses
import DaybookStore
import DaybookTestTraits
import DaybookTools
import DaybookTrials
import Foundation
import Testing

/// Statements in their own processes, hostile ones too. Nothing here is timed: what is not stopped exceeds the suite's
/// limit.
@Suite(.timeLimit(.minutes(5)), .temporaryDirectory) struct StatementProcessTests {
    private let tool = Tool()

    /// SQLite works on this for half a minute and more without checking for interrupts.
    static let uninterruptible = "SELECT trim(hex(zeroblob(500000)), replace(hex(zeroblob(40000)),'00','12')||'0')"
    static let endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n"

    private func limits(seconds: Double = 600, bytes: Int = 16 << 20) -> QueryLimits {
        var limits = QueryLimits()
        (limits.time, limits.bytes) = (.seconds(seconds), bytes)
        return limits
    }

    /// A runner over a new SQLite store in the tool's folder.
    private func runner(_ tool: Tool, capacity: Int = 2, _ records: [RecordRow] = []) async throws -> StatementProcesses
    {
        let path = try await newStore(tool, records)
        return StatementProcesses(
            program: BuiltProduct.daybook.path, store: "sqlite:\(path)", capacity: capacity)
    }

    private func newStore(_ tool: Tool, _ records: [RecordRow] = []) async throws -> String {
        let path = tool.directory.appending(path: "s.sqlite").path
        let store = try SQLiteStore(path: path)
        try await store.append(RecordBatch(rows: records))
        await store.close()
        return path
    }

    private func failure(_ runner: StatementProcesses, _ sql: String, _ limits: QueryLimits) async -> StoreError? {
        await #expect(throws: StoreError.self, "\(sql.prefix(80))") { try await runner.query(sql, limits: limits) }
    }

    @Test("A statement process gives the store's results and errors") func processMatchesStore() async throws {
        let runner = try await runner(tool)
        let answer = try await runner.query(
            "SELECT 1 AS a, 'x', NULL, 0.5, x'00ff', count(*) FROM records", limits: limits())
        #expect(answer.columns.first == "a")
        #expect(answer.rows == [[.integer(1), .text("x"), .null, .real(0.5), .blob([0, 255]), .integer(0)]])
        #expect(await failure(runner, "SELEC", limits())?.code == .badStatement)
        #expect(await failure(runner, "DELETE FROM records", limits())?.message.contains("Only reading") == true)
        #expect(await failure(runner, Self.endless, limits(seconds: 0.05))?.code == .limit)
        let absent = StatementProcesses(
            program: BuiltProduct.daybook.path, store: tool.directory.appending(path: "none.sqlite").path)
        #expect(await failure(absent, "SELECT 1", limits())?.message.contains("There is no store") == true)
        let load = runner.load
        #expect(
            load.running == 0 && load.waiting == 0 && load.ended == ["answered": 1, "refused": 2, "stopped": 1])
    }

    @Test("Kills a statement that cannot be interrupted and says why") func killsStuckStatement() async throws {
        let error = await failure(try await runner(tool), Self.uninterruptible, limits(seconds: 0.1))
        #expect(error == .stopped(after: .seconds(0.1)))
    }

    /// Each name doubles the one before: SQLite would take gigabytes before the first step, which nothing interrupts.
    @Test("A statement that grows during preparation meets the memory limit") func boundsPreparedMemory() async throws {
        let doubled = (1...20).map { "a\($0) AS (SELECT * FROM a\($0 - 1) UNION ALL SELECT * FROM a\($0 - 1))" }
        let sql =
            "WITH a0 AS (SELECT 1 x UNION ALL SELECT 2), \(doubled.joined(separator: ", ")) SELECT count(*) FROM a20"
        #expect(sql.utf8.count < 1_250)
        let error = await failure(try await runner(tool), sql, limits())
        #expect(error?.code == .limit && error?.message.contains("256 MiB of memory") == true, "\(error as Any)")
    }

    @Test("A row of a gigabyte meets the memory limit") func boundsRowMemory() async throws {
        let cells = Array(repeating: "zeroblob(1000000)", count: 1_000)
        let error = await failure(try await runner(tool), "SELECT \(cells.joined(separator: ", "))", limits())
        #expect(error?.code == .limit, "\(error as Any)")
    }

    #if os(Linux)
        /// As on a system that does not bound it.
        @Test("A statement process over the watched memory is stopped") func stopsGrowingProcess() async throws {
            let path = try await newStore(tool)
            // The blobs stay in memory until the endless statement ends.
            let blobs = (0..<100).map { _ in "length((SELECT randomblob(1000000)))" }
            let growing = Self.endless + " WHERE i <> " + blobs.joined(separator: " AND i <> ")
            for (most, words) in [(64 << 20, "256 MiB of memory"), (64 << 30, "0.5 s")] {
                let runner = StatementProcesses(
                    program: BuiltProduct.daybook.path, store: "sqlite:\(path)",
                    watch: MemoryWatch(most: most, reader: Self.residentBytes))
                let error = await failure(runner, growing, limits(seconds: most == 64 << 20 ? 600 : 0.5))
                #expect(error?.code == .limit && error?.message.contains(words) == true, "\(error as Any)")
            }
        }

        private static func residentBytes(of process: pid_t) -> Int? {
            let fields = (try? String(contentsOfFile: "/proc/\(process)/statm", encoding: .utf8))?.split(separator: " ")
            return fields.flatMap { $0.count > 1 ? Int($0[1]) : nil }.map { $0 * Int(sysconf(Int32(_SC_PAGESIZE))) }
        }
    #endif

    @Test("A record over a megabyte does not prevent queries") func readsLargeRecords() async throws {
        var large = RecordRow.numbered(1)
        large.attributes = "{\"x\":\"\(String(repeating: "y", count: 1_100_000))\"}"
        let runner = try await runner(tool, [RecordRow.numbered(0), large])
        let counted = "SELECT count(*), max(length(attributes)) FROM records"
        #expect(try await runner.query(counted, limits: limits()).rows == [[.integer(2), .integer(1_100_008)]])
        let whole = try await runner.query("SELECT attributes FROM records ORDER BY id", limits: limits())
        #expect(whole.rows.last == [.text(large.attributes)] && !whole.isTruncated)
        let cut = try await runner.query(
            "SELECT id, attributes FROM records ORDER BY id DESC", limits: limits(bytes: 1_032))
        #expect(cut.isTruncated && cut.rows == [[.integer(2), .text(String(large.attributes.prefix(1_000)))]])
    }

    @Test("Cancelling a statement ends its process and frees its place") func cancellingEndsProcess() async throws {
        let runner = try await runner(tool, capacity: 1)
        let limits = limits(seconds: 600)
        let (first, second) = (
            Task { try await runner.query(Self.uninterruptible, limits: limits) },
            Task { try await runner.query(Self.endless, limits: limits) }
        )
        try await eventually("one runs and one waits") { runner.load.running == 1 && runner.load.waiting == 1 }
        second.cancel()
        #expect(await #expect(throws: StoreError.self) { try await second.value } == .queryCancelled)
        first.cancel()
        #expect(await #expect(throws: StoreError.self) { try await first.value } == .queryCancelled)
        #expect(try await runner.query("SELECT 1", limits: limits).rows == [[.integer(1)]])
    }

    @Test("Excess statements are refused, and stopping ends all") func refusesExcessStatements() async throws {
        let runner = try await runner(tool, capacity: 1)
        let limits = limits(seconds: 600)
        let tasks = (0..<17).map { _ in Task { try await runner.query(Self.endless, limits: limits) } }
        try await eventually("one runs and sixteen wait") { runner.load.running == 1 && runner.load.waiting == 16 }
        let refused = await failure(runner, "SELECT 1", limits)
        #expect(refused?.code == .unavailable && refused?.message.contains("Too many statements") == true)
        runner.stop()
        for task in tasks {
            let error = await #expect(throws: StoreError.self) { try await task.value }
            #expect(error?.message.contains("the collector is stopping") == true)
        }
        #expect(await failure(runner, "SELECT 1", limits)?.code == .unavailable)
    }

    @Test("One client cannot take the whole statement queue") func sharesStatementQueue() async throws {
        let runner = StatementProcesses(program: "/usr/bin/false", store: "none", capacity: 0)
        let limits = limits(seconds: 600)
        for (name, waiting) in [("reader", 8), ("manager", 12)] {
            let tasks = Asker.$current.withValue(Asker(name: name)) {
                (0..<20).map { _ in Task { await failure(runner, "SELECT 1", limits) } }
            }
            try await eventually("what has no place is refused") {
                runner.load.waiting == waiting && runner.load.ended["unavailable"] == (name == "reader" ? 12 : 28)
            }
            withExtendedLifetime(tasks) {}
        }
        runner.stop()
    }

    @Test("A statement that waits past its time limit is refused") func boundsStatementWait() async {
        let runner = StatementProcesses(program: "/usr/bin/false", store: "none", capacity: 0)
        #expect(await failure(runner, "SELECT 1", limits(seconds: 0.01))?.message.contains("Too many") == true)
    }

    @Test(
        "A process that ends without an answer is explained by its exit",
        arguments: [
            ("kill -SEGV $$", StoreError.Code.limit, "256 MiB of memory"),
            ("kill -KILL $$", .limit, "256 MiB of memory"),
            ("kill -XCPU $$", .limit, "stopped after"), ("kill -XFSZ $$", .limit, "1 GiB of temporary files"),
            ("exit 3", .storage, "status 3"), ("cat /dev/zero", .storage, "invalid result"),
        ])
    func explainsProcessEnd(script: String, code: StoreError.Code, words: String)
        async throws
    {
        try tool.write("#!/bin/sh\n\(script)\n", to: "program")
        let path = tool.directory.appending(path: "program").path
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: path)
        var error: StoreError?
        for _ in 0..<50 {
            error = await failure(StatementProcesses(program: path, store: "s"), "SELECT 1", limits())
            // A child that another test starts may hold the file open for a moment, from when this test wrote it.
            if error?.message.contains("Text file busy") != true { break }
        }
        #expect(error?.code == code && error?.message.contains(words) == true, "\(error as Any)")
    }

    @Test("Reports that the statement program does not exist") func reportsMissingProgram() async {
        let error = await failure(StatementProcesses(program: "/nowhere", store: "s"), "SELECT 1", limits())
        #expect(error?.code == .unavailable && error?.message.contains("No such file") == true)
    }

    @Test(
        "Bounds the memory of PostgreSQL results outside the collector",
        .enabled(if: PostgreSQLServer.tools != nil, Comment(rawValue: PostgreSQLServer.absence)))
    func boundsPostgreSQLMemory() async throws {
        let address = try await offPool {
            let address = try PostgreSQLServer.shared.get().makeDatabase()
            _ = try PostgreSQLStore(address: address)
            return address
        }
        let runner = StatementProcesses(program: BuiltProduct.daybook.path, store: address)
        #expect(try await runner.query("SELECT count(*) FROM records", limits: limits()).rows == [[.integer(0)]])
        let cut = try await runner.query(
            "SELECT string_agg(repeat('x', 1000), '') FROM generate_series(1, 20000)", limits: limits(bytes: 100_016))
        #expect(cut.isTruncated && cut.rows == [[.text(String(repeating: "x", count: 100_000))]])
        let huge = await failure(
            runner, "SELECT string_agg(repeat('x', 1000000), '') FROM generate_series(1, 500)", limits())
        #expect(huge?.code == .limit && huge?.message.contains("256 MiB of memory") == true, "\(huge as Any)")
        #expect(await failure(runner, "SELECT pg_sleep(60)", limits(seconds: 0.1))?.code == .limit)
    }
}

extension RecordRow {
    fileprivate static func numbered(_ number: Int) -> RecordRow {
        RecordRow(uid: "u\(number)", time: Int64(number), kind: .event, level: 9, tag: "a.b")
    }
}
