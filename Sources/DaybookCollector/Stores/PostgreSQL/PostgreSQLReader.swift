import DaybookStore

/// One reader's questions over a connection.
struct PostgreSQLReader: ServerReader {
    let connection: PostgreSQLConnection
    let isCancelled: () -> Bool

    var recordsTable: String { "records" }
    var isRecord: String? { nil }
    var filterDialect: FilterDialect { .postgresql }

    func rows(_ sql: String) throws(PostgreSQLError) -> PostgreSQLResult {
        let rows = try connection.run(sql)[0]
        if isCancelled() { throw PostgreSQLError(state: "57014", message: "The search was cancelled.") }
        return rows
    }

    func rows(_ sql: String, within time: Duration) throws(PostgreSQLError) -> PostgreSQLResult? {
        do throws(PostgreSQLError) {
            let limit = "SET LOCAL statement_timeout = \(Int(time / .milliseconds(1)))"
            return try connection.run("BEGIN; \(limit); \(sql); COMMIT")[2]
        } catch {
            guard error.isStopped, !isCancelled() else { throw error }
            connection.rollBack()
            return nil
        }
    }

    func rows(together sql: [String]) throws(PostgreSQLError) -> [PostgreSQLResult] {
        let statements = ["BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"] + sql + ["COMMIT"]
        return Array(try connection.run(statements.joined(separator: ";")).dropFirst().dropLast())
    }

    func head() throws(PostgreSQLError) -> Int64 {
        try rows("SELECT coalesce(max(id), 0) FROM records").integer(0, 0)
    }

    func timeBounds() throws(PostgreSQLError) -> ClosedRange<Int64>? {
        let rows = try rows("SELECT min(time), max(time) FROM records")
        guard let first = rows.optionalInteger(0, 0), let last = rows.optionalInteger(0, 1) else { return nil }
        return first...last
    }

    static func stored(_ filter: RecordFilter) -> RecordFilter { filter.cutToKeys }

    static func literal(_ value: SQLValue) -> String { PostgreSQLLiteral.value(value) }

    static func quotient(_ dividend: String, by divisor: String) -> String { "\(dividend) / \(divisor)" }

    static func refusal(_ message: String) -> PostgreSQLError { PostgreSQLError(state: "42601", message: message) }
}
