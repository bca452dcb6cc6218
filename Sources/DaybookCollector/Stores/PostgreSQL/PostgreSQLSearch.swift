import DaybookStore

/// Pages, histograms and facets from the table `records`.
enum PostgreSQLSearch {
    static func slice(
        _ query: RecordQuery, _ connection: PostgreSQLConnection, isCancelled: () -> Bool
    ) throws(PostgreSQLError) -> RecordSlice {
        let isNewestFirst = query.order == .newestFirst
        let walk = PostgreSQLWalk(
            filter: try filter(query.filter), isNewestFirst: isNewestFirst, budget: query.budget)
        let match = walk.filter.match
        var records: [StoredRecord] = []
        let end = try walk.run(
            connection, after: query.after, before: query.before, isCancelled: isCancelled
        ) { condition in
            "SELECT \(RecordReading.names) FROM records WHERE \(condition) ORDER BY id \(isNewestFirst ? "DESC" : "ASC")"
                + (match == nil ? " LIMIT \(query.rowLimit - records.count)" : "")
        } take: { result in
            for row in 0..<result.count {
                let record = RecordReading.record(result, row)
                guard match?.matches(record.row) ?? true else { continue }
                records.append(record)
                if records.count == query.rowLimit { return record.id }
            }
            return nil
        }
        return RecordSlice(
            records: records, next: end.next, isPartial: end.next != nil && !end.isFull, progress: end.progress)
    }

    static func histogram(
        _ query: HistogramQuery, _ connection: PostgreSQLConnection, isCancelled: () -> Bool
    ) throws(PostgreSQLError) -> Histogram {
        var conditions = query.filter
        conditions.since = max(conditions.since ?? .min, query.start)
        conditions.until = min(conditions.until ?? .max, query.end)
        var histogram = Histogram()
        let key = query.split == .kind ? "kind" : "level::text"
        let bucket = "(time - \(PostgreSQLLiteral.integer(query.start))) / \(PostgreSQLLiteral.integer(query.width))"
        let end = try groups(
            conditions, [key, bucket], before: query.before, budget: query.budget, connection, isCancelled
        ) { result, row, count in
            histogram.add(
                count, key: result.text(row, 0) ?? "", bucket: Int(result.integer(row, 1)), of: query)
        } row: { row in
            guard let bucket = query.bucket(of: row.time) else { return }
            let key = query.split == .kind ? row.kind.rawValue : String(row.level)
            histogram.add(1, key: key, bucket: bucket, of: query)
        }
        histogram.next = end.next
        histogram.progress = end.progress
        return histogram
    }

    static func facets(
        _ query: FacetQuery, _ connection: PostgreSQLConnection, isCancelled: () -> Bool
    ) throws(PostgreSQLError) -> Facets {
        guard !query.fields.isEmpty else {
            return Facets(values: [:], next: nil, progress: Progress(done: 0, total: 0))
        }
        var counts = FacetCounts()
        let columns = query.fields.map { $0 == .version ? "daybook_version(context)" : $0.rawValue }
        let end = try groups(
            query.filter, columns, before: query.before, budget: query.budget, connection, isCancelled
        ) { result, row, count in
            for (place, field) in query.fields.enumerated() {
                if let value = result.text(row, place) { counts.add(count, field, value) }
            }
        } row: { row in
            for field in query.fields {
                if let value = row.value(of: field) { counts.add(1, field, value) }
            }
        }
        return Facets(values: counts.values(of: query), next: end.next, progress: end.progress)
    }

    /// Counts by groups, newest arrivals first.
    private static func groups(
        _ conditions: RecordFilter, _ columns: [String], before: Int64?, budget: Duration,
        _ connection: PostgreSQLConnection, _ isCancelled: () -> Bool,
        group: (PostgreSQLResult, Int, Int64) -> Void, row: (RecordRow) -> Void
    ) throws(PostgreSQLError) -> (next: Int64?, progress: Progress, isFull: Bool) {
        let walk = PostgreSQLWalk(filter: try filter(conditions), isNewestFirst: true, budget: budget)
        let match = walk.filter.match
        let places = columns.indices.map { String($0 + 1) }.joined(separator: ",")
        return try walk.run(connection, after: nil, before: before, isCancelled: isCancelled) { condition in
            match == nil
                ? "SELECT \(columns.joined(separator: ", ")), count(*) FROM records WHERE \(condition) GROUP BY \(places)"
                : "SELECT \(RecordReading.names) FROM records WHERE \(condition)"
        } take: { result in
            for index in 0..<result.count {
                guard let match else {
                    group(result, index, result.integer(index, columns.count))
                    continue
                }
                let record = RecordReading.record(result, index).row
                if match.matches(record) { row(record) }
            }
            return nil
        }
    }

    private static func filter(_ filter: RecordFilter) throws(PostgreSQLError) -> FilterSQL {
        do {
            return try FilterSQL(filter, .postgresql)
        } catch {
            throw PostgreSQLError(state: "42601", message: error.message)
        }
    }
}
