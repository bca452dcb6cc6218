import CSQLite
import DaybookAPI
import DaybookBase
import DaybookStore
import DaybookTesting
import DaybookTrials
import Foundation

/// Kills a process that appends, indexes and erases, flips bits in columns and erases sessions: answers from columns stay
/// those of the statements, and nothing of what was erased is left in the index.
enum ColumnTrials {
    private static let questions = [
        "a.open -> a.search -> a.save within 1h by version", "a.open -> ** -> a.save joining user_id",
        "a.search(n > 5) -> a.save in any order by order", "retention a.open for 8", "path after a.search steps 2",
        "count ** by order", "count a.save joining user_id by version, day", "measure n of a.search by order",
        "differ a.save from a.open by version, order, n",
    ]

    /// - Parameter writer: A program that runs ``write(_:seed:)`` with its last two arguments.
    static func run(_ writer: URL, _ arguments: [String], trials: Int, seed: UInt64) async throws -> TrialTally {
        var tally = TrialTally()
        var random = SeededGenerator(seed: seed)
        while tally.trials < trials {
            let directory = TemporaryDirectory.inMemory()
            defer { directory.remove() }
            try FileManager.default.createDirectory(atPath: directory.path, withIntermediateDirectories: true)
            let path = directory.path + "/store.sqlite"
            for _ in 0..<min(8, trials - tally.trials) {
                let steps = Int.random(in: 1...8, using: &random)
                let child = arguments + [path, "\(UInt64.random(in: 0 ..< .max, using: &random))"]
                _ = try await offPool { try KillTrials.killed(writer, child, after: steps * report.count / 8) }
                tally.trials += 1
                try await check(path, &tally, &random)
            }
        }
        return tally
    }

    private static func check(_ path: String, _ tally: inout TrialTally, _ random: inout SeededGenerator) async throws {
        let store = try SQLiteStore(path: path)
        if Bool.random(using: &random) { await store.settleIndex() }
        try await compare(store, "after a kill", &tally, &random)
        await store.settleIndex()
        let flips = try flipBits(path + "-index", Int.random(in: 1...8, using: &random), &random)
        try await compare(store, "after \(flips) flipped bits", &tally, &random)
        let sessions = try await store.query(
            "SELECT DISTINCT session FROM records ORDER BY random() LIMIT 1", limits: QueryLimits())
        if case .text(let session)? = sessions.rows.first?.first {
            var filter = RecordFilter()
            filter.narrow(by: .field(.session, session))
            try await store.erase(filter)
            try await compare(store, "after an erasure", &tally, &random)
            await store.settleIndex()
            await store.close()
            for file in [path, path + "-index", path + "-index-wal"] {
                let bytes = (try? Data(contentsOf: URL(filePath: file))) ?? Data()
                tally.expect(bytes.range(of: Data(session.utf8)) == nil, "\(file) still has the erased \(session)")
            }
        } else {
            await store.close()
        }
    }

    private static func compare(
        _ store: SQLiteStore, _ when: String, _ tally: inout TrialTally, _ random: inout SeededGenerator
    ) async throws {
        for text in questions.shuffled(using: &random).prefix(3) {
            let insight = try Insight(parsing: text)
            var limits = QueryLimits()
            (limits.rows, limits.time) = (10_000, .seconds(120))
            let statement = insight.sql(.sqlite, now: now)
            let result = try await patiently { [limits] in try await store.query(statement, limits: limits) }
            let folded = try await patiently {
                try await store.fold { source throws(StoreError) in try insight.answer(from: source, now: now) }
            }
            let tables = [result, folded].map { InsightTable(insight, $0, now: now) }
            tally.expect(
                tables[0] == tables[1], "\(text) \(when): \(tables[1].rows.prefix(3)) for \(tables[0].rows.prefix(3))")
        }
    }

    /// Asks again where a reader gave way to an erasure.
    private static func patiently(_ ask: () async throws -> QueryResult) async throws -> QueryResult {
        for _ in 0..<30 {
            do {
                return try await ask()
            } catch let error as StoreError where error.code == .limit {
                continue
            }
        }
        return try await ask()
    }

    /// Flips one bit each in columns of the index.
    /// - Returns: How many; none without columns.
    private static func flipBits(_ index: String, _ count: Int, _ random: inout SeededGenerator) throws -> Int {
        var opened: OpaquePointer?
        defer { sqlite3_close(opened) }
        guard sqlite3_open(index, &opened) == SQLITE_OK else { throw POSIXError(.EIO) }
        sqlite3_busy_timeout(opened, 10_000)
        let rows = rowIDs(opened)
        for _ in 0..<(rows.isEmpty ? 0 : count) {
            let row = rows.randomElement(using: &random) ?? 0
            var blob: OpaquePointer?
            defer { sqlite3_blob_close(blob) }
            let part = Bool.random(using: &random) ? "codes" : "content"
            guard sqlite3_blob_open(opened, "main", "columns", part, row, 1, &blob) == SQLITE_OK else {
                throw POSIXError(.EIO)
            }
            let size = sqlite3_blob_bytes(blob)
            guard size > 0 else { continue }
            let place = Int32.random(in: 0..<size, using: &random)
            var byte: UInt8 = 0
            guard sqlite3_blob_read(blob, &byte, 1, place) == SQLITE_OK else { throw POSIXError(.EIO) }
            byte ^= UInt8(1) << UInt8.random(in: 0..<8, using: &random)
            guard sqlite3_blob_write(blob, &byte, 1, place) == SQLITE_OK else { throw POSIXError(.EIO) }
        }
        return rows.isEmpty ? 0 : count
    }

    private static func rowIDs(_ index: OpaquePointer?) -> [Int64] {
        var statement: OpaquePointer?
        defer { sqlite3_finalize(statement) }
        guard sqlite3_prepare_v2(index, "SELECT rowid FROM columns", -1, &statement, nil) == SQLITE_OK else {
            return []
        }
        var rows: [Int64] = []
        while sqlite3_step(statement) == SQLITE_ROW { rows.append(sqlite3_column_int64(statement, 0)) }
        return rows
    }

    // MARK: The process that is killed

    private static let now: Int64 = 1_795_000_000_000_000_000

    /// What the process reports of each step, as many bytes as the reader waits for.
    private static let report = Data(count: 4_096)

    /// Appends and erases.
    static func write(_ path: String, seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        let store = try SQLiteStore(path: path)
        for step in 0..<1_000 {
            if step % 5 == 4 {
                var filter = RecordFilter()
                filter.narrow(by: .field(.session, session(of: random.next() % 4_000)))
                try await store.erase(filter)
            } else {
                try await store.append(RecordBatch(rows: (0..<8_192).map { _ in row(&random) }))
            }
            FileHandle.standardOutput.write(report)
        }
    }

    private static func session(of number: UInt64) -> String { "session-\(number)-of-columns" }

    private static func row(_ random: inout SeededGenerator) -> RecordRow {
        func one(_ texts: [String]) -> String { texts.randomElement(using: &random) ?? "" }
        let session = random.next() % 4_000
        let tag = one(["a.open", "a.open", "a.search", "a.search", "a.save", "b.other"])
        var row = RecordRow(
            uid: UUID().uuidString,
            time: now - Int64(random.next() % 2_000_000_000_000_000), kind: tag == "b.other" ? .message : .event,
            level: 9,
            tag: tag,
            attributes: #"{"order":\#(one(["\"new\"", "\"popular\"", "7", "null"])),"n":\#(random.next() % 12)}"#,
            context: #"{"service.version":"8.\#(session % 3)","user_id":\#(session / 3)}"#)
        (row.session, row.installation) = (self.session(of: session), "installation-\(session / 2)")
        return row
    }
}
