/// One stream's settled intervals in the table `streams`. Used inside a writing transaction.
struct StreamTable {
    let connection: SQLiteConnection
    let stream: String

    /// The settled intervals that overlap or touch `hull`, whose bounds fit an `Int64`.
    func intervals(touching hull: IntervalSet.Interval) throws(StoreError) -> IntervalSet {
        // Intervals are disjoint, so of those that start before the hull only the last can reach it.
        let statement = try connection.statement(
            """
            SELECT after, through FROM streams WHERE stream = ?1 AND after <= ?3 AND after >= coalesce(
                (SELECT max(after) FROM streams WHERE stream = ?1 AND after <= ?2), 0) AND through >= ?2
            """)
        defer { statement.reset() }
        statement.bind(1, stream)
        statement.bind(2, Int64(hull.after))
        statement.bind(3, Int64(hull.through))
        var found = IntervalSet()
        while try statement.step() {
            found.insert(.init(after: UInt64(statement.integer(0)), through: UInt64(statement.integer(1))))
        }
        return found
    }

    /// Writes what changed between two states.
    func replace(_ old: IntervalSet, with new: IntervalSet) throws(StoreError) {
        if old == new { return }
        let deletion = try connection.statement("DELETE FROM streams WHERE stream = ? AND after = ?")
        for interval in old.intervals where !new.intervals.contains(interval) {
            deletion.bind(1, stream)
            deletion.bind(2, Int64(interval.after))
            _ = try deletion.step()
            deletion.reset()
        }
        let insertion = try connection.statement("INSERT INTO streams(stream, after, through) VALUES (?, ?, ?)")
        for interval in new.intervals where !old.intervals.contains(interval) {
            insertion.bind(1, stream)
            insertion.bind(2, Int64(interval.after))
            insertion.bind(3, Int64(interval.through))
            _ = try insertion.step()
            insertion.reset()
        }
    }
}
