import DaybookBase
import DaybookStore

/// Statements that others write: one at a time, in a read-only transaction with a `statement_timeout` that is always
/// rolled back, and not as a role that reading gives power over the server.
enum PostgreSQLConsole {
    static let beginnings: Set<String> = ["select", "with", "values", "table", "explain", "show"]

    static func run(
        _ sql: String, limits: QueryLimits, _ connection: PostgreSQLConnection, isCancelled: () -> Bool
    ) throws(StoreError) -> QueryResult {
        guard beginnings.contains(StatementText.firstWord(of: sql)) else {
            throw .refused("it begins with another word than SELECT")
        }
        if isCancelled() { throw .queryCancelled }
        do throws(PostgreSQLError) {
            try checkRole(connection)
            let milliseconds = max(1, Int(limits.time / .milliseconds(1)))
            try connection.run("BEGIN READ ONLY; SET LOCAL statement_timeout = \(milliseconds); SELECT 1")
            // Nothing that a statement sets or locks outlives it.
            defer { connection.rollBack() }
            return try answer(sql, rowLimit: max(limits.rows, 0), connection)
        } catch {
            if isCancelled() { throw .queryCancelled }
            if error.isStopped { throw .stopped(after: limits.time) }
            if error.state == "25006" { throw .refused(error.message) }
            throw error.whileReading
        }
    }

    private static func checkRole(_ connection: PostgreSQLConnection) throws(PostgreSQLError) {
        let isPowerful = try connection.run(
            """
            SELECT rolsuper OR pg_has_role(oid, 'pg_execute_server_program', 'MEMBER')
                OR pg_has_role(oid, 'pg_read_server_files', 'MEMBER')
                OR pg_has_role(oid, 'pg_write_server_files', 'MEMBER'), rolname
            FROM pg_roles WHERE rolname = session_user
            """)[0]
        guard isPowerful.text(0, 0) == "t" else { return }
        throw PostgreSQLError(
            state: "42501",
            message:
                "SQL is off: the role \(isPowerful.text(0, 1) ?? "") may read files and run programs at the server, "
                + "and so could whoever asks. Give the store a role of its own: CREATE ROLE daybook LOGIN PASSWORD '…'")
    }

    private static func answer(
        _ sql: String, rowLimit: Int, _ connection: PostgreSQLConnection
    ) throws(PostgreSQLError) -> QueryResult {
        var result = QueryResult(columns: [], rows: [], isTruncated: false)
        var bytes = 0
        var hasColumns = false
        try connection.stream(sql) { part in
            if !hasColumns {
                result.columns = part.columns
                hasColumns = true
            }
            guard part.count > 0 else { return true }
            guard result.rows.count < rowLimit, bytes < QueryLimits.answerBytes else {
                result.isTruncated = true
                return false
            }
            let row = result.columns.indices.map { column in
                bytes += 16 + part.bytes(0, column) { $0.count }
                return cell(part, column)
            }
            result.rows.append(row)
            return true
        }
        return result
    }

    /// Numbers and truth values as numbers, bytes as bytes, all else as the server's text.
    private static func cell(_ result: PostgreSQLResult, _ column: Int) -> QueryResult.Cell {
        guard let text = result.text(0, column) else { return .null }
        switch result.type(column) {
        case 16: return .integer(text == "t" ? 1 : 0)
        case 20, 21, 23, 26: return Int64(text).map { .integer($0) } ?? .text(text)
        case 700, 701: return real(text)
        // A numeric beyond what a double tells apart stays text.
        case 1_700: return Int64(text).map { .integer($0) } ?? (text.utf8.count <= 17 ? real(text) : .text(text))
        // `\\x`, then the digits.
        case 17: return Hex.bytes(text.dropFirst(2)).map { .blob($0) } ?? .text(text)
        default: return .text(text)
        }
    }

    private static func real(_ text: String) -> QueryResult.Cell { Double(text).map { .real($0) } ?? .text(text) }
}
