import DaybookBase
import DaybookStore

/// Queries of one reader to a server, cancellable. Confined to one thread at a time.
///
/// Every query may throw because the server is unavailable or the reader was cancelled.
protocol ServerReader {
    associatedtype Rows: AnsweredRows
    associatedtype Failure: Error

    /// The table of all records; may contain further rows, see ``isRecord``.
    var recordsTable: String { get }
    /// Selects its rows that are records; `nil` if all are.
    var isRecord: String? { get }
    var filterDialect: FilterDialect { get }
    /// The listed tags and versions, and the query for ``UnlistedNames``.
    var listedTags: String { get }
    var unlistedNames: String { get }

    func rows(_ sql: String) throws(Failure) -> Rows
    /// Streams the rows of an answer.
    /// - Parameters:
    ///   - time: the limit of time; `nil` for none.
    ///   - body: gets an answer and a row index; returns whether to continue.
    func forEachRow(
        of sql: String, within time: Duration?, _ body: (Rows, Int) -> Bool
    ) throws(Failure) -> RowsEnd
    /// The largest arrival number below which no record can still arrive.
    func head() throws(Failure) -> Int64
    func timeBounds(within times: Range<Int64>?) throws(Failure) -> ClosedRange<Int64>?

    /// Adapts a filter to how the server stores rows.
    static func stored(_ filter: RecordFilter) -> RecordFilter
    static func literal(_ value: SQLValue) -> String
    /// Integer division.
    static func quotient(_ dividend: String, by divisor: String) -> String
    /// An error detected here, such as an invalid filter.
    static func refusal(_ error: StoreError) -> Failure
}

/// Why an answer's rows ended.
enum RowsEnd {
    /// All rows came.
    case all
    /// The body wanted no more.
    case enough
    /// The time limit passed.
    case late
    /// The answer was too long.
    case cut
}

/// Pages, histograms and facets.
extension ServerReader {
    /// A WHERE clause for a time range; empty for all.
    static func condition(within times: Range<Int64>?) -> String {
        guard let times else { return "" }
        let (start, end) = (literal(.integer(times.lowerBound)), literal(.integer(times.upperBound)))
        return "WHERE time >= \(start) AND time < \(end)"
    }

    /// ``head()``, validated.
    func plausibleHead() throws(Failure) -> Int64 {
        let head = try head()
        do throws(StoreError) {
            return try StoredNumber.arrival(head, at: "The largest \(recordsTable).id", of: "the store")
        } catch {
            throw Self.refusal(error)
        }
    }

    func slice(_ query: RecordQuery) throws(Failure) -> RecordSlice {
        let isNewestFirst = query.order == .newestFirst
        let walk = ServerWalk(self, query.filter, isNewestFirst: isNewestFirst, budget: query.budget)
        let match = walk.filter.match
        var page = PageBuilder(query)
        let end = try walk.run(after: query.after, before: query.before) { condition in
            "SELECT \(RecordColumn.names) FROM \(recordsTable) WHERE \(condition) "
                + "ORDER BY id \(isNewestFirst ? "DESC" : "ASC")" + (match == nil ? " LIMIT \(page.room)" : "")
        } restart: {
            page = PageBuilder(query)
        } take: { rows, row in
            let record = rows[row].record
            return ServerTaken(id: record.id, isFull: (match?.matches(record.row) ?? true) && page.add(record))
        }
        return RecordSlice(page, next: end.next, progress: end.progress)
    }

    func slice(_ query: TimeQuery) throws(Failure) -> TimeSlice {
        let filter = FilterSQL(Self.stored(query.filter), filterDialect)
        var walk = TimeWalk(query, filter, bounds: try timeBounds(within: nil) ?? 0...0) { Self.literal(.integer($0)) }
        let text = filter.text(Self.literal)
        let isRecord = isRecord.map { " AND \($0)" } ?? ""
        return try walk.slice { stretch, count throws(Failure) in
            let rows = try rows(
                "SELECT time, id FROM \(recordsTable) WHERE \(stretch.condition)\(isRecord) \(stretch.order) "
                    + "LIMIT 1 OFFSET \(count - 1)")
            return rows.count == 0 ? nil : TimePlace(time: rows.integer(0, 0), id: rows.integer(0, 1))
        } rows: { stretch, limit, take throws(Failure) in
            _ = try forEachRow(
                of: "SELECT \(RecordColumn.names) FROM \(recordsTable) WHERE \(stretch.condition)\(isRecord)"
                    + (text.isEmpty ? "" : " AND \(text)") + " \(stretch.order)"
                    + (limit == .max ? "" : " LIMIT \(limit)"), within: nil
            ) { rows, row in take(rows[row].record) }
        }
    }

    func histogram(_ query: HistogramQuery) throws(Failure) -> Histogram {
        var histogram = Histogram()
        let rowHistogram = RowHistogram(query)
        let bucket = Self.quotient(
            "(time - \(Self.literal(.integer(query.start))))", by: Self.literal(.integer(query.width)))
        let end = try groups(
            query.narrowedFilter, [query.split.field.expression(version: filterDialect.version), bucket],
            after: query.after, before: query.before,
            budget: query.budget, restart: { histogram = Histogram() }
        ) { rows, row, count in
            histogram.add(count, rows.text(row, 0), bucket: Int(rows.integer(row, 1)), of: query)
        } row: { row in
            rowHistogram.add(row, to: &histogram)
        }
        histogram.next = end.next
        histogram.progress = end.progress
        return histogram
    }

    func facets(_ query: FacetQuery) throws(Failure) -> Facets {
        guard !query.fields.isEmpty else { return .empty }
        var counts = FacetCounts()
        let columns = query.fields.map { $0.expression(version: filterDialect.version) }
        let end = try groups(
            query.filter, columns, after: query.after, before: query.before, budget: query.budget,
            restart: { counts = FacetCounts() }, isFull: { counts.isFull }
        ) { rows, row, count in
            for (place, field) in query.fields.enumerated() {
                if let value = rows.text(row, place) { counts.add(count, field, value) }
            }
        } row: { row in
            counts.add(row, of: query)
        }
        return counts.facets(of: query, next: end.next, progress: end.progress)
    }

    /// Counts by group, newest arrivals first.
    /// - Parameter columns: the grouping; `nil` for one that only code can read.
    private func groups(
        _ conditions: RecordFilter, _ columns: [String?], after: Int64?, before: Int64?, budget: Duration,
        restart: () -> Void, isFull: () -> Bool = { false }, group: (Rows, Int, Int64) -> Void,
        row: (RecordRow) -> Void
    ) throws(Failure) -> (next: Int64?, progress: SearchProgress) {
        let expressions = columns.compactMap(\.self)
        let walk = ServerWalk(
            self, conditions, isNewestFirst: true, budget: budget, readsRows: expressions.count < columns.count)
        let names = expressions.joined(separator: ", ")
        return try walk.run(after: after, before: before, isFull: isFull) { condition in
            walk.readsRows
                ? "SELECT \(RecordColumn.names) FROM \(recordsTable) WHERE \(condition) ORDER BY id DESC"
                : "SELECT \(names), count(*) FROM \(recordsTable) WHERE \(condition) GROUP BY \(names)"
        } restart: {
            restart()
        } take: { rows, index in
            guard walk.readsRows else {
                group(rows, index, rows.integer(index, columns.count))
                return ServerTaken(id: nil, isFull: false)
            }
            let record = rows[index].record
            if walk.filter.match?.matches(record.row) ?? true { row(record.row) }
            return ServerTaken(id: record.id, isFull: isFull())
        }
    }
}

/// Aggregates: sessions, tags and the streams' accounts.
extension ServerReader {
    func sessions(_ query: SessionQuery) throws(Failure) -> [SessionSummary] {
        var conditions: [String] = []
        if let place = query.before {
            let (time, session) = (Self.literal(.integer(place.lastTime)), Self.literal(.text(place.session)))
            conditions.append("last_time <= \(time) AND (last_time < \(time) OR session > \(session))")
        }
        if let installation = query.installation {
            conditions.append("installation = \(Self.literal(.text(installation)))")
        }
        if let session = query.session { conditions.append("session = \(Self.literal(.text(session)))") }
        var summaries: [SessionSummary] = []
        _ = try forEachRow(
            of: """
                SELECT session, installation, version, device, count, errors, first_time, last_time FROM sessions
                \(conditions.isEmpty ? "" : "WHERE \(conditions.joined(separator: " AND "))")
                ORDER BY last_time DESC, session
                \(query.search == nil ? "LIMIT \(query.rowLimit)" : "")
                """, within: nil
        ) { rows, row in
            let summary = SessionSummary(
                session: rows.text(row, 0) ?? "", installation: rows.text(row, 1), version: rows.text(row, 2),
                device: rows.text(row, 3), count: StoredNumber.count(rows.integer(row, 4)),
                errors: StoredNumber.count(rows.integer(row, 5)), firstTime: rows.integer(row, 6),
                lastTime: rows.integer(row, 7))
            if query.matches(summary) { summaries.append(summary.bounded) }
            return summaries.count < query.rowLimit
        }
        return summaries
    }

    func tags(after position: TagPosition?) throws(Failure) -> TagPage {
        let after = [position?.tag, position?.kind, position?.version].map { Self.literal(.text($0 ?? "")) }
        var page = TagPage()
        _ = try forEachRow(
            of: """
                SELECT tag, kind, nullIf(version, ''), count, first_time, last_time FROM \(listedTags)
                WHERE (tag, kind, version) > (\(after.joined(separator: ", "))) AND kind <> '' ORDER BY tag, kind, version
                LIMIT \(AnswerBounds.rows + 1)
                """, within: nil
        ) { rows, row in
            page.add(
                TagSummary(
                    tag: rows.text(row, 0) ?? "", kind: rows.text(row, 1) ?? "", version: rows.text(row, 2),
                    count: StoredNumber.count(rows.integer(row, 3)), firstTime: rows.integer(row, 4),
                    lastTime: rows.integer(row, 5)))
        }
        guard page.next == nil else { return page }
        let unlisted = try rows(unlistedNames)
        page.unlisted.tags = StoredNumber.count(unlisted.integer(0, 0))
        page.unlisted.versions = StoredNumber.count(unlisted.integer(0, 1))
        return page
    }

    func ledger(_ query: LedgerQuery) throws(Failure) -> LedgerPage {
        func text(_ text: String) -> String { Self.literal(.text(text)) }
        let one =
            (query.stream.map { " AND stream = \(text($0))" } ?? "")
            + (query.pattern.map { " AND stream LIKE \(text($0))" } ?? "")
        let accounts = try rows(
            """
            SELECT stream, installation, version, stored, duplicates, sender FROM ledger
            WHERE stream > \(text(query.after ?? ""))\(one) ORDER BY stream LIMIT \(LedgerPage.mostStreams + 1)
            """)
        guard accounts.count > 0, let first = accounts.text(0, 0), let last = accounts.text(accounts.count - 1, 0)
        else {
            return LedgerPage()
        }
        let streams = try rows(
            """
            SELECT stream, after, through FROM streams WHERE stream >= \(text(first)) AND stream <= \(text(last))\(one)
            ORDER BY stream, after LIMIT \(Self.mostIntervals)
            """)
        var settled: [String: [SequenceInterval]] = [:]
        for row in 0..<streams.count {
            let stream = streams.text(row, 0) ?? ""
            do throws(StoreError) {
                settled[stream, default: []].append(
                    try StoredNumber.interval(
                        after: streams.integer(row, 1), through: streams.integer(row, 2), ofStream: stream))
            } catch {
                throw Self.refusal(error)
            }
        }
        // From this stream on nothing was read; the next page begins there.
        let end = streams.count == Self.mostIntervals ? streams.text(streams.count - 1, 0) : nil
        let losses = try losses(of: Set((0..<accounts.count).compactMap { accounts.text($0, 5) }))
        var page = LedgerPage()
        for row in 0..<accounts.count {
            let stream = accounts.text(row, 0) ?? ""
            guard query.matches(stream) else { continue }
            let ledger = StreamLedger(
                stream: stream, installation: accounts.text(row, 1), version: accounts.text(row, 2),
                stored: StoredNumber.count(accounts.integer(row, 3)),
                duplicates: StoredNumber.count(accounts.integer(row, 4)), settled: settled[stream] ?? [],
                losses: accounts.text(row, 5).flatMap { losses[$0] } ?? [:])
            if let end, row > 0, !stream.utf8.lexicographicallyPrecedes(end.utf8) { page.end() }
            guard page.add(ledger) else { break }
        }
        return page
    }

    private func losses(of senders: Set<String>) throws(Failure) -> [String: [String: Int64]] {
        guard !senders.isEmpty else { return [:] }
        let names = senders.sorted().map { Self.literal(.text($0)) }.joined(separator: ", ")
        let rows = try rows(
            """
            SELECT sender, reason, count FROM losses WHERE sender IN (\(names)) ORDER BY sender, reason
            LIMIT \(Self.mostIntervals)
            """)
        var losses: [String: [String: Int64]] = [:]
        for row in 0..<rows.count {
            losses[rows.text(row, 0) ?? "", default: [:]][rows.text(row, 1) ?? ""] = StoredNumber.count(
                rows.integer(row, 2))
        }
        return losses
    }

    /// The most settled intervals, and loss reasons, read per page.
    private static var mostIntervals: Int { 100_000 }
}

protocol AnsweredRows {
    var count: Int { get }
    /// `nil` for NULL.
    func text(_ row: Int, _ column: Int) -> String?
    /// A JSON column, in Daybook's form.
    func json(_ row: Int, _ column: Int) -> String
}

extension AnsweredRows {
    subscript(row: Int) -> AnsweredRow<Self> { AnsweredRow(rows: self, row: row) }

    /// 0 for NULL.
    func integer(_ row: Int, _ column: Int) -> Int64 { optionalInteger(row, column) ?? 0 }

    func optionalInteger(_ row: Int, _ column: Int) -> Int64? { text(row, column).flatMap { Int64($0) } }
}

struct AnsweredRow<Rows: AnsweredRows>: RecordCells {
    fileprivate let rows: Rows
    fileprivate let row: Int

    func text(_ column: RecordColumn) -> String? { rows.text(row, column.rawValue) }
    func integer(_ column: RecordColumn) -> Int64? { rows.optionalInteger(row, column.rawValue) }
    func json(_ column: RecordColumn) -> String { rows.json(row, column.rawValue) }
}
