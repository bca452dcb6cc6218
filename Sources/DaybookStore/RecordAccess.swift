/// What commands do with records, in an open store or behind a collector.
///
/// Safe to share between threads. Cancelling the task cancels a long operation.
public protocol RecordAccess: StatementRunner {
    /// Stores a batch completely; if it throws, nothing is stored. Returns after the batch is durable.
    /// - Throws: ``AppendError``.
    @discardableResult
    func append(_ batch: RecordBatch) async throws(AppendError) -> AppendResult

    /// A page of records, or the part of it found within ``RecordQuery/budget``.
    /// - Throws: ``StoreError``.
    func slice(_ query: RecordQuery) async throws -> RecordSlice

    /// The largest arrival number, 0 for an empty store.
    /// - Throws: ``StoreError``.
    func head() async throws -> Int64

    /// Passes every count per tag, kind and version to `body`, in order of their names.
    /// - Throws: ``StoreError``, or `CancellationError`.
    func forEachTag(_ body: (TagSummary) -> Void) async throws

    /// Deletes matching records in small steps, between which appends continue. Arrival numbers are not reused, and
    /// settled sequence numbers stay settled.
    /// - Returns: The number of deleted records.
    /// - Throws: ``StoreError``; `badStatement` for a filter without a condition. Records deleted before the error stay
    ///   deleted.
    @discardableResult
    func erase(_ filter: RecordFilter) async throws -> Int64

    /// Where values deleted by ``erase(_:)`` can still be found and when they disappear, as a sentence; `nil`, the
    /// default, if nowhere.
    func erasureRemains() async -> String?

    /// Closes a store in a file, which alone then is the complete store; do not append afterwards. Without it nothing
    /// is lost.
    func close() async
}

extension RecordAccess {
    public func close() async {}

    public func erasureRemains() async -> String? { nil }

    /// A full page, however long it takes: up to ``RecordQuery/limit`` records or ``RecordQuery/bytes``. There are no
    /// more if ``RecordPage/next`` is `nil`.
    /// - Throws: ``StoreError``, or `CancellationError`.
    public func wholeSlice(_ query: RecordQuery) async throws -> RecordSlice {
        var rest = query
        var whole: RecordSlice?
        while true {
            let slice = try await self.slice(rest)
            let records = (whole?.records ?? []) + slice.records
            whole = RecordSlice(
                records: records, next: slice.next, isPartial: slice.isPartial, progress: slice.progress)
            rest.bytes -= slice.bytes
            guard slice.isPartial, let next = slice.next, rest.bytes > 0 else { return whole ?? slice }
            try Task.checkCancellation()
            rest = rest.resumed(at: next)
            rest.limit = max(query.rowLimit - records.count, 1)
        }
    }

    /// The records of ``wholeSlice(_:)``; empty only if there are no more.
    /// - Throws: ``StoreError``, or `CancellationError`.
    public func page(_ query: RecordQuery) async throws -> [StoredRecord] { try await wholeSlice(query).records }

    /// The record with an arrival number; `nil` without one.
    /// - Throws: ``StoreError``.
    public func record(id: Int64) async throws -> StoredRecord? {
        guard id > 0, id < Int64.max else { return nil }
        var query = RecordQuery()
        query.after = id - 1
        query.before = id + 1
        query.limit = 1
        return try await page(query).first
    }
}
