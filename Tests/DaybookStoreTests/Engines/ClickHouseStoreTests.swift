import DaybookStore
import DaybookTrials
import Testing

@testable import DaybookCollector
@testable import DaybookDatabases

@Suite(
    .enabled(if: ClickHouseCluster.program != nil, Comment(rawValue: ClickHouseCluster.absence)),
    .serialized)
struct ClickHouseStoreTests {
    /// A second is too short for two servers on a machine that runs other tests.
    private static let patient: QueryLimits = {
        var limits = QueryLimits()
        limits.time = .seconds(60)
        return limits
    }()

    private func address() async throws -> String {
        try await offPool { try ClickHouseCluster.shared.get().makeDatabase() }
    }

    private func open(_ address: String, access: StoreAccess = .readWrite) async throws -> ClickHouseStore {
        try await offPool { try ClickHouseStore(address: address, access: access) }
    }

    /// Claims an arrival number as another collector that commits one record, one state after another.
    private func claim(_ id: Int64, _ states: [ClaimTable.State], in address: String) async throws {
        let parsed = try ClickHouseAddress(address)
        try await offPool {
            let claims = ClaimTable(CommonTables(session: ClickHouseSession(address: parsed), writing: []))
            var plan = CommitPlan([RecordBatch(rows: [.sample(3)])], known: [:])
            plan.number(from: id)
            for state in states { try claims.write(plan, commit: "other", state) }
        }
    }

    /// The old servers that distributions package lack functions for event views; those cases run on current
    /// ClickHouse.
    @Test(
        "The ClickHouse store passes the basic and query conformance cases",
        arguments: ConformanceCase.basic + ConformanceCase.querying)
    func conforms(to conformance: ConformanceCase) async throws {
        try await conformance.check(open(address()))
    }

    @Test("Rejects a batch that repeats too much context but stores half of it") func refusesRepeatedContexts()
        async throws
    {
        let store = try await open(address())
        let context = #"{"long":"\#(String(repeating: "x", count: 64 << 10))"}"#
        let rows = (0..<520).map { number in RecordRow.sample(number).with { $0.context = context } }
        await #expect(throws: AppendError.rejected(.repeatedContexts)) {
            try await store.append(RecordBatch(rows: rows))
        }
        #expect(try await store.append(RecordBatch(rows: Array(rows[..<260]))).stored == 260)
        let size = try #require(await store.size())
        #expect(size > 0 && size < 16 << 20)
    }

    @Test("Distributes commits evenly over the shards") func rotatesShards() async throws {
        let address = try await address()
        let store = try await open(address)
        for start in [1, 31, 61, 91] {
            try await store.append(RecordBatch(rows: (start..<start + 30).map { .sample($0) }))
        }
        #expect(try await store.page { $0.limit = 1_000 }.count == 120)
        let parsed = try ClickHouseAddress(address)
        let counts = try await offPool {
            let session = ClickHouseSession(address: parsed)
            var counts: [Int64] = []
            for node in parsed.nodes {
                counts.append(try session.rows("SELECT count() FROM stored_records", on: node).integer(0, 0))
            }
            return counts
        }
        #expect(counts == [60, 60])
    }

    /// More streams than fit in a query: servers parse at most 256 KiB.
    @Test("Commits batches from thousands of streams at once") func commitsThousandsOfStreams() async throws {
        let store = try await open(address() + "&window=1")
        let names = (1...3_000).map { "0123456789abcdef0123456789abcdef0123456789abcdef-\($0)" }
        for stored in [1, 0] {
            let results = try await withThrowingTaskGroup(of: AppendResult.self) { group in
                for (place, name) in names.enumerated() {
                    group.addTask {
                        let row = RecordRow.sample(place, sequence: 1)
                        return try await store.append(
                            RecordBatch(origin: .init(stream: name, after: 0, through: 1), rows: [row]))
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(results.count == 3_000)
            #expect(results.allSatisfy { $0 == AppendResult(stored: stored, duplicates: 1 - stored) })
        }
        #expect(try await store.query("SELECT count() FROM records", limits: Self.patient).rows == [[.integer(3_000)]])
    }

    /// Without replicated tables, a row written to one node is missing on the others of its shard.
    @Test("Refuses a replicated cluster whose tables do not replicate") func requiresReplicatedTables() async throws {
        let shards = try await address()
        _ = try await open(shards)
        let address = shards.replacing(
            "cluster=\(ClickHouseCluster.name)", with: "cluster=\(ClickHouseCluster.replicasName)")
        let error = await #expect(throws: StoreError.self) { try await open(address) }
        #expect(error?.code == .unavailable)
        #expect(error?.message.contains("has replicas") == true)
    }

    @Test("ClickHouse keeps a batch sent to two collectors at once only once") func clickHouseDeduplicates()
        async throws
    {
        let address = try await address()
        let stores = [try await open(address), try await open(address)]
        try await withThrowingTaskGroup(of: Void.self) { group in
            for step in 0..<40 {
                let after = UInt64(step / 2 * 10)
                group.addTask {
                    _ = try await stores[step % 2].append(
                        .numbered("s", (after, after + 10), after + 1...after + 10))
                }
            }
            try await group.waitForAll()
        }
        for store in stores {
            #expect(try await store.uids { $0.limit = 1_000 }.sorted() == (1...200).map { "uid-\($0)" }.sorted())
            #expect(try await store.tagSummaries(after: nil).summaries.map(\.count) == [200])
            let ledger = try await store.ledger(LedgerQuery()).ledgers
            #expect(ledger.map(\.stored) == [200])
            #expect(ledger.map(\.duplicates) == [200])
            #expect(ledger.map(\.settled) == [[.init(after: 0, through: 200)]])
        }
        let sql = "SELECT count(), uniq(uid), uniq(id) FROM records"
        #expect(
            try await stores[0].query(sql, limits: Self.patient).rows == [
                [.integer(200), .integer(200), .integer(200)]
            ])
    }

    @Test("Two collectors never assign the same record number") func numbersAreUnique() async throws {
        let address = try await address()
        let stores = [try await open(address), try await open(address)]
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<8 {
                group.addTask {
                    for step in 0..<5 {
                        let rows = (0..<4).map { RecordRow.sample(task * 1_000 + step * 4 + $0) }
                        _ = try await stores[task % 2].append(RecordBatch(rows: rows))
                    }
                }
            }
            try await group.waitForAll()
        }
        let ids = try await stores[0].page { $0.limit = 1_000 }.map(\.id)
        #expect(ids.count == 160)
        #expect(Set(ids).count == 160)
    }

    /// Other collectors leave gaps, but readers are already past them.
    @Test("A returning collector continues after the numbers of others") func resumesBehindOthers() async throws {
        let address = try await address()
        let store = try await open(address)
        try await store.append(RecordBatch(rows: [.sample(1), .sample(2)]))
        try await claim(50, [.open, .done], in: address)
        try await store.append(RecordBatch(rows: [.sample(4)]))
        let ids = try await store.page { _ in }.map(\.id).sorted()
        #expect(ids.prefix(2) == [1, 2] && ids.count == 3 && ids[2] > 50, "\(ids)")
    }

    /// A collector dies after announcing its commit, with some rows stored or none.
    @Test("Rows of a dead collector's last commit count once", arguments: [0, 3, 10])
    func countsDeadCommitOnce(stored: Int) async throws {
        let address = try await address()
        let store = try await open(address)
        try await store.append(.numbered("s", (0, 5), 1...5))
        let parsed = try ClickHouseAddress(address)
        try await offPool {
            let session = ClickHouseSession(address: parsed)
            let claims = ClaimTable(CommonTables(session: session, writing: []))
            let batch = RecordBatch.numbered("s", (5, 15), 6...15)
            var plan = CommitPlan([batch], known: [:])
            plan.number(from: 6)
            try claims.write(plan, commit: "dead", .open)
            var binary = RowBinary()
            for (offset, row) in batch.rows.prefix(stored).enumerated() {
                StoredRow.append(row, id: 6 + Int64(offset), ContextFields(row.context), arrived: 1, to: &binary)
            }
            guard stored > 0 else { return }
            try session.run("INSERT INTO stored_records \(StoredRow.insertion)", body: binary.bytes)
        }
        #expect(try await store.append(.numbered("s", (5, 20), 6...20)).stored == 15)
        let sql = "SELECT count(), uniq(uid) FROM records"
        #expect(try await store.query(sql, limits: Self.patient).rows == [[.integer(20), .integer(20)]])
        #expect(try await store.tagSummaries(after: nil).summaries.map(\.count) == [20])
        #expect(try await store.ledger(LedgerQuery()).ledgers.map(\.stored) == [20])
        #expect(try await store.append(.numbered("s", (5, 20), 6...20)).duplicates == 15)
        var filter = RecordFilter()
        filter.narrow(by: .since(0))
        #expect(try await store.erase(filter) == 20)
        #expect(try await store.tagSummaries(after: nil).summaries.map(\.count) == [0])
    }

    @Test("Readers see no records beyond a pending commit") func readersAwaitEarlierCommits() async throws {
        let address = try await address()
        let store = try await open(address)
        try await store.append(RecordBatch(rows: [.sample(1), .sample(2)]))
        try await claim(3, [.open], in: address)
        try await store.append(RecordBatch(rows: [.sample(4)]))
        #expect(try await store.head() == 2)
        #expect(try await store.uids { _ in } == ["uid-2", "uid-1"])
    }

    @Test("Batches sent while a shard is down fail and are later stored once") func shardOutageLosesNothing()
        async throws
    {
        let cluster = try await offPool { try ClickHouseCluster() }
        let address = try await offPool { try cluster.makeDatabase() }
        let store = try await open(address)
        let batch = RecordBatch.numbered("s", (0, 50), 1...50)
        try await offPool { try cluster.stop(node: 1) }
        let error = await #expect(throws: AppendError.self) { try await store.append(batch) }
        #expect(error.map { if case .failed = $0 { true } else { false } } == true)
        try await offPool { try cluster.start(node: 1) }
        _ = try await store.append(batch)
        let sql = "SELECT count(), uniq(uid) FROM records"
        #expect(try await store.query(sql, limits: Self.patient).rows == [[.integer(50), .integer(50)]])
        try await offPool { cluster.remove() }
    }

    @Test("A read-only ClickHouse store must exist and is never written") func clickHouseReadOnly() async throws {
        let address = try await address()
        let missing = await #expect(throws: StoreError.self) { try await open(address, access: .readOnly) }
        #expect(missing?.code == .unavailable)
        #expect(missing?.message.contains("begin with `daybook serve`") == true)
        try await open(address).append(RecordBatch(rows: [.sample(1)]))
        let reader = try await open(address, access: .readOnly)
        #expect(try await reader.head() == 1)
        await #expect(throws: AppendError.failed(.readOnly())) {
            try await reader.append(RecordBatch(rows: [.sample(2)]))
        }
    }

    @Test("Refuses an address that omits a node of the cluster") func requiresEveryNode() async throws {
        let address = try await address()
        let half = address.replacing(/,[^\/]*\//, with: "/")
        let error = await #expect(throws: StoreError.self) { try await open(half) }
        #expect(error?.message.contains("has 2 nodes, and the address names 1") == true)
        #expect(error?.message.contains("s3cret") == false)
    }

    @Test("An unreachable ClickHouse server is named without its password") func clickHouseUnreachable() async throws {
        let error = await #expect(throws: StoreError.self) {
            try await open("clickhouse://user:secret@127.0.0.1:1/daybook")
        }
        #expect(error?.code == .unavailable)
        #expect(error?.message.contains("127.0.0.1:1") == true)
        #expect(error?.message.contains("secret") == false)
    }
}
