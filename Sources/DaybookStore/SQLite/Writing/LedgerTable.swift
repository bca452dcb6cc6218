/// Keeps the tables `ledger` and `losses`. Used inside a writing transaction.
struct LedgerTable {
    let connection: SQLiteConnection

    /// Adds what became of a batch.
    func add(_ batch: RecordBatch, _ result: AppendResult, of origin: RecordBatch.Origin) throws(StoreError) {
        let identity = StreamIdentity(batch)
        let account = try connection.statement(
            """
            INSERT INTO ledger(stream, sender, installation, version, stored, duplicates) VALUES (?,?,?,?,?,?)
            ON CONFLICT (stream) DO UPDATE SET stored = stored + excluded.stored,
            duplicates = duplicates + excluded.duplicates, sender = coalesce(sender, excluded.sender),
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
