/// The accounts of streams from the tables `ledger`, `streams` and `losses`.
enum LedgerReading {
    static func read(_ connection: SQLiteConnection) throws(StoreError) -> [StreamLedger] {
        var losses: [String: [String: Int64]] = [:]
        let lost = try connection.statement("SELECT sender, reason, count FROM losses")
        defer { lost.reset() }
        while try lost.step() { losses[lost.text(0), default: [:]][lost.text(1)] = lost.integer(2) }

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
                        stored: accounts.integer(3), duplicates: accounts.integer(4), settled: [],
                        losses: accounts.optionalText(5).flatMap { losses[$0] } ?? [:]))
            }
            guard !accounts.isNull(6) else { continue }
            ledgers[ledgers.count - 1].settled.append(
                .init(after: UInt64(accounts.integer(6)), through: UInt64(accounts.integer(7))))
        }
        return ledgers
    }
}
