/// A histogram from the counts per minute or hour that the index keeps.
///
/// They know time, tag, kind and level. Buckets have to begin with whole minutes. Where the filter's own times do not, the
/// segments that reach beyond them are left to be looked at.
struct IndexedCounts {
    private static let minute: Int64 = 60_000_000_000

    private let query: HistogramQuery
    private let since: Bound
    private let until: Bound
    private let filter: FilterSQL
    /// In nanoseconds: what a row of the table counts.
    private let unit: Int64

    private struct Bound {
        var time: Int64
        /// Whether it is between two rows of the table.
        var isWhole: Bool
    }

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
        guard query.start % Self.minute == 0, query.width % Self.minute == 0 else { return nil }
        let hour = 60 * Self.minute
        let unit = [since, until, query.start, query.width].allSatisfy { $0 % hour == 0 } ? hour : Self.minute
        var counted = filter
        counted.since = nil
        counted.until = nil
        self.query = query
        self.unit = unit
        self.since = Bound(time: since, isWhole: since % unit == 0)
        self.until = Bound(time: until, isWhole: until % unit == 0)
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
            WHERE segment = ? AND \(column) >= \(since.isWhole ? since.time / unit : .min)
            AND \(column) < \(until.isWhole ? until.time / unit : .max)
            \(filter.continuation) GROUP BY 1, 2
            """, on: connection, isKept: true)
        let segments = view.segments(since: since.time, until: until.time, before: query.before).filter { segment in
            guard let times = view.segments[segment] else { return false }
            return (since.isWhole || times.firstTime >= since.time) && (until.isWhole || times.lastTime < until.time)
        }
        return CountedSegments(segments: Set(segments)) { [filter] segment throws(StoreError) in
            defer { statement.reset() }
            statement.bind([.integer(segment)] + filter.values)
            while try statement.step() {
                add(statement.text(0), Int(statement.integer(1)), statement.integer(2))
            }
        }
    }
}
