import DaybookBase
import DaybookTools

/// Counts records, newest arrivals first, until the budget is spent: from columns, or row by row where the filter asks
/// for what is in none.
private struct CountReader {
    let filter: RecordFilter
    let after: Int64?
    let before: Int64?
    let budget: Duration
    /// The counted values' columns.
    let valued: Set<ColumnName>

    /// Runs inside a reading transaction.
    /// - Parameters:
    ///   - counted: Extents with counts in the index.
    ///   - add: Called with the columns of an extent, and their matches.
    ///   - row: Called with each matching record that is read by itself.
    /// - Returns: Where to continue, and the progress.
    func read(
        _ connection: SQLiteConnection, _ view: IndexView, _ columns: ExtentColumns, counted: CountedExtents?,
        isCancelled: () -> Bool, isFull: @escaping () -> Bool = { false },
        add: @escaping (ColumnSlice, ColumnFilter) -> Void, row: (RecordRow) -> Void
    ) throws(StoreError) -> (next: Int64?, progress: SearchProgress) {
        let ofColumns = ColumnFilter(filter).map { extents(of: $0, view, columns, add) }
        var walk = try IndexedWalk(
            RecordWalk(
                after: after, before: before, head: try connection.head(), isNewestFirst: true, budget: budget),
            filter, view, steps: filter.steps(within: budget), counted: [counted, ofColumns].compactMap(\.self),
            isFull: isFull, connection)
        let filterSQL = FilterSQL(filter, .sqlite)
        let sql = """
            SELECT \(ContextTable.columns) FROM stored_records NOT INDEXED
            WHERE id >= ? AND id < ?\(filterSQL.continuation)
            """
        while let range = try walk.next() {
            let start = ContinuousClock.now
            let statement = try connection.statement(
                sql, [.integer(range.lower), .integer(range.upper)] + filterSQL.values)
            defer { statement.reset() }
            while try statement.step() {
                let record = statement.record.row
                if filterSQL.match?.matches(record) ?? true { row(record) }
            }
            walk.pass(range, since: start)
            if isCancelled() { throw StoreError(.limit, "The counting was cancelled.") }
            if walk.walk.isLate() || isFull() { break }
        }
        return (walk.walk.position, walk.walk.progress)
    }

    /// Whole extents, from columns.
    private func extents(
        of filter: ColumnFilter, _ view: IndexView, _ columns: ExtentColumns,
        _ add: @escaping (ColumnSlice, ColumnFilter) -> Void
    ) -> CountedExtents {
        let (since, until) = self.filter.expression.times
        let times = (since ?? .min)..<max(since ?? .min, until ?? .max)
        let request = ColumnRequest(valued: valued.union(filter.columns), times: times)
        return CountedExtents { [after, before] extent in
            IndexExtent.range(extent).lower > after ?? .min && IndexExtent.range(extent).upper <= before ?? .max
        } add: { extent throws(StoreError) in
            let slice = try columns.slice(of: extent, isIndexed: view.extents[extent] != nil, request)
            if let slice { add(slice, filter) }
        }
    }
}

enum HistogramReader {
    static func read(
        _ query: HistogramQuery, _ connection: SQLiteConnection, _ columns: ExtentColumns, isCancelled: () -> Bool
    ) throws(StoreError) -> Histogram {
        let filter = query.narrowedFilter
        let reader = CountReader(
            filter: filter, after: query.after, before: query.before, budget: query.budget,
            valued: Set(query.split.field.columns))
        let rows = RowHistogram(query)
        var histogram = Histogram()
        let end = try connection.reading { () throws(StoreError) in
            let view = try IndexView(connection)
            let indexed = connection.hasIndex ? try IndexedCounts(query, filter) : nil
            let counted = try indexed?.extents(view, connection) { histogram.add($2, $0, bucket: $1, of: query) }
            return try reader.read(connection, view, columns, counted: counted, isCancelled: isCancelled) {
                histogram.add($0, $1, of: query)
            } row: { row in
                rows.add(row, to: &histogram)
            }
        }
        histogram.next = end.next
        histogram.progress = end.progress
        return histogram
    }
}

/// A histogram from the index's counts per minute or hour, which have time, tag, kind and level. Buckets must start at
/// whole minutes. Segments that cross a bound within a minute are counted from columns.
private struct IndexedCounts {
    private static let minute: Int64 = 60_000_000_000

    private let query: HistogramQuery
    private let since: Bound
    private let until: Bound
    private let filter: FilterSQL
    /// The time range of one row of the table, in nanoseconds.
    private let unit: Int64

    private struct Bound {
        var time: Int64
        /// Whether it lies between two rows of the table.
        var isWhole: Bool
    }

    /// `nil` if the counts cannot answer.
    /// - Parameter filter: The query's filter, narrowed to its buckets.
    init?(_ query: HistogramQuery, _ filter: RecordFilter) throws(StoreError) {
        let (since, until) = filter.expression.times
        guard [.kind, .level, .tag].contains(query.split.field), let since, let until, filter.predicate == nil,
            filter.receivedBefore == nil
        else { return nil }
        let counted = RecordFilter(.every(filter.expression.conjuncts.filter { !$0.isTime }))
        let knowsAll = counted.expression.allTerms { term in
            switch term {
            case .level, .field(.kind, _), .field(.tag, _), .field(.name, _): true
            case .text, .field, .since, .until, .number, .column, .has: false
            }
        }
        let sql = FilterSQL(counted, .sqlite)
        guard knowsAll, sql.match == nil else { return nil }
        guard query.start % Self.minute == 0, query.width % Self.minute == 0 else { return nil }
        let hour = 60 * Self.minute
        let unit = [since, until, query.start, query.width].allSatisfy { $0 % hour == 0 } ? hour : Self.minute
        self.query = query
        self.unit = unit
        self.since = Bound(time: since, isWhole: since % unit == 0)
        self.until = Bound(time: until, isWhole: until % unit == 0)
        self.filter = sql
    }

    /// The extents that the index can count.
    /// - Parameter add: Receives a value, a bucket and a count.
    func extents(
        _ view: IndexView, _ connection: SQLiteConnection, add: @escaping (String, Int, Int64) -> Void
    ) throws(StoreError) -> CountedExtents {
        let (table, column) = unit == Self.minute ? ("minutes", "minute") : ("hours", "hour")
        // Safe to interpolate: all are numbers.
        let statement = try SQLiteStatement(
            """
            SELECT \(query.split.field.rawValue), (\(column) - \(query.start / unit)) / \(query.width / unit),
            CAST(total(count) AS INTEGER) FROM idx.\(table)
            WHERE segment = ? AND \(column) >= \(since.isWhole ? since.time / unit : .min)
            AND \(column) < \(until.isWhole ? until.time / unit : .max)
            \(filter.continuation) GROUP BY 1, 2
            """, on: connection, isKept: true)
        let extents = view.extents(since: since.time, until: until.time, after: query.after, before: query.before)
            .filter { extent in
                guard let times = view.extents[extent] else { return false }
                return (since.isWhole || times.firstTime >= since.time)
                    && (until.isWhole || times.lastTime < until.time)
            }
        return CountedExtents(contains: Set(extents).contains) { [filter] extent throws(StoreError) in
            defer { statement.reset() }
            statement.bind([.integer(extent)] + filter.values)
            while try statement.step() {
                add(statement.text(0), Int(statement.integer(1)), statement.integer(2))
            }
        }
    }
}

enum FacetReader {
    static func read(
        _ query: FacetQuery, _ connection: SQLiteConnection, _ columns: ExtentColumns, isCancelled: () -> Bool
    ) throws(StoreError) -> Facets {
        var counts = FacetCounts()
        guard !query.fields.isEmpty else { return .empty }
        let reader = CountReader(
            filter: query.filter, after: query.after, before: query.before, budget: query.budget,
            valued: Set(query.fields.flatMap(\.columns)))
        let end = try connection.reading { () throws(StoreError) in
            let view = try IndexView(connection)
            let counted = try counted(query, view, connection) { counts.add($2, $0, $1) }
            return try reader.read(
                connection, view, columns, counted: counted, isCancelled: isCancelled, isFull: { counts.isFull }
            ) {
                counts.add($0, $1, of: query.fields)
            } row: { row in
                counts.add(row, of: query)
            }
        }
        return counts.facets(of: query, next: end.next, progress: end.progress)
    }

    /// The extents that the index can count; `nil` if it cannot answer.
    /// - Parameter add: Receives a value and its count in an extent.
    private static func counted(
        _ query: FacetQuery, _ view: IndexView, _ connection: SQLiteConnection,
        add: @escaping (FacetQuery.Field, String, Int64) -> Void
    ) throws(StoreError) -> CountedExtents? {
        guard connection.hasIndex, query.filter.isEmpty,
            query.fields.allSatisfy(FacetQuery.Field.allCases.contains)
        else { return nil }
        // Safe to interpolate: the names are an enumeration's.
        let statement = try connection.statement(
            """
            SELECT field, value, count FROM idx.facets WHERE segment = ?
            AND field IN (\(query.fields.map { "'\($0.rawValue)'" }.joined(separator: ",")))
            """)
        let extents = view.extents(since: .min, until: .max, after: query.after, before: query.before)
        return CountedExtents(contains: Set(extents).contains) { extent throws(StoreError) in
            defer { statement.reset() }
            statement.bind(1, extent)
            while try statement.step() {
                guard let field = FacetQuery.Field(rawValue: statement.text(0)) else { continue }
                add(field, statement.text(1), statement.integer(2))
            }
        }
    }
}
