import DaybookStore

/// Writes batches, their streams' intervals and all accounts in one transaction.
struct PostgreSQLInsertion {
    private let connection: PostgreSQLConnection
    private let known: [String: IntervalSet]
    private var settled: [String: IntervalSet]
    private var present: PresentRecords
    private var lastID: Int64
    private var encoder: CopyEncoder
    private var accounts = BatchAccounts()
    private var contexts: SharedContexts

    /// Stores batches, as far as the server takes them in one commit. A commit that it refuses for what is in it is halved
    /// until the batch at fault is alone; of that one, values that cannot be kept are left out, and if that does not help,
    /// it alone is refused.
    /// - Returns: what became of each, in their order.
    static func commit(_ batches: [RecordBatch], _ session: PostgreSQLSession) -> [Result<AppendResult, StoreError>] {
        do throws(PostgreSQLError) {
            return try insert(batches, session, isChecking: false).map { .success($0) }
        } catch {
            guard error.isOfContent else { return batches.map { _ in .failure(error.whileWriting) } }
        }
        guard batches.count > 1 else {
            do throws(PostgreSQLError) {
                return try insert(batches, session, isChecking: true).map { .success($0) }
            } catch {
                return [.failure(error.isData ? StoreError(.badStatement, error.message) : error.whileWriting)]
            }
        }
        let middle = batches.count / 2
        return commit(Array(batches[..<middle]), session) + commit(Array(batches[middle...]), session)
    }

    private static func insert(
        _ batches: [RecordBatch], _ session: PostgreSQLSession, isChecking: Bool
    ) throws(PostgreSQLError) -> [AppendResult] {
        // Until here nothing was sent, so a lost connection is made again. From here on it would leave open what
        // happened; a transaction that is left open makes the connection unusable, and the server undoes it.
        var insertion = try session.repeating { connection throws(PostgreSQLError) in
            try PostgreSQLInsertion(batches, connection, isChecking: isChecking)
        }
        let results = batches.map { insertion.add($0) }
        try insertion.finish(arrived: batches.lazy.map(\.arrived).min() ?? 0)
        return results
    }

    /// What was read, or that it cannot be; the batch at fault fails alone, as with one that the server refuses.
    private static func plausible<Value>(_ read: () throws(StoreError) -> Value) throws(PostgreSQLError) -> Value {
        do throws(StoreError) { return try read() } catch {
            throw PostgreSQLError(state: "2F000", message: error.message)
        }
    }

    /// Begins the transaction: locks the arrivals, and reads what the batches' streams have settled near them.
    private init(
        _ batches: [RecordBatch], _ connection: PostgreSQLConnection, isChecking: Bool
    ) throws(PostgreSQLError) {
        self.connection = connection
        var hulls: [String: SequenceInterval] = [:]
        for batch in batches {
            guard let origin = batch.origin else { continue }
            let hull = Settlement.hull(of: batch.rows, origin: origin)
            hulls.extend(origin.stream, over: hull)
            if let name = origin.importStream { hulls.extend(name, over: hull) }
        }
        var sql = "BEGIN; SELECT last FROM arrivals FOR UPDATE; SELECT store FROM identity"
        let imported = batches.lazy.filter(\.isImport).flatMap(\.rows).map { RecordIdentity($0.cutToKeys) }
        if !imported.isEmpty {
            let list = imported.map { "(\(PostgreSQLLiteral.integer($0.time)), \(PostgreSQLLiteral.text($0.uid)))" }
            sql += """
                ; SELECT r.uid, r.time, r.kind, r.tag FROM (VALUES \(list.joined(separator: ","))) AS i(time, uid)
                JOIN stored_records r ON r.time = i.time AND r.uid = i.uid
                """
        }
        if !hulls.isEmpty {
            let list = hulls.map { stream, hull in
                "(\(PostgreSQLLiteral.text(stream)) COLLATE \"C\", \(PostgreSQLLiteral.integer(Int64(hull.after))), "
                    + "\(PostgreSQLLiteral.integer(Int64(hull.through))))"
            }
            sql += """
                ; SELECT s.stream, s.after, s.through FROM (VALUES \(list.joined(separator: ","))) AS h(stream, after, through)
                JOIN streams s ON s.stream = h.stream AND s.after <= h.through AND s.through >= h.after
                """
        }
        let results = try connection.run(sql)
        lastID = try Self.plausible { () throws(StoreError) in
            try StoredNumber.arrival(results[1].integer(0, 0), at: "arrivals.last", of: "the store")
        }
        var known: [String: IntervalSet] = [:]
        if !hulls.isEmpty, let intervals = results.last {
            for row in 0..<intervals.count {
                let stream = intervals.text(row, 0) ?? ""
                let interval = try Self.plausible { () throws(StoreError) in
                    try StoredNumber.interval(
                        after: intervals.integer(row, 1), through: intervals.integer(row, 2), ofStream: stream)
                }
                known[stream, default: IntervalSet()].insert(interval)
            }
        }
        present = PresentRecords(isAsked: !imported.isEmpty)
        if !imported.isEmpty {
            let rows = results[3]
            for row in 0..<rows.count {
                present.add(
                    RecordIdentity(
                        uid: rows.text(row, 0) ?? "", time: rows.integer(row, 1), kind: rows.text(row, 2) ?? "",
                        tag: rows.text(row, 3) ?? ""))
            }
        }
        self.known = known
        settled = known
        contexts = SharedContexts(identity: results[2].text(0, 0) ?? "", isChecking: isChecking)
        encoder = CopyEncoder(isChecking: isChecking, rows: batches.reduce(0) { $0 + $1.rows.count })
    }

    private mutating func add(_ batch: RecordBatch) -> AppendResult {
        let there = present.places(of: batch) { $0.cutToKeys }
        guard let origin = batch.origin else {
            for (place, row) in batch.rows.enumerated() where !there.contains(place) {
                add(row, arrived: batch.arrived)
            }
            return AppendResult(stored: batch.rows.count - there.count, duplicates: there.count)
        }
        let settlement = Settlement(
            rows: batch.rows, origin: origin, known: settled[origin.stream] ?? IntervalSet(),
            imported: origin.importStream.flatMap { settled[$0] } ?? IntervalSet(), present: there)
        for place in settlement.newRows { add(batch.rows[place], arrived: batch.arrived) }
        settled[origin.stream] = settlement.settled
        accounts.add(batch, settlement.result, of: origin)
        return settlement.result
    }

    private mutating func add(_ given: RecordRow, arrived: Int64) {
        let row = given.cutToKeys
        lastID += 1
        present.add(RecordIdentity(row))
        encoder.add(row, id: lastID, context: contexts.add(row.context))
        accounts.add(row, arrived: arrived)
    }

    /// - Parameter arrived: when the first of the batches did.
    private mutating func finish(arrived: Int64) throws(PostgreSQLError) {
        if encoder.count > 0 {
            encoder.finish()
            do throws(PostgreSQLError) {
                try connection.copy(CopyEncoder.statement, encoder.bytes)
            } catch {
                connection.rollBack()
                throw error
            }
        }
        var statements = ["UPDATE arrivals SET last = \(lastID)"] + contexts.statements
        if encoder.count > 0 {
            let first = PostgreSQLLiteral.integer(lastID - Int64(encoder.count) + 1)
            statements.append(ArrivalMarks.insertion(PostgreSQLLiteral.integer(arrived), from: first))
        }
        for (stream, intervals) in settled {
            statements += PostgreSQLAccounts.replacing(known[stream] ?? IntervalSet(), with: intervals, of: stream)
        }
        statements += PostgreSQLAccounts.statements(for: accounts)
        do throws(PostgreSQLError) {
            try connection.run(statements.joined(separator: "; ") + "; COMMIT")
        } catch {
            connection.rollBack()
            throw error
        }
    }
}
