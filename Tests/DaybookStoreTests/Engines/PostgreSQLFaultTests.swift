import DaybookHTTP
import DaybookStore
import DaybookTrials
import Testing

@testable import DaybookCollector
@testable import DaybookDatabases

/// Changes that others make to a store's tables never count against the records.
@Suite(.enabled(if: PostgreSQLServer.tools != nil, Comment(rawValue: PostgreSQLServer.absence)))
struct PostgreSQLFaultTests {
    /// At least one code of every class. Source: PostgreSQL, *Appendix A, Error Codes*.
    private static let states = """
        01000 02000 03000 08000 08003 08006 08P01 09000 0A000 0B000 0F000 0L000 0P000 0Z000 20000 21000 22000 22001 22003
        22012 22021 22P02 22P05 23000 23502 23505 23514 24000 25000 25006 25P02 26000 27000 28000 2B000 2D000 2F000 34000
        38000 39000 3B000 3D000 3F000 40000 40001 40P01 42000 42501 42P01 44000 53000 53100 53200 53300 54000 54001 55000
        55P03 57000 57014 57P01 57P02 57P03 58000 58030 72000 F0000 HV000 P0000 P0001 XX000 XX001 XX002 ABCDE
        """.split(whereSeparator: \.isWhitespace).map(String.init)

    /// A store, and its address for another program.
    private func open() async throws -> (store: PostgreSQLStore, address: PostgreSQLAddress) {
        let address = try await offPool { try PostgreSQLServer.shared.get().makeDatabase() }
        return (try await offPool { try PostgreSQLStore(address: address) }, PostgreSQLAddress(server: address))
    }

    private static func batch(_ stream: String, _ number: UInt64, tag: String = "a.b") -> RecordBatch {
        var batch = RecordBatch.numbered(stream, (number - 1, number), [number])
        batch.rows[0].tag = tag
        return batch
    }

    @Test("No error in Daybook's own PostgreSQL SQL blames the user's statement") func postgreSQLNeverBlamesUsers() {
        for state in Self.states + [""] {
            #expect(PostgreSQLError(state: state, message: "boom").ofStore.code != .badStatement, "\(state)")
        }
    }

    /// The trigger raises each code for one sender's records, which are retried beside another sender's.
    @Test("A trigger error of any class fails only the affected batch") func isolatesTriggerFailure() async throws {
        let (store, address) = try await open()
        let database = try PostgreSQLConnection(address)
        try database.run(
            """
            CREATE TABLE fault(state text); INSERT INTO fault VALUES ('');
            CREATE FUNCTION fault() RETURNS trigger LANGUAGE plpgsql AS $$ DECLARE found text; BEGIN
                SELECT state INTO found FROM fault;
                IF found <> '' THEN RAISE EXCEPTION 'boom' USING ERRCODE = found; END IF; RETURN NEW; END $$;
            CREATE TRIGGER fault BEFORE INSERT ON stored_records FOR EACH ROW WHEN (NEW.tag = 'poison')
                EXECUTE FUNCTION fault(); GRANT ALL ON fault TO PUBLIC
            """)
        for (index, state) in Self.states.enumerated() {
            let number = UInt64(index + 1)
            try database.run("UPDATE fault SET state = '\(state)'")
            async let good = store.append(Self.batch("good", number))
            await Self.expectFailure(of: Self.batch("bad", number, tag: "poison"), in: store, state)
            #expect(try await good.stored == 1, "\(state)")
            try database.run("UPDATE fault SET state = ''")
            let again = Self.batch("bad", number, tag: "poison")
            #expect(try await store.append(again) == AppendResult(stored: 1, duplicates: 0), "\(state)")
            #expect(try await store.append(again) == AppendResult(stored: 0, duplicates: 1), "\(state)")
        }
    }

    /// `LAST` is the largest arrival number, so that existing rows do not prevent the fault.
    private static let faults: [(begin: String, end: String)] = [
        ("CREATE INDEX fault ON stored_records((1 / (level - 9))) WHERE id > LAST", "DROP INDEX fault"),
        ("CREATE INDEX fault ON stored_records((tag::bigint)) WHERE id > LAST", "DROP INDEX fault"),
        ("CREATE UNIQUE INDEX fault ON stored_records((1)) WHERE id > LAST", "DROP INDEX fault"),
        (
            "ALTER TABLE stored_records ADD CONSTRAINT fault CHECK (tag <> 'a.b') NOT VALID",
            "ALTER TABLE stored_records DROP CONSTRAINT fault"
        ),
        ("ALTER TABLE stored_records RENAME TO gone", "ALTER TABLE gone RENAME TO stored_records"),
        ("ALTER TABLE streams RENAME TO gone", "ALTER TABLE gone RENAME TO streams"),
        ("ALTER TABLE ledger RENAME COLUMN stored TO gone", "ALTER TABLE ledger RENAME COLUMN gone TO stored"),
    ]

    /// Triggers that skip rows, and that delete them again, for every table that an append inserts into.
    private static let losses: [(begin: String, end: String)] =
        ["stored_records", "streams", "ledger", "tags", "sessions", "context_uses"].map { table in
            (
                "CREATE TRIGGER fault BEFORE INSERT ON \(table) FOR EACH ROW EXECUTE FUNCTION nothing()",
                "DROP TRIGGER fault ON \(table)"
            )
        } + [
            (
                "CREATE TRIGGER fault AFTER INSERT ON stored_records FOR EACH ROW EXECUTE FUNCTION gone()",
                "DROP TRIGGER fault ON stored_records"
            ),
            (
                "CREATE TRIGGER fault BEFORE UPDATE ON arrivals FOR EACH ROW EXECUTE FUNCTION nothing()",
                "DROP TRIGGER fault ON arrivals"
            ),
        ]

    @Test("Broken tables make batches fail but never reject records") func tableFaultsRejectNothing() async throws {
        let (store, address) = try await open()
        let database = try PostgreSQLConnection(address)
        let ingest = IngestHandler(store: store, clock: .init(wall: { 0 }, monotonic: { 0 }))
        try database.run(
            """
            CREATE FUNCTION nothing() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$;
            CREATE FUNCTION gone() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                DELETE FROM stored_records WHERE id = NEW.id; RETURN NULL; END $$
            """)
        let context = #"{"long":"\#(String(repeating: "x", count: 100))"}"#
        let line = #"{"tag":"a.b","session":"s","context":\#(context)}"#
        let lines = Array((line + "\n" + line).utf8)
        let head = HTTPRequest.Head(
            method: "POST", path: "/v1/events", headers: ["Content-Type": "application/x-ndjson"])
        for (index, fault) in (Self.faults + Self.losses).enumerated() {
            try database.run(fault.begin.replacing("LAST", with: "\(try await store.head())"))
            var batch = RecordBatch.numbered("s\(index)", (0, 2), [1, 2])
            for place in batch.rows.indices {
                batch.rows[place].tag = "a.b"
                batch.rows[place].session = "s"
                batch.rows[place].context = context
            }
            await Self.expectFailure(of: batch, in: store, fault.begin)
            // A record without a stream adds nothing to `streams` and `ledger`.
            if !fault.begin.contains("streams"), !fault.begin.contains("ledger") {
                let answer = await ingest.respond(to: HTTPRequest(head: head, body: lines))
                #expect(answer.status == 503 && answer.headers["retry-after"] != nil, "\(fault.begin)")
                let health = await ingest.respond(to: HTTPRequest(head: .init(method: "GET", path: "/healthz")))
                #expect(health.status == 503, "\(fault.begin)")
            }
            try database.run(fault.end)
            #expect(try await store.append(batch) == AppendResult(stored: 2, duplicates: 0), "\(fault.begin)")
            #expect(try await store.append(batch) == AppendResult(stored: 0, duplicates: 2), "\(fault.begin)")
        }
        let count = try await store.query("SELECT count(*) FROM records", limits: QueryLimits())
        #expect(count.rows == [[.integer(Int64(2 * (Self.faults.count + Self.losses.count)))]])
    }

    /// Properties a session is given at its start: settings of the database and the role, rights, and search path.
    private static let sessions: [(begin: String, end: String)] = [
        ("default_transaction_read_only = on", "default_transaction_read_only"),
        ("search_path = nowhere", "search_path"), ("statement_timeout = 1", "statement_timeout"),
        ("role = pg_monitor", "role"),
        ("default_transaction_isolation = serializable", "default_transaction_isolation"),
        ("lock_timeout = 1", "lock_timeout"), ("temp_buffers = 100", "temp_buffers"),
        ("enable_indexscan = off", "enable_indexscan"),
    ].map { setting, name in
        ("ALTER DATABASE NAME SET \(setting)", "ALTER DATABASE NAME RESET \(name)")
    }

    /// The earlier sessions have ended, and new ones begin after the fault: none of the store's sessions outlives it.
    @Test("Sessions opened during a fault end with it") func dropsFaultySessions() async throws {
        let address = try await offPool { try PostgreSQLServer.shared.get().makeDatabase() }
        let store = try await offPool { try PostgreSQLStore(address: address) }
        let owner = try await offPool {
            PostgreSQLAddress(server: try PostgreSQLServer.shared.get().ownersAddress(of: address))
        }
        let database = try PostgreSQLConnection(owner)
        let name = try #require(try database.run("SELECT current_database()").first?.text(0, 0))
        var filter = RecordFilter()
        filter.narrow(by: .tag("gone.**"))
        for (index, fault) in Self.sessions.enumerated() {
            let batch = Self.batch("s\(index)", 1)
            try database.run(fault.begin.replacing("NAME", with: name))
            try database.run(
                """
                SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                WHERE datname = current_database() AND pid <> pg_backend_pid()
                """)
            // Some of these succeed.
            for _ in 1...2 {
                _ = try? await store.append(Self.batch("other\(index)", 1))
                _ = try? await store.page { $0.narrow(by: .text("a")) }
                _ = try? await store.erase(filter)
                _ = try? await store.query("SELECT count(*) FROM records", limits: QueryLimits())
            }
            try database.run(fault.end.replacing("NAME", with: name))
            // At once, in a new session.
            #expect(try await store.append(batch) == AppendResult(stored: 1, duplicates: 0), "\(fault.begin)")
            #expect(try await store.append(batch) == AppendResult(stored: 0, duplicates: 1), "\(fault.begin)")
            #expect(try await store.head() > 0, "\(fault.begin)")
            #expect(try await store.erase(filter) == 0, "\(fault.begin)")
            let answer = try await store.query("SELECT count(*) > 0 FROM records", limits: QueryLimits())
            #expect(answer.rows.count == 1, "\(fault.begin)")
        }
    }

    /// What `jsonb` rejects is kept as text.
    @Test("Stores records whose values `jsonb` does not accept") func storesUnsupportedValues() async throws {
        let (store, _) = try await open()
        let number = String(repeating: "9", count: 140_000)
        var batch = RecordBatch.numbered("s", (0, 3), [1, 2, 3])
        batch.rows[0].attributes = #"{"a":\#(number)}"#
        batch.rows[1].context = #"{"a":\#(number)}"#
        batch.rows[2].attributes = #"{"a":"\ud800"}"#
        #expect(try await store.append(batch) == AppendResult(stored: 3, duplicates: 0))
        #expect(try await store.append(batch) == AppendResult(stored: 0, duplicates: 3))
    }

    private static func expectFailure(of batch: RecordBatch, in store: PostgreSQLStore, _ fault: String) async {
        do throws(AppendError) {
            _ = try await store.append(batch)
            Issue.record("\(fault): it was stored")
        } catch {
            guard case .failed = error else {
                Issue.record("\(fault): \(error)")
                return
            }
        }
    }
}
