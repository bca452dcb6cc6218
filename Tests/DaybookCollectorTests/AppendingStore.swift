import DaybookStore

/// An empty store whose `append` the test supplies.
struct AppendingStore: EventStore {
    private let base = MemoryStore()
    private let body: @Sendable (RecordBatch) async throws -> AppendResult

    init(_ body: @escaping @Sendable (RecordBatch) async throws -> AppendResult) {
        self.body = body
    }

    func append(_ batch: RecordBatch) async throws(AppendError) -> AppendResult {
        do {
            return try await body(batch)
        } catch {
            throw error as? AppendError ?? .failed(error as? StoreError ?? StoreError(.storage, "\(error)"))
        }
    }
    func slice(_ query: RecordQuery) async throws -> RecordSlice { try await base.slice(query) }
    func slice(_ query: TimeQuery) async throws -> TimeSlice { try await base.slice(query) }
    func head() async throws -> Int64 { try await base.head() }
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
