import Daybook

/// Writes batches, their streams' intervals and the tags' counts in one transaction.
struct BatchInsertion {
    private struct TagKey: Hashable {
        var tag: String
        var kind: Kind
        var version: String?
    }

    private let connection: SQLiteConnection
    private let insertion: SQLiteStatement
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
        RecordColumns.bind(row, id: lastID, to: insertion)
        _ = try insertion.step()
        insertion.reset()
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
