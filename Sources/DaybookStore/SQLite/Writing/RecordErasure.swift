/// Deletes records in one short transaction.
enum RecordErasure {
    /// Records of one transaction: a few milliseconds, between which appends get their turn.
    static let batchSize = 500

    /// - Returns: how many there still were.
    static func erase(_ ids: [Int64], on connection: SQLiteConnection) throws(StoreError) -> Int64 {
        try connection.transaction { () throws(StoreError) in
            let deletion = try connection.statement("DELETE FROM records WHERE id = ? RETURNING 1")
            var count: Int64 = 0
            for id in ids {
                deletion.bind(1, id)
                while try deletion.step() { count += 1 }
                deletion.reset()
            }
            // What was made from these records has to be made anew; see ``SearchIndexer``.
            let change = try connection.statement(
                "INSERT INTO changes VALUES (?, 1) ON CONFLICT (segment) DO UPDATE SET version = version + 1")
            for segment in Set(ids.map(IndexSegment.number)) {
                change.bind(1, segment)
                _ = try change.step()
                change.reset()
            }
            return count
        }
    }

    /// Takes an installation out of the streams' accounts.
    static func forget(installation: String, on connection: SQLiteConnection) throws(StoreError) {
        let statement = try connection.statement("UPDATE ledger SET installation = NULL WHERE installation = ?")
        defer { statement.reset() }
        statement.bind(1, installation)
        _ = try statement.step()
    }
}
