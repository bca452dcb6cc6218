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

    /// Stores all batches or none. From a batch that the server refuses alone, unstorable values are left out.
    /// - Throws: ``CommitFailure``; an error on a live connection may be due to one batch, whatever its code.
    static func commit(
        _ batches: [RecordBatch], _ session: PostgreSQLSession, _ names: inout NameBound
    ) throws(CommitFailure) -> [AppendResult] {
        do throws(PostgreSQLError) {
            return try insert(batches, session, isChecking: false, &names)
        } catch {
            let isUsable = session.isUsable
            session.discard()
            guard isUsable, batches.count == 1 else {
                throw CommitFailure(error.ofStore, mayBeOfOneBatch: isUsable)
            }
        }
        do throws(PostgreSQLError) {
            return try insert(batches, session, isChecking: true, &names)
        } catch {
            session.discard()
            throw CommitFailure(error.ofStore)
        }
    }

    private static func insert(
        _ batches: [RecordBatch], _ session: PostgreSQLSession, isChecking: Bool, _ names: inout NameBound
    ) throws(PostgreSQLError) -> [AppendResult] {
        // Nothing has been sent yet, so reconnecting is safe. From here on it would leave the outcome unknown; an open
        // transaction makes the connection unusable, and the server rolls it back.
        var insertion = try session.repeating { connection throws(PostgreSQLError) in
            do throws(PostgreSQLError) {
                return try PostgreSQLInsertion(batches, connection, isChecking: isChecking)
            } catch {
                connection.rollBack()
                throw error
            }
        }
        let results = batches.map { insertion.add($0) }
        try insertion.finish(arrived: batches.lazy.map(\.arrived).min() ?? 0, &names)
        return results
    }

    /// Rethrows implausible stored data as a failure of this batch alone, like a refusal.
    private static func plausible<Value>(_ read: () throws(StoreError) -> Value) throws(PostgreSQLError) -> Value {
        do throws(StoreError) { return try read() } catch {
            throw PostgreSQLError(error)
        }
    }

    /// Begins the transaction: locks `arrivals`, and reads what the batches' streams have settled nearby.
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
        let imported = batches.lazy.filter(\.isImport).flatMap(\.rows)
        if !imported.isEmpty {
            let list = imported.map { "(\(PostgreSQLLiteral.integer($0.time)), \(PostgreSQLLiteral.text($0.uid)))" }
            // Reads each record of these times once; a nested loop would read all of them per row.
            sql += """
                ; SET LOCAL enable_nestloop = off;
                WITH i AS MATERIALIZED (SELECT * FROM (VALUES \(list.joined(separator: ","))) AS i(time, uid)),
                r AS MATERIALIZED (
                    SELECT id, uid, time, kind, tag FROM stored_records
                    WHERE time = ANY (ARRAY(SELECT DISTINCT time FROM i)))
                SELECT r.uid, r.time, r.kind, r.tag,
                    daybook_text((SELECT s.context FROM records AS s WHERE s.id = r.id), '\(StreamOwner.member)')
                FROM r JOIN i ON i.time = r.time AND i.uid = r.uid;
                SET LOCAL enable_nestloop TO DEFAULT
                """
        }
        let senders = Set(batches.compactMap { $0.losses?.sender })
        if !senders.isEmpty {
            sql += "; SELECT sender, reason FROM losses WHERE sender IN (\(PostgreSQLLiteral.list(senders.sorted())))"
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
            let rows = results[4]
            for row in 0..<rows.count {
                present.add(
                    RecordIdentity(
                        uid: rows.text(row, 0) ?? "", time: rows.integer(row, 1), kind: rows.text(row, 2) ?? "",
                        tag: rows.text(row, 3) ?? "", owner: rows.text(row, 4)))
            }
        }
        if !senders.isEmpty {
            let rows = results[imported.isEmpty ? 3 : 6]
            for row in 0..<rows.count {
                accounts.reasons[rows.text(row, 0) ?? "", default: []].insert(rows.text(row, 1) ?? "")
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
        present.add(row)
        encoder.add(row, id: lastID, context: contexts.add(row.context))
        accounts.add(row, arrived: arrived)
    }

    /// - Parameter arrived: when the first batch arrived.
    private mutating func finish(arrived: Int64, _ names: inout NameBound) throws(PostgreSQLError) {
        do throws(PostgreSQLError) {
            try write(arrived: arrived)
            try boundTags(&names)
            try connection.run("COMMIT")
        } catch {
            connection.rollBack()
            throw error
        }
    }

    private func boundTags(_ names: inout NameBound) throws(PostgreSQLError) {
        guard names.mustCount(adding: accounts.tags.summaries.count),
            try connection.run(NameFolding.counting)[0].integer(0, 0) > names.most
        else { return }
        try connection.run(PostgreSQLAccounts.folding(names).joined(separator: "; "))
    }

    private mutating func write(arrived: Int64) throws(PostgreSQLError) {
        var statements = [PostgreSQLChange("UPDATE arrivals SET last = \(lastID)", rows: 1)] + contexts.statements
        if encoder.count > 0 {
            encoder.finish()
            try Self.check(try connection.copy(CopyEncoder.statement, encoder.bytes), of: encoder.count)
            let first = PostgreSQLLiteral.integer(lastID - Int64(encoder.count) + 1)
            statements.append(PostgreSQLChange(ArrivalMarks.insertion(PostgreSQLLiteral.integer(arrived), from: first)))
            // A trigger may have deleted copied rows.
            statements.append(
                PostgreSQLChange(
                    "SELECT FROM stored_records WHERE id BETWEEN \(first) AND \(lastID)", rows: encoder.count))
        }
        for (stream, intervals) in settled {
            statements += PostgreSQLAccounts.replacing(known[stream] ?? IntervalSet(), with: intervals, of: stream)
        }
        statements += PostgreSQLAccounts.statements(for: accounts)
        let results = try connection.run(statements.map(\.sql).joined(separator: "; "))
        for (statement, result) in zip(statements, results) {
            if let rows = statement.rows { try Self.check(result.changes, of: rows) }
        }
    }

    /// A trigger can suppress rows, which PostgreSQL reports as success.
    private static func check(_ count: Int, of expected: Int) throws(PostgreSQLError) {
        guard count != expected else { return }
        throw PostgreSQLError(
            state: "2F000",
            message:
                "PostgreSQL: \(count) of \(expected) rows were written: a trigger keeps the others from the store. "
                + "Nothing is stored until it is gone.")
    }
}

struct PostgreSQLChange {
    var sql: String
    /// The expected number of changed rows; `nil` if it varies.
    var rows: Int?

    init(_ sql: String, rows: Int? = nil) { (self.sql, self.rows) = (sql, rows) }
}
