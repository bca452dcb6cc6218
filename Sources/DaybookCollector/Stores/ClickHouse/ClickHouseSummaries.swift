import DaybookStore

/// Times, sessions, tags and the accounts of streams.
enum ClickHouseSummaries {
    static func timeBounds(_ reader: ClickHouseReader) throws(ClickHouseError) -> ClosedRange<Int64>? {
        let rows = try reader.rows(
            "SELECT min(time), max(time), count() FROM \(reader.tables.all("stored_records"))")
        // Without a row the least and the largest are 0.
        return rows.integer(0, 2) == 0 ? nil : rows.integer(0, 0)...rows.integer(0, 1)
    }

    static func sessions(
        _ query: SessionQuery, _ reader: ClickHouseReader
    ) throws(ClickHouseError) -> [SessionSummary] {
        var conditions = ["last_time < \(ClickHouseLiteral.integer(query.before ?? .max))"]
        if let installation = query.installation {
            conditions.append("installation = \(ClickHouseLiteral.text(installation))")
        }
        let rows = try reader.rows(
            """
            SELECT session, installation, version, device, count, errors, first_time, last_time FROM sessions
            WHERE \(conditions.joined(separator: " AND ")) ORDER BY last_time DESC, session LIMIT \(query.rowLimit)
            """)
        return (0..<rows.count).map { row in
            SessionSummary(
                session: rows.text(row, 0) ?? "", installation: rows.text(row, 1), version: rows.text(row, 2),
                device: rows.text(row, 3), count: rows.integer(row, 4), errors: rows.integer(row, 5),
                firstTime: rows.integer(row, 6), lastTime: rows.integer(row, 7))
        }
    }

    static func tags(_ reader: ClickHouseReader) throws(ClickHouseError) -> [TagSummary] {
        let rows = try reader.rows(
            "SELECT tag, kind, nullIf(version, ''), count, first_time, last_time FROM tags ORDER BY tag, kind, version")
        return (0..<rows.count).map { row in
            TagSummary(
                tag: rows.text(row, 0) ?? "", kind: rows.text(row, 1) ?? "", version: rows.text(row, 2),
                count: rows.integer(row, 3), firstTime: rows.integer(row, 4), lastTime: rows.integer(row, 5))
        }
    }

    static func ledger(_ reader: ClickHouseReader) throws(ClickHouseError) -> [StreamLedger] {
        let accounts = try reader.rows(
            "SELECT stream, installation, version, stored, duplicates, sender FROM ledger ORDER BY stream")
        let streams = try reader.rows("SELECT stream, after, through FROM streams ORDER BY stream, after")
        let reports = try reader.rows("SELECT sender, reason, count FROM losses")
        var settled: [String: [StreamLedger.Interval]] = [:]
        for row in 0..<streams.count {
            settled[streams.text(row, 0) ?? "", default: []].append(
                .init(after: UInt64(streams.integer(row, 1)), through: UInt64(streams.integer(row, 2))))
        }
        var losses: [String: [String: Int64]] = [:]
        for row in 0..<reports.count {
            losses[reports.text(row, 0) ?? "", default: [:]][reports.text(row, 1) ?? ""] = reports.integer(row, 2)
        }
        return (0..<accounts.count).map { row in
            let stream = accounts.text(row, 0) ?? ""
            return StreamLedger(
                stream: stream, installation: accounts.text(row, 1), version: accounts.text(row, 2),
                stored: accounts.integer(row, 3), duplicates: accounts.integer(row, 4), settled: settled[stream] ?? [],
                losses: accounts.text(row, 5).flatMap { losses[$0] } ?? [:])
        }
    }
}
