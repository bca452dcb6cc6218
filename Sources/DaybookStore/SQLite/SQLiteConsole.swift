import CSQLite

/// Runs other people's SELECT statements only.
///
/// Each of several barriers prevents writing: a read-only handle, `query_only`, an authorizer that allows only reading
/// (no ATTACH, PRAGMA or `load_extension`), and SQLite's own check. Cost is bounded by time, rows and bytes, and
/// SQLite's lowered limits; what these miss (an uninterruptible call, the memory of a huge statement) requires a
/// process of its own. Source: sqlite.org, *Defense Against The Dark Arts*.
enum SQLiteConsole {
    /// Runs one statement on its own connection.
    /// - Parameter isCancelled: Polled; `true` stops the statement with an error.
    /// - Throws: ``StoreError`` with SQLite's message and what to do.
    static func run(
        _ sql: String, limits: QueryLimits, _ log: WriteAheadLog, path: String,
        isCancelled: @escaping () -> Bool = { false }
    ) throws(StoreError) -> QueryResult {
        if sql.utf8.contains(0) {
            throw StoreError(.badStatement, "The statement contains a NUL character. Remove it.")
        }
        let connection = try SQLiteConnection(path: path, access: .readOnly)
        try SQLiteSchema.check(connection)
        try StatementFunctions.add(to: connection)
        let masked: MaskedRecords? =
            if let masking = limits.masking { try MaskedRecords(masking, on: connection, for: sql) } else { nil }
        try harden(connection, masked)
        connection.runsStatementsOfPeople = true
        var result = try answer(sql, limits, log, connection, isCancelled)
        result.isMasked = masked?.hasMasked == true
        return result
    }

    private static func harden(_ connection: SQLiteConnection, _ masked: MaskedRecords?) throws(StoreError) {
        // Sorting and materialised views spill into temporary files, whose memory is bounded.
        try connection.execute("PRAGMA query_only = 1; PRAGMA cache_size = -8000; PRAGMA cell_size_check = 1")
        try connection.setSwitch(SQLITE_DBCONFIG_DEFENSIVE, true)
        // Where untrusted event views would not work, only the authorizer guards the functions that views call.
        if viewsMayUseJSONUntrusted { try connection.setSwitch(SQLITE_DBCONFIG_TRUSTED_SCHEMA, false) }
        try connection.setSwitch(SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, false)
        connection.setLimit(SQLITE_LIMIT_SQL_LENGTH, 100_000)
        connection.setLimit(SQLITE_LIMIT_COLUMN, 1_000)
        connection.setLimit(SQLITE_LIMIT_EXPR_DEPTH, 200)
        connection.setLimit(SQLITE_LIMIT_COMPOUND_SELECT, 100)
        connection.setLimit(SQLITE_LIMIT_VDBE_OP, 100_000)
        connection.setLimit(SQLITE_LIMIT_FUNCTION_ARG, 100)
        connection.setLimit(SQLITE_LIMIT_ATTACHED, 0)
        connection.setLimit(SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 1_000)
        connection.setLimit(SQLITE_LIMIT_TRIGGER_DEPTH, 1)
        connection.setLimit(SQLITE_LIMIT_WORKER_THREADS, 0)
        // SQLite creates these virtual tables on first use, and asks the authorizer about writing its schema then.
        try connection.execute("SELECT 1 FROM json_each('[]'), json_tree('[]')")
        // Last, because it forbids the pragmas above.
        connection.authorize { action, first, second, database, view in
            allows(action, second) && masked?.allows(action, first, second, database, view) != false
        }
    }

    /// Whether an untrusted schema's view may call `json_extract`, which is harmless. Versions 3.38 to 3.40 have the
    /// JSON functions' flags inverted and refuse it.
    private static let viewsMayUseJSONUntrusted: Bool = {
        do {
            let probe = try SQLiteConnection(path: ":memory:", access: .create)
            try probe.execute("CREATE VIEW probe AS SELECT json_extract('[1]', '$[0]') AS one")
            try probe.setSwitch(SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)
            return try probe.integer("SELECT one FROM probe") == 1
        } catch {
            return false
        }
    }()

    private static func answer(
        _ sql: String, _ limits: QueryLimits, _ log: WriteAheadLog, _ connection: SQLiteConnection,
        _ isCancelled: @escaping () -> Bool
    ) throws(StoreError) -> QueryResult {
        connection.setLimit(SQLITE_LIMIT_LENGTH, Int32(clamping: limits.valueBytes))
        let clock = ContinuousClock()
        let deadline = clock.now.advanced(by: limits.time)
        var isLate = false
        log.waitWhileEmptied()
        var logGuard = LogGuard(log)
        connection.watch {
            isLate = clock.now >= deadline
            return isLate || isCancelled() || logGuard.mustEnd()
        }
        defer { connection.watch(nil) }
        do throws(StoreError) {
            let statement = try SQLiteStatement(sql, on: connection)
            guard statement.isReadOnly else { throw StoreError.refused("it writes") }
            guard !statement.columnNames.isEmpty else { throw StoreError.refused("it gives no rows") }
            return try answer(statement, limits)
        } catch {
            if isLate { throw .stopped(after: limits.time) }
            if isCancelled() { throw .queryCancelled }
            if logGuard.hasEnded { throw logGuard.error }
            if error.message.contains("because it is a view") { throw .refused("it writes") }
            if limits.masking != nil, MaskedRecords.isRefusal(error) {
                throw StoreError(
                    .badStatement,
                    "\(error.message) Read what may be private through `records` and the views of events, or ask "
                        + "for private values.")
            }
            if error.message.contains("not authorized") || error.message.contains("prohibited") {
                throw .refused(error.message.hasSuffix(".") ? String(error.message.dropLast()) : error.message)
            }
            throw SQLiteNames.suggested(by: error, of: sql, on: connection)
        }
    }

    private static func answer(_ statement: SQLiteStatement, _ limits: QueryLimits) throws(StoreError) -> QueryResult {
        var result = QueryResult(columns: statement.columnNames, rows: [], isTruncated: false)
        let columns = result.columns.indices.map { Int32($0) }
        var budget = AnswerBudget(limits)
        while try statement.step() {
            switch budget.take(columns.map { statement.size($0) }) {
            case .whole: result.rows.append(columns.map { statement.cell($0) })
            case .cut:
                result.rows.append(columns.map { statement.cell($0, within: &budget) })
                result.isTruncated = true
                return result
            case .none:
                result.isTruncated = true
                return result
            }
        }
        return result
    }

    /// The allowlist: selecting, reading columns, recursion, and most functions.
    private static func allows(_ action: Int32, _ second: String?) -> Bool {
        switch action {
        case SQLITE_SELECT, SQLITE_READ, SQLITE_RECURSIVE: true
        case SQLITE_FUNCTION: !forbiddenFunctions.contains(second?.lowercased() ?? "")
        default: false
        }
    }

    /// Functions that reach outside, and `printf`: a huge precision runs for seconds without a progress call.
    private static let forbiddenFunctions: Set<String> = [
        "load_extension", "fts3_tokenizer", "readfile", "writefile", "edit", "sqlite_log", "printf", "format",
    ]
}
