/// Counts records by groups, newest arrivals first, for as long as the budget lasts.
struct GroupReading {
    private let conditions: RecordFilter
    private let filter: FilterSQL
    private let sql: String
    private let groups: Int32
    private let before: Int64?
    private let budget: Duration

    /// - Parameter groups: SQL expressions that tell the groups apart.
    init(_ filter: RecordFilter, groups: [String], before: Int64?, budget: Duration) throws(StoreError) {
        conditions = filter
        self.filter = try FilterSQL(filter, .sqlite)
        self.groups = Int32(groups.count)
        self.before = before
        self.budget = budget
        let range = "FROM records NOT INDEXED WHERE id >= ? AND id < ?\(self.filter.continuation)"
        if self.filter.match == nil {
            let places = (1...groups.count).map(String.init).joined(separator: ", ")
            sql = "SELECT \(groups.joined(separator: ", ")), count(*) \(range) GROUP BY \(places)"
        } else {
            sql = "SELECT \(RecordColumns.names) \(range)"
        }
    }

    /// Used inside a reading transaction.
    /// - Parameters:
    ///   - view: the transaction's view of the index.
    ///   - counted: segments whose counts the index has.
    ///   - group: told a statement whose first columns are the groups, and how many records are in it.
    ///   - row: told a record where only code can judge the filter.
    /// - Returns: from where to go on, and how far it came.
    func read(
        _ connection: SQLiteConnection, _ view: IndexView, counted: CountedSegments?, isCancelled: () -> Bool,
        group: (SQLiteStatement, Int64) -> Void, row: (RecordRow) -> Void
    ) throws(StoreError) -> (next: Int64?, progress: Progress) {
        let head = try connection.integer("SELECT max(id) FROM records") ?? 0
        var walk = IndexedWalk(
            RecordWalk(after: nil, before: before, head: head, isNewestFirst: true, budget: budget), conditions, view,
            counted: counted, connection)
        while let range = try walk.next() {
            let start = ContinuousClock.now
            let statement = try connection.statement(sql)
            defer { statement.reset() }
            statement.bind([.integer(range.lower), .integer(range.upper)] + filter.values)
            while try statement.step() {
                guard let match = filter.match else {
                    group(statement, statement.integer(groups))
                    continue
                }
                let record = RecordColumns.record(statement).row
                if match.matches(record) { row(record) }
            }
            walk.pass(range, since: start)
            if isCancelled() { throw StoreError(.limit, "The counting was cancelled.") }
            if walk.walk.isLate() { break }
        }
        return (walk.walk.position, walk.walk.progress)
    }
}
