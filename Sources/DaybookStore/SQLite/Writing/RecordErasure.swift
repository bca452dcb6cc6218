/// Deletes records in short transactions, on a full disk too.
enum RecordErasure {
    /// Records of one transaction: a few milliseconds, between which appends get their turn.
    static let batchSize = 500

    /// Deletes records in one transaction; where the disk is full, with the room of the reserve and in as many
    /// transactions as it takes.
    /// - Returns: how many there still were.
    /// - Throws: ``StoreError``. What was deleted before stays deleted.
    static func erase(
        _ ids: [Int64], on connection: SQLiteConnection, _ reserve: SpaceReserve
    ) throws(StoreError) -> Int64 {
        try withRoom(on: connection, reserve) { () throws(StoreError) in
            try erase(ids[...], on: connection)
        } orInPieces: { () throws(StoreError) in
            try eraseInPieces(ids[...], on: connection)
        }
    }

    /// Takes an installation out of the streams' accounts.
    static func forget(
        installation: String, on connection: SQLiteConnection, _ reserve: SpaceReserve
    ) throws(StoreError) {
        let forget = { () throws(StoreError) in
            let statement = try connection.statement("UPDATE ledger SET installation = NULL WHERE installation = ?")
            defer { statement.reset() }
            statement.bind(1, installation)
            _ = try statement.step()
        }
        try withRoom(on: connection, reserve, forget, orInPieces: forget)
    }

    /// Does something, and where the disk is full, another thing after the reserve was given up and the log emptied.
    static func withRoom<Result>(
        on connection: SQLiteConnection, _ reserve: SpaceReserve, _ body: () throws(StoreError) -> Result,
        orInPieces pieces: () throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        do throws(StoreError) {
            return try body()
        } catch {
            guard error.isFullDisk else { throw error }
            reserve.giveUp()
            makeRoom(on: connection)
            return try pieces()
        }
    }

    /// A transaction needs room in the log for each page that it changes: the fewer records, the less.
    private static func eraseInPieces(
        _ ids: ArraySlice<Int64>, on connection: SQLiteConnection
    ) throws(StoreError) -> Int64 {
        do throws(StoreError) {
            return try erase(ids, on: connection)
        } catch {
            guard error.isFullDisk, ids.count > 1 else { throw error }
        }
        var erased: Int64 = 0
        let size = max(ids.count / 8, 1)
        for start in stride(from: ids.startIndex, to: ids.endIndex, by: size) {
            makeRoom(on: connection)
            erased += try eraseInPieces(ids[start..<min(start + size, ids.endIndex)], on: connection)
        }
        return erased
    }

    /// Gives what the log takes back to the disk. While others read it stays, and what it takes is not to be had.
    private static func makeRoom(on connection: SQLiteConnection) { _ = try? connection.emptyLog() }

    /// Takes erased records off the tags' counts. That they were seen, and when, stays. What a tag's version does not
    /// account for was counted before the store told versions apart, under the empty one.
    private static func take(_ tags: TagCounts, from connection: SQLiteConnection) throws(StoreError) {
        let updates = [
            try connection.statement(
                """
                UPDATE tags SET count = max(count - max(?1 - ifnull((
                    SELECT count FROM tags WHERE tag = ?2 AND kind = ?3 AND version = ?4), 0), 0), 0)
                WHERE tag = ?2 AND kind = ?3 AND version = '' AND ?4 <> ''
                """),
            try connection.statement(
                "UPDATE tags SET count = max(count - ?1, 0) WHERE tag = ?2 AND kind = ?3 AND version = ?4"),
        ]
        defer { for update in updates { update.reset() } }
        for summary in tags.summaries {
            for update in updates {
                update.bind(1, summary.count)
                update.bind(2, summary.tag)
                update.bind(3, summary.kind)
                update.bind(4, summary.version ?? "")
                _ = try update.step()
                update.reset()
            }
        }
    }

    private static func erase(_ ids: ArraySlice<Int64>, on connection: SQLiteConnection) throws(StoreError) -> Int64 {
        try connection.transaction { () throws(StoreError) in
            let reading = try connection.statement("SELECT \(ContextTable.columns) FROM stored_records WHERE id = ?")
            defer { reading.reset() }
            var count: Int64 = 0
            var tags = TagCounts()
            var contexts: [Int64: Int64] = [:]
            for id in ids {
                reading.bind(1, id)
                while try reading.step() {
                    let row = reading.record.row
                    tags.add(row, version: ContextFields(row.context).version, arrived: row.time)
                }
                reading.reset()
                if try ContextTable.delete(id, on: connection, counting: &contexts) { count += 1 }
            }
            try take(tags, from: connection)
            try ContextTable.remove(contexts, on: connection)
            try connection.execute(ArrivalMarks.removal)
            // What was made from these records has to be made anew; see ``SearchIndexer``.
            try SegmentSeals.change(Set(ids.map(IndexSegment.number)), on: connection)
            // Whoever has the store open empties the logs, also when this process ends before it has.
            try connection.execute("UPDATE erasures SET number = number + 1")
            return count
        }
    }
}
