/// A ``FacetQuery`` on SQLite.
enum FacetReading {
    static func read(
        _ query: FacetQuery, _ connection: SQLiteConnection, isCancelled: () -> Bool
    ) throws(StoreError) -> Facets {
        var counts = FacetCounts()
        guard !query.fields.isEmpty else {
            return Facets(values: [:], next: nil, progress: Progress(done: 0, total: 0))
        }
        let reading = try GroupReading(
            query.filter, groups: query.fields.map(expression), before: query.before, budget: query.budget)
        let end = try connection.reading { () throws(StoreError) in
            let view = try IndexView(connection)
            let done = query.filter.isEmpty ? try addIndexed(query, view, to: &counts, connection) : []
            return try reading.read(connection, view, leavingOut: done, isCancelled: isCancelled) { group, count in
                for (place, field) in query.fields.enumerated() {
                    if let value = group.optionalText(Int32(place)) { counts.add(count, field, value) }
                }
            } row: { row in
                for field in query.fields {
                    if let value = row.value(of: field) { counts.add(1, field, value) }
                }
            }
        }
        return Facets(values: counts.values(of: query), next: end.next, progress: end.progress)
    }

    /// Adds what the index has counted, and tells of which segments.
    private static func addIndexed(
        _ query: FacetQuery, _ view: IndexView, to counts: inout FacetCounts, _ connection: SQLiteConnection
    ) throws(StoreError) -> Set<Int64> {
        let segments = view.segments(since: .min, until: .max, before: query.before)
        // The numbers are the index's own, and no text; the fields come from an enumeration.
        let statement = try SQLiteStatement(
            """
            SELECT field, value, sum(count) FROM idx.facets WHERE segment IN (\(SQLList.text(of: segments)))
            AND field IN (\(query.fields.map { "'\($0.rawValue)'" }.joined(separator: ","))) GROUP BY field, value
            """, on: connection)
        while try statement.step() {
            guard let field = FacetQuery.Field(rawValue: statement.text(0)) else { continue }
            counts.add(statement.integer(2), field, statement.text(1))
        }
        return Set(segments)
    }

    private static func expression(of field: FacetQuery.Field) -> String {
        field == .version ? "daybook_version(context)" : field.rawValue
    }
}
