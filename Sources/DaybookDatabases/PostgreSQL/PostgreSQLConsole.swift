import DaybookBase
import DaybookStore

/// Runs users' statements: one at a time, in a read-only transaction with a `statement_timeout`, always rolled back,
/// and never with a role whose reads have power over the server.
///
/// Functions that write despite a read-only transaction, or affect other sessions, are refused by name. That prevents
/// accidents; real limits on a role must be set in the server (see the guide to stores).
enum PostgreSQLConsole {
    static let beginnings: Set<String> = ["select", "with", "values", "table", "explain", "show"]

    static func run(
        _ sql: String, limits: QueryLimits, _ connection: PostgreSQLConnection, isCancelled: () -> Bool
    ) throws(StoreError) -> QueryResult {
        guard beginnings.contains(StatementText.firstWord(of: sql)) else {
            throw .refused("it does not begin with \(beginnings.sorted().joined(separator: ", ").uppercased())")
        }
        if let name = StatementText.calledNames(in: sql, .postgresql).sorted().first(where: isRefused) {
            throw .refused(function: name)
        }
        if isCancelled() { throw .queryCancelled }
        do throws(PostgreSQLError) {
            try checkRole(connection)
            let milliseconds = max(1, Int(limits.time / .milliseconds(1)))
            // Rolls back settings and locks, too.
            defer { connection.rollBack() }
            guard let masking = limits.masking else {
                try connection.run("BEGIN READ ONLY; SET LOCAL statement_timeout = \(milliseconds); SELECT 1")
                return try answer(sql, limits, connection)
            }
            try connection.run("BEGIN; SET LOCAL statement_timeout = \(milliseconds)")
            try PostgreSQLMask(masking, connection).prepare(for: sql)
            try connection.run("SET TRANSACTION READ ONLY; SELECT 1")
            var result = try answer(sql, limits, connection)
            result.isMasked = result.showsStandIns
            return result
        } catch {
            if isCancelled() { throw .queryCancelled }
            if error.isStopped { throw .stopped(after: limits.time) }
            if error.state == "25006" { throw .refused(error.message) }
            throw suggested(by: error, connection)
        }
    }

    /// Prefixes: large objects, advisory locks, other databases, replication, server files and logs, statistics, index
    /// maintenance, and functions that run SQL given as text.
    private static let refusedBeginnings = [
        "lo_", "dblink", "pg_advisory_", "pg_try_advisory_", "pg_logical_", "pg_replication_", "pg_create_", "pg_drop_",
        "pg_copy_", "pg_sync_", "pg_read_", "pg_ls_", "pg_file_", "pg_rotate_", "pg_stat_reset", "pg_stat_file",
        "pg_backup_", "pg_start_backup", "pg_stop_backup", "pg_wal_replay_", "pg_switch_", "pg_terminate_",
        "pg_cancel_", "pg_reload_", "pg_promote", "pg_notify", "pg_export_snapshot", "pg_import_", "pg_prewarm",
        "autoprewarm_", "brin_", "gin_clean_", "query_to_xml", "cursor_to_xml", "ts_stat", "ts_rewrite", "crosstab",
        "connectby", "xpath_table",
    ]
    private static let refusedNames: Set<String> = ["loread", "lowrite", "nextval", "setval", "set_config"]

    private static func isRefused(_ name: String) -> Bool {
        // A name in Unicode escapes could be any of them.
        refusedNames.contains(name) || name.hasPrefix("u&") || refusedBeginnings.contains { name.hasPrefix($0) }
    }

    /// Adds near names to errors about missing tables; for columns the server does so itself.
    private static func suggested(by error: PostgreSQLError, _ connection: PostgreSQLConnection) -> StoreError {
        // `relation "feed_show" does not exist`, in any language.
        let parts = error.message.split(separator: "\"", omittingEmptySubsequences: false)
        guard error.state == "42P01", parts.count == 3,
            let tables = try? connection.run(
                """
                SELECT table_name FROM information_schema.tables WHERE table_schema = ANY(current_schemas(false))
                    AND table_name NOT IN ('stored_records', 'contexts', 'identity') ORDER BY 1
                """
            ).first
        else { return error.ofStatement }
        return error.ofStatement.suggesting((0..<tables.count).compactMap { tables.text($0, 0) }, for: parts[1])
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
                "SQL is off: the role \(isPowerful.text(0, 1) ?? "") may read files and run programs on the server, "
                + "and so could whoever asks. Give the store a role of its own: CREATE ROLE daybook LOGIN PASSWORD '…'")
    }

    private static func answer(
        _ sql: String, _ limits: QueryLimits, _ connection: PostgreSQLConnection
    ) throws(PostgreSQLError) -> QueryResult {
        var result = QueryResult(columns: [], rows: [], isTruncated: false)
        var budget = AnswerBudget(limits)
        var hasColumns = false
        try connection.stream(sql) { part in
            if !hasColumns {
                result.columns = part.columns
                hasColumns = true
            }
            guard part.count > 0 else { return true }
            let columns = result.columns.indices
            switch budget.take(columns.map { column in part.bytes(0, column) { $0.count } }) {
            case .whole: result.rows.append(columns.map { cell(part, $0) })
            case .cut:
                result.rows.append(columns.map { beginning(part, $0, within: &budget) })
                result.isTruncated = true
            case .none: result.isTruncated = true
            }
            return !result.isTruncated
        }
        return result
    }

    /// Numbers and Booleans become numbers, bytes stay bytes; all else is the server's text.
    private static func cell(_ result: PostgreSQLResult, _ column: Int) -> QueryResult.Cell {
        guard let text = result.text(0, column) else { return .null }
        switch result.type(column) {
        case 16: return .integer(text == "t" ? 1 : 0)
        case 20, 21, 23, 26: return Int64(text).map { .integer($0) } ?? .text(text)
        case 700, 701: return real(text)
        // A numeric that a double cannot represent exactly stays text.
        case 1_700: return Int64(text).map { .integer($0) } ?? (text.utf8.count <= 17 ? real(text) : .text(text))
        case bytea: return blob(text)
        default: return .text(text)
        }
    }

    /// A cell of a truncated row; only texts and bytes are long.
    private static func beginning(
        _ result: PostgreSQLResult, _ column: Int, within budget: inout AnswerBudget
    ) -> QueryResult.Cell {
        let size = result.bytes(0, column) { $0.count }
        guard size > 32 else { return cell(result, column) }
        let text = result.bytes(0, column) { bytes in
            String(streamSafe: budget.beginning(of: bytes, isText: true))
        }
        return result.type(column) == bytea ? blob(text) : .text(text)
    }

    private static let bytea: UInt32 = 17

    /// `\\x`, then hexadecimal digits; truncation can leave an odd number.
    private static func blob(_ text: String) -> QueryResult.Cell {
        let digits = text.dropFirst(2)
        return Hex.bytes(digits.dropLast(digits.utf8.count % 2)).map { .blob($0) } ?? .text(text)
    }

    private static func real(_ text: String) -> QueryResult.Cell { Double(text).map { .real($0) } ?? .text(text) }
}
