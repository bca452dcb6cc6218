import DaybookStore

/// Looks through the records that a filter wants, in the order of arrival, for as long as a budget lasts.
///
/// First the server is asked for everything at once, for a third of the budget: with an index at hand that is the whole
/// answer. Where it is too slow, one range of arrival numbers after the other is asked for.
struct PostgreSQLWalk {
    /// Where records are judged in code, so many are fetched at once.
    private static let fetched: Int64 = 16_384

    let filter: FilterSQL
    let isNewestFirst: Bool
    let budget: Duration

    /// - Parameters:
    ///   - sql: makes the statement from the condition of a range.
    ///   - take: given a result; returns the arrival number at which enough was found, or `nil`.
    /// - Returns: from where to go on, how far it came, and whether enough was found.
    func run(
        _ connection: PostgreSQLConnection, after: Int64?, before: Int64?, isCancelled: () -> Bool,
        sql: (_ condition: String) -> String, take: (PostgreSQLResult) -> Int64?
    ) throws(PostgreSQLError) -> (next: Int64?, progress: Progress, isFull: Bool) {
        let head = try connection.run("SELECT coalesce(max(id), 0) FROM records").first?.integer(0, 0) ?? 0
        var walk = RecordWalk(
            after: after, before: before, head: head, isNewestFirst: isNewestFirst, budget: budget)
        let attempt = Int(budget / .milliseconds(3))
        if filter.match == nil, attempt >= 10, !walk.whole.isEmpty,
            let result = try tryWhole(connection, sql(condition(walk.whole)), milliseconds: attempt)
        {
            let full = take(result)
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
            for result in try connection.run(sql(condition(range))) {
                guard let id = take(result) else { continue }
                walk.pass(passed(range, id), since: start)
                return (walk.position, walk.progress, true)
            }
            walk.pass(range, since: start)
            if isCancelled() { throw PostgreSQLError(state: "57014", message: "The search was cancelled.") }
            if walk.isLate() { break }
        }
        return (walk.position, walk.progress, false)
    }

    /// What the statement gives in so short a time, or `nil`.
    private func tryWhole(
        _ connection: PostgreSQLConnection, _ sql: String, milliseconds: Int
    ) throws(PostgreSQLError) -> PostgreSQLResult? {
        do throws(PostgreSQLError) {
            return try connection.run("BEGIN; SET LOCAL statement_timeout = \(milliseconds); \(sql); COMMIT")[2]
        } catch {
            guard error.isStopped else { throw error }
            connection.rollBack()
            return nil
        }
    }

    private func condition(_ range: RecordWalk.Range) -> String {
        let text = filter.text(PostgreSQLLiteral.value)
        return "id >= \(range.lower) AND id < \(range.upper)" + (text.isEmpty ? "" : " AND \(text)")
    }

    private func passed(_ range: RecordWalk.Range, _ id: Int64) -> RecordWalk.Range {
        isNewestFirst ? .init(lower: id, upper: range.upper) : .init(lower: range.lower, upper: id + 1)
    }
}
