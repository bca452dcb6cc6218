/// A stream's settled intervals in the table `streams`. Runs inside a writing transaction.
struct StreamTable {
    let connection: SQLiteConnection
    let stream: String

    /// The settled intervals that overlap or touch `hull`, whose bounds fit an `Int64`.
    func intervals(touching hull: SequenceInterval) throws(StoreError) -> IntervalSet {
        // Intervals are disjoint, so of those that start before the hull, only the last can reach it.
        let statement = try connection.statement(
            """
            SELECT after, through FROM streams WHERE stream = ?1 AND after <= ?3 AND after >= coalesce(
                (SELECT max(after) FROM streams WHERE stream = ?1 AND after <= ?2), 0) AND through >= ?2
            """, [.text(stream), .integer(Int64(hull.after)), .integer(Int64(hull.through))])
        defer { statement.reset() }
        var found = IntervalSet()
        while try statement.step() {
            found.insert(
                try StoredNumber.interval(
                    after: statement.integer(0), through: statement.integer(1), ofStream: stream))
        }
        return found
    }

    func replace(_ old: IntervalSet, with new: IntervalSet) throws(StoreError) {
        if old == new { return }
        for interval in old.intervals(notIn: new) {
            try connection.change(
                "DELETE FROM streams WHERE stream = ? AND after = ?", [.text(stream), .integer(Int64(interval.after))])
        }
        for interval in new.intervals(notIn: old) {
            try connection.change(
                "INSERT INTO streams(stream, after, through) VALUES (?, ?, ?)",
                [.text(stream), .integer(Int64(interval.after)), .integer(Int64(interval.through))])
        }
    }
}

/// The tables `ledger` and `losses`. Runs inside a writing transaction.
struct LedgerTable {
    let connection: SQLiteConnection

    func add(_ batch: RecordBatch, _ result: AppendResult, of origin: RecordBatch.Origin) throws(StoreError) {
        let identity = StreamIdentity(batch)
        try connection.change(
            """
            INSERT INTO ledger(stream, sender, installation, version, stored, duplicates) VALUES (?,?,?,?,?,?)
            ON CONFLICT (stream) DO UPDATE SET stored = min(max(stored, 0), \(StoredNumber.largest)) + excluded.stored,
            duplicates = min(max(duplicates, 0), \(StoredNumber.largest)) + excluded.duplicates, sender = coalesce(sender, excluded.sender),
            installation = coalesce(installation, excluded.installation), version = coalesce(version, excluded.version)
            """,
            [
                .text(origin.stream), (batch.losses?.sender).map { .text($0) }, identity.installation.map { .text($0) },
                identity.version.map { .text($0) }, .integer(Int64(result.stored)), .integer(Int64(result.duplicates)),
            ])
        guard let losses = batch.losses, !losses.counts.isEmpty else { return }
        var known = Set(try LedgerReader.losses(of: losses.sender, connection).keys)
        for (reason, count) in losses.kept(besides: &known) {
            try connection.change(
                """
                INSERT INTO losses(sender, reason, count) VALUES (?,?,?)
                ON CONFLICT (sender, reason) DO UPDATE SET count = max(count, excluded.count)
                """, [.text(losses.sender), .text(reason), .integer(count)])
        }
    }
}

/// Stream accounts from the tables `ledger`, `streams` and `losses`.
enum LedgerReader {
    static func read(_ query: LedgerQuery, _ connection: SQLiteConnection) throws(StoreError) -> LedgerPage {
        try connection.reading { () throws(StoreError) in
            let accounts = try connection.statement(
                """
                SELECT stream, installation, version, stored, duplicates, sender FROM ledger
                WHERE stream > ?1 \(query.stream == nil ? "" : "AND stream = ?2")
                \(query.pattern == nil ? "" : "AND stream LIKE ?3") ORDER BY stream
                """, [.text(query.after ?? "")])
            defer { accounts.reset() }
            if let stream = query.stream { accounts.bind(2, stream) }
            if let pattern = query.pattern { accounts.bind(3, pattern) }
            var page = LedgerPage()
            while try accounts.step() {
                let stream = accounts.text(0)
                guard query.matches(stream) else { continue }
                var ledger = StreamLedger(
                    stream: stream, installation: accounts.optionalText(1), version: accounts.optionalText(2),
                    stored: StoredNumber.count(accounts.integer(3)),
                    duplicates: StoredNumber.count(accounts.integer(4)),
                    settled: [], losses: [:])
                if !page.isFull {
                    ledger.settled = try settled(stream, connection)
                    if let sender = accounts.optionalText(5) { ledger.losses = try losses(of: sender, connection) }
                }
                guard page.add(ledger) else { break }
            }
            return page
        }
    }

    private static func settled(
        _ stream: String, _ connection: SQLiteConnection
    ) throws(StoreError) -> [SequenceInterval] {
        let statement = try connection.statement(
            "SELECT after, through FROM streams WHERE stream = ? ORDER BY after LIMIT \(LedgerPage.mostIntervals)",
            [.text(stream)])
        defer { statement.reset() }
        var settled: [SequenceInterval] = []
        while try statement.step() {
            settled.append(
                try StoredNumber.interval(after: statement.integer(0), through: statement.integer(1), ofStream: stream))
        }
        return settled
    }

    static func losses(
        of sender: String, _ connection: SQLiteConnection
    ) throws(StoreError) -> [String: Int64] {
        let statement = try connection.statement(
            "SELECT reason, count FROM losses WHERE sender = ? ORDER BY reason LIMIT \(LedgerPage.mostIntervals)",
            [.text(sender)])
        defer { statement.reset() }
        var losses: [String: Int64] = [:]
        while try statement.step() { losses[statement.text(0).boundedName] = StoredNumber.count(statement.integer(1)) }
        return losses
    }
}
