import DaybookStore

/// What is kept summed up: times, sessions, tags and the accounts of streams.
enum PostgreSQLSummaries {
    static func timeBounds(_ connection: PostgreSQLConnection) throws(PostgreSQLError) -> ClosedRange<Int64>? {
        guard let result = try connection.run("SELECT min(time), max(time) FROM records").first,
            let first = result.optionalInteger(0, 0), let last = result.optionalInteger(0, 1)
        else { return nil }
        return first...last
    }

    static func sessions(
        _ query: SessionQuery, _ connection: PostgreSQLConnection
    ) throws(PostgreSQLError) -> [SessionSummary] {
        var conditions = ["last_time < \(PostgreSQLLiteral.integer(query.before ?? .max))"]
        if let installation = query.installation {
            conditions.append("installation = \(PostgreSQLLiteral.text(installation))")
        }
        let result = try connection.run(
            """
            SELECT session, installation, version, device, count, errors, first_time, last_time FROM sessions
            WHERE \(conditions.joined(separator: " AND ")) ORDER BY last_time DESC, session LIMIT \(query.rowLimit)
            """)[0]
        return (0..<result.count).map { row in
            SessionSummary(
                session: result.text(row, 0) ?? "", installation: result.text(row, 1), version: result.text(row, 2),
                device: result.text(row, 3), count: result.integer(row, 4), errors: result.integer(row, 5),
                firstTime: result.integer(row, 6), lastTime: result.integer(row, 7))
        }
    }

    static func tags(_ connection: PostgreSQLConnection) throws(PostgreSQLError) -> [TagSummary] {
        let result = try connection.run(
            "SELECT tag, kind, nullif(version, ''), count, first_time, last_time FROM tags ORDER BY tag, kind, version")[
                0]
        return (0..<result.count).map { row in
            TagSummary(
                tag: result.text(row, 0) ?? "", kind: result.text(row, 1) ?? "", version: result.text(row, 2),
                count: result.integer(row, 3), firstTime: result.integer(row, 4), lastTime: result.integer(row, 5))
        }
    }

    static func ledger(_ connection: PostgreSQLConnection) throws(PostgreSQLError) -> [StreamLedger] {
        // One statement each, but of one moment.
        let results = try connection.run(
            """
            BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SELECT sender, reason, count FROM losses;
            SELECT l.stream, l.installation, l.version, l.stored, l.duplicates, l.sender, s.after, s.through
            FROM ledger l LEFT JOIN streams s ON s.stream = l.stream ORDER BY l.stream, s.after; COMMIT
            """)
        var losses: [String: [String: Int64]] = [:]
        for row in 0..<results[1].count {
            losses[results[1].text(row, 0) ?? "", default: [:]][results[1].text(row, 1) ?? ""] =
                results[1].integer(row, 2)
        }
        let accounts = results[2]
        var ledgers: [StreamLedger] = []
        for row in 0..<accounts.count {
            let stream = accounts.text(row, 0) ?? ""
            if ledgers.last?.stream != stream {
                ledgers.append(
                    StreamLedger(
                        stream: stream, installation: accounts.text(row, 1), version: accounts.text(row, 2),
                        stored: accounts.integer(row, 3), duplicates: accounts.integer(row, 4), settled: [],
                        losses: accounts.text(row, 5).flatMap { losses[$0] } ?? [:]))
            }
            guard let after = accounts.optionalInteger(row, 6) else { continue }
            ledgers[ledgers.count - 1].settled.append(
                .init(after: UInt64(after), through: UInt64(accounts.integer(row, 7))))
        }
        return ledgers
    }
}
