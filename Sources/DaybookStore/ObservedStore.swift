import DaybookBase

/// A store that reports the outcome of each append.
public struct ObservedStore: EventStore, KeyedStore {
    fileprivate let store: any EventStore
    private let isWatched: @Sendable () -> Bool
    private let onAppend: @Sendable (_ head: Int64) -> Void
    private let onCommit: @Sendable (RecordBatch, AppendResult) -> Void
    private let onFailure: @Sendable (StoreError) -> Void
    private let notice = Notice()

    /// Coalesces notices: whether one is being sent, and whether more was stored since.
    private final class Notice: Sendable {
        let state = Mutex((isUnderWay: false, isOutdated: false))
    }

    /// Wraps a store.
    ///
    /// ```swift
    /// let store = ObservedStore(MemoryStore()) { head in print("\(head) records") }
    /// ```
    /// - Parameters:
    ///   - isWatched: Whether anyone wants notices now; on a database server, reading the head costs a query. Default:
    ///     yes.
    ///   - onAppend: Called with the largest arrival number soon after one or more commits; must be quick.
    public init(
        _ store: any EventStore, isWatched: @escaping @Sendable () -> Bool = { true },
        onAppend: @escaping @Sendable (_ head: Int64) -> Void
    ) {
        self.init(store, isWatched: isWatched, onAppend: onAppend, onCommit: { _, _ in })
    }

    /// - Parameters:
    ///   - onCommit: Called with each stored batch and its result; must be quick.
    ///   - onFailure: Called for each failure to store, but not for a rejected batch; must be quick.
    package init(
        _ store: any EventStore, isWatched: @escaping @Sendable () -> Bool = { false },
        onAppend: @escaping @Sendable (_ head: Int64) -> Void = { _ in },
        onCommit: @escaping @Sendable (RecordBatch, AppendResult) -> Void,
        onFailure: @escaping @Sendable (StoreError) -> Void = { _ in }
    ) {
        self.store = store
        self.isWatched = isWatched
        self.onAppend = onAppend
        self.onCommit = onCommit
        self.onFailure = onFailure
    }

    public func append(_ batch: RecordBatch) async throws(AppendError) -> AppendResult {
        let result: AppendResult
        do throws(AppendError) {
            result = try await store.append(batch)
        } catch {
            if case .failed(let failure) = error { onFailure(failure) }
            throw error
        }
        onCommit(batch, result)
        guard result.stored > 0, isWatched() else { return result }
        let mustBegin = notice.state.withLock { state in
            defer { state = (isUnderWay: true, isOutdated: state.isUnderWay) }
            return !state.isUnderWay
        }
        // The append does not wait: reading the head queues behind readers, which may be slow.
        if mustBegin { Task { await tell() } }
        return result
    }

    private func tell() async {
        var isOutdated = true
        while isOutdated {
            // If the head cannot be read, the notice comes later; the batch is stored anyway.
            if let head = try? await store.head() { onAppend(head) }
            isOutdated = notice.state.withLock { state in
                defer { state = (isUnderWay: state.isOutdated, isOutdated: false) }
                return state.isOutdated
            }
        }
    }

    public func slice(_ query: RecordQuery) async throws -> RecordSlice { try await store.slice(query) }
    public func slice(_ query: TimeQuery) async throws -> TimeSlice { try await store.slice(query) }
    public func head() async throws -> Int64 { try await store.head() }
    public func timeBounds(within times: Range<Int64>?) async throws -> ClosedRange<Int64>? {
        try await store.timeBounds(within: times)
    }
    public func histogram(_ query: HistogramQuery) async throws -> Histogram { try await store.histogram(query) }
    public func facets(_ query: FacetQuery) async throws -> Facets { try await store.facets(query) }
    public func sessions(_ query: SessionQuery) async throws -> [SessionSummary] { try await store.sessions(query) }
    public func ledger(_ query: LedgerQuery) async throws -> LedgerPage { try await store.ledger(query) }

    public func tagSummaries(after position: TagPosition?) async throws -> TagPage {
        try await store.tagSummaries(after: position)
    }

    public func erase(_ filter: RecordFilter) async throws -> Int64 { try await store.erase(filter) }
    public func erasureRemains() async -> String? { await store.erasureRemains() }
    package var ownKey: StoreKey { store.key }
    public var dialect: StoreDialect? { store.dialect }
    public func createViews(_ views: [StoreView]) async throws { try await store.createViews(views) }
    public func maskingText() async throws -> String? { try await store.maskingText() }

    public func query(_ sql: String, limits: QueryLimits) async throws -> QueryResult {
        try await store.query(sql, limits: limits)
    }

    public func check(resting: Int, _ found: @escaping @Sendable (String) -> Void) async throws {
        try await store.check(resting: resting, found)
    }

    public func diskUse() async -> StoreDiskUse? { await store.diskUse() }

    public func notices() async -> [String] { await store.notices() }

    public func size() async throws -> Int64? { try await store.size() }

    public func close() async { await store.close() }
}

extension EventStore {
    /// The store, if it answers from columns.
    package var columnar: (any ColumnarStore)? {
        (self as? any ColumnarStore) ?? (self as? ObservedStore)?.store.columnar
    }
}
