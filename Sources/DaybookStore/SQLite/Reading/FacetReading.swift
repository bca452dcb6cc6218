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
        let end = try reading.read(connection, isCancelled: isCancelled) { group, count in
            for (place, field) in query.fields.enumerated() {
                if let value = group.optionalText(Int32(place)) { counts.add(count, field, value) }
            }
        } row: { row in
            for field in query.fields {
                if let value = row.value(of: field) { counts.add(1, field, value) }
            }
        }
        return Facets(values: counts.values(of: query), next: end.next, progress: end.progress)
    }

    private static func expression(of field: FacetQuery.Field) -> String {
        field == .version ? "daybook_version(context)" : field.rawValue
    }
}
