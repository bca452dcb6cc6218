import DaybookStore
import DaybookTools
import DaybookTrials
import Testing

@testable import DaybookCollector
@testable import DaybookDatabases

@Suite(.enabled(if: PostgreSQLServer.tools != nil, Comment(rawValue: PostgreSQLServer.absence)))
struct PostgreSQLStoreTests {
    private func address() async throws -> String {
        try await offPool { try PostgreSQLServer.shared.get().makeDatabase() }
    }

    private func open(_ address: String, access: StoreAccess = .readWrite) async throws -> PostgreSQLStore {
        try await offPool { try PostgreSQLStore(address: address, access: access) }
    }

    @Test("The PostgreSQL store passes every conformance case", arguments: ConformanceCase.all)
    func conforms(to conformance: ConformanceCase) async throws {
        try await conformance.check(open(address()))
    }

    @Test("No PostgreSQL statement reveals masked values") func statementsStayMasked() async throws {
        try await MaskedStatementCase.check(open(address()))
    }

    @Test("The PostgreSQL store key is created once and hidden from SQL") func storeKeyIsSecret() async throws {
        let address = try await address()
        try await StoreKeyCase.check { try await offPool { try PostgreSQLStore(address: address) } }
    }

    @Test("Error positions refer to the statement as written") func errorPositionIsOriginal() async throws {
        let store = try await open(address())
        var masked = QueryLimits()
        masked.masking = MaskingPolicy().withPseudonyms()
        for limits in [QueryLimits(), masked] {
            let error = try await #require(throws: StoreError.self) {
                try await store.query("select * from nope", limits: limits)
            }
            #expect(error.message.contains("(at character 15)"), "\(error)")
        }
    }

    @Test("Completeness and metrics cope with the largest claims") func surviveBoastfulSenders() async throws {
        let store = try await open(address())
        for batch in RecordBatch.boastful { try await store.append(batch) }
        let answer = try await store.query(
            "SELECT stored, missing, lost, missing + lost FROM completeness", limits: QueryLimits())
        let most: Int64 = 1_000_000_000_000
        #expect(answer.rows == [[.integer(3), .integer(most), .integer(most), .integer(2 * most)]])
        var text = PrometheusText()
        await StreamMetrics(of: store).write(to: &text)
        #expect(text.text.contains("\ndaybook_stream_missing_records{proven=\"false\"} 3000000000000\n"))
        #expect(
            text.text.contains(
                "\ndaybook_stream_lost_records_total{reason=\"big\",proven=\"false\"} 3000000000000\n"))
        #expect(text.text.contains("\ndaybook_store_bytes "))
    }

    @Test("Upgrades PostgreSQL tables from an older version") func upgradesPostgreSQLTables() async throws {
        let address = try await address()
        _ = try await open(address)
        let database = try PostgreSQLConnection(PostgreSQLAddress(server: address))
        let long = String(repeating: "x", count: 500)
        // As the second version made them, with a view of the store, a view on that one, and one of a reader.
        try database.run(
            """
            DROP VIEW records; DROP TABLE contexts; DROP TABLE context_uses; DROP TABLE identity;
            ALTER TABLE stored_records RENAME TO records; ALTER TABLE records DROP COLUMN context_id;
            ALTER TABLE records ALTER COLUMN context SET NOT NULL;
            CREATE VIEW seen AS SELECT id AS "_id", context FROM records WHERE tag = 'recipe.show';
            CREATE VIEW theirs WITH (security_barrier) AS SELECT max("_id") AS last FROM seen;
            CREATE VIEW whole AS SELECT * FROM records;
            GRANT SELECT ON records TO PUBLIC;
            INSERT INTO records(id, uid, time, kind, level, tag, attributes, context)
                VALUES (1, 'old', 1, 'event', 9, 'recipe.show', '{}', '{"service.version":"1.0","long":"\(long)"}');
            UPDATE arrivals SET last = 1; UPDATE daybook_schema SET version = 1
            """)
        await #expect(throws: StoreError.self) { try await open(address, access: .readOnly) }
        let store = try await open(address)
        let version = try await store.query("SELECT version FROM daybook_schema", limits: QueryLimits())
        #expect(version.rows == [[.integer(6)]])
        // The first record arrives some time after the upgrade.
        try database.run("UPDATE arrival_times SET time = time - 3600000000000")
        let context = #"{"long":"\#(long)","service.version":"1.0"}"#
        try await store.append(
            RecordBatch(rows: (2...3).map { number in .sample(number).with { $0.context = context } }))
        func numbers(_ sql: String) async throws -> [QueryResult.Cell] {
            try await store.query(sql, limits: QueryLimits()).rows.flatMap { $0 }
        }
        #expect(
            try await numbers("SELECT _id FROM seen WHERE context ->> 'long' = '\(long)' ORDER BY 1")
                == [1, 2, 3].map { .integer($0) })
        #expect(try await numbers("SELECT last FROM theirs") == [.integer(3)])
        #expect(try await numbers("SELECT count(context) FROM whole") == [.integer(3)])
        #expect(
            try await numbers("SELECT has_table_privilege('public', 'records', 'SELECT')::int") == [.integer(1)])
        #expect(try await numbers("SELECT count(*) FROM contexts") == [.integer(1)])
        #expect(try await store.erase(RecordFilter(.field(.version, "1.0"))) == 3)
        #expect(
            try await numbers("SELECT (SELECT count(*) FROM contexts) + count(*) FROM context_uses") == [.integer(0)])
    }

    @Test("PostgreSQL stores a shared context once") func storesContextOnce() async throws {
        let store = try await open(address())
        // Random numbers, since the server compresses.
        var random = SystemRandomNumberGenerator()
        let long = (0..<16_000).map { _ in String(random.next() as UInt64, radix: 36) }.joined()
        let context = #"{"long":"\#(long)"}"#
        for start in stride(from: 0, to: 600, by: 200) {
            try await store.append(
                RecordBatch(rows: (start..<start + 200).map { number in .sample(number).with { $0.context = context } })
            )
        }
        // More than 100 MB as sent.
        #expect(try #require(await store.size()) < 24 << 20)
        #expect(try await store.page(RecordQuery()).allSatisfy { $0.row.context.utf8.count == context.utf8.count })
    }

    @Test("Values that no column can hold are stored as closely as possible") func approximatesOddValues() async throws
    {
        let store = try await open(address())
        let long = String(repeating: "長", count: 2_000)
        let odd = RecordRow.sample(
            1, tag: long, message: "a\0b", attributes: #"{"zero":"x\u0000y","slash":"\\u0000","lone":"\ud800"}"#,
            session: long
        ).with { $0.line = 99_999_999_999 }
        try await store.append(RecordBatch(rows: [odd, .sample(2), odd.with { $0.attributes = "[1" }]))
        let rows = try await store.page { $0.order = .oldestFirst }.map(\.row)
        #expect(rows.map(\.message) == ["a\u{FFFD}b", nil, "a\u{FFFD}b"])
        #expect(rows[0].attributes.contains("x\u{FFFD}y") && rows[0].attributes.contains(#"\\u0000"#))
        #expect(rows[2].attributes == "[1")
        #expect(rows.map(\.line) == [2_147_483_647, nil, 2_147_483_647])
        #expect(rows[0].tag.utf8.count == 798 && long.hasPrefix(rows[0].tag))
    }

    /// Two tags that this database takes for equal are two rows for one key in a statement (21000), which no value is
    /// to blame for: only their own batch fails, whatever it was committed with.
    @Test("A commit refused by the server fails only its own batch") func isolatesRefusedCommit() async throws {
        let store = try await open(address())
        let bad = RecordBatch(rows: [.sample(100, tag: "x\0"), .sample(101, tag: "x\u{FFFD}")])
        let results = await withTaskGroup(of: (Int, Bool).self) { group in
            for number in 0..<40 {
                let batch = number % 13 == 7 ? bad : RecordBatch(rows: [.sample(number)])
                group.addTask { (number, (try? await store.append(batch)) != nil) }
            }
            return await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
        #expect(results.filter { !$0.value }.keys.sorted() == [7, 20, 33])
        let uids = Set(try await store.page { $0.limit = 100 }.map(\.row.uid))
        #expect(uids == Set((0..<40).filter { $0 % 13 != 7 }.map { RecordRow.sample($0).uid }))
    }

    @Test("An unstorable value fails its whole batch and no other") func isolatesRefusedValue() async throws {
        let store = try await open(address())
        let huge = RecordRow.sample(1, attributes: "{\"n\":1e\(String(repeating: "9", count: 9))}")
        let batches = (0..<20).map { $0 == 7 ? [.sample(7), huge] : [RecordRow.sample($0)] }
        let results = await withTaskGroup(of: (Int, Bool).self) { group in
            for (number, rows) in batches.enumerated() {
                group.addTask { (number, (try? await store.append(RecordBatch(rows: rows))) != nil) }
            }
            return await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
        // Whether the number is refused is up to the server's version.
        #expect(results.allSatisfy { $0.value || $0.key == 7 })
        let stored = batches.indices.filter { results[$0] == true }.flatMap { batches[$0].map(\.uid) }
        #expect(try await store.page(RecordQuery()).map(\.row.uid).sorted() == stored.sorted())
    }

    @Test("A reader tailing two concurrent writers misses no records") func tailMissesNothing() async throws {
        let address = try await address()
        let stores = [try await open(address), try await open(address), try await open(address, access: .readOnly)]
        let seen = try await withThrowingTaskGroup(of: [Int64].self) { group in
            for task in 0..<8 {
                group.addTask {
                    for step in 0..<25 {
                        let rows = (0..<4).map { RecordRow.sample(task * 1_000 + step * 4 + $0) }
                        try await stores[task % 2].append(RecordBatch(rows: rows))
                    }
                    return []
                }
            }
            group.addTask {
                var seen: [Int64] = []
                for _ in 0..<100_000 where seen.count < 800 {
                    let page = try await stores[2].page { query in
                        query.after = seen.last ?? 0
                        query.order = .oldestFirst
                    }
                    seen += page.map(\.id)
                }
                return seen
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        #expect(seen == Array(1...800))
    }

    @Test("PostgreSQL stores a batch sent to two collectors at once only once") func postgreSQLDeduplicates()
        async throws
    {
        let address = try await address()
        let stores = [try await open(address), try await open(address)]
        let stored = try await withThrowingTaskGroup(of: Int.self) { group in
            for step in 0..<40 {
                let after = UInt64(step / 2 * 10)
                group.addTask {
                    try await stores[step % 2].append(.numbered("s", (after, after + 10), after + 1...after + 10))
                        .stored
                }
            }
            return try await group.reduce(0, +)
        }
        #expect(stored == 200)
        #expect(Set(try await stores[0].uids { $0.limit = 1_000 }).count == 200)
        let ledger = try await stores[1].ledger(LedgerQuery()).ledgers
        #expect(ledger.map(\.settled) == [[.init(after: 0, through: 200)]])
        #expect(ledger.map(\.duplicates) == [200])
    }

    @Test("Re-establishes lost PostgreSQL connections") func reconnects() async throws {
        let address = try await address()
        let store = try await open(address)
        try await store.append(RecordBatch(rows: [.sample(1)]))
        #expect(try await store.head() == 1)
        let owner = try PostgreSQLServer.shared.get().ownersAddress(of: address)
        try await offPool {
            _ = try PostgreSQLConnection(PostgreSQLAddress(server: owner)).run(
                """
                SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                WHERE datname = current_database() AND pid <> pg_backend_pid()
                """)
        }
        #expect(try await store.append(RecordBatch(rows: [.sample(2)])).stored == 1)
        #expect(try await store.head() == 2)
        #expect(try await store.query("SELECT count(*) FROM records", limits: .init()).rows == [[.integer(2)]])
    }

    @Test("Erasing records updates their session summaries") func erasingUpdatesSessions() async throws {
        let store = try await open(address())
        try await store.append(
            RecordBatch(rows: [.sample(1, session: "x"), .sample(5, level: 17, session: "x"), .sample(9, session: "y")])
        )
        var filter = RecordFilter()
        filter.narrow(by: .since(5_000))
        #expect(try await store.erase(filter) == 2)
        #expect(
            try await store.sessions(SessionQuery()) == [
                SessionSummary(session: "x", count: 1, errors: 0, firstTime: 1_000, lastTime: 1_000)
            ])
    }

    @Test("A read-only PostgreSQL store must exist and is never written") func postgreSQLReadOnly() async throws {
        let address = try await address()
        let missing = await #expect(throws: StoreError.self) { try await open(address, access: .readOnly) }
        #expect(missing?.code == .unavailable)
        try await open(address).append(RecordBatch(rows: [.sample(1)]))
        let reader = try await open(address, access: .readOnly)
        #expect(try await reader.head() == 1)
        await #expect(throws: AppendError.failed(.readOnly())) {
            try await reader.append(RecordBatch(rows: [.sample(2)]))
        }
    }

    @Test("An unreachable PostgreSQL server is named without its password") func postgreSQLUnreachable() async throws {
        let error = await #expect(throws: StoreError.self) {
            try await open("postgres://user:secret@127.0.0.1:1/daybook")
        }
        #expect(error?.code == .unavailable)
        #expect(error?.message.contains("127.0.0.1") == true)
        #expect(error?.message.contains("secret") == false)
    }
}
