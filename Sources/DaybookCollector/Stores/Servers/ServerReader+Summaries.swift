import DaybookStore

/// What is kept summed up: sessions, tags and the accounts of streams.
extension ServerReader {
    func sessions(_ query: SessionQuery) throws(Failure) -> [SessionSummary] {
        var conditions = ["last_time < \(Self.literal(.integer(query.before ?? .max)))"]
        if let installation = query.installation {
            conditions.append("installation = \(Self.literal(.text(installation)))")
        }
        let rows = try rows(
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

    func tags() throws(Failure) -> [TagSummary] {
        let rows = try rows(
            "SELECT tag, kind, nullIf(version, ''), count, first_time, last_time FROM tags ORDER BY tag, kind, version")
        return (0..<rows.count).map { row in
            TagSummary(
                tag: rows.text(row, 0) ?? "", kind: rows.text(row, 1) ?? "", version: rows.text(row, 2),
                count: rows.integer(row, 3), firstTime: rows.integer(row, 4), lastTime: rows.integer(row, 5))
        }
    }

    func ledger() throws(Failure) -> [StreamLedger] {
        let answers = try rows(together: [
            "SELECT stream, installation, version, stored, duplicates, sender FROM ledger ORDER BY stream",
            "SELECT stream, after, through FROM streams ORDER BY stream, after",
            "SELECT sender, reason, count FROM losses",
        ])
        let (accounts, streams, reports) = (answers[0], answers[1], answers[2])
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
