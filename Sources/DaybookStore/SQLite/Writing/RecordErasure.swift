/// Deletes records in short transactions, also on a full disk.
enum RecordErasure {
    /// Records per transaction: a few milliseconds, between which appends run.
    static let batchSize = 500

    /// Deletes records in one transaction; on a full disk, releases the reserve and uses as many as needed.
    /// - Returns: How many still existed.
    /// - Throws: ``StoreError``; earlier transactions stay committed.
    static func erase(
        _ ids: [Int64], on connection: SQLiteConnection, _ reserve: SpaceReserve
    ) throws(StoreError) -> Int64 {
        try withRoom(on: connection, reserve) { () throws(StoreError) in
            try erase(ids[...], on: connection)
        } orInPieces: { () throws(StoreError) in
            try eraseInPieces(ids[...], on: connection)
        }
    }

    /// Removes an installation from stream accounts.
    static func forget(
        installation: String, on connection: SQLiteConnection, _ reserve: SpaceReserve
    ) throws(StoreError) {
        let forget = { () throws(StoreError) in
            try connection.run(
                "UPDATE ledger SET installation = NULL WHERE installation = ?", [.text(installation)])
        }
        try withRoom(on: connection, reserve, forget, orInPieces: forget)
    }

    /// Runs `body`; on a full disk, releases the reserve, empties the log and runs `pieces`.
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

    /// Each changed page needs space in the log, so fewer records need less.
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

    /// Empties the log to free its space. Readers of older snapshots prevent that.
    private static func makeRoom(on connection: SQLiteConnection) { _ = try? connection.emptyLog() }

    /// First and last times stay. What exceeds a version's count was counted under the empty version, before the store
    /// distinguished versions.
    private static func take(_ tags: TagCounts, from connection: SQLiteConnection) throws(StoreError) {
        let updates = [
            """
            UPDATE tags SET count = max(count - max(?1 - ifnull((
                SELECT count FROM tags WHERE tag = ?2 AND kind = ?3 AND version = ?4), 0), 0), 0)
            WHERE tag = ?2 AND kind = ?3 AND version = '' AND ?4 <> ''
            """,
            "UPDATE tags SET count = max(count - ?1, 0) WHERE tag = ?2 AND kind = ?3 AND version = ?4",
        ]
        for summary in tags.summaries {
            for update in updates {
                try connection.run(
                    update,
                    [
                        .integer(summary.count), .text(summary.tag), .text(summary.kind), .text(summary.version ?? ""),
                    ])
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
            // The index's extents become outdated; see ``SearchIndexer``.
            try ExtentSeals.change(Set(ids.map(IndexExtent.number)), on: connection)
            // Noted, so that another process empties the logs if this one ends first.
            try connection.execute("UPDATE erasures SET number = number + 1")
            return count
        }
    }
}
