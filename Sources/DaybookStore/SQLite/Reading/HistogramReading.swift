/// A ``HistogramQuery`` on SQLite.
enum HistogramReading {
    static func read(
        _ query: HistogramQuery, _ connection: SQLiteConnection, isCancelled: () -> Bool
    ) throws(StoreError) -> Histogram {
        var filter = query.filter
        filter.since = max(filter.since ?? .min, query.start)
        filter.until = min(filter.until ?? .max, query.end)
        // Both numbers are the query's own, and no text.
        let bucket = "(time - (\(query.start))) / \(query.width)"
        let key = query.split == .kind ? "kind" : "level"
        let reading = try GroupReading(
            filter, groups: [key, bucket], before: query.before, budget: query.budget)
        var histogram = Histogram()
        let end = try connection.reading { () throws(StoreError) in
            let view = try IndexView(connection)
            let indexed = connection.hasIndex ? try IndexedCounts(query, filter) : nil
            let counted = try indexed?.segments(view, connection) { histogram.add($2, key: $0, bucket: $1, of: query) }
            return try reading.read(connection, view, counted: counted, isCancelled: isCancelled) { group, count in
                histogram.add(count, key: group.text(0), bucket: Int(group.integer(1)), of: query)
            } row: { row in
                histogram.add(row, of: query)
            }
        }
        histogram.next = end.next
        histogram.progress = end.progress
        return histogram
    }
}
