/// A ``SessionQuery`` on SQLite: what the index has summed up, and the records that are not indexed yet.
enum SessionReading {
    static func read(_ query: SessionQuery, _ connection: SQLiteConnection) throws(StoreError) -> [SessionSummary] {
        try connection.reading { () throws(StoreError) in
            let view = try IndexView(connection)
            let segments = view.segments(since: .min, until: .max, before: nil)
            var latest = try unindexed(view, connection)
            let list = SQLList.text(of: segments)
            if connection.hasIndex {
                for session in Array(latest.keys) {
                    guard let older = try indexed("session = ?1", list, [.text(session)], connection).first else {
                        continue
                    }
                    latest[session]?.add(older: older)
                }
            }
            var summaries = latest.values.filter { summary in
                summary.lastTime < query.before ?? .max
                    && (query.installation == nil || summary.installation == query.installation)
            }
            if connection.hasIndex {
                // Of the latest ones at most these are among those above, with what is not in the index.
                let limit = Int64(query.rowLimit + latest.count)
                let found = try top(query, list, limit, connection).filter { latest[$0.session] == nil }
                summaries += found
            }
            summaries.sort { ($1.lastTime, $0.session) < ($0.lastTime, $1.session) }
            return try summaries.prefix(query.rowLimit).map { summary throws(StoreError) in
                var summary = summary
                if latest[summary.session] == nil {
                    let whole = try indexed("session = ?1", list, [.text(summary.session)], connection).first
                    summary.firstTime = whole?.firstTime ?? summary.firstTime
                }
                return summary
            }
        }
    }

    /// The sessions of records that no valid segment covers.
    private static func unindexed(
        _ view: IndexView, _ connection: SQLiteConnection
    ) throws(StoreError) -> [String: SessionSummary] {
        let head = try connection.integer("SELECT max(id) FROM records") ?? 0
        var latest: [String: SessionSummary] = [:]
        var contexts = ContextFieldsCache()
        for segment in 0...Segment.number(of: head) where view.segments[segment] == nil {
            let statement = try connection.statement(
                """
                SELECT session, time, level, installation, context FROM records NOT INDEXED
                WHERE id >= ? AND id < ? AND session IS NOT NULL ORDER BY id
                """)
            defer { statement.reset() }
            statement.bind(1, segment * Segment.size)
            statement.bind(2, (segment + 1) * Segment.size)
            while try statement.step() {
                let session = statement.text(0)
                let fields = contexts.fields(of: statement.text(4))
                latest[session, default: SessionSummary(emptyFor: session)].add(
                    time: statement.integer(1), level: statement.integer(2),
                    installation: statement.optionalText(3), fields: fields)
            }
        }
        return latest
    }

    /// The latest sessions of the index; their first time is that of one segment only.
    private static func top(
        _ query: SessionQuery, _ segments: String, _ limit: Int64, _ connection: SQLiteConnection
    ) throws(StoreError) -> [SessionSummary] {
        // Of columns that are not aggregated SQLite takes those of the row with the largest time: one max() alone.
        let statement = try SQLiteStatement(
            """
            SELECT session, installation, version, device, sum(count), sum(errors), first_time, max(last_time) AS latest
            FROM idx.sessions WHERE segment IN (\(segments)) GROUP BY session
            HAVING latest < ?1 AND (?2 IS NULL OR installation = ?2) ORDER BY latest DESC, session LIMIT ?3
            """, on: connection)
        statement.bind(1, query.before ?? .max)
        statement.bind(2, query.installation)
        statement.bind(3, limit)
        return try summaries(statement)
    }

    /// Sessions of the index that meet a condition, their segments added up.
    private static func indexed(
        _ condition: String, _ segments: String, _ values: [SQLValue], _ connection: SQLiteConnection
    ) throws(StoreError) -> [SessionSummary] {
        let statement = try connection.statement(
            """
            SELECT session, installation, version, device, count, errors, first_time, last_time
            FROM idx.sessions WHERE \(condition) AND segment IN (\(segments)) ORDER BY segment
            """)
        defer { statement.reset() }
        statement.bind(values)
        var added: [SessionSummary] = []
        for summary in try summaries(statement) {
            if added.last?.session == summary.session {
                var newer = summary
                newer.add(older: added[added.count - 1])
                added[added.count - 1] = newer
            } else {
                added.append(summary)
            }
        }
        return added
    }

    private static func summaries(_ statement: SQLiteStatement) throws(StoreError) -> [SessionSummary] {
        var summaries: [SessionSummary] = []
        while try statement.step() {
            summaries.append(
                SessionSummary(
                    session: statement.text(0), installation: statement.optionalText(1),
                    version: statement.optionalText(2), device: statement.optionalText(3),
                    count: statement.integer(4), errors: statement.integer(5), firstTime: statement.integer(6),
                    lastTime: statement.integer(7)))
        }
        return summaries
    }
}
