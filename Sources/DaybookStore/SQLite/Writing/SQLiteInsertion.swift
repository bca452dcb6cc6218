import DaybookBase
import DaybookTools

/// Writes batches, their streams' intervals and tag counts in one transaction.
struct SQLiteInsertion {
    private static let statement = {
        let places = RecordColumn.allCases.map { _ in "?" }.joined(separator: ",")
        return "INSERT INTO stored_records(\(RecordColumn.names)) VALUES (\(places))"
    }()

    /// ``PlausibleTime/first(_:_:)``.
    private static let firstTime = """
        CASE WHEN (first_time < \(PlausibleTime.earliest)) = (excluded.first_time < \(PlausibleTime.earliest))
            THEN min(first_time, excluded.first_time) ELSE max(first_time, excluded.first_time) END
        """

    private static let growth = """
        count = min(max(count, 0), \(StoredNumber.largest)) + excluded.count,
        first_time = \(firstTime), last_time = max(last_time, excluded.last_time)
        """

    private let connection: SQLiteConnection
    private let insertion: SQLiteStatement
    private let binder = RowBinder()
    private let firstID: Int64
    private var lastID: Int64
    private var tags = TagCounts()
    private var fields = ContextFieldsCache()
    private var contexts: ContextTable

    /// Stores all batches or none.
    /// - Throws: ``CommitFailure``; a failure after BEGIN may be due to one batch.
    static func commit(
        _ batches: [RecordBatch], into connection: SQLiteConnection, _ names: inout NameBound
    ) throws(CommitFailure) -> [AppendResult] {
        var hasBegun = false
        do throws(StoreError) {
            return try connection.transaction { () throws(StoreError) in
                hasBegun = true
                var insertion = try SQLiteInsertion(connection)
                var results: [AppendResult] = []
                for batch in batches { results.append(try insertion.insert(batch)) }
                try insertion.finish(arrived: batches.lazy.map(\.arrived).min() ?? 0)
                try insertion.boundTags(&names)
                return results
            }
        } catch {
            // The rolled-back arrival numbers will be reused.
            connection.knownTimes = KnownTimes()
            throw CommitFailure(error, mayBeOfOneBatch: hasBegun && !error.isFullDisk)
        }
    }

    private init(_ connection: SQLiteConnection) throws(StoreError) {
        self.connection = connection
        lastID = try connection.lastArrival()
        firstID = lastID + 1
        insertion = try connection.statement(Self.statement)
        contexts = ContextTable(connection)
    }

    private mutating func insert(_ batch: RecordBatch) throws(StoreError) -> AppendResult {
        let present = try batch.isImport ? connection.knownTimes.present(batch.rows, connection) : []
        guard let origin = batch.origin else {
            for (place, row) in batch.rows.enumerated() where !present.contains(place) {
                try insert(row, arrived: batch.arrived)
            }
            return AppendResult(stored: batch.rows.count - present.count, duplicates: present.count)
        }
        let hull = Settlement.hull(of: batch.rows, origin: origin)
        let streams = StreamTable(connection: connection, stream: origin.stream)
        let known = try streams.intervals(touching: hull)
        let imported = try origin.importStream.map { name throws(StoreError) in
            try StreamTable(connection: connection, stream: name).intervals(touching: hull)
        }
        let settlement = Settlement(
            rows: batch.rows, origin: origin, known: known, imported: imported ?? IntervalSet(), present: present)
        for place in settlement.newRows { try insert(batch.rows[place], arrived: batch.arrived) }
        try streams.replace(known, with: settlement.settled)
        let result = settlement.result
        try LedgerTable(connection: connection).add(batch, result, of: origin)
        return result
    }

    private mutating func insert(_ row: RecordRow, arrived: Int64) throws(StoreError) {
        lastID += 1
        try binder.insert(row, context: try contexts.add(row.context), id: lastID, by: insertion)
        tags.add(row, version: fields.fields(of: row.context).version, arrived: arrived)
    }

    /// - Parameter arrived: The earliest arrival of the batches.
    private func finish(arrived: Int64) throws(StoreError) {
        if lastID >= firstID {
            try connection.run(ArrivalMarks.insertion("?2", from: "?1"), [.integer(firstID), .integer(arrived)])
            try ExtentSeals.seal(firstID...lastID, on: connection)
        }
        try connection.change("UPDATE arrivals SET last = ?", [.integer(lastID)])
        try contexts.finish()
        let upsert = """
            INSERT INTO tags VALUES (?,?,?,?,?,?) ON CONFLICT (tag, kind, version) DO UPDATE SET \(Self.growth)
            """
        for summary in tags.summaries {
            try connection.change(
                upsert,
                [
                    .text(summary.tag), .text(summary.kind), .text(summary.version ?? ""), .integer(summary.count),
                    .integer(summary.firstTime), .integer(summary.lastTime),
                ])
        }
        try checkRows()
    }

    private func boundTags(_ names: inout NameBound) throws(StoreError) {
        guard names.mustCount(adding: tags.summaries.count),
            try connection.integer(NameFolding.counting) ?? 0 > names.most
        else { return }
        let sum = "CAST(min(total(count), \(StoredNumber.largest)) AS INTEGER)"
        for statement in NameFolding.statements(names, sum: sum, growth: Self.growth) {
            try connection.execute(statement)
        }
    }

    /// Detects a trigger that deletes inserted rows.
    private func checkRows() throws(StoreError) {
        let count = try connection.statement(
            "SELECT count(*) FROM stored_records WHERE id BETWEEN ? AND ?", [.integer(firstID), .integer(lastID)])
        defer { count.reset() }
        guard try count.step(), count.integer(0) == lastID - firstID + 1 else {
            throw StoreError(
                .storage,
                "Rows that were inserted in \(connection.path) are not there: a trigger deletes them. Remove it; nothing is "
                    + "stored until then.")
        }
    }
}

/// Binds rows without a heap copy per text: a row's texts are joined in memory of this object, which the statement
/// borrows until it has run. Belongs to the writer's queue.
private final class RowBinder {
    // Owned by this object alone: allocated and freed here. The statement borrows it from `insert` until the end of its
    // step, within one call.
    private var storage: UnsafeMutablePointer<UInt8>
    private var capacity = 4_096
    private var used = 0

    init() { storage = .allocate(capacity: capacity) }

    deinit { storage.deallocate() }

    /// Inserts a row with an arrival number.
    /// - Parameter context: Replaces the row's own.
    func insert(_ row: RecordRow, context: String, id: Int64, by statement: SQLiteStatement) throws(StoreError) {
        reserve(row.ownBytes + context.utf8.count)
        used = 0
        statement.bind(1, id)
        bind(2, row.uid, statement)
        statement.bind(3, row.time)
        bind(4, row.kind.rawValue, statement)
        statement.bind(5, Int64(row.level))
        bind(6, row.tag, statement)
        bind(7, row.message, statement)
        bind(8, row.module, statement)
        bind(9, row.attributes, statement)
        bind(10, context, statement)
        bind(11, row.session, statement)
        bind(12, row.installation, statement)
        bind(13, row.traceID, statement)
        bind(14, row.spanID, statement)
        bind(15, row.parentSpanID, statement)
        statement.bind(16, row.duration)
        bind(17, row.file, statement)
        bind(18, row.function, statement)
        statement.bind(19, row.line.map(Int64.init))
        defer {
            statement.reset()
            // Ends the borrowing.
            statement.clear()
        }
        try statement.change()
    }

    private func bind(_ place: Int32, _ text: String?, _ statement: SQLiteStatement) {
        guard var text else {
            statement.bind(place, String?.none)
            return
        }
        text.withUTF8 { units in
            let start = storage + used
            if let base = units.baseAddress { start.update(from: base, count: units.count) }
            used += units.count
            statement.bindBorrowed(place, UnsafeBufferPointer(start: start, count: units.count))
        }
    }

    /// Reserves memory for all texts at once, because borrowed texts must not move.
    private func reserve(_ count: Int) {
        guard count > capacity else { return }
        storage.deallocate()
        capacity = max(count, capacity * 2)
        storage = .allocate(capacity: capacity)
    }
}
