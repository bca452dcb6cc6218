/// What commands do with records, in a store that they open or behind a collector that they query.
///
/// Safe to share between threads. Long operations are cancelled with their task.
public protocol RecordAccess: StatementRunner {
    /// Stores a batch: all of it, or, when it throws, none of it. Returns only after the batch is durable.
    /// - Throws: ``AppendError``.
    @discardableResult
    func append(_ batch: RecordBatch) async throws(AppendError) -> AppendResult

    /// A page of records, or the part of it found within ``RecordQuery/budget``.
    /// - Throws: ``StoreError``.
    func slice(_ query: RecordQuery) async throws -> RecordSlice

    /// The largest arrival number, 0 for an empty store.
    /// - Throws: ``StoreError``.
    func head() async throws -> Int64

    /// Passes every count per tag, kind and version to `body`, in the order of their names.
    /// - Throws: ``StoreError``, or `CancellationError`.
    func forEachTag(_ body: (TagSummary) -> Void) async throws

    /// Deletes the records that match, in small steps, so that appends continue in between. Arrival numbers are not
    /// reused, and what a stream has settled stays settled.
    /// - Returns: how many were deleted.
    /// - Throws: ``StoreError``; `badStatement` for a filter without a condition. What was deleted before the error
    ///   stays deleted.
    @discardableResult
    func erase(_ filter: RecordFilter) async throws -> Int64

    /// Where values that ``erase(_:)`` has deleted can still be found, and when they go, as a sentence; `nil` where they are
    /// nowhere. Default: `nil`.
    func erasureRemains() async -> String?

    /// Closes a store that is a file, so that the file alone is the whole store; nothing may be appended afterwards.
    /// Other stores have nothing to do. Nothing is lost if a store is not closed.
    func close() async
}

extension RecordAccess {
    public func close() async {}

    public func erasureRemains() async -> String? { nil }

    /// A whole page, however long it takes: up to ``RecordQuery/limit`` records; fewer only if there are no more, or if
    /// they exceed ``RecordQuery/bytes``. If ``RecordSlice/next`` is `nil`, there are no more.
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

    /// The record with an arrival number; `nil` if there is none.
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
