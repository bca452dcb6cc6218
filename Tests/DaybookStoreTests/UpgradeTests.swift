import DaybookBase
import DaybookCollector
import DaybookDefinitions
import DaybookStore
import DaybookTestTraits
import DaybookTesting
import DaybookTools
import DaybookTrials
import Foundation
import Testing

@testable import DaybookDatabases

/// This version opens the stores of earlier ones. Those versions themselves wrote the files in `Fixtures`, from the
/// same batches; for ClickHouse the tables are their statements, filled by hand.
@Suite(.timeLimit(.minutes(5)), .temporaryDirectory) struct UpgradeTests {
    private let directory = TemporaryDirectory.current

    /// A second is too short for servers on a machine that runs other tests.
    private static let patient: QueryLimits = {
        var limits = QueryLimits()
        limits.time = .seconds(60)
        return limits
    }()

    @Test("Upgrades a SQLite store of an earlier version", arguments: [1, 4])
    func upgradesSQLite(version: Int) async throws {
        let path = directory.file("store.sqlite")
        try SQLiteFile(path).execute(Self.fixture("sqlite-\(version)"))
        #expect(try SQLiteFile(path).text("PRAGMA user_version") == "\(version)")
        let refusal = #expect(throws: StoreError.self) { try SQLiteStore(path: path, access: .readOnly) }
        #expect(refusal?.message.contains("Open it for writing once") == true)
        let store = try SQLiteStore(path: path)
        try await Self.check(store, countsVersions: version > 1)
        await store.close()
        #expect(try SQLiteFile(path).text("PRAGMA integrity_check") == "ok")
        #expect(try await SQLiteStore(path: path, access: .readOnly).head() == 12)
    }

    @Test(
        "Upgrades a PostgreSQL store of an earlier version",
        .enabled(if: PostgreSQLServer.tools != nil, Comment(rawValue: PostgreSQLServer.absence)))
    func upgradesPostgreSQL() async throws {
        let store = try await offPool {
            let address = try PostgreSQLServer.shared.get().makeDatabase()
            try PostgreSQLConnection(PostgreSQLAddress(server: address)).run(Self.fixture("postgresql-2"))
            #expect(throws: StoreError.self) { try PostgreSQLStore(address: address, access: .readOnly) }
            return try PostgreSQLStore(address: address)
        }
        try await Self.check(store, countsVersions: true)
    }

    @Test(
        "Upgrades a store of an earlier version in a ClickHouse cluster",
        .enabled(if: ClickHouseCluster.program != nil, Comment(rawValue: ClickHouseCluster.absence)))
    func upgradesClickHouseCluster() async throws {
        let address = try await offPool { try ClickHouseCluster.shared.get().makeDatabase() }
        try await Self.checkClickHouse(address, tables: "clickhouse-1-cluster")
    }

    @Test(
        "Upgrades a store of an earlier version in current ClickHouse",
        .enabled(if: ClickHouseOfToday.python != nil, Comment(rawValue: ClickHouseOfToday.absence)))
    func upgradesClickHouse() async throws {
        let server = try await offPool { try ClickHouseOfToday() }
        let result: Result<Void, any Error>
        do {
            try await Self.checkClickHouse(offPool { try server.makeDatabase() }, tables: "clickhouse-1")
            result = .success(())
        } catch {
            result = .failure(error)
        }
        try await offPool { server.remove() }
        try result.get()
    }

    /// In earlier versions, clocks not yet set determined the first times.
    @Test("Upgrading a SQLite store repairs implausible first times", arguments: [1, 4])
    func repairsSQLiteFirstTimes(version: Int) async throws {
        let path = directory.file("store.sqlite")
        try SQLiteFile(path).execute(Self.fixture("sqlite-\(version)") + Self.unsetClocks(["tags"]))
        let store = try SQLiteStore(path: path)
        try await Self.checkFirstTimes(store)
        await store.close()
    }

    @Test(
        "Upgrading a PostgreSQL store repairs implausible first times",
        .enabled(if: PostgreSQLServer.tools != nil, Comment(rawValue: PostgreSQLServer.absence)))
    func repairsPostgresFirstTimes() async throws {
        let store = try await offPool {
            let address = try PostgreSQLServer.shared.get().makeDatabase()
            let connection = try PostgreSQLConnection(PostgreSQLAddress(server: address))
            try connection.run(Self.fixture("postgresql-2"))
            try connection.run("SET search_path = public; " + Self.unsetClocks(["tags", "sessions"]))
            return try PostgreSQLStore(address: address)
        }
        try await Self.checkFirstTimes(store)
    }

    /// A record of each tag and session dated before 2010, counted as earlier versions did; `recipe.save` has no other.
    private static func unsetClocks(_ tables: [String]) -> String {
        let counts = tables.map { "UPDATE \($0) SET first_time = 60000000000;\n" }.joined()
        return "UPDATE records SET time = 60000000000 WHERE tag = 'recipe.save' OR id IN (2, 5);\n" + counts
            + "UPDATE tags SET last_time = 60000000000 WHERE tag = 'recipe.save';\n"
    }

    private static func checkFirstTimes(_ store: some EventStore) async throws {
        let tags = try await store.tagSummaries(after: nil).summaries
        let first = Dictionary(tags.map { ("\($0.tag) \($0.kind)", $0.firstTime) }) { min($0, $1) }
        // Without another time, it is the first.
        #expect(
            first.filter { $0.value < PlausibleTime.earliest } == ["recipe.save event": 60_000_000_000], "\(first)")
        #expect(first["recipe.show event"] == day + minute && first["kitchen.oven error"] == day + 4 * minute)
        let sessions = try await store.sessions(SessionQuery())
        #expect(sessions.map(\.session) == ["visit-2", "visit-1"])
        #expect(sessions.map(\.firstTime) == [day + 8 * minute, day + minute])
    }

    /// Nothing changes if any node has been used by a later version.
    @Test(
        "Leaves a ClickHouse store of a later version unchanged",
        .enabled(if: ClickHouseCluster.program != nil, Comment(rawValue: ClickHouseCluster.absence)))
    func leavesNewerClickHouse() async throws {
        let address = try await offPool { try ClickHouseCluster.shared.get().makeDatabase() }
        let refusal = try await offPool {
            let parsed = try ClickHouseAddress(address)
            let session = ClickHouseSession(address: parsed)
            let later = ClickHouseSchema.version + 1
            try session.run("CREATE TABLE daybook_schema(version Int64) ENGINE = Log", on: parsed.nodes[1])
            try session.run("INSERT INTO daybook_schema VALUES (\(later))", on: parsed.nodes[1])
            let refusal = #expect(throws: StoreError.self) { try ClickHouseStore(address: address) }
            for (node, tables) in zip(parsed.nodes, [0, 1]) {
                let found = try session.rows(
                    "SELECT count() FROM system.tables WHERE database = currentDatabase()", on: node)
                #expect(found.integer(0, 0) == tables)
            }
            return refusal
        }
        #expect(refusal?.message.contains("Use the Daybook that made them, or a newer one.") == true)
    }

    /// Beyond the others, the fixture has a record stored before a collector died, one stored after it, and an arrival
    /// number that one commit yielded to another.
    private static func checkClickHouse(_ address: String, tables: String) async throws {
        let store = try await offPool {
            let parsed = try ClickHouseAddress(address)
            let session = ClickHouseSession(address: parsed)
            for node in parsed.nodes {
                for statement in try statements(tables) {
                    try session.run(
                        statement.replacing("{cluster}", with: parsed.cluster ?? "")
                            .replacing("{database}", with: parsed.database), on: node)
                }
            }
            for (number, statement) in try statements("clickhouse-1-rows").enumerated() {
                try session.run(statement, on: parsed.nodes[number % parsed.nodes.count])
            }
            let refusal = #expect(throws: StoreError.self) { try ClickHouseStore(address: address, access: .readOnly) }
            #expect(refusal?.message.contains("Open them for writing once") == true)
            return try ClickHouseStore(address: address)
        }
        try await check(store, countsVersions: true, hasEventViews: store.dialect != nil, givesNumbersUp: true)
        // A second collector that starts beside this one finds the same.
        let other = try await offPool { try ClickHouseStore(address: address) }
        #expect(
            try await other.page { $0.order = .oldestFirst }.map(\.id)
                == store.page { $0.order = .oldestFirst }.map(\.id))
    }

    private static func statements(_ name: String) throws -> [String] {
        try fixture(name).split(separator: ";\n").map(String.init).filter { !$0.allSatisfy(\.isNewline) }
    }

    private static func fixture(_ name: String) throws -> String {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(path: "Fixtures/\(name).sql")
        return try String(contentsOf: file, encoding: .utf8)
    }

    private static let stream = "a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718"
    private static let day: Int64 = 1_763_683_200_000_000_000
    private static let minute: Int64 = 60_000_000_000

    /// Checks the content, and that the store goes on working.
    /// - Parameters:
    ///   - countsVersions: Whether the earlier version counted tags by app version.
    ///   - hasEventViews: Whether the server can have event views.
    ///   - givesNumbersUp: Whether new records' numbers have gaps.
    private static func check(
        _ store: some EventStore, countsVersions: Bool, hasEventViews: Bool = true, givesNumbersUp: Bool = false
    ) async throws {
        try await checkRecords(store)
        try await checkCounts(store, countsVersions: countsVersions)
        if hasEventViews { try await checkEventViews(store) }
        try await checkViews(store)
        try await checkChanges(store, givesNumbersUp: givesNumbersUp)
    }

    private static func checkRecords(_ store: some EventStore) async throws {
        let records = try await store.page { $0.order = .oldestFirst }
        #expect(records.map(\.id) == Array(1...10))
        #expect(
            records.map { "\($0.row.kind.rawValue) \($0.row.level) \($0.row.tag) \($0.row.session ?? "-")" } == [
                "event 9 recipe.show visit-1", "event 9 recipe.show visit-1", "message 13 kitchen.oven visit-1",
                "error 17 kitchen.oven visit-1", "span 9 recipe.load visit-2", "request 9 network visit-2",
                "event 9 recipe.save visit-2", "event 13 daybook.violation -", "run 9 checklist.start -",
                "run 9 checklist.finish -",
            ])
        #expect(records.map { ($0.row.time - day) / minute } == [1, 2, 3, 4, 5, 8, 9, 10, 11, 12])
        let second = try JSONReader.value(of: Array(records[1].row.attributes.utf8))
        // PostgreSQL reorders members.
        guard case .object(let members) = second else { throw StoreError(.storage, "\(second) is no object.") }
        #expect(
            members.elements.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
                == Attributes([
                    ("mail", "bob@example.com"), ("recipe_id", 9_007_199_254_740_993), ("title", "Omelette \"plain\""),
                ]).elements.map { "\($0.key) \($0.value)" })
        let message = records[2].row
        #expect(message.message == "オーブンが熱い: too hot" && message.module == "Kitchen")
        #expect(message.file == "Kitchen/Oven.swift" && message.function == "heat()" && message.line == 12)
        let request = records[5].row
        #expect(request.traceID == "4bf92f3577b34da6a3ce929d0e0e4736" && request.spanID == "b7ad6b7169203331")
        #expect(request.parentSpanID == "00f067aa0ba902b7" && request.duration == 1_234_567_890)
        #expect(request.context.contains("iPhone17,1"))
        func ids(_ filter: String) async throws -> [Int64] {
            let condition = try #require(try FilterParser.parse(filter, now: 0).expression)
            return try await store.page { query in
                query.narrow(by: condition)
                query.order = .oldestFirst
            }.map(\.id)
        }
        #expect(try await ids("オーブン") == [3])
        #expect(try await ids("ＴＯＯ hot") == [3])
        #expect(try await ids("たまご OR 卵かけ") == [1])
        #expect(try await ids("recipe_id=9007199254740993") == [2])
        #expect(try await ids("service.version=1.1") == [5, 6, 7, 8])
        #expect(try await store.page { $0.filter.narrow(by: .field(.version, "1.1")) }.map(\.id) == [8, 7, 6, 5])
        #expect(try await store.page { $0.filter.narrow(by: .tag("recipe.**")) }.map(\.id) == [7, 5, 2, 1])
        #expect(
            try await store.page { $0.filter.narrow(by: .field(.trace, "4bf92f3577b34da6a3ce929d0e0e4736")) }.map(\.id)
                == [6, 5])
        #expect(try await store.page { $0.filter.narrow(by: .field(.uid, "run-1")) }.map(\.id) == [9])
        var byTime = TimeQuery()
        byTime.filter.narrow(by: .since(day + 9 * minute))
        #expect(try await store.page(byTime).map(\.id) == [10, 9, 8, 7])
    }

    private static func checkCounts(_ store: some EventStore, countsVersions: Bool) async throws {
        let tags = try await store.tagSummaries(after: nil).summaries
        let counted = Dictionary(grouping: tags) { "\($0.tag) \($0.kind)" }.mapValues { $0.reduce(0) { $0 + $1.count } }
        #expect(
            counted == [
                "recipe.show event": 2, "kitchen.oven message": 1, "kitchen.oven error": 1, "recipe.save event": 1,
                "daybook.violation event": 1,
            ])
        #expect(Set(tags.map(\.version)) == (countsVersions ? ["1.0", "1.1"] : [nil]))
        let facets = try await store.values(FacetQuery(fields: [.kind, .version, .session]))
        #expect(facets[.kind] == ["event": 4, "message": 1, "error": 1, "span": 1, "request": 1, "run": 2])
        #expect(facets[.version] == ["1.0": 6, "1.1": 4])
        #expect(facets[.session] == ["visit-1": 4, "visit-2": 3])
        let bars = try await store.counts(HistogramQuery(start: day, width: 5 * minute, count: 3))
        #expect(bars["event"] == [2, 1, 1] && bars["run"] == [0, 0, 2])
        let sessions = try await store.sessions(SessionQuery())
        #expect(sessions.map(\.session) == ["visit-2", "visit-1"])
        #expect(sessions.map(\.count) == [3, 4] && sessions.map(\.errors) == [0, 1])
        #expect(sessions.map(\.version) == ["1.1", "1.0"])
        #expect(try await store.ledger(LedgerQuery()).ledgers.map(\.stream) == [stream])
        let gaps = try await store.query("SELECT sum(missing) FROM completeness", limits: patient)
        #expect(gaps.rows == [[.integer(2)]])
    }

    private static func checkEventViews(_ store: some EventStore) async throws {
        func rows(_ sql: String) async throws -> [[QueryResult.Cell]] {
            try await store.query(sql, limits: patient).rows
        }
        let shown: [[QueryResult.Cell]] = [
            [.integer(42), .text("卵かけごはん")], [.integer(9_007_199_254_740_993), .text("Omelette \"plain\"")],
        ]
        // The earlier version's view first, then this version's.
        #expect(try await rows("SELECT recipe_id, title FROM recipe__show ORDER BY _id") == shown)
        let markdown = "# recipe\n\n## show\n\nShown.\n\n- recipe_id: !bigint\n- title: !string 256\n"
        let (definitions, _) = Definitions.load([(path: "recipe.md", bytes: Array(markdown.utf8))])
        try await store.createViews(of: definitions)
        #expect(try await rows("SELECT recipe_id, title FROM recipe__show ORDER BY _id") == shown)
        #expect(
            try await rows("SELECT event, violation, count FROM violations")
                == [[.text("recipe.save"), .text("undefined_column"), .integer(1)]])
        #expect(try await rows("SELECT count(*) FROM spans") == [[.integer(2)]])
    }

    private static func checkViews(_ store: some EventStore) async throws {
        func rows(_ sql: String) async throws -> [[QueryResult.Cell]] {
            try await store.query(sql, limits: patient).rows
        }
        #expect(try await rows("SELECT count(*) FROM records WHERE kind = 'run'") == [[.integer(2)]])
        #expect(try await rows("SELECT count(*) FROM records WHERE context IS NULL") == [[.integer(0)]])
    }

    private static func checkChanges(_ store: some EventStore, givesNumbersUp: Bool) async throws {
        // Records sent to the earlier version are recognised, and its gap can be filled.
        #expect(
            try await store.append(.numbered(stream, (0, 5), 1...5)) == AppendResult(stored: 0, duplicates: 5))
        #expect(try await store.append(.numbered(stream, (5, 7), 6...7)) == AppendResult(stored: 2, duplicates: 0))
        let head = try await store.head()
        #expect(head == 12 || givesNumbersUp && head > 12)
        let gaps = try await store.query("SELECT sum(missing) FROM completeness", limits: patient)
        #expect(gaps.rows == [[.integer(0)]])
        #expect(try await store.erase(RecordFilter(.field(.session, "visit-1"))) == 4)
        let ids = try await store.page { $0.order = .oldestFirst }.map(\.id)
        #expect(ids == Array(5...10) + [head - 1, head])
        let left = try await store.tagSummaries(after: nil).summaries.filter { $0.tag == "kitchen.oven" }
        #expect(left.allSatisfy { $0.count == 0 } && !left.isEmpty)
        // Nobody knows when these arrived, so their own times count; later ones have just arrived.
        let day: Int64 = 86_400_000_000_000
        let rule = [try RetentionRule("1d")]
        #expect(try await store.retain(rule, now: 1_763_683_900_000_000_000 + day, trustsClock: true) == 5)
        #expect(try await store.page { $0.order = .oldestFirst }.map(\.id) == [10, head - 1, head])
    }
}
