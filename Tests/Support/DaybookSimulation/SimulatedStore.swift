import DaybookBase
import DaybookStore
import DaybookTesting

/// A store over a real one whose appends fail while the simulation says so.
final class SimulatedStore: EventStore {
    enum Trouble: CaseIterable {
        /// Nothing is stored, and the caller is told.
        case failsBeforeCommit
        /// Everything is stored, and the caller is told that it failed.
        case failsAfterCommit
        /// The file itself refuses every row, as with someone's trigger.
        case refusesInserts
    }

    /// A store's trouble, shared by all who use it.
    final class State: Sendable {
        let trouble = Mutex<Trouble?>(nil)
    }

    private let base: SQLiteStore
    private let planted: PlantedFault?
    private let state: State
    private let clock: ManualClock
    private let hasFailed = Mutex(false)

    init(_ base: SQLiteStore, _ state: State, _ clock: ManualClock, planted: PlantedFault?) {
        (self.base, self.state, self.clock, self.planted) = (base, state, clock, planted)
    }

    func set(_ trouble: Trouble?) { state.trouble.withLock { $0 = trouble } }

    /// Whether this user's last append failed.
    var isFailing: Bool { hasFailed.withLock { $0 } }

    func append(_ batch: RecordBatch) async throws(AppendError) -> AppendResult {
        do throws(AppendError) {
            let result = try await stored(batch)
            hasFailed.withLock { $0 = false }
            return result
        } catch {
            hasFailed.withLock { $0 = true }
            throw error
        }
    }

    private func stored(_ batch: RecordBatch) async throws(AppendError) -> AppendResult {
        var batch = batch
        // Otherwise, what people write or import would take the system's time, which later appends would inherit.
        batch.arrived = clock.clock.wall()
        switch planted {
        case .storesNothing: return AppendResult(stored: batch.rows.count, duplicates: 0)
        case .storesTwice: batch.origin = nil
        default: break
        }
        let trouble = state.trouble.withLock { $0 }
        if trouble == .failsBeforeCommit {
            throw .failed(StoreError(.storage, "The disk is full (a fault of the simulation)."))
        }
        let result = try await base.append(batch)
        if trouble == .failsAfterCommit {
            throw .failed(StoreError(.storage, "The commit's end is unknown (a fault of the simulation)."))
        }
        return result
    }

    func erase(_ filter: RecordFilter) async throws -> Int64 {
        planted == .erasesNothing ? 1 : try await base.erase(filter)
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
    var dialect: StoreDialect? { base.dialect }
    func createViews(_ views: [StoreView]) async throws { try await base.createViews(views) }
    func query(_ sql: String, limits: QueryLimits) async throws -> QueryResult {
        try await base.query(sql, limits: limits)
    }
    func close() async { await base.close() }
}
