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
            let counted = try counted(query, view, connection) { counts.add($2, $0, $1) }
            return try reading.read(connection, view, counted: counted, isCancelled: isCancelled) { group, count in
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

    /// What the index has counted; `nil` where it cannot answer.
    /// - Parameter add: takes a value and how often it occurs in a segment.
    private static func counted(
        _ query: FacetQuery, _ view: IndexView, _ connection: SQLiteConnection,
        add: @escaping (FacetQuery.Field, String, Int64) -> Void
    ) throws(StoreError) -> CountedSegments? {
        guard connection.hasIndex, query.filter.isEmpty else { return nil }
        // The fields come from an enumeration.
        let statement = try connection.statement(
            """
            SELECT field, value, count FROM idx.facets WHERE segment = ?
            AND field IN (\(query.fields.map { "'\($0.rawValue)'" }.joined(separator: ",")))
            """)
        let segments = view.segments(since: .min, until: .max, before: query.before)
        return CountedSegments(segments: Set(segments)) { segment throws(StoreError) in
            defer { statement.reset() }
            statement.bind(1, segment)
            while try statement.step() {
                guard let field = FacetQuery.Field(rawValue: statement.text(0)) else { continue }
                add(field, statement.text(1), statement.integer(2))
            }
        }
    }

    private static func expression(of field: FacetQuery.Field) -> String {
        field == .version ? "daybook_version(context)" : field.rawValue
    }
}
