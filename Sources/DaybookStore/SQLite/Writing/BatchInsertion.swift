import DaybookBase

/// Writes batches, their streams' intervals and the tags' counts in one transaction.
struct BatchInsertion {
    private struct TagKey: Hashable {
        var tag: String
        var kind: Kind
        var version: String?
    }

    private let connection: SQLiteConnection
    private let insertion: SQLiteStatement
    private let binding = RowBinding()
    private var lastID: Int64
    private var tags: [TagKey: TagSummary] = [:]
    private var contexts = ContextFieldsCache()

    /// Stores all batches or none.
    /// - Returns: what became of each, in their order.
    /// - Throws: ``StoreError``.
    static func insert(
        _ batches: [RecordBatch], into connection: SQLiteConnection
    ) throws(StoreError) -> [AppendResult] {
        try connection.transaction { () throws(StoreError) in
            var insertion = try BatchInsertion(connection)
            var results: [AppendResult] = []
            for batch in batches { results.append(try insertion.insert(batch)) }
            try insertion.finish()
            return results
        }
    }

    private init(_ connection: SQLiteConnection) throws(StoreError) {
        self.connection = connection
        lastID = try connection.integer("SELECT last FROM arrivals") ?? 0
        insertion = try connection.statement(RecordColumns.insertion)
    }

    private mutating func insert(_ batch: RecordBatch) throws(StoreError) -> AppendResult {
        guard let origin = batch.origin else {
            for row in batch.rows { try insert(row) }
            return AppendResult(stored: batch.rows.count, duplicates: 0)
        }
        let hull = Settlement.hull(of: batch.rows, origin: origin)
        let streams = StreamTable(connection: connection, stream: origin.stream)
        let known = try streams.intervals(touching: hull)
        let settlement = Settlement(rows: batch.rows, origin: origin, known: known)
        for place in settlement.newRows { try insert(batch.rows[place]) }
        try streams.replace(known, with: settlement.settled)
        let stored = settlement.newRows.count
        let result = AppendResult(stored: stored, duplicates: batch.rows.count - stored)
        try LedgerTable(connection: connection).add(batch, result, of: origin)
        return result
    }

    private mutating func insert(_ row: RecordRow) throws(StoreError) {
        lastID += 1
        try binding.insert(row, id: lastID, by: insertion)
        if row.kind.isCountedByTag { count(row) }
    }

    private mutating func count(_ row: RecordRow) {
        let version = contexts.fields(of: row.context).version
        let one = TagSummary(
            tag: row.tag, kind: row.kind.rawValue, version: version, count: 1, firstTime: row.time, lastTime: row.time)
        let key = TagKey(tag: row.tag, kind: row.kind, version: version)
        if tags[key]?.add(one) == nil { tags[key] = one }
    }

    private func finish() throws(StoreError) {
        let arrivals = try connection.statement("UPDATE arrivals SET last = ?")
        arrivals.bind(1, lastID)
        _ = try arrivals.step()
        arrivals.reset()
        let upsert = try connection.statement(
            """
            INSERT INTO tags VALUES (?,?,?,?,?,?) ON CONFLICT (tag, kind, version) DO UPDATE SET count = count + excluded.count,
            first_time = min(first_time, excluded.first_time), last_time = max(last_time, excluded.last_time)
            """)
        for summary in tags.values {
            upsert.bind(1, summary.tag)
            upsert.bind(2, summary.kind)
            upsert.bind(3, summary.version ?? "")
            upsert.bind(4, summary.count)
            upsert.bind(5, summary.firstTime)
            upsert.bind(6, summary.lastTime)
            _ = try upsert.step()
            upsert.reset()
        }
    }
}

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
            // What was made from these records has to be made anew; see SearchIndex.
            let change = try connection.statement(
                "INSERT INTO changes VALUES (?, 1) ON CONFLICT (segment) DO UPDATE SET version = version + 1")
            for segment in Set(ids.map(Segment.number)) {
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
