import DaybookStore
import DaybookTrials
import Testing

@testable import DaybookCollector
@testable import DaybookDatabases

/// The current dialect's tables and queries on a current engine.
@Suite(
    .enabled(if: ClickHouseOfToday.python != nil, Comment(rawValue: ClickHouseOfToday.absence)), .clickHouseOfToday,
    .serialized)
struct ClickHouseTodayTests {
    private func open() async throws -> ClickHouseStore {
        let server = try #require(ClickHouseOfToday.current)
        return try await offPool { try ClickHouseStore(address: server.makeDatabase()) }
    }

    /// Insights, which an older ClickHouse lacks, and by default every fourth of the others, since the in-process engine
    /// takes seconds for each; the other ClickHouse runs all.
    private static let cases =
        ConformanceCase.basic.enumerated().filter { TestLength.isLong || $0.offset % 4 == 0 }.map(\.element)
        + ConformanceCase.insights + (TestLength.isLong ? ConformanceCase.querying + ConformanceCase.views : [])

    @Test("The store passes its conformance cases on current ClickHouse", arguments: cases)
    func conforms(to conformance: ConformanceCase) async throws {
        try await conformance.check(open())
    }

    @Test("The ClickHouse store key is created once and hidden from SQL") func storeKeyIsSecret() async throws {
        let server = try #require(ClickHouseOfToday.current)
        // Repeated: what one of the four sees of the others is a race.
        for _ in 0..<5 {
            let address = try await offPool { try server.makeDatabase() }
            try await StoreKeyCase.check { try await offPool { try ClickHouseStore(address: address) } }
        }
    }

    @Test("A failing constraint blocks only the affected batch") func isolatesConstraintFailure() async throws {
        let server = try #require(ClickHouseOfToday.current)
        let address = try await offPool { try server.makeDatabase() }
        let store = try await offPool { try ClickHouseStore(address: address) }
        let parsed = try ClickHouseAddress(address)
        func alter(_ change: String) async throws {
            try await offPool {
                try ClickHouseSession(address: parsed).runEverywhere("ALTER TABLE stored_records \(change)")
            }
        }
        func batch(_ stream: String, _ tag: String) -> RecordBatch {
            var batch = RecordBatch.numbered(stream, (0, 2), [1, 2])
            for place in batch.rows.indices { batch.rows[place].tag = tag }
            return batch
        }
        try await alter("ADD CONSTRAINT fault CHECK tag != 'poison'")
        async let good = [
            store.append(batch("a", "x")), store.append(batch("b", "x")), store.append(batch("c", "x")),
        ]
        do throws(AppendError) {
            _ = try await store.append(batch("bad", "poison"))
            Issue.record("It was stored.")
        } catch {
            guard case .failed = error else {
                Issue.record("\(error)")
                return
            }
        }
        #expect(try await good.map(\.stored) == [2, 2, 2])
        try await alter("DROP CONSTRAINT fault")
        #expect(try await store.append(batch("bad", "poison")) == AppendResult(stored: 2, duplicates: 0))
        #expect(try await store.append(batch("bad", "poison")) == AppendResult(stored: 0, duplicates: 2))
        var query = RecordQuery()
        query.limit = 100
        let tags = try await store.wholeSlice(query).records.map(\.row.tag).sorted()
        #expect(tags == ["poison", "poison", "x", "x", "x", "x", "x", "x"])
    }

    @Test("No ClickHouse statement reveals masked values") func statementsStayMasked() async throws {
        let server = try #require(ClickHouseOfToday.current)
        let address = try await offPool { try server.makeDatabase() }
        let store = try await offPool { try ClickHouseStore(address: address) }
        try await MaskedStatementCase.check(store, database: try ClickHouseAddress(address).database)
    }
}

/// Starts the engine for a suite and stops it afterwards.
struct ClickHouseOfTodayTrait: SuiteTrait, TestScoping {
    var isRecursive: Bool { false }

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        let server = try await offPool { try ClickHouseOfToday() }
        let result: Result<Void, any Error>
        do {
            result = .success(try await ClickHouseOfToday.$current.withValue(server, operation: function))
        } catch {
            result = .failure(error)
        }
        try await offPool { server.remove() }
        try result.get()
    }
}

extension ClickHouseOfToday {
    @TaskLocal static var current: ClickHouseOfToday?
}

extension Trait where Self == ClickHouseOfTodayTrait {
    /// Gives the suite's tests a current ClickHouse: ``ClickHouseOfToday/current``.
    static var clickHouseOfToday: Self { ClickHouseOfTodayTrait() }
}
