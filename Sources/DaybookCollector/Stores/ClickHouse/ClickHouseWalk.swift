import DaybookStore

/// Looks through the records that a filter wants, in the order of arrival, for as long as a budget lasts.
///
/// First the server is asked for everything at once, for a third of the budget. Where that is too slow, one range of
/// arrival numbers after the other is asked for.
struct ClickHouseWalk {
    /// Where records are judged in code, so many are fetched at once.
    private static let fetched: Int64 = 16_384
    /// How long a commit keeps those with larger numbers from being read, where it does not end: in seconds.
    private static let commitPatience = 10

    let reader: ClickHouseReader
    let filter: FilterSQL
    let isNewestFirst: Bool
    let budget: Duration

    /// The largest number below which every commit has ended: whoever reads up to it and goes on from there misses nothing.
    static func head(_ reader: ClickHouseReader) throws(ClickHouseError) -> Int64 {
        let tables = reader.tables
        let rows = try reader.rows(
            """
            SELECT sum(largest), sum(smallest_open) FROM (
                SELECT max(id) AS largest, toInt64(0) AS smallest_open FROM \(tables.all("stored_records"))
                UNION ALL
                SELECT toInt64(0) AS largest, min(first) AS smallest_open FROM (
                    SELECT commit, part, min(first_id) AS first, max(done) AS is_done FROM \(tables.all("claims"))
                    WHERE at >= now() - \(commitPatience) AND first_id > 0 GROUP BY commit, part)
                WHERE is_done = 0)
            """)
        let last = rows.integer(0, 0)
        let open = rows.integer(0, 1)
        return open > 0 ? min(last, open - 1) : last
    }

    /// - Parameters:
    ///   - sql: makes the statement from the condition of a range.
    ///   - take: given an answer; returns the arrival number at which enough was found, or `nil`.
    /// - Returns: from where to go on, how far it came, and whether enough was found.
    func run(
        after: Int64?, before: Int64?, sql: (_ condition: String) -> String, take: (ClickHouseRows) -> Int64?
    ) throws(ClickHouseError) -> (next: Int64?, progress: Progress, isFull: Bool) {
        var walk = RecordWalk(
            after: after, before: before, head: try Self.head(reader), isNewestFirst: isNewestFirst, budget: budget)
        let attempt = budget / 3
        if filter.match == nil, attempt >= .milliseconds(10), !walk.whole.isEmpty,
            let rows = try tryWhole(sql(condition(walk.whole)), attempt)
        {
            let full = take(rows)
            walk.pass(full.map { passed(walk.whole, $0) } ?? walk.whole, since: .now)
            return (walk.position, walk.progress, full != nil)
        }
        while var range = walk.next() {
            if filter.match != nil {
                range =
                    isNewestFirst
                    ? .init(lower: max(range.lower, range.upper - Self.fetched), upper: range.upper)
                    : .init(lower: range.lower, upper: min(range.upper, range.lower + Self.fetched))
            }
            let start = ContinuousClock.now
            if let id = take(try reader.rows(sql(condition(range)))) {
                walk.pass(passed(range, id), since: start)
                return (walk.position, walk.progress, true)
            }
            walk.pass(range, since: start)
            if walk.isLate() { break }
        }
        return (walk.position, walk.progress, false)
    }

    /// What the server answers in so short a time, or `nil`.
    private func tryWhole(_ sql: String, _ time: Duration) throws(ClickHouseError) -> ClickHouseRows? {
        do throws(ClickHouseError) {
            return try reader.rows(sql, settings: [("max_execution_time", "1")], timeout: time)
        } catch {
            guard error.isLimit, !reader.stopper.isCancelled else { throw error }
            return nil
        }
    }

    private func condition(_ range: RecordWalk.Range) -> String {
        let text = filter.text(ClickHouseLiteral.value)
        return "id >= \(range.lower) AND id < \(range.upper) AND \(ClickHouseTables.isFirst)"
            + (text.isEmpty ? "" : " AND \(text)")
    }

    private func passed(_ range: RecordWalk.Range, _ id: Int64) -> RecordWalk.Range {
        isNewestFirst ? .init(lower: id, upper: range.upper) : .init(lower: range.lower, upper: id + 1)
    }
}
