import DaybookStore

/// Runs users' statements: one at a time, with `max_execution_time` and `readonly=1`, which also keeps table functions
/// from files and other servers. Table functions with outside access are refused by name, too.
enum ClickHouseConsole {
    private static let memoryBytes = 4 << 30
    static let beginnings: Set<String> = ["select", "with", "explain", "show", "describe", "desc", "exists"]

    static func run(_ sql: String, limits: QueryLimits, _ reader: ClickHouseReader) throws(StoreError) -> QueryResult {
        guard beginnings.contains(StatementText.firstWord(of: sql)) else {
            throw .refused("it does not begin with \(beginnings.sorted().joined(separator: ", ").uppercased())")
        }
        if let name = StatementText.calledNames(in: sql, .clickhouse).sorted().first(where: refused.contains) {
            throw .refused(function: name)
        }
        let rowLimit = max(limits.rows, 0)
        let mask = limits.masking.map { ClickHouseMask($0, reader.session) }
        do throws(ClickHouseError) {
            let (sql, further) = try mask?.prepared(sql, reader.dialect) ?? (sql, [])
            let seconds = max(1, Int((limits.time / .seconds(1)).rounded(.up)))
            // `readonly` comes last: nothing can be set after it.
            let answer = try reader.session.rows(
                sql,
                settings: reader.dialect.reading + further + [
                    ("max_execution_time", "\(seconds)"), ("max_memory_usage", "\(memoryBytes)"),
                    ("max_result_rows", "\(rowLimit + 1)"), ("max_result_bytes", "\(limits.bytes)"),
                    ("result_overflow_mode", "break"), ("readonly", "1"),
                ], timeout: limits.time, limit: limits.bytes, stopper: reader.stopper)
            guard answer.isTabSeparated else {
                throw ClickHouseError(
                    reason: .refused(62), message: "The statement contains FORMAT. Remove it.")
            }
            var result = result(answer.rows, rowLimit: rowLimit, isCut: answer.isCut)
            result.isMasked = mask != nil && result.showsStandIns
            return result
        } catch {
            let error = mask?.cleaned(error) ?? error
            if reader.stopper.isCancelled { throw .queryCancelled }
            if error.isLimit { throw .stopped(after: limits.time) }
            if error.isReadOnly { throw .refused(error.message) }
            throw error.ofStatement
        }
    }

    /// Functions and engines that read files, programs, other servers or databases, in lower case.
    private static let refused: Set<String> = [
        "url", "urlcluster", "file", "filecluster", "remote", "remotesecure", "s3", "s3cluster", "gcs", "cosn", "oss",
        "hdfs", "hdfscluster", "azureblobstorage", "azureblobstoragecluster", "mysql", "postgresql", "mongodb", "redis",
        "sqlite", "jdbc", "odbc", "executable", "input", "iceberg", "icebergs3", "icebergazure", "iceberghdfs",
        "iceberglocal", "deltalake", "deltalakes3", "deltalakeazure", "deltalakelocal", "hudi", "paimon", "ytsaurus",
        "arrowflight", "hive", "filesystem",
    ]

    private static func result(_ rows: ClickHouseRows, rowLimit: Int, isCut: Bool) -> QueryResult {
        let count = min(rows.count, rowLimit)
        let types = rows.types.map(plainType)
        return QueryResult(
            columns: rows.columns,
            rows: (0..<count).map { row in types.indices.map { cell(rows.text(row, $0), types[$0]) } },
            isTruncated: isCut || rows.count > rowLimit)
    }

    /// Numbers and Booleans become numbers; all else is the server's text.
    private static func cell(_ text: String?, _ type: Substring) -> QueryResult.Cell {
        guard let text else { return .null }
        if type == "Bool" { return .integer(text == "true" ? 1 : 0) }
        // Beyond 64 bits: text.
        if type.hasPrefix("Int") || type.hasPrefix("UInt") { return Int64(text).map { .integer($0) } ?? .text(text) }
        if type.hasPrefix("Float") { return Double(text).map { .real($0) } ?? .text(text) }
        return .text(text)
    }

    /// `Int64` of `LowCardinality(Nullable(Int64))`.
    private static func plainType(_ type: String) -> Substring {
        var plain = type[...]
        for wrapper in ["LowCardinality(", "Nullable("] where plain.hasPrefix(wrapper) {
            plain = plain.dropFirst(wrapper.count).dropLast()
        }
        return plain
    }
}
