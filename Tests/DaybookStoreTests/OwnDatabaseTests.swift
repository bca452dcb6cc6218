import CSQLite
import Daybook
import DaybookTestTraits
import DaybookTesting
import Foundation
import Testing

/// Keeps records in a table of the team's own SQLite database, each of them once.
struct DatabaseOutput: BatchOutput {
    struct Failure: Error { let message: String }

    let id = "own-database"
    let needsNetwork = false
    /// The file of the database; its table `log` is made where it is missing.
    let path: String

    func send(_ batch: Batch) async -> Delivery {
        var format = TextFormat.json
        format.showsPrivate = true
        let records = "[" + batch.records.map { format.text(of: $0) }.joined(separator: ",") + "]"
        do {
            try insert(records, of: batch.stream)
            return .delivered
        } catch {
            return .retry(after: nil, reason: "the table of logs: \(error.message)")
        }
    }

    /// One statement is one transaction: all of a batch or nothing. A batch that comes again has the same stream and the
    /// same numbers, and adds nothing.
    private func insert(_ records: String, of stream: String) throws(Failure) {
        var database: OpaquePointer?
        var statement: OpaquePointer?
        defer {
            sqlite3_finalize(statement)
            sqlite3_close(database)
        }
        let table = """
            CREATE TABLE IF NOT EXISTS log (
                stream TEXT, seq INTEGER, time TEXT, tag TEXT, message TEXT, attributes TEXT, context TEXT,
                PRIMARY KEY (stream, seq))
            """
        let insertion = """
            INSERT OR IGNORE INTO log
            SELECT ?1, value ->> 'seq', value ->> 'time', value ->> 'tag', value ->> 'message', value -> 'attributes',
                value -> 'context'
            FROM json_each(?2)
            """
        guard sqlite3_open(path, &database) == SQLITE_OK, sqlite3_busy_timeout(database, 5_000) == SQLITE_OK,
            sqlite3_exec(database, table, nil, nil, nil) == SQLITE_OK,
            sqlite3_prepare_v2(database, insertion, -1, &statement, nil) == SQLITE_OK
        else { throw Failure(message: String(cString: sqlite3_errmsg(database))) }
        // The texts live until the statement has run, so SQLite need not copy them.
        let result = stream.withCString { stream in
            records.withCString { records in
                sqlite3_bind_text(statement, 1, stream, -1, nil)
                sqlite3_bind_text(statement, 2, records, -1, nil)
                return sqlite3_step(statement)
            }
        }
        guard result == SQLITE_DONE else { throw Failure(message: String(cString: sqlite3_errmsg(database))) }
    }
}

/// The guide's output in a real pipeline, over the team's own database.
@Suite(.temporaryDirectory) struct OwnDatabaseTests {
    private let directory = TemporaryDirectory.current

    private func rows(_ path: String, _ sql: String) -> [String] {
        var (database, statement): (OpaquePointer?, OpaquePointer?)
        sqlite3_open(path, &database)
        sqlite3_prepare_v2(database, sql, -1, &statement, nil)
        defer {
            sqlite3_finalize(statement)
            sqlite3_close(database)
        }
        var rows: [String] = []
        while sqlite3_step(statement) == SQLITE_ROW { rows.append(String(cString: sqlite3_column_text(statement, 0))) }
        return rows
    }

    @Test("A pipeline writes each record once to the team's own table") func writesToOwnTable() async throws {
        let path = directory.file("app.sqlite")
        let pipeline = try Pipeline(directory: URL(fileURLWithPath: directory.file("journal"))) {
            Route("**", to: DatabaseOutput(path: path))
        }
        pipeline.log().post("feed.show", ["id": 7, "title": "卵 'and' \"rice\""])
        pipeline.log("app").info("Ready")
        try await pipeline.flush(deadline: .seconds(60))
        await pipeline.shutdown(deadline: .seconds(60))
        #expect(rows(path, "SELECT tag FROM log ORDER BY seq") == ["feed.show", "app"])
        #expect(rows(path, "SELECT attributes ->> 'title' FROM log WHERE tag = 'feed.show'") == ["卵 'and' \"rice\""])
        #expect(rows(path, "SELECT message FROM log WHERE tag = 'app'") == ["Ready"])
    }

    @Test("Records stay in the journal while the database cannot be written") func failedWritesStayPending()
        async throws
    {
        let folder = directory.file("later")
        let path = folder + "/app.sqlite"
        let pipeline = try Pipeline(directory: URL(fileURLWithPath: directory.file("journal"))) {
            Route("**", to: DatabaseOutput(path: path))
        }
        pipeline.log().post("feed.show")
        await #expect(throws: (any Error).self) { try await pipeline.flush(deadline: .milliseconds(200)) }
        #expect(await pipeline.ledgers()["own-database"]?.pending == 1)
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try await pipeline.flush(deadline: .seconds(60))
        await pipeline.shutdown(deadline: .seconds(60))
        #expect(rows(path, "SELECT count(*) FROM log") == ["1"])
    }
}
