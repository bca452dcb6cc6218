import DaybookBase
import DaybookStore

/// An in-memory store, to test what stands in front of one.
final class FakeStore: EventStore {
    private let state = Mutex<(records: [StoredRecord], failure: StoreError?, answer: QueryResult?)>(([], nil, nil))
    private let lastGiven = Mutex<Int64>(0)
    private let asked = Mutex<[RecordQuery]>([])

    init(_ rows: [RecordRow] = []) {
        state.withLock { state in
            state.records = rows.enumerated().map { StoredRecord(id: Int64($0.offset + 1), row: $0.element) }
        }
    }

    /// Makes everything throw this error; `nil` ends that.
    func fail(with error: StoreError?) { state.withLock { $0.failure = error } }

    /// Sets the largest arrival number, of a record that has since been erased.
    func erased(through head: Int64) { lastGiven.withLock { $0 = head } }

    /// Sets the result of the next statements.
    func answer(with result: QueryResult) { state.withLock { $0.answer = result } }

    /// The pages requested so far.
    var queries: [RecordQuery] { asked.withLock { $0 } }

    func append(_ batch: RecordBatch) async throws(AppendError) -> AppendResult {
        state.withLock { state in
            for row in batch.rows {
                state.records.append(StoredRecord(id: Int64(state.records.count + 1), row: row))
            }
        }
        return AppendResult(stored: batch.rows.count, duplicates: 0)
    }

    func slice(_ query: RecordQuery) async throws -> RecordSlice {
        asked.withLock { $0.append(query) }
        return try await memory().slice(query)
    }

    func slice(_ query: TimeQuery) async throws -> TimeSlice { try await memory().slice(query) }

    func head() async throws -> Int64 { max(try records().last?.id ?? 0, lastGiven.withLock { $0 }) }

    func timeBounds(within times: Range<Int64>?) async throws -> ClosedRange<Int64>? {
        try await memory().timeBounds(within: times)
    }
    func histogram(_ query: HistogramQuery) async throws -> Histogram { try await memory().histogram(query) }
    func facets(_ query: FacetQuery) async throws -> Facets { try await memory().facets(query) }
    func sessions(_ query: SessionQuery) async throws -> [SessionSummary] { try await memory().sessions(query) }
    func tagSummaries(after position: TagPosition?) async throws -> TagPage {
        try await memory().tagSummaries(after: position)
    }
    func ledger(_ query: LedgerQuery) async throws -> LedgerPage { try await memory().ledger(query) }
    var dialect: StoreDialect? { nil }
    func createViews(_ views: [StoreView]) async throws {}

    func erase(_ filter: RecordFilter) async throws -> Int64 {
        let store = try await memory()
        let erased = try await store.erase(filter)
        var query = RecordQuery()
        query.order = .oldestFirst
        query.limit = 1_000
        let kept = try await store.page(query)
        state.withLock { $0.records = kept }
        return erased
    }

    /// A store with the records that can do everything but fail.
    private func memory() async throws -> MemoryStore {
        let store = MemoryStore()
        try await store.append(RecordBatch(rows: try records().map(\.row)))
        return store
    }

    func query(_ sql: String, limits: QueryLimits) async throws -> QueryResult {
        _ = try records()
        guard let answer = state.withLock({ $0.answer }) else {
            throw StoreError(.badStatement, "near \"\(sql)\": syntax error")
        }
        return answer
    }

    private func records() throws -> [StoredRecord] {
        try state.withLock { state in
            if let failure = state.failure { throw failure }
            return state.records
        }
    }
}
