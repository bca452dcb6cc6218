/// What commands do with records, wherever these are: in a store that they open, or behind a collector that they ask.
///
/// Safe to share between threads. What takes long is cancelled with its task.
public protocol RecordAccess: StatementRunner {
    /// Stores a batch: all of it, or, when it throws, none of it. Returns only after the batch is durable.
    /// - Throws: ``StoreError``.
    @discardableResult
    func append(_ batch: RecordBatch) async throws -> AppendResult

    /// A page of records, or what was found of it within ``RecordQuery/budget``.
    /// - Throws: ``StoreError``.
    func slice(_ query: RecordQuery) async throws -> RecordSlice

    /// The largest arrival number, 0 for an empty store.
    /// - Throws: ``StoreError``.
    func head() async throws -> Int64

    /// Gives every count per tag, kind and version, in the order of their names.
    /// - Throws: ``StoreError``, or `CancellationError`.
    func forEachTag(_ body: (TagSummary) -> Void) async throws

    /// Deletes the records that match, in small steps between which appends go on. The arrival numbers are not given
    /// again, and what a stream has settled stays settled.
    /// - Returns: how many were deleted.
    /// - Throws: ``StoreError``; `badStatement` for a filter without a condition. What was deleted before stays deleted.
    @discardableResult
    func erase(_ filter: RecordFilter) async throws -> Int64

    /// Brings a store that is a file to rest, so that the file alone is all of it; nothing may be appended afterwards.
    /// Others have nothing to do. Not closing loses nothing.
    func close() async
}

extension RecordAccess {
    public func close() async {}

    /// A whole page, however long it takes: up to ``RecordQuery/limit`` records, fewer only where there are no more or where
    /// they take ``RecordQuery/bytes``. Where ``RecordSlice/next`` is `nil` there are no more.
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

    /// The records of ``wholeSlice(_:)``: none only where there are no more.
    /// - Throws: ``StoreError``, or `CancellationError`.
    public func page(_ query: RecordQuery) async throws -> [StoredRecord] { try await wholeSlice(query).records }

    /// The record with an arrival number; `nil` where there is none.
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
