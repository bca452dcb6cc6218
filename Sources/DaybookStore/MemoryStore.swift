import DaybookBase

/// Keeps records in memory: for tests and previews, and as the other stores' reference model. Without SQL. Safe to
/// share between threads.
public final class MemoryStore: EventStore {
    private struct State {
        var records: [StoredRecord] = []
        var head: Int64 = 0
        var arrivals = ArrivalTimes()
        var streams = MemoryStreams()
        var tags = TagCounts()
        var names: NameBound

        /// Indices of rows that are stored.
        func present(_ rows: [RecordRow]) -> Set<Int> {
            var contexts = ContextFieldsCache()
            let identities = Set(records.map { RecordIdentity($0.row, &contexts) })
            return Set(rows.indices.filter { identities.contains(RecordIdentity(rows[$0], &contexts)) })
        }
    }

    private let state: Mutex<State>
    private let step: Int

    /// Creates an empty store.
    ///
    /// ```swift
    /// let store = MemoryStore()
    /// let page = try await store.page(RecordQuery())
    /// ```
    /// - Parameter recordsPerSlice: Records that one call scans before it returns a partial answer. Default 100,000.
    public convenience init(recordsPerSlice: Int = 100_000) {
        self.init(recordsPerSlice: recordsPerSlice, names: NameBound())
    }

    package init(recordsPerSlice: Int = 100_000, names: NameBound) {
        step = max(recordsPerSlice, 1)
        state = Mutex(State(names: names))
    }

    @discardableResult
    public func append(_ batch: RecordBatch) async throws(AppendError) -> AppendResult {
        try batch.checkSequences()
        let batch = batch.named(by: key)
        return state.withLock { state in
            let places = state.streams.settle(batch, present: batch.isImport ? state.present(batch.rows) : [])
            if !places.isEmpty { state.arrivals.add(batch.arrived, from: state.head + 1) }
            for place in places {
                state.head += 1
                state.records.append(StoredRecord(id: state.head, row: batch.rows[place]))
                state.records[state.records.count - 1].row.sequence = nil
                state.tags.add(
                    batch.rows[place], version: ContextFields(batch.rows[place].context).version,
                    arrived: batch.arrived)
            }
            if state.names.mustCount(adding: places.count) { state.tags.fold(state.names) }
            return AppendResult(stored: places.count, duplicates: batch.rows.count - places.count)
        }
    }

    public func slice(_ query: RecordQuery) async throws -> RecordSlice {
        let matches = match(query.filter)
        var part = part(after: query.after, before: query.before, isNewestFirst: query.order == .newestFirst)
        var page = PageBuilder(query)
        for record in part.records where matches(record) {
            if page.add(record) {
                part.progress.done = abs(record.id - part.start)
                return RecordSlice(page, next: record.id, progress: part.progress)
            }
        }
        return RecordSlice(page, next: part.next, progress: part.progress)
    }

    public func slice(_ query: TimeQuery) async throws -> TimeSlice {
        let matches = match(query.filter)
        let isNewestFirst = query.order == .newestFirst
        let records = state.withLock { $0.records }.filter { query.holds($0.place) }
            .sorted { isNewestFirst ? $1.place < $0.place : $0.place < $1.place }
        var found: [StoredRecord] = []
        for record in records where matches(record) {
            found.append(record)
            if found.count == query.rowLimit { break }
        }
        let isFull = found.count == query.rowLimit
        return TimeSlice(
            records: found, next: isFull ? found.last?.place : nil, isPartial: false,
            progress: SearchProgress(done: 1, total: 1))
    }

    public func head() async throws -> Int64 { state.withLock { $0.records.last?.id ?? 0 } }

    public func timeBounds(within times: Range<Int64>?) async throws -> ClosedRange<Int64>? {
        let found = state.withLock { $0.records.map(\.row.time) }.filter { times?.contains($0) ?? true }
        guard let first = found.min(), let last = found.max() else { return nil }
        return first...last
    }

    public func histogram(_ query: HistogramQuery) async throws -> Histogram {
        let matches = match(query.filter)
        let part = part(after: query.after, before: query.before, isNewestFirst: true)
        let rows = RowHistogram(query)
        var histogram = Histogram(next: part.next, progress: part.progress)
        for record in part.records where matches(record) { rows.add(record.row, to: &histogram) }
        return histogram
    }

    public func facets(_ query: FacetQuery) async throws -> Facets {
        let matches = match(query.filter)
        let part = part(after: query.after, before: query.before, isNewestFirst: true)
        var counts = FacetCounts()
        for record in part.records where matches(record) {
            counts.add(record.row, of: query)
        }
        return counts.facets(of: query, next: part.next, progress: part.progress)
    }

    public func sessions(_ query: SessionQuery) async throws -> [SessionSummary] {
        var summaries: [String: SessionSummary] = [:]
        let (records, arrivals) = state.withLock { ($0.records, $0.arrivals) }
        for record in records {
            guard let session = record.row.session else { continue }
            summaries[session, default: SessionSummary(emptyFor: session)]
                .add(record.row, arrived: arrivals.time(of: record.id) ?? record.row.time)
        }
        return query.page(of: summaries.values)
    }

    public func tagSummaries(after position: TagPosition?) async throws -> TagPage {
        let tags = state.withLock { $0.tags }
        var rest = tags.summaries.map { (position: TagPosition($0), summary: $0) }
        if let position { rest.removeAll { !TagPosition.isBefore(position, $0.position) } }
        rest.sort { TagPosition.isBefore($0.position, $1.position) }
        var page = TagPage()
        for (_, summary) in rest {
            guard page.add(summary) else { return page }
        }
        page.unlisted = tags.unlisted
        return page
    }

    public func ledger(_ query: LedgerQuery) async throws -> LedgerPage {
        let all = state.withLock { $0.streams.ledger }
        var page = LedgerPage()
        for account in all where query.matches(account.stream) {
            guard page.add(account) else { break }
        }
        return page
    }

    @discardableResult
    public func erase(_ filter: RecordFilter) async throws -> Int64 {
        try filter.checkForErasing()
        let matches = match(filter)
        return state.withLock { state in
            let count = state.records.count
            state.records.removeAll { record in
                guard matches(record) else { return false }
                state.tags.remove(record.row, version: ContextFields(record.row.context).version)
                return true
            }
            if let installation = filter.onlyInstallation { state.streams.forget(installation: installation) }
            return Int64(count - state.records.count)
        }
    }

    public var dialect: StoreDialect? { nil }

    public func createViews(_ views: [StoreView]) async throws {}

    public func query(_ sql: String, limits: QueryLimits) async throws -> QueryResult {
        throw StoreError(.unavailable, "A store in memory has no SQL. Use a SQLite store.")
    }

    private func match(_ filter: RecordFilter) -> (StoredRecord) -> Bool {
        let match = FilterMatch(filter)
        guard let time = filter.receivedBefore else { return { match.matches($0.row) } }
        let (end, isMarked) = state.withLock {
            ($0.arrivals.first(receivedSince: time), $0.arrivals.areMarked(before: time))
        }
        return { $0.id < end && (isMarked || $0.row.time < time) && match.matches($0.row) }
    }

    /// The records that one call scans, and where the next call continues.
    private func part(
        after: Int64?, before: Int64?, isNewestFirst: Bool
    ) -> (records: [StoredRecord], next: Int64?, start: Int64, progress: SearchProgress) {
        let (records, head) = state.withLock { ($0.records, $0.head) }
        // Clamped to the head, so no sum overflows.
        let lower = min(max(after ?? 0, 0), head)
        let upper = max(min(before ?? .max, head + 1), lower + 1)
        let total = max(upper - lower - 1, 0)
        let start = isNewestFirst ? upper : lower
        let first = Self.firstIndex(above: lower, in: records)
        let end = max(first, Self.firstIndex(above: upper - 1, in: records))
        guard end - first > step else {
            let inside = isNewestFirst ? records[first..<end].reversed() : Array(records[first..<end])
            return (inside, nil, start, SearchProgress(done: total, total: total))
        }
        let inside = isNewestFirst ? records[(end - step)..<end].reversed() : Array(records[first..<first + step])
        let next = inside[step - 1].id
        return (inside, next, start, SearchProgress(done: abs(next - start), total: total))
    }

    private static func firstIndex(above id: Int64, in records: [StoredRecord]) -> Int {
        var low = 0
        var high = records.count
        while low < high {
            let middle = (low + high) / 2
            if records[middle].id <= id { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

private struct MemoryStreams {
    private var accounts: [String: StreamLedger] = [:]
    private var settled: [String: IntervalSet] = [:]
    private var senders: [String: String] = [:]
    private var losses: [String: [String: Int64]] = [:]

    init() {}

    /// Settles a batch and returns the indices of its new rows.
    /// - Parameter present: Indices of rows that are already stored.
    mutating func settle(_ batch: RecordBatch, present: Set<Int>) -> [Int] {
        guard let origin = batch.origin else { return batch.rows.indices.filter { !present.contains($0) } }
        let settlement = Settlement(
            rows: batch.rows, origin: origin, known: settled[origin.stream] ?? IntervalSet(),
            imported: origin.importStream.flatMap { settled[$0] } ?? IntervalSet(), present: present)
        settled[origin.stream] = settlement.settled
        let identity = StreamIdentity(batch)
        var account =
            accounts[origin.stream]
            ?? StreamLedger(
                stream: origin.stream, installation: nil, version: nil, stored: 0, duplicates: 0, settled: [],
                losses: [:])
        account.installation = account.installation ?? identity.installation
        account.version = account.version ?? identity.version
        account.stored += Int64(settlement.newRows.count)
        account.duplicates += Int64(batch.rows.count - settlement.newRows.count)
        accounts[origin.stream] = account
        if let report = batch.losses {
            senders[origin.stream] = report.sender
            var known = Set((losses[report.sender] ?? [:]).keys)
            for (reason, count) in report.kept(besides: &known) {
                losses[report.sender, default: [:]][reason] = max(losses[report.sender]?[reason] ?? 0, count)
            }
        }
        return settlement.newRows
    }

    mutating func forget(installation: String) {
        for stream in accounts.keys where accounts[stream]?.installation == installation {
            accounts[stream]?.installation = nil
        }
    }

    var ledger: [StreamLedger] {
        accounts.values.sorted { $0.stream.utf8.lexicographicallyPrecedes($1.stream.utf8) }.map { account in
            var account = account
            account.settled = settled[account.stream]?.intervals ?? []
            account.losses = senders[account.stream].flatMap { losses[$0] } ?? [:]
            return account
        }
    }
}
