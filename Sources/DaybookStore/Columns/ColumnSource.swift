import DaybookBase

/// Which columns a fold reads.
package struct ColumnRequest: Sendable {
    /// Their texts and values are read.
    package var valued: Set<ColumnName>
    /// Only whether values are equal counts.
    package var keyed: Set<ColumnName>
    /// Nanoseconds since 1970; records of other times may be left out.
    package var times: Range<Int64>

    package init(valued: Set<ColumnName>, keyed: Set<ColumnName> = [], times: Range<Int64>) {
        (self.valued, self.keyed, self.times) = (valued, keyed, times)
    }

    var names: Set<ColumnName> { valued.union(keyed) }
}

/// A store's records by columns, as of one moment.
package protocol ColumnSource {
    /// For the keys of values; see ``SliceColumn/keys(_:)``.
    var key: HashKey { get }

    /// Passes the records' columns, slice by slice in order of arrival, until `body` returns `false`.
    /// - Throws: ``StoreError``, `limit` if the caller has given up.
    func forEach(
        _ request: ColumnRequest, _ body: (ColumnSlice) throws(StoreError) -> Bool
    ) throws(StoreError)
}

/// A store that answers from columns.
package protocol ColumnarStore: Sendable {
    /// Runs `body` over the records as of one moment, on a thread of low priority.
    /// - Parameter progress: Receives how many slices of how many a pass has read.
    /// - Throws: ``StoreError``; `limit` if the task was cancelled.
    func fold<Answer: Sendable>(
        progress: @escaping @Sendable (_ done: Int, _ total: Int) -> Void,
        _ body: @escaping @Sendable (any ColumnSource) throws(StoreError) -> Answer
    ) async throws -> Answer
}

extension ColumnarStore {
    /// ``fold(progress:_:)`` without progress.
    package func fold<Answer: Sendable>(
        _ body: @escaping @Sendable (any ColumnSource) throws(StoreError) -> Answer
    ) async throws -> Answer { try await fold(progress: { _, _ in }, body) }
}
