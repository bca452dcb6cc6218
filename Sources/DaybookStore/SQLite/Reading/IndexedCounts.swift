/// A histogram from the counts per minute or hour that the index keeps.
///
/// They know time, tag, kind and level. Buckets, and the filter's own times, have to begin with whole minutes.
struct IndexedCounts {
    private static let minute: Int64 = 60_000_000_000

    private let query: HistogramQuery
    private let since: Int64
    private let until: Int64
    private let filter: FilterSQL
    /// In nanoseconds: what a row of the table counts.
    private let unit: Int64

    /// `nil` where the counts cannot answer.
    /// - Parameter filter: the query's, narrowed to its buckets.
    init?(_ query: HistogramQuery, _ filter: RecordFilter) throws(StoreError) {
        var other = filter
        other.kinds = []
        other.minimumLevel = nil
        other.tag = nil
        other.since = nil
        other.until = nil
        guard other.isEmpty, let since = filter.since, let until = filter.until else { return nil }
        let times = [since, until, query.start, query.width]
        if times.allSatisfy({ $0 % (60 * Self.minute) == 0 }) {
            unit = 60 * Self.minute
        } else if times.allSatisfy({ $0 % Self.minute == 0 }) {
            unit = Self.minute
        } else {
            return nil
        }
        var counted = filter
        counted.since = nil
        counted.until = nil
        self.query = query
        self.since = since
        self.until = until
        self.filter = try FilterSQL(counted, .sqlite)
    }

    /// What the index has counted.
    /// - Parameter add: takes a key, the number of a bucket and a count in a segment.
    func segments(
        _ view: IndexView, _ connection: SQLiteConnection, add: @escaping (String, Int, Int64) -> Void
    ) throws(StoreError) -> CountedSegments {
        let (table, column) = unit == Self.minute ? ("minutes", "minute") : ("hours", "hour")
        let key = query.split == .kind ? "kind" : "level"
        // The numbers are the query's own, and no text.
        let statement = try SQLiteStatement(
            """
            SELECT \(key), (\(column) - \(query.start / unit)) / \(query.width / unit), sum(count) FROM idx.\(table)
            WHERE segment = ? AND \(column) >= \(since / unit) AND \(column) < \(until / unit)
            \(filter.continuation) GROUP BY 1, 2
            """, on: connection, isKept: true)
        let segments = view.segments(since: since, until: until, before: query.before)
        return CountedSegments(segments: Set(segments)) { [filter] segment throws(StoreError) in
            defer { statement.reset() }
            statement.bind([.integer(segment)] + filter.values)
            while try statement.step() {
                add(statement.text(0), Int(statement.integer(1)), statement.integer(2))
            }
        }
    }
}
