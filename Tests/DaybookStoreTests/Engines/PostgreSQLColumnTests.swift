import DaybookAPI
import DaybookBase
import DaybookTools
import DaybookTrials
import Testing

@testable import DaybookDatabases
@testable import DaybookStore

/// Folds over PostgreSQL answer as the statement does, and end with their task, their time and their connection.
@Suite(.enabled(if: PostgreSQLServer.tools != nil, Comment(rawValue: PostgreSQLServer.absence)))
struct PostgreSQLColumnTests {
    private struct Opened: Sendable {
        var store: PostgreSQLStore
        /// Of the server's owner.
        var database: Confined<PostgreSQLConnection>

        func run(_ sql: String) async throws { try await offPool { _ = try database.value.run(sql) } }
    }

    private func open() async throws -> Opened {
        try await offPool {
            let server = try PostgreSQLServer.shared.get()
            let address = try server.makeDatabase()
            let owner = PostgreSQLAddress(server: server.ownersAddress(of: address))
            return Opened(
                store: try PostgreSQLStore(address: address), database: Confined(try PostgreSQLConnection(owner)))
        }
    }

    /// Records of two ranges, of which most share a context.
    private func openLarge() async throws -> Opened {
        let opened = try await open()
        try await opened.run(
            """
            INSERT INTO contexts SELECT md5(n::text)::uuid, jsonb_build_object('service.version', '1.' || n, 'user_id', n)
                FROM generate_series(0, 1) AS n;
            INSERT INTO stored_records(id, uid, time, kind, level, tag, attributes, context, context_id, session)
            SELECT n, 'uid-' || n, n::bigint * 1000000 - n % 7 * 3000000, CASE WHEN n % 50 = 0 THEN 'error' ELSE 'event' END, 9,
                'a.' || n % 5, jsonb_build_object('n', n % 9), CASE WHEN n % 10 = 0 THEN '{"user_id":"x"}'::jsonb END,
                CASE WHEN n % 10 <> 0 THEN md5((n / 30000)::text)::uuid END, 's' || n / 11
            FROM generate_series(5, 34000) AS n;
            ANALYZE
            """)
        return opened
    }

    private func compare(_ text: String, _ store: PostgreSQLStore) async throws {
        let insight = try Insight(parsing: text)
        var limits = QueryLimits()
        (limits.rows, limits.time) = (10_000, .seconds(60))
        let result = try await store.query(insight.sql(.postgresql, now: 0), limits: limits)
        let folded = try await store.fold { source throws(StoreError) in try insight.answer(from: source, now: 0) }
        #expect(folded.columns == result.columns)
        #expect(folded.rows.count > 0)
        #expect(InsightTable(insight, folded, now: 0) == InsightTable(insight, result, now: 0), "\(text)")
    }

    @Test("A fold over two ranges of PostgreSQL is the statement") func largeFold() async throws {
        let store = try await openLarge().store
        for text in [
            "a.1 -> a.2 -> a.3 within 1h", "a.1 -> ** joining session by version", "a.* -> a.4 joining user_id",
            "a.1(n > 3) -> a.2 by n", "count ** by version", "count a.2 by user_id", "measure n of a.3",
            "differ a.1 from a.2(n > 3) by version, n, user_id",
            "retention a.1 returning a.2 for 3 joining user_id", "path after a.1 steps 2 within 10m",
            "count a.1 since \"1970-01-01T00:00:10Z\" until \"1970-01-01T00:00:20Z\"",
        ] { try await compare(text, store) }
        let request = ColumnRequest(
            valued: [.field(.tag), .field(.kind)], times: 0..<Int64.max, records: .init(onlyEvents: true, tags: ["a.1"])
        )
        let numbers = try await store.fold { source throws(StoreError) in
            var numbers: [Int64] = []
            try source.forEach(ColumnRequest(valued: [.field(.tag)], numbers: 32_700..<32_900)) { slice in
                numbers += slice.numbers
                return slice.numbers.count == slice.count
            }
            return numbers
        }
        #expect(numbers == Array(32_700..<32_900))
        let seen = Mutex<[SearchProgress]>([])
        let counts = try await store.fold(limit: .seconds(60), progress: { now in seen.withLock { $0.append(now) } }) {
            source throws(StoreError) in
            var counts: [Int] = []
            try source.forEach(request) { slice in
                counts.append(slice.count)
                return true
            }
            return counts
        }
        #expect(counts.count == 2 && counts.reduce(0, +) == 6_797)
        #expect(seen.withLock { $0 } == [32_768, 33_996].map { SearchProgress(done: $0, total: 33_996) })
    }

    @Test("Every JSON value is the same to a fold over PostgreSQL and to the statement") func jsonForms() async throws {
        let store = try await open().store
        let values = [
            "5", "-7", "5.0", "1.5e3", "1e-7", "1234567890123456789", "true", "false", "null", "\"\"", "\"5\"",
            "\"null\"",
            #""a\"b\\c""#, #""\u00fc""#, "\"ü\"", #""\n\u0001""#, "\"卵\"", "[]", "[1, 2]", "{}",
            #"{"a": [1, {"b": 2}]}"#,
        ]
        let long = String(repeating: "x", count: 80)
        let rows = values.indices.flatMap { index in
            (0..<3).map { number in
                RecordRow.sample(
                    3 * index + number, tag: "a.b", attributes: number == 0 ? "{\"v\":\(values[index])}" : "{}"
                )
                .with { row in
                    row.session = "s\(index)"
                    let more = number == 1 ? "" : ",\"long\":\"\(long)\""
                    row.context = number == 0 ? "{}" : "{\"v\":\(values[index])\(more)}"
                }
            }
        }
        try await store.append(RecordBatch(rows: rows))
        for text in [
            "count a.b by v", "count a.b joining v", "a.b -> a.b joining v", "a.b(v exists) -> a.b by v",
            "measure v of a.b",
        ] {
            try await compare(text, store)
        }
    }

    @Test("A cancelled or late fold over PostgreSQL ends, and the next one answers", arguments: [true, false])
    func foldEnds(isCancelled: Bool) async throws {
        let opened = try await openLarge()
        let insight = try Insight(parsing: "count **")
        let passes = Atomic(0)
        let task = Task { [store = opened.store] in
            try await store.fold(limit: isCancelled ? .seconds(60) : .milliseconds(100), progress: { _ in }) {
                source throws(StoreError) in
                while true {
                    _ = try insight.answer(from: source, now: 0)
                    passes.add(1, ordering: .relaxed)
                }
            }
        }
        if isCancelled {
            try await eventually("it runs") { passes.load(ordering: .relaxed) > 0 }
            task.cancel()
        }
        let ended = await #expect(throws: StoreError.self) { try await task.value }
        #expect(ended?.code == .limit && ended?.message.contains(isCancelled ? "cancelled" : "stopped after") == true)
        // A lock keeps the server from answering.
        try await opened.run("BEGIN; LOCK TABLE stored_records")
        let waiting = Task { [store = opened.store] in
            try await store.fold(limit: .milliseconds(isCancelled ? 60_000 : 100), progress: { _ in }) {
                source throws(StoreError) in try insight.answer(from: source, now: 0)
            }
        }
        if isCancelled { waiting.cancel() }
        await #expect(throws: StoreError.self) { try await waiting.value }
        try await opened.run("ROLLBACK")
        try await compare("count **", opened.store)
    }

    @Test("A connection lost during a fold over PostgreSQL is an error, and no answer") func lostConnection()
        async throws
    {
        let opened = try await openLarge()
        let database = opened.database
        @Sendable func end() {
            _ = try? database.value.run(
                """
                SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity
                WHERE datname = current_database() AND pid <> pg_backend_pid()
                """)
        }
        let lost = await #expect(throws: StoreError.self) {
            try await opened.store.fold { source throws(StoreError) in
                try source.forEach(ColumnRequest(valued: [.field(.tag)], times: 0..<Int64.max)) { _ in
                    end()
                    return true
                }
            }
        }
        #expect(
            lost?.code == .unavailable && lost?.message.contains("PostgreSQL") == true, "\(String(describing: lost))")
        try await compare("count **", opened.store)
        // An idle connection that died is replaced.
        end()
        let insight = try Insight(parsing: "count **")
        let folded = try await opened.store.fold { source throws(StoreError) in
            try insight.answer(from: source, now: 0)
        }
        #expect(folded.rows.count == 1)
    }
}
