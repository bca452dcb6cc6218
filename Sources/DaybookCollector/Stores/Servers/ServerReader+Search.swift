import DaybookStore

/// Pages, histograms and facets.
extension ServerReader {
    func slice(_ query: RecordQuery) throws(Failure) -> RecordSlice {
        let isNewestFirst = query.order == .newestFirst
        let walk = try ServerWalk(self, query.filter, isNewestFirst: isNewestFirst, budget: query.budget)
        let match = walk.filter.match
        var records: [StoredRecord] = []
        let end = try walk.run(after: query.after, before: query.before) { condition in
            "SELECT \(RecordColumns.names) FROM \(recordsTable) WHERE \(condition) "
                + "ORDER BY id \(isNewestFirst ? "DESC" : "ASC")"
                + (match == nil ? " LIMIT \(query.rowLimit - records.count)" : "")
        } take: { rows in
            for row in 0..<rows.count {
                let record = RecordColumns.record(rows, row)
                guard match?.matches(record.row) ?? true else { continue }
                records.append(record)
                if records.count == query.rowLimit { return record.id }
            }
            return nil
        }
        return RecordSlice(
            records: records, next: end.next, isPartial: end.next != nil && !end.isFull, progress: end.progress)
    }

    func histogram(_ query: HistogramQuery) throws(Failure) -> Histogram {
        var conditions = query.filter
        conditions.since = max(conditions.since ?? .min, query.start)
        conditions.until = min(conditions.until ?? .max, query.end)
        var histogram = Histogram()
        let key = query.split == .kind ? "kind" : "level"
        let bucket = Self.quotient(
            "(time - \(Self.literal(.integer(query.start))))", by: Self.literal(.integer(query.width)))
        let end = try groups(conditions, [key, bucket], before: query.before, budget: query.budget) {
            rows, row, count in
            histogram.add(count, key: rows.text(row, 0) ?? "", bucket: Int(rows.integer(row, 1)), of: query)
        } row: { row in
            histogram.add(row, of: query)
        }
        histogram.next = end.next
        histogram.progress = end.progress
        return histogram
    }

    func facets(_ query: FacetQuery) throws(Failure) -> Facets {
        guard !query.fields.isEmpty else {
            return Facets(values: [:], next: nil, progress: Progress(done: 0, total: 0))
        }
        var counts = FacetCounts()
        let columns = query.fields.map { $0 == .version ? filterDialect.version : $0.rawValue }
        let end = try groups(query.filter, columns, before: query.before, budget: query.budget) { rows, row, count in
            for (place, field) in query.fields.enumerated() {
                if let value = rows.text(row, place) { counts.add(count, field, value) }
            }
        } row: { row in
            for field in query.fields {
                if let value = row.value(of: field) { counts.add(1, field, value) }
            }
        }
        return Facets(values: counts.values(of: query), next: end.next, progress: end.progress)
    }

    /// Counts by groups, newest arrivals first.
    private func groups(
        _ conditions: RecordFilter, _ columns: [String], before: Int64?, budget: Duration,
        group: (Rows, Int, Int64) -> Void, row: (RecordRow) -> Void
    ) throws(Failure) -> (next: Int64?, progress: Progress, isFull: Bool) {
        let walk = try ServerWalk(self, conditions, isNewestFirst: true, budget: budget)
        let match = walk.filter.match
        let names = columns.joined(separator: ", ")
        return try walk.run(after: nil, before: before) { condition in
            match == nil
                ? "SELECT \(names), count(*) FROM \(recordsTable) WHERE \(condition) GROUP BY \(names)"
                : "SELECT \(RecordColumns.names) FROM \(recordsTable) WHERE \(condition)"
        } take: { rows in
            for index in 0..<rows.count {
                guard let match else {
                    group(rows, index, rows.integer(index, columns.count))
                    continue
                }
                let record = RecordColumns.record(rows, index).row
                if match.matches(record) { row(record) }
            }
            return nil
        }
    }
}
