import DaybookBase

/// Which columns a fold reads.
package struct ColumnRequest: Sendable {
    /// Their texts and values are read.
    package var valued: Set<ColumnName>
    /// Only whether values are equal counts.
    package var keyed: Set<ColumnName>
    /// Nanoseconds since 1970; records of other times may be left out.
    package var times: Range<Int64>
    /// Arrival numbers; records of others may be left out. Slices then have ``ColumnSlice/numbers``. Default `nil`: all.
    package var numbers: Range<Int64>?
    /// Others may be left out.
    package var records: Records

    package struct Records: Sendable {
        package var onlyEvents = false
        /// `nil` for all.
        package var tags: [String]?

        package static let all = Records()

        package init(onlyEvents: Bool = false, tags: [String]? = nil) {
            (self.onlyEvents, self.tags) = (onlyEvents, tags)
        }
    }

    package init(
        valued: Set<ColumnName>, keyed: Set<ColumnName> = [], times: Range<Int64> = .min ..< .max,
        numbers: Range<Int64>? = nil, records: Records = .all
    ) {
        (self.valued, self.keyed, self.times, self.numbers) = (valued, keyed, times, numbers)
        self.records = records
    }

    package var names: Set<ColumnName> { valued.union(keyed) }
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
    /// - Parameters:
    ///   - limit: Longest time. Checked after each slice, a millisecond of work.
    ///   - progress: Receives what of a pass is done.
    /// - Throws: ``StoreError``; `limit` if the task was cancelled, or the time is over.
    func fold<Answer: Sendable>(
        limit: Duration, progress: @escaping @Sendable (SearchProgress) -> Void,
        _ body: @escaping @Sendable (any ColumnSource) throws(StoreError) -> Answer
    ) async throws -> Answer
}

extension ColumnarStore {
    /// ``fold(limit:progress:_:)`` within a minute.
    package func fold<Answer: Sendable>(
        _ body: @escaping @Sendable (any ColumnSource) throws(StoreError) -> Answer
    ) async throws -> Answer { try await fold(limit: .seconds(60), progress: { _ in }, body) }
}
