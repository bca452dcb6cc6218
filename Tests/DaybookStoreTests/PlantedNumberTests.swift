import DaybookBase
import DaybookStore
import DaybookTestTraits
import DaybookTesting
import DaybookTrials
import Foundation
import Testing

/// Another program has written to a store's tables: each number in turn becomes one that no store writes.
@Suite(.temporaryDirectory) struct PlantedNumberTests {
    private let directory = TemporaryDirectory.current

    struct Planted: Sendable, CustomStringConvertible {
        /// `main` or `index`.
        let file: String
        let table: String
        let column: String
        let number: Int64
        var description: String { "\(file).\(table).\(column) = \(number)" }
    }

    private static let numbers: [Int64] = TestLength.isLong ? [.min, -1, 1 << 60, .max] : [-1, .max]
    private static let columns: [(file: String, table: String, columns: [String])] = [
        ("main", "stored_records", ["id", "time", "level", "duration", "line"]),
        ("main", "context_uses", ["context", "records"]), ("main", "arrivals", ["last"]),
        ("main", "streams", ["after", "through"]), ("main", "tags", ["count", "first_time", "last_time"]),
        ("main", "ledger", ["stored", "duplicates"]), ("main", "losses", ["count"]),
        ("main", "seals", ["segment", "seal", "version"]),
        ("index", "segments", ["segment", "seal", "version", "first_time", "last_time"]),
        ("index", "marks", ["segment", "gram", "blocks"]),
        ("index", "blocks", ["segment", "block", "first_time", "last_time"]),
        ("index", "minutes", ["segment", "minute", "level", "count"]),
        ("index", "hours", ["segment", "hour", "level", "count"]), ("index", "facets", ["segment", "count"]),
        ("index", "sessions", ["segment", "count", "errors", "first_time", "last_time"]),
    ]
    static let all: [Planted] = columns.flatMap { table in
        table.columns.flatMap { column in
            numbers.map { Planted(file: table.file, table: table.table, column: column, number: $0) }
        }
    }

    /// A store with a complete extent, so that its index has every kind of row, and the open copies of its files.
    private static let original = Task { () throws -> TemporaryDirectory in
        let directory = try TemporaryDirectory()
        let store = try SQLiteStore(path: directory.file("store.sqlite"))
        try await store.append(batch(1..<301))
        try SQLiteFile(directory.file("store.sqlite")).completeExtent()
        try await store.append(batch(301..<401))
        // An erased record gives its extent another version.
        try await store.erase(RecordFilter(.field(.uid, "u-7")))
        await store.settleIndex()
        await store.close()
        for name in ["store.sqlite", "store.sqlite-index"] {
            try SQLiteFile(directory.file(name)).execute("VACUUM INTO '\(directory.file("whole-" + name))'")
        }
        return directory
    }

    private static func batch(_ numbers: Range<Int>) -> RecordBatch {
        let rows = numbers.map { number in
            var row = RecordRow(
                uid: "u-\(number)", time: Int64(number) * 1_000_000_000, kind: .event, level: 9, tag: "a.b",
                context: "{\"service.version\":\"1\"}")
            row.sequence = UInt64(number)
            row.session = "s"
            row.duration = 5
            row.line = 7
            return row
        }
        return RecordBatch(
            origin: .init(
                stream: "stream", after: UInt64(numbers.lowerBound - 1), through: UInt64(numbers.upperBound - 1)),
            losses: LossReport(sender: "stream", counts: ["full": 3]), rows: rows)
    }

    @Test("A store with a damaged number answers or names what is wrong", arguments: all) func namesPlantedNumber(
        _ planted: Planted
    ) async throws {
        let original = try await Self.original.value
        let path = directory.file("store.sqlite")
        for name in ["store.sqlite", "store.sqlite-index"] {
            try FileManager.default.copyItem(atPath: original.file("whole-" + name), toPath: directory.file(name))
        }
        // In every row, or in one if it is part of a key.
        try SQLiteFile(planted.file == "main" ? path : path + "-index").execute(
            "UPDATE OR IGNORE \(planted.table) SET \(planted.column) = \(planted.number)")
        let store: SQLiteStore
        do throws(StoreError) {
            store = try SQLiteStore(path: path)
        } catch {
            #expect(error.message.contains(String(planted.number)), "\(error)")
            return
        }
        await store.settleIndex()
        let messages = await Self.everything(store)
        for message in messages { #expect(message.contains(String(planted.number)), "\(message)") }
        if planted.table == "arrivals" || planted.table == "streams" && planted.number < 0 {
            #expect(!messages.isEmpty)
        }
        await store.close()
    }

    /// Reads everything from the store, then appends and erases.
    /// - Returns: The errors.
    private static func everything(_ store: SQLiteStore) async -> [String] {
        var messages: [String] = []
        func ask(_ body: () async throws -> Void) async {
            do { try await body() } catch { messages.append("\(error)") }
        }
        await ask { _ = try await store.head() }
        await ask { _ = try await store.timeBounds(within: nil) }
        for order in [RecordQuery.Order.newestFirst, .oldestFirst] {
            for text in ["", "a.b", "nowhere"] {
                var query = RecordQuery()
                query.order = order
                query.narrow(by: .text(text))
                if !text.isEmpty { query.narrow(by: .level(atLeast: 1)) }
                await ask { _ = try await store.page(query) }
            }
        }
        let minute: Int64 = 60_000_000_000
        for width in [minute, 60 * minute, .max] {
            await ask { _ = try await store.histogram(HistogramQuery(start: 0, width: width, count: 1_000)) }
        }
        await ask { _ = try await store.facets(FacetQuery(fields: FacetQuery.Field.allCases)) }
        await ask { _ = try await store.sessions(SessionQuery()) }
        await ask { _ = try await store.tagSummaries(after: nil).summaries.mergingVersions() }
        await ask { _ = try await store.ledger(LedgerQuery()).ledgers.map(\.gaps) }
        await ask { try await store.append(batch(401..<402)) }
        await ask { try await store.append(RecordBatch(rows: batch(50_000..<50_002).rows)) }
        var filter = RecordFilter()
        filter.narrow(by: .until(minute))
        await ask { _ = try await store.erase(filter) }
        return messages
    }

    @Test("A damaged stream does not block the others") func damagedStreamIsIsolated() async throws {
        let store = try SQLiteStore(path: directory.file("store.sqlite"))
        try await store.append(.numbered("damaged", (0, 1), 1...1))
        try SQLiteFile(directory.file("store.sqlite")).execute("UPDATE streams SET after = -9")
        await withTaskGroup(of: Bool.self) { group in
            for number in 0..<20 {
                group.addTask {
                    let stream = number == 7 ? "damaged" : "whole-\(number)"
                    return (try? await store.append(.numbered(stream, (0, 2), 1...2))) != nil
                }
            }
            var stored = 0
            for await isStored in group where isStored { stored += 1 }
            #expect(stored == 19)
        }
    }
}
