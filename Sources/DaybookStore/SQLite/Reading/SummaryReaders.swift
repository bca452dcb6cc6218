import DaybookTools

/// A ``SessionQuery`` on SQLite: summaries from the index, and records not yet indexed.
enum SessionReader {
    /// Most sessions in memory while summing up unindexed records.
    private static let mostUnindexed = 20_000

    /// Memory stays bounded however many sessions there are.
    /// - Parameter isCancelled: Whether the caller has given up.
    static func read(
        _ query: SessionQuery, _ connection: SQLiteConnection, isCancelled: () -> Bool
    ) throws(StoreError) -> [SessionSummary] {
        try connection.reading { () throws(StoreError) in
            let view = try IndexView(connection)
            var latest = try unindexed(view, connection, isCancelled)
            if connection.hasIndex {
                for session in Array(latest.keys) {
                    if let older = try indexed(session, view, connection) { latest[session]?.add(older: older) }
                }
            }
            var summaries = Array(latest.values)
            if connection.hasIndex {
                summaries += try top(query, view, connection, isCancelled) { latest[$0] != nil }
            }
            return query.page(of: summaries)
        }
    }

    /// Sessions of records outside valid extents.
    private static func unindexed(
        _ view: IndexView, _ connection: SQLiteConnection, _ isCancelled: () -> Bool
    ) throws(StoreError) -> [String: SessionSummary] {
        var latest: [String: SessionSummary] = [:]
        var contexts = ContextFieldsCache()
        var arrivals = ArrivalReader(connection)
        try view.forEachUnindexed(connection) { range throws(StoreError) in
            if isCancelled() { throw .searchCancelled }
            let statement = try connection.statement(
                """
                SELECT session, time, level, installation, \(ContextTable.context), id FROM stored_records NOT INDEXED
                WHERE id >= ? AND id < ? AND session IS NOT NULL ORDER BY id
                """, [.integer(range.lower), .integer(range.upper)])
            defer { statement.reset() }
            while try statement.step() {
                if latest.count > mostUnindexed { latest = newerHalf(of: latest) }
                let session = statement.text(0).boundedName
                let fields = contexts.fields(of: statement.text(4))
                latest[session, default: SessionSummary(emptyFor: session)].add(
                    time: try arrivals.countedTime(statement.integer(1), of: statement.integer(5)),
                    level: statement.integer(2),
                    installation: statement.optionalText(3), fields: fields)
            }
        }
        return latest
    }

    /// Drops the oldest sessions. So many occur only without an index, and these are on no reader's next page.
    private static func newerHalf(of sessions: [String: SessionSummary]) -> [String: SessionSummary] {
        let sorted = sessions.sorted { $0.value.lastTime > $1.value.lastTime }
        return Dictionary(sorted.prefix(sessions.count / 2).map { ($0.key, $0.value) }, uniquingKeysWith: { $1 })
    }

    /// The latest sessions of the index that are not yet known.
    private static func top(
        _ query: SessionQuery, _ view: IndexView, _ connection: SQLiteConnection, _ isCancelled: () -> Bool,
        isKnown: (String) -> Bool
    ) throws(StoreError) -> [SessionSummary] {
        // An index has both orders, so only the page is read. A session has a row per extent; the first has its latest
        // record.
        let statement = try connection.statement(
            """
            SELECT session, segment, installation, version, device FROM idx.sessions
            WHERE \(query.before == nil ? "true" : "last_time <= ?1 AND (last_time < ?1 OR session > ?4)")
            \(query.installation == nil ? "" : "AND installation = ?2")
            \(query.session == nil ? "" : "AND session = ?3") ORDER BY last_time DESC, session
            """)
        defer { statement.reset() }
        if let place = query.before {
            statement.bind(1, place.lastTime)
            statement.bind(4, place.session)
        }
        if let installation = query.installation { statement.bind(2, installation) }
        if let session = query.session { statement.bind(3, session) }
        var met: Set<String> = []
        var summaries: [SessionSummary] = []
        while summaries.count < query.rowLimit, try statement.step() {
            if isCancelled() { throw .searchCancelled }
            let session = statement.text(0)
            // Remember only sessions that the search finds.
            guard view.extents[statement.integer(1)] != nil, !isKnown(session.boundedName),
                query.finds([session] + (2...4).map { statement.optionalText($0) }), met.insert(session).inserted,
                let summary = try indexed(session, view, connection), query.matches(summary)
            else { continue }
            summaries.append(summary)
        }
        return summaries
    }

    private static func indexed(
        _ session: String, _ view: IndexView, _ connection: SQLiteConnection
    ) throws(StoreError) -> SessionSummary? {
        let statement = try connection.statement(
            """
            SELECT segment, installation, version, device, count, errors, first_time, last_time
            FROM idx.sessions WHERE session = ? ORDER BY segment
            """, [.text(session)])
        defer { statement.reset() }
        var whole: SessionSummary?
        while try statement.step() {
            guard view.extents[statement.integer(0)] != nil else { continue }
            var summary = SessionSummary(
                session: session, installation: statement.optionalText(1), version: statement.optionalText(2),
                device: statement.optionalText(3), count: StoredNumber.count(statement.integer(4)),
                errors: StoredNumber.count(statement.integer(5)),
                firstTime: statement.integer(6), lastTime: statement.integer(7))
            if let whole { summary.add(older: whole) }
            whole = summary
        }
        return whole
    }
}

enum TagReader {
    static func read(after position: TagPosition?, _ connection: SQLiteConnection) throws(StoreError) -> TagPage {
        let statement = try connection.statement(
            """
            SELECT tag, kind, version, count, first_time, last_time FROM tags
            WHERE (tag, kind, version) > (?, ?, ?) AND kind <> '' ORDER BY tag, kind, version
            """, [.text(position?.tag ?? ""), .text(position?.kind ?? ""), .text(position?.version ?? "")])
        defer { statement.reset() }
        var page = TagPage()
        while try statement.step() {
            let version = statement.text(2)
            let summary = TagSummary(
                tag: statement.text(0), kind: statement.text(1), version: version.isEmpty ? nil : version,
                count: StoredNumber.count(statement.integer(3)), firstTime: statement.integer(4),
                lastTime: statement.integer(5))
            guard page.add(summary) else { return page }
        }
        let unlisted = try connection.statement(NameFolding.reading)
        defer { unlisted.reset() }
        if try unlisted.step() {
            page.unlisted.tags = StoredNumber.count(unlisted.integer(0))
            page.unlisted.versions = StoredNumber.count(unlisted.integer(1))
        }
        return page
    }
}

enum TimeReader {
    /// - Parameter times: Only records within these times; `nil` for all.
    static func bounds(
        _ connection: SQLiteConnection, within times: Range<Int64>? = nil
    ) throws(StoreError) -> ClosedRange<Int64>? {
        let condition = times == nil ? "" : "WHERE time >= ?1 AND time < ?2"
        let statement = try connection.statement(
            "SELECT (SELECT min(time) FROM stored_records \(condition)), "
                + "(SELECT max(time) FROM stored_records \(condition))")
        defer { statement.reset() }
        if let times {
            statement.bind(1, times.lowerBound)
            statement.bind(2, times.upperBound)
        }
        guard try statement.step(), !statement.isNull(0) else { return nil }
        let (first, last) = (statement.integer(0), statement.integer(1))
        // Only a damaged index has this order.
        guard first <= last else {
            throw StoreError(
                .storage,
                "The index records_time is damaged: its oldest time, \(first), is after its newest, \(last). "
                    + "Stop the collector and run `REINDEX records_time` on the store.")
        }
        return first...last
    }
}

/// Reads the times at which records count in sums. Call it in order of arrival.
struct ArrivalReader {
    private let connection: SQLiteConnection
    /// The previous record's mark, and the numbers that it covers.
    private var mark: (time: Int64, ids: Range<Int64>)?

    init(_ connection: SQLiteConnection) { self.connection = connection }

    /// See ``PlausibleTime/counted(_:arrived:)``. Records before the first mark had arrived by then.
    mutating func countedTime(_ time: Int64, of id: Int64) throws(StoreError) -> Int64 {
        if mark?.ids.contains(id) != true { mark = try readMark(of: id) }
        return mark.map { PlausibleTime.counted(time, arrived: $0.time) } ?? time
    }

    private func readMark(of id: Int64) throws(StoreError) -> (time: Int64, ids: Range<Int64>)? {
        let before = try mark("WHERE id <= ? ORDER BY id DESC LIMIT 1", id)
        let next = try mark("WHERE id > ? ORDER BY id LIMIT 1", id)
        guard let time = before?.time ?? next?.time else { return nil }
        return (time, (before?.id ?? .min)..<max(next?.id ?? .max, id + 1))
    }

    private func mark(_ condition: String, _ id: Int64) throws(StoreError) -> (id: Int64, time: Int64)? {
        let statement = try connection.statement("SELECT id, time FROM main.arrival_times \(condition)", [.integer(id)])
        defer { statement.reset() }
        return try statement.step() ? (statement.integer(0), statement.integer(1)) : nil
    }
}
