import DaybookBase
import DaybookStore
import DaybookTestTraits
import DaybookTrials
import Foundation
import Testing

@testable import DaybookCLI

@Suite(.timeLimit(.minutes(5)), .temporaryDirectory) struct RecordTailTests {
    private let tool = Tool()

    private struct End: Error {}

    private func row(_ number: Int) -> RecordRow {
        RecordRow(uid: "u\(number)", time: Int64(number), kind: .event, level: 9, tag: "a.b")
    }

    @Test("Tailing retries an unreachable store without loss or repetition") func tailSurvivesOutage() async throws {
        let store = MemoryStore()
        try await store.append(RecordBatch(rows: [row(1)]))
        let reader = FailingStore(store)
        var tail = try await RecordTail.starting(in: reader, filter: RecordFilter(), lines: 1)
        #expect(tail.first.map(\.id) == [1])
        var pauses: [Duration] = []
        var arrived: [Int64] = []
        var notices: [StoreError] = []
        await #expect(throws: End.self) {
            try await tail.follow(reader) { duration in
                pauses.append(duration)
                switch pauses.count {
                case 1, 9, 10:
                    try await store.append(RecordBatch(rows: [row(pauses.count), row(pauses.count + 100)]))
                case 2: reader.failure = StoreError(.unavailable, "gone")
                case 4: try await store.append(RecordBatch(rows: [row(4)]))
                case 8: reader.failure = nil
                case 11: reader.failure = StoreError(.unavailable, "gone again")
                case 12: throw End()
                default: break
                }
            } jitter: {
                0.5
            } arrived: { page in
                arrived += page.map(\.id)
            } lost: { error in
                notices.append(error)
            }
        }
        #expect(arrived == [2, 3, 4, 5, 6, 7, 8])
        #expect(notices.map(\.message) == ["gone", "gone again"])
        #expect(
            pauses.map { $0 / .milliseconds(250) } == [1, 1, 3, 5, 9, 17, 33, 61, 1, 1, 1, 3])
    }

    @Test("Any other error from the store ends tailing") func otherErrorsEndTail() async throws {
        let reader = FailingStore(MemoryStore())
        var tail = try await RecordTail.starting(in: reader, filter: RecordFilter(), lines: 1)
        reader.failure = StoreError(.badStatement, "wrong")
        await #expect(throws: StoreError(.badStatement, "wrong")) {
            try await tail.follow(reader) { _ in
            } jitter: {
                0
            } arrived: { _ in
            } lost: { _ in
            }
        }
        reader.failure = StoreError(.unavailable, "gone")
        await #expect(throws: StoreError(.unavailable, "gone")) {
            try await RecordTail.starting(in: reader, filter: RecordFilter(), lines: 1)
        }
    }

    @Test(
        "`tail` continues when PostgreSQL comes back",
        .enabled(if: PostgreSQLServer.tools != nil, Comment(rawValue: PostgreSQLServer.absence)))
    func tailSurvivesRestart() async throws {
        let server = try await offPool { try PostgreSQLServer() }
        defer { server.remove() }
        let store = try await offPool { try server.makeDatabase() }
        let lines = (1...3).map { #"{"tag":"a.b","uid":"u-\#($0)"}"# }
        func add(_ line: String) async throws {
            #expect(try await tool.run("import", "--store", store, "-", input: line).status == 0)
        }
        try await add(lines[0])
        let tail = try tool.start("tail", "--store", store, "--format", "ndjson", mergingErrors: true)
        defer { tail.end() }
        _ = try await tail.line(beginning: #"{"id": 1"#)
        try await offPool { try server.stop() }
        #expect(try await tail.line(beginning: "warning: ").hasSuffix("Trying again."))
        try await offPool { try server.start() }
        for number in 2...3 {
            try await add(lines[number - 1])
            #expect(try await tail.line(beginning: #"{"id": \#(number)"#).contains("u-\(number)"))
        }
        #expect(tail.lines.map { $0.prefix(9) } == [#"{"id": 1,"#, "warning: ", #"{"id": 2,"#, #"{"id": 3,"#])
    }
}

/// Reads another store until told to fail.
private final class FailingStore: EventStore {
    private let base: MemoryStore
    private let state = Mutex<StoreError?>(nil)

    init(_ base: MemoryStore) { self.base = base }

    var failure: StoreError? {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }

    private func check() throws { if let failure { throw failure } }

    func slice(_ query: RecordQuery) async throws -> RecordSlice {
        try check()
        return try await base.slice(query)
    }
    func slice(_ query: TimeQuery) async throws -> TimeSlice { try await base.slice(query) }
    func head() async throws -> Int64 {
        try check()
        return try await base.head()
    }
    func append(_ batch: RecordBatch) async throws(AppendError) -> AppendResult { try await base.append(batch) }
    func timeBounds(within times: Range<Int64>?) async throws -> ClosedRange<Int64>? {
        try await base.timeBounds(within: times)
    }
    func histogram(_ query: HistogramQuery) async throws -> Histogram { try await base.histogram(query) }
    func facets(_ query: FacetQuery) async throws -> Facets { try await base.facets(query) }
    func sessions(_ query: SessionQuery) async throws -> [SessionSummary] { try await base.sessions(query) }
    func tagSummaries(after position: TagPosition?) async throws -> TagPage {
        try await base.tagSummaries(after: position)
    }
    func ledger(_ query: LedgerQuery) async throws -> LedgerPage { try await base.ledger(query) }
    func erase(_ filter: RecordFilter) async throws -> Int64 { try await base.erase(filter) }
    var dialect: StoreDialect? { base.dialect }
    func createViews(_ views: [StoreView]) async throws { try await base.createViews(views) }
    func query(_ sql: String, limits: QueryLimits) async throws -> QueryResult {
        try await base.query(sql, limits: limits)
    }
}
