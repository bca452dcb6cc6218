import CSQLite
import DaybookBase
import DaybookHTTP
import DaybookRequests
import DaybookTestTraits
import DaybookTesting
import DaybookTrials
import Foundation
import Testing

@testable import DaybookCollector
@testable import DaybookStore

/// A store failure never counts against the records: they get a 503, and are stored once when it is over.
@Suite(.temporaryDirectory) struct StoreFaultTests {
    struct Fault: Sendable, CustomTestStringConvertible {
        let begin: String
        let end: String
        var testDescription: String { begin }
    }

    /// Tables, and what an append does to them.
    private static let writes = [
        ("stored_records", "INSERT"), ("streams", "INSERT"), ("ledger", "INSERT"), ("tags", "INSERT"),
        ("contexts", "INSERT"), ("context_uses", "INSERT"), ("arrivals", "UPDATE"),
    ]

    private static let triggers: [Fault] = writes.flatMap { table, action in
        ["RAISE(ABORT, 'boom')", "RAISE(FAIL, 'boom')", "RAISE(ROLLBACK, 'boom')", "RAISE(IGNORE)"].map { raise in
            Fault(
                begin: "CREATE TRIGGER fault BEFORE \(action) ON \(table) BEGIN SELECT \(raise); END",
                end: "DROP TRIGGER fault")
        }
    }

    private static let missing: [Fault] = writes.map { table, _ in
        Fault(
            begin: "PRAGMA legacy_alter_table = ON; ALTER TABLE \(table) RENAME TO gone",
            end: "PRAGMA legacy_alter_table = ON; ALTER TABLE gone RENAME TO \(table)")
    }

    private static let others = [
        Fault(begin: "CREATE UNIQUE INDEX fault ON stored_records(kind)", end: "DROP INDEX fault"),
        Fault(begin: "CREATE INDEX fault ON stored_records(json(tag))", end: "DROP INDEX fault"),
        Fault(begin: "CREATE INDEX fault ON streams(json(stream))", end: "DROP INDEX fault"),
        Fault(
            begin: "CREATE TRIGGER fault AFTER INSERT ON stored_records BEGIN "
                + "DELETE FROM stored_records WHERE id = new.id; END", end: "DROP TRIGGER fault"),
        Fault(
            begin: "CREATE TRIGGER fault AFTER INSERT ON stored_records BEGIN "
                + "INSERT INTO streams VALUES (NULL, 1, 2); END", end: "DROP TRIGGER fault"),
        Fault(
            begin: "ALTER TABLE stored_records ADD COLUMN more TEXT CHECK (more IS NOT NULL)",
            end: "ALTER TABLE stored_records DROP COLUMN more"),
    ]

    /// The shared context is long enough to be stored once.
    private static let request = {
        var request = Sender.logs(after: 0, through: 3, [1, 2, 3])
        request.resources[0].resource = ["service.name": .string(String(repeating: "a", count: 100))]
        return request.protobuf()
    }()

    private func send(_ collector: Collector) async -> HTTPResponse {
        await collector.post("/v1/logs", Self.request, type: "application/x-protobuf")
    }

    private func health(_ ingest: IngestHandler) async -> Int {
        await ingest.respond(to: HTTPRequest(head: .init(method: "GET", path: "/healthz"))).status
    }

    @Test("No fault of the store's file rejects a record", arguments: triggers + missing + others)
    func fileFaultsRejectNothing(fault: Fault) async throws {
        let collector = try Collector()
        let other = try SQLiteConnection(path: collector.path, access: .readWrite)
        try other.execute(fault.begin)
        for _ in 1...2 {
            let answer = await send(collector)
            #expect(answer.status == 503)
            #expect(answer.headers["retry-after"] != nil)
        }
        #expect(await health(collector.ingest) == 503)
        #expect(collector.failures == 2)
        try other.execute(fault.end)
        #expect(await send(collector).status == 200)
        #expect(await health(collector.ingest) == 200)
        #expect(await send(collector).status == 200)
        #expect(try await collector.rows().map(\.uid) == (1...3).map { "\(Sender.stream)-\($0)" })
    }

    /// Every kind of error, whatever its message.
    @Test(
        "No store error rejects a record",
        arguments: [StoreError.Code.badStatement, .limit, .unavailable, .storage, .clock])
    func storeErrorsRejectNothing(code: StoreError.Code) async throws {
        let fails = Atomic<Bool>(true)
        let base = MemoryStore()
        let ingest = IngestHandler(
            store: AppendingStore { batch in
                if fails.load(ordering: .relaxed) { throw StoreError(code, "The records are too large.") }
                return try await base.append(batch)
            }, clock: .init(wall: { 0 }, monotonic: { 0 }))
        let head = HTTPRequest.Head(
            method: "POST", path: "/v1/logs", headers: ["Content-Type": "application/x-protobuf"])
        let request = HTTPRequest(head: head, body: Self.request)
        let answer = await ingest.respond(to: request)
        #expect(answer.status == 503 && answer.headers["retry-after"] != nil)
        #expect(await health(ingest) == 503)
        fails.store(false, ordering: .relaxed)
        #expect(await ingest.respond(to: request).status == 200)
        #expect(try await base.head() == 3)
    }

    // MARK: SQLite's codes

    private static func codes() throws -> [Int32] {
        let paths = ["/usr/include/sqlite3.h", "/opt/homebrew/opt/sqlite/include/sqlite3.h"]
        let header = try #require(paths.lazy.compactMap { try? String(contentsOfFile: $0, encoding: .utf8) }.first)
        var codes: [String: Int32] = [:]
        for line in header.split(separator: "\n") {
            if let match = line.firstMatch(of: /^#define (SQLITE_[A-Z_]+)\s+(\d+)\s+\/\*/) {
                // Constants of other kinds are included: they only add codes.
                codes[String(match.1)] = Int32(match.2)
            } else if let match = line.firstMatch(
                of: /^#define (SQLITE_[A-Z_0-9]+)\s+\((SQLITE_[A-Z]+) \| \((\d+)<<8\)\)/),
                let base = codes[String(match.2)], let number = Int32(match.3)
            {
                codes[String(match.1)] = base | number << 8
            }
        }
        return Set(codes.values).sorted()
    }

    @Test("No SQLite error code in Daybook's own SQL blames the user") func noCodeBlamesUsers() throws {
        let codes = try Self.codes()
        #expect(codes.count > 80)
        for code in Set(codes + Array(0...0xFFFF)) {
            let error = SQLiteFailure.error(code, "boom", path: "s", isOfPeople: false)
            #expect(error.code != .badStatement, "\(code)")
        }
    }

    private final class Failing: Sendable {
        let code = Atomic<Int>(0)
    }

    /// SQLite itself returns each code in the middle of an insert.
    @Test("After any SQLite error, a retried batch is stored once") func anyCodeFailsBatchOnce() async throws {
        let failing = Failing()
        let queue = CommitQueue(try Self.connection(TemporaryDirectory.current.file("store.sqlite"), failing)) {
            batches, connection throws(CommitFailure) in
            var names = NameBound()
            return try SQLiteInsertion.commit(batches, into: connection, &names)
        }
        var stored: UInt64 = 0
        // OK, ROW, DONE and their extensions are no errors and cannot be returned as one.
        for code in try Self.codes() where code & 0xFF > 0 && ![100, 101].contains(code & 0xFF) {
            let batch = RecordBatch(
                origin: .init(stream: "s", after: stored, through: stored + 2),
                rows: (UInt64(1)...2).map { place in
                    var row = RecordRow(uid: "u\(place)", time: 0, kind: .event, level: 9, tag: "a.b")
                    row.sequence = stored + place
                    return row
                })
            failing.code.store(Int(code), ordering: .relaxed)
            do throws(AppendError) {
                _ = try await queue.append(batch)
                Issue.record("\(code) was not noticed")
            } catch {
                guard case .failed(let failure) = error else {
                    Issue.record("\(code): \(error)")
                    continue
                }
                #expect(failure.code != .badStatement, "\(code)")
            }
            failing.code.store(0, ordering: .relaxed)
            #expect(try await queue.append(batch) == AppendResult(stored: 2, duplicates: 0), "\(code)")
            #expect(try await queue.append(batch) == AppendResult(stored: 0, duplicates: 2), "\(code)")
            stored += 2
        }
        #expect(stored > 150)
    }

    private static func connection(_ path: String, _ failing: Failing) throws -> sending SQLiteConnection {
        let connection = try SQLiteConnection(path: path, access: .create)
        try SQLiteSchema.prepare(connection)
        try SQLiteFunctions.add("fault", 0, failing, to: connection) { context, _, _ in
            // Its owner keeps it until the connection is closed.
            let failing = Unmanaged<Failing>.fromOpaque(sqlite3_user_data(context)).takeUnretainedValue()
            let code = Int32(failing.code.load(ordering: .relaxed))
            if code == 0 { sqlite3_result_int(context, 0) } else { sqlite3_result_error_code(context, code) }
        }
        // On the second of two rows: the first is rolled back.
        try connection.execute(
            "CREATE TRIGGER fault BEFORE INSERT ON stored_records WHEN new.uid = 'u2' BEGIN SELECT fault(); END")
        return connection
    }
}

/// A batch that always fails, among others.
@Suite struct CommitQueueTests {
    private static func batch(_ stream: String) -> RecordBatch {
        var row = RecordRow(uid: stream, time: 0, kind: .event, level: 9, tag: "a.b")
        row.sequence = 1
        return RecordBatch(origin: .init(stream: stream, after: 0, through: 1), rows: [row])
    }

    /// The attempted commits by stream. The first waits until all are queued.
    private final class Commits: Sendable {
        let tried = Mutex<[[String]]>([])
    }

    private func outcomes(
        of streams: [String], patience: Duration = .seconds(60), mayBeOfOneBatch: Bool = true
    ) async -> (stored: Set<String>, commits: [[String]]) {
        let commits = Commits()
        let queue = CommitQueue(0, window: .milliseconds(200), patience: patience) {
            batches, _ throws(CommitFailure) in
            let streams = batches.compactMap { $0.origin?.stream }
            commits.tried.withLock { $0.append(streams) }
            if streams.contains(where: { $0.hasPrefix("bad") }) {
                throw CommitFailure(StoreError(.storage, "boom"), mayBeOfOneBatch: mayBeOfOneBatch)
            }
            return batches.map { AppendResult(stored: $0.rows.count, duplicates: 0) }
        }
        let stored = await withTaskGroup(of: String?.self) { group in
            for stream in streams {
                group.addTask {
                    (try? await queue.append(Self.batch(stream))).map { _ in stream }
                }
            }
            return await group.reduce(into: Set<String>()) { if let stream = $1 { $0.insert(stream) } }
        }
        return (stored, commits.tried.withLock { $0 })
    }

    @Test("A batch that always fails does not stop others", arguments: [["bad"], ["bad 1", "bad 2"]])
    func failingBatchIsIsolated(bad: [String]) async {
        let good = (1...62).map { "good \($0)" }
        let (stored, commits) = await outcomes(of: bad + good)
        #expect(stored == Set(good))
        // Bisection finds one of 64 in at most 13 commits, however they were grouped.
        #expect(commits.count <= 16 * bad.count + 4)
    }

    @Test("A failure common to all batches is not retried one by one") func commonFailureIsNotSplit() async {
        let (stored, commits) = await outcomes(of: ["bad", "a", "b", "c"], mayBeOfOneBatch: false)
        #expect(commits.filter { $0.contains("bad") }.count == 1)
        #expect(stored.isDisjoint(with: commits.first { $0.contains("bad") } ?? []))
    }

    @Test("The search for a failing batch ends with its patience") func searchForBadBatchEnds() async {
        let (_, commits) = await outcomes(of: ["bad", "a", "b", "c"], patience: .zero)
        #expect(commits.filter { $0.contains("bad") }.count == 1)
    }
}
