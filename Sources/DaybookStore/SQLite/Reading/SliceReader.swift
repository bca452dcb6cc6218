struct SliceReader {
    let query: RecordQuery
    private let filter: FilterSQL
    private let sql: String

    init(_ query: RecordQuery) throws(StoreError) {
        self.query = query
        filter = FilterSQL(query.filter, .sqlite)
        let order = query.order == .newestFirst ? "DESC" : "ASC"
        // NOT INDEXED: a range is short, and already in the order of arrival numbers.
        sql = """
            SELECT \(ContextTable.columns) FROM stored_records NOT INDEXED WHERE id >= ? AND id < ?\(filter.continuation)
            ORDER BY id \(order)
            """
    }

    func read(_ connection: SQLiteConnection, isCancelled: () -> Bool) throws(StoreError) -> RecordSlice {
        try connection.reading { () throws(StoreError) in
            let view = query.filter.isEmpty ? IndexView() : try IndexView(connection)
            let head = try connection.head()
            var walk = try IndexedWalk(
                RecordWalk(
                    after: query.after, before: query.before, head: head, isNewestFirst: query.order == .newestFirst,
                    budget: query.budget), query.filter, view, steps: query.filter.steps(within: query.budget),
                connection)
            return try read(&walk, connection, isCancelled)
        }
    }

    private func read(
        _ walk: inout IndexedWalk, _ connection: SQLiteConnection, _ isCancelled: () -> Bool
    ) throws(StoreError) -> RecordSlice {
        var page = PageBuilder(query)
        while let range = try walk.next() {
            let start = ContinuousClock.now
            if let last = try read(range, into: &page, connection) {
                walk.pass(walk.walk.part(of: range, through: last), since: start)
                return RecordSlice(page, next: walk.walk.position, progress: walk.walk.progress)
            }
            walk.pass(range, since: start)
            if isCancelled() { throw .searchCancelled }
            if walk.walk.isLate() { break }
        }
        return RecordSlice(page, next: walk.walk.position, progress: walk.walk.progress)
    }

    /// Adds a range's records to the page; returns the last record's number once the page is full.
    private func read(
        _ range: ArrivalRange, into page: inout PageBuilder, _ connection: SQLiteConnection
    ) throws(StoreError) -> Int64? {
        let statement = try connection.statement(sql, [.integer(range.lower), .integer(range.upper)] + filter.values)
        defer { statement.reset() }
        while try statement.step() {
            let record = statement.record
            guard filter.match?.matches(record.row) ?? true else { continue }
            if page.add(record) { return record.id }
        }
        return nil
    }
}

enum TimeSliceReader {
    static func read(
        _ query: TimeQuery, _ connection: SQLiteConnection, isCancelled: () -> Bool
    ) throws(StoreError) -> TimeSlice {
        let filter = FilterSQL(query.filter, .sqlite)
        return try connection.reading { () throws(StoreError) in
            var walk = TimeWalk(query, filter, bounds: try TimeReader.bounds(connection) ?? 0...0) { "\($0)" }
            return try walk.slice { stretch, count throws(StoreError) in
                if isCancelled() { throw .searchCancelled }
                let statement = try SQLiteStatement(
                    "SELECT time, id FROM stored_records INDEXED BY records_time WHERE \(stretch.condition) "
                        + "\(stretch.order) LIMIT 1 OFFSET \(count - 1)", on: connection)
                guard try statement.step() else { return nil }
                return TimePlace(time: statement.integer(0), id: statement.integer(1))
            } rows: { stretch, limit, take throws(StoreError) in
                let statement = try SQLiteStatement(
                    "SELECT \(ContextTable.columns) FROM stored_records INDEXED BY records_time "
                        + "WHERE \(stretch.condition)\(filter.continuation) \(stretch.order) LIMIT \(limit)",
                    on: connection)
                statement.bind(filter.values)
                while try statement.step(), take(statement.record) {}
            }
        }
    }
}
