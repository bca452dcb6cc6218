/// One stream's settled intervals in the table `streams`. Used inside a writing transaction.
struct StreamTable {
    let connection: SQLiteConnection
    let stream: String

    /// The settled intervals that overlap or touch `hull`, whose bounds fit an `Int64`.
    func intervals(touching hull: SequenceInterval) throws(StoreError) -> IntervalSet {
        // Intervals are disjoint, so of those that start before the hull only the last can reach it.
        let statement = try connection.statement(
            """
            SELECT after, through FROM streams WHERE stream = ?1 AND after <= ?3 AND after >= coalesce(
                (SELECT max(after) FROM streams WHERE stream = ?1 AND after <= ?2), 0) AND through >= ?2
            """)
        defer { statement.reset() }
        statement.bind(1, stream)
        statement.bind(2, Int64(hull.after))
        statement.bind(3, Int64(hull.through))
        var found = IntervalSet()
        while try statement.step() {
            found.insert(
                try StoredNumber.interval(
                    after: statement.integer(0), through: statement.integer(1), ofStream: stream))
        }
        return found
    }

    /// Writes what changed between two states.
    func replace(_ old: IntervalSet, with new: IntervalSet) throws(StoreError) {
        if old == new { return }
        let deletion = try connection.statement("DELETE FROM streams WHERE stream = ? AND after = ?")
        for interval in old.intervals where !new.intervals.contains(interval) {
            deletion.bind(1, stream)
            deletion.bind(2, Int64(interval.after))
            _ = try deletion.step()
            deletion.reset()
        }
        let insertion = try connection.statement("INSERT INTO streams(stream, after, through) VALUES (?, ?, ?)")
        for interval in new.intervals where !old.intervals.contains(interval) {
            insertion.bind(1, stream)
            insertion.bind(2, Int64(interval.after))
            insertion.bind(3, Int64(interval.through))
            _ = try insertion.step()
            insertion.reset()
        }
    }
}

/// Keeps the tables `ledger` and `losses`. Used inside a writing transaction.
struct LedgerTable {
    let connection: SQLiteConnection

    /// Adds what became of a batch.
    func add(_ batch: RecordBatch, _ result: AppendResult, of origin: RecordBatch.Origin) throws(StoreError) {
        let identity = StreamIdentity(batch)
        let account = try connection.statement(
            """
            INSERT INTO ledger(stream, sender, installation, version, stored, duplicates) VALUES (?,?,?,?,?,?)
            ON CONFLICT (stream) DO UPDATE SET stored = min(max(stored, 0), \(StoredNumber.largest)) + excluded.stored,
            duplicates = min(max(duplicates, 0), \(StoredNumber.largest)) + excluded.duplicates, sender = coalesce(sender, excluded.sender),
            installation = coalesce(installation, excluded.installation), version = coalesce(version, excluded.version)
            """)
        account.bind(1, origin.stream)
        account.bind(2, batch.losses?.sender)
        account.bind(3, identity.installation)
        account.bind(4, identity.version)
        account.bind(5, Int64(result.stored))
        account.bind(6, Int64(result.duplicates))
        _ = try account.step()
        account.reset()
        guard let losses = batch.losses, !losses.counts.isEmpty else { return }
        let loss = try connection.statement(
            """
            INSERT INTO losses(sender, reason, count) VALUES (?,?,?)
            ON CONFLICT (sender, reason) DO UPDATE SET count = max(count, excluded.count)
            """)
        for (reason, count) in losses.counts {
            loss.bind(1, losses.sender)
            loss.bind(2, reason)
            loss.bind(3, count)
            _ = try loss.step()
            loss.reset()
        }
    }
}

/// The accounts of streams from the tables `ledger`, `streams` and `losses`.
enum LedgerReading {
    static func read(_ connection: SQLiteConnection) throws(StoreError) -> [StreamLedger] {
        var losses: [String: [String: Int64]] = [:]
        let lost = try connection.statement("SELECT sender, reason, count FROM losses")
        defer { lost.reset() }
        while try lost.step() { losses[lost.text(0), default: [:]][lost.text(1)] = StoredNumber.count(lost.integer(2)) }

        let accounts = try connection.statement(
            """
            SELECT l.stream, l.installation, l.version, l.stored, l.duplicates, l.sender, s.after, s.through
            FROM ledger l LEFT JOIN streams s ON s.stream = l.stream ORDER BY l.stream, s.after
            """)
        defer { accounts.reset() }
        var ledgers: [StreamLedger] = []
        while try accounts.step() {
            let stream = accounts.text(0)
            if ledgers.last?.stream != stream {
                ledgers.append(
                    StreamLedger(
                        stream: stream, installation: accounts.optionalText(1), version: accounts.optionalText(2),
                        stored: StoredNumber.count(accounts.integer(3)),
                        duplicates: StoredNumber.count(accounts.integer(4)), settled: [],
                        losses: accounts.optionalText(5).flatMap { losses[$0] } ?? [:]))
            }
            guard !accounts.isNull(6) else { continue }
            ledgers[ledgers.count - 1].settled.append(
                try StoredNumber.interval(
                    after: accounts.integer(6), through: accounts.integer(7), ofStream: stream))
        }
        return ledgers
    }
}
