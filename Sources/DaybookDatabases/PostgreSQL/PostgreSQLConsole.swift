import DaybookStore

/// Statements that others write: one at a time, in a read-only transaction with a `statement_timeout` that is always
/// rolled back, and not as a role that reading gives power over the server.
enum PostgreSQLConsole {
    /// Bytes of one answer at most, counted roughly.
    private static let answerBytes = 16 << 20
    static let beginnings: Set<String> = ["select", "with", "values", "table", "explain", "show"]

    static func run(
        _ sql: String, limits: QueryLimits, _ connection: PostgreSQLConnection, isCancelled: () -> Bool
    ) throws(StoreError) -> QueryResult {
        guard beginnings.contains(StatementText.firstWord(of: sql)) else {
            throw refusal("it begins with another word than SELECT")
        }
        if isCancelled() { throw StoreError(.limit, "The query was cancelled.") }
        do throws(PostgreSQLError) {
            try checkRole(connection)
            let milliseconds = max(1, Int(limits.time / .milliseconds(1)))
            try connection.run("BEGIN READ ONLY; SET LOCAL statement_timeout = \(milliseconds); SELECT 1")
            // Nothing that a statement sets or locks outlives it.
            defer { connection.rollBack() }
            return try answer(sql, rowLimit: max(limits.rows, 0), connection)
        } catch {
            if isCancelled() { throw StoreError(.limit, "The query was cancelled.") }
            if error.isStopped {
                throw StoreError(
                    .limit,
                    "The query was stopped after \(limits.time). Narrow it by id, time, tag or session, or add LIMIT.")
            }
            if error.state == "25006" { throw refusal(error.message) }
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
            guard result.rows.count < rowLimit, bytes < answerBytes else {
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
        case 17: return .blob(bytes(ofHex: text))
        default: return .text(text)
        }
    }

    private static func real(_ text: String) -> QueryResult.Cell { Double(text).map { .real($0) } ?? .text(text) }

    private static func bytes(ofHex text: String) -> [UInt8] {
        let digits = Array(text.utf8.dropFirst(2))
        return stride(from: 0, to: digits.count - 1, by: 2).map { index in
            UInt8(String(decoding: digits[index...index + 1], as: UTF8.self), radix: 16) ?? 0
        }
    }

    private static func refusal(_ reason: String) -> StoreError {
        StoreError(
            .badStatement, "Only reading is allowed here, so the statement was refused (\(reason)). Write a SELECT.")
    }
}
