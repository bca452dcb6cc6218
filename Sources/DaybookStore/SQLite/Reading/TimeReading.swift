/// The times of the oldest and the newest record: what the index has, and the records that are not indexed yet.
enum TimeReading {
    static func bounds(_ connection: SQLiteConnection) throws(StoreError) -> ClosedRange<Int64>? {
        try connection.reading { () throws(StoreError) in
            let view = try IndexView(connection)
            let indexed = view.segments.values.filter { $0.firstTime <= $0.lastTime }
            var first = indexed.map(\.firstTime)
            var last = indexed.map(\.lastTime)
            let head = try connection.integer("SELECT max(id) FROM records") ?? 0
            for segment in 0...Segment.number(of: head) where view.segments[segment] == nil {
                let statement = try connection.statement(
                    "SELECT min(time), max(time) FROM records NOT INDEXED WHERE id >= ? AND id < ?")
                defer { statement.reset() }
                statement.bind(1, segment * Segment.size)
                statement.bind(2, (segment + 1) * Segment.size)
                guard try statement.step(), !statement.isNull(0) else { continue }
                first.append(statement.integer(0))
                last.append(statement.integer(1))
            }
            guard let first = first.min(), let last = last.max() else { return nil }
            return first...last
        }
    }
}
