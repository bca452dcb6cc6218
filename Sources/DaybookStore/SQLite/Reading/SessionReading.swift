/// A ``SessionQuery`` on SQLite.
enum SessionReading {
    static func read(_ query: SessionQuery, _ connection: SQLiteConnection) throws(StoreError) -> [SessionSummary] {
        // Of the columns that are not aggregated SQLite takes those of the row with the largest time.
        let statement = try connection.statement(
            """
            SELECT session, installation, context, count(*), sum(level >= 17), min(time), max(time) AS latest
            FROM records WHERE session IS NOT NULL GROUP BY session
            HAVING latest < ?1 AND (?2 IS NULL OR installation = ?2) ORDER BY latest DESC, session LIMIT ?3
            """)
        defer { statement.reset() }
        statement.bind(1, query.before ?? .max)
        statement.bind(2, query.installation)
        statement.bind(3, Int64(query.rowLimit))
        var summaries: [SessionSummary] = []
        while try statement.step() {
            let fields = ContextFields(statement.text(2))
            summaries.append(
                SessionSummary(
                    session: statement.text(0), installation: statement.optionalText(1), version: fields.version,
                    device: fields.device, count: statement.integer(3), errors: statement.integer(4),
                    firstTime: statement.integer(5), lastTime: statement.integer(6)))
        }
        return summaries
    }
}
