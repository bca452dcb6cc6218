import DaybookBase
import DaybookStore

/// One reader's questions to a server, which end when it is cancelled. Belongs to one thread at a time.
///
/// Every question may throw for want of the server, or because the reader was cancelled.
protocol ServerReader {
    associatedtype Rows: AnsweredRows
    associatedtype Failure: Error

    /// The table of all records; it may hold more rows than that, see ``isRecord``.
    var recordsTable: String { get }
    /// Which of its rows are records; `nil` where all are.
    var isRecord: String? { get }
    var filterDialect: FilterDialect { get }

    func rows(_ sql: String) throws(Failure) -> Rows
    /// `nil` where the answer takes longer.
    func rows(_ sql: String, within time: Duration) throws(Failure) -> Rows?
    /// The answers to several questions, of one moment where the server can tell it.
    func rows(together sql: [String]) throws(Failure) -> [Rows]
    /// The largest arrival number below which no record is still to come.
    func head() throws(Failure) -> Int64
    func timeBounds() throws(Failure) -> ClosedRange<Int64>?

    /// The filter as it finds what the server keeps of a row.
    static func stored(_ filter: RecordFilter) -> RecordFilter
    static func literal(_ value: SQLValue) -> String
    /// The whole quotient of a number by another.
    static func quotient(_ dividend: String, by divisor: String) -> String
    /// That a filter is wrong.
    static func refusal(_ message: String) -> Failure
}

/// Pages, histograms and facets.
extension ServerReader {
    /// ``head()``, where it is a number that a store can have.
    func plausibleHead() throws(Failure) -> Int64 {
        let head = try head()
        do throws(StoreError) {
            return try StoredNumber.arrival(head, at: "The largest \(recordsTable).id", of: "the store")
        } catch {
            throw Self.refusal(error.message)
        }
    }

    func slice(_ query: RecordQuery) throws(Failure) -> RecordSlice {
        let isNewestFirst = query.order == .newestFirst
        let walk = try ServerWalk(self, query.filter, isNewestFirst: isNewestFirst, budget: query.budget)
        let match = walk.filter.match
        var records: [StoredRecord] = []
        let end = try walk.run(after: query.after, before: query.before) { condition in
            "SELECT \(RecordColumn.names) FROM \(recordsTable) WHERE \(condition) "
                + "ORDER BY id \(isNewestFirst ? "DESC" : "ASC")"
                + (match == nil ? " LIMIT \(query.rowLimit - records.count)" : "")
        } take: { rows in
            for row in 0..<rows.count {
                let record = rows[row].record
                guard match?.matches(record.row) ?? true else { continue }
                records.append(record)
                if records.count == query.rowLimit { return record.id }
            }
            return nil
        }
        return RecordSlice(
            records: records, next: end.next, isPartial: end.next != nil && !end.isFull, progress: end.progress)
    }

    func slice(_ query: TimeQuery) throws(Failure) -> TimeSlice {
        let filter: FilterSQL
        do {
            filter = try FilterSQL(Self.stored(query.filter), filterDialect)
        } catch {
            throw Self.refusal(error.message)
        }
        var walk = TimeWalk(query, filter, bounds: try timeBounds() ?? 0...0) { Self.literal(.integer($0)) }
        let text = filter.text(Self.literal)
        let isRecord = isRecord.map { " AND \($0)" } ?? ""
        return try walk.slice { stretch, count throws(Failure) in
            let rows = try rows(
                "SELECT time, id FROM \(recordsTable) WHERE \(stretch.condition)\(isRecord) \(stretch.order) "
                    + "LIMIT 1 OFFSET \(count - 1)")
            return rows.count == 0 ? nil : TimePlace(time: rows.integer(0, 0), id: rows.integer(0, 1))
        } rows: { stretch, limit throws(Failure) in
            let rows = try rows(
                "SELECT \(RecordColumn.names) FROM \(recordsTable) WHERE \(stretch.condition)\(isRecord)"
                    + (text.isEmpty ? "" : " AND \(text)") + " \(stretch.order)"
                    + (limit == .max ? "" : " LIMIT \(limit)"))
            return (0..<rows.count).map { rows[$0].record }
        }
    }

    func histogram(_ query: HistogramQuery) throws(Failure) -> Histogram {
        var histogram = Histogram()
        let bucket = Self.quotient(
            "(time - \(Self.literal(.integer(query.start))))", by: Self.literal(.integer(query.width)))
        let end = try groups(
            query.narrowedFilter, [query.split.column, bucket], after: query.after, before: query.before,
            budget: query.budget
        ) { rows, row, count in
            histogram.add(count, key: rows.text(row, 0) ?? "", bucket: Int(rows.integer(row, 1)), of: query)
        } row: { row in
            histogram.add(row, of: query)
        }
        histogram.next = end.next
        histogram.progress = end.progress
        return histogram
    }

    func facets(_ query: FacetQuery) throws(Failure) -> Facets {
        guard !query.fields.isEmpty else { return .empty }
        var counts = FacetCounts()
        let columns = query.fields.map { $0 == .version ? filterDialect.version : $0.rawValue }
        let end = try groups(
            query.filter, columns, after: query.after, before: query.before, budget: query.budget
        ) { rows, row, count in
            for (place, field) in query.fields.enumerated() {
                if let value = rows.text(row, place) { counts.add(count, field, value) }
            }
        } row: { row in
            counts.add(row, of: query)
        }
        return Facets(values: counts.values(of: query), next: end.next, progress: end.progress)
    }

    /// Counts by groups, newest arrivals first.
    private func groups(
        _ conditions: RecordFilter, _ columns: [String], after: Int64?, before: Int64?, budget: Duration,
        group: (Rows, Int, Int64) -> Void, row: (RecordRow) -> Void
    ) throws(Failure) -> (next: Int64?, progress: SearchProgress, isFull: Bool) {
        let walk = try ServerWalk(self, conditions, isNewestFirst: true, budget: budget)
        let match = walk.filter.match
        let names = columns.joined(separator: ", ")
        return try walk.run(after: after, before: before) { condition in
            match == nil
                ? "SELECT \(names), count(*) FROM \(recordsTable) WHERE \(condition) GROUP BY \(names)"
                : "SELECT \(RecordColumn.names) FROM \(recordsTable) WHERE \(condition)"
        } take: { rows in
            for index in 0..<rows.count {
                guard let match else {
                    group(rows, index, rows.integer(index, columns.count))
                    continue
                }
                let record = rows[index].record.row
                if match.matches(record) { row(record) }
            }
            return nil
        }
    }
}

/// What is kept summed up: sessions, tags and the accounts of streams.
extension ServerReader {
    func sessions(_ query: SessionQuery) throws(Failure) -> [SessionSummary] {
        var conditions = ["last_time < \(Self.literal(.integer(query.before ?? .max)))"]
        if let installation = query.installation {
            conditions.append("installation = \(Self.literal(.text(installation)))")
        }
        if let session = query.session { conditions.append("session = \(Self.literal(.text(session)))") }
        let rows = try rows(
            """
            SELECT session, installation, version, device, count, errors, first_time, last_time FROM sessions
            WHERE \(conditions.joined(separator: " AND ")) ORDER BY last_time DESC, session LIMIT \(query.rowLimit)
            """)
        return (0..<rows.count).map { row in
            SessionSummary(
                session: rows.text(row, 0) ?? "", installation: rows.text(row, 1), version: rows.text(row, 2),
                device: rows.text(row, 3), count: StoredNumber.count(rows.integer(row, 4)),
                errors: StoredNumber.count(rows.integer(row, 5)),
                firstTime: rows.integer(row, 6), lastTime: rows.integer(row, 7))
        }
    }

    func tags() throws(Failure) -> [TagSummary] {
        let rows = try rows(
            "SELECT tag, kind, nullIf(version, ''), count, first_time, last_time FROM tags ORDER BY tag, kind, version")
        return (0..<rows.count).map { row in
            TagSummary(
                tag: rows.text(row, 0) ?? "", kind: rows.text(row, 1) ?? "", version: rows.text(row, 2),
                count: StoredNumber.count(rows.integer(row, 3)), firstTime: rows.integer(row, 4),
                lastTime: rows.integer(row, 5))
        }
    }

    func ledger() throws(Failure) -> [StreamLedger] {
        let answers = try rows(together: [
            "SELECT stream, installation, version, stored, duplicates, sender FROM ledger ORDER BY stream",
            "SELECT stream, after, through FROM streams ORDER BY stream, after",
            "SELECT sender, reason, count FROM losses",
        ])
        let (accounts, streams, reports) = (answers[0], answers[1], answers[2])
        var settled: [String: [SequenceInterval]] = [:]
        for row in 0..<streams.count {
            let stream = streams.text(row, 0) ?? ""
            do throws(StoreError) {
                settled[stream, default: []].append(
                    try StoredNumber.interval(
                        after: streams.integer(row, 1), through: streams.integer(row, 2), ofStream: stream))
            } catch {
                throw Self.refusal(error.message)
            }
        }
        var losses: [String: [String: Int64]] = [:]
        for row in 0..<reports.count {
            losses[reports.text(row, 0) ?? "", default: [:]][reports.text(row, 1) ?? ""] = StoredNumber.count(
                reports.integer(row, 2))
        }
        return (0..<accounts.count).map { row in
            let stream = accounts.text(row, 0) ?? ""
            return StreamLedger(
                stream: stream, installation: accounts.text(row, 1), version: accounts.text(row, 2),
                stored: StoredNumber.count(accounts.integer(row, 3)),
                duplicates: StoredNumber.count(accounts.integer(row, 4)), settled: settled[stream] ?? [],
                losses: accounts.text(row, 5).flatMap { losses[$0] } ?? [:])
        }
    }
}

/// The rows that a server has answered with.
protocol AnsweredRows {
    var count: Int { get }
    /// `nil` for NULL.
    func text(_ row: Int, _ column: Int) -> String?
    /// A column of JSON, as Daybook writes it.
    func json(_ row: Int, _ column: Int) -> String
}

extension AnsweredRows {
    subscript(row: Int) -> AnsweredRow<Self> { AnsweredRow(rows: self, row: row) }

    /// 0 for NULL.
    func integer(_ row: Int, _ column: Int) -> Int64 { optionalInteger(row, column) ?? 0 }

    func optionalInteger(_ row: Int, _ column: Int) -> Int64? { text(row, column).flatMap { Int64($0) } }
}

/// One row of an answer.
struct AnsweredRow<Rows: AnsweredRows>: RecordCells {
    fileprivate let rows: Rows
    fileprivate let row: Int

    func text(_ column: RecordColumn) -> String? { rows.text(row, column.rawValue) }
    func integer(_ column: RecordColumn) -> Int64? { rows.optionalInteger(row, column.rawValue) }
    func json(_ column: RecordColumn) -> String { rows.json(row, column.rawValue) }
}
