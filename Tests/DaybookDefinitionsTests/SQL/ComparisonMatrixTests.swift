import DaybookTools
import Foundation
import Testing

@testable import DaybookDefinitions

/// Comparisons that never or always hold, by what is compared, how, and where.
@Suite struct ComparisonMatrixTests {
    private static let definitions = load([
        "a.md": """
        # a

        ## b

        - position: !integer?
        - score: !double?
        - is_new: !boolean
        - order: !string 64
        - born: !date
        - user_email: !string 64 [private]
        - kind: !string 64
        """
    ]).definitions

    /// Built once: there are thousands of statements.
    private static let tables: [SQLDialect?: StatementTables] = Dictionary(
        uniqueKeysWithValues: [SQLDialect.sqlite, .postgresql, .clickhouse, nil].map {
            ($0, StatementTables(dialect: $0, definitions: definitions))
        })

    private func warnings(
        _ sql: String, _ dialect: SQLDialect? = .sqlite, masking: MaskingPolicy? = nil
    ) -> [StatementWarning] {
        (Self.tables[dialect] ?? StatementTables(dialect: dialect)).warnings(of: sql, masking: masking)
    }

    struct Pair: Sendable, CustomTestStringConvertible {
        var table: String
        var left: String
        var right: String
        /// Whether ordering the two is meaningful.
        var hasOrder = false

        var testDescription: String { "\(table): \(left), \(right)" }
    }

    private static func pairs(_ table: String, _ pairs: [(String, String)], hasOrder: Bool = false) -> [Pair] {
        pairs.map { Pair(table: table, left: $0.0, right: $0.1, hasOrder: hasOrder) }
    }

    private static let wrong =
        pairs(
            "records",
            [
                ("level", "'error'"), ("time", "'yesterday'"), ("time", "1795696124"), ("time", "1795696124000"),
                ("time", "'1795696124'"), ("time", "unixepoch()"), ("time", "unixepoch() * 1000"),
                ("time", "unixepoch('now', '-1 hour')"), ("time", "julianday('now')"), ("time", "datetime('now')"),
                ("time", "strftime('%s', 'now')"), ("time / 1000000000", "strftime('%s', 'now')"),
                ("time / 1000000000", "unixepoch() * 1000000000"), ("time/1e9", "datetime('now')"),
                ("time / 1e6", "1795696124"), ("time / 1000000000", "1795696124000"),
                ("(time - 5) / 1e9", "date('now')"),
                ("max(level, 1)", "'error'"), ("coalesce(level, 0)", "'error'"), ("-level", "'error'"),
                ("level + 0", "'error'"), ("CAST(level AS TEXT)", "'error'"), ("lower(level)", "'error'"),
                ("CAST(level AS INTEGER)", "'error'"), ("abs(level)", "'17'"), ("duration / 1000000", "'5s'"),
                ("count(*)", "'10'"), ("length(message)", "'5'"), ("lower(tag)", "5"), ("substr(tag, 1, 1)", "5"),
                ("tag || ''", "5"), ("attributes -> '$.x'", "'y'"), ("attributes -> 'x'", "5"),
                ("strftime('%s', time / 1000000000, 'unixepoch')", "unixepoch()"), ("kind", "5"),
                ("CASE WHEN level >= 17 THEN 1 ELSE 0 END", "'yes'"), ("time % 1000", "'x'"),
            ])
        + pairs(
            "records",
            [
                ("kind", "'Error'"), ("kind", "'crash'"), ("lower(tag)", "'A.b'"), ("upper(tag)", "'a.b'"),
                ("typeof(level)", "'int'"), ("json_type(attributes, '$.x')", "'string'"), ("lower(kind)", "'Error'"),
                ("CASE WHEN level >= 17 THEN 'bad' ELSE 'good' END", "'Bad'"), ("coalesce(kind, 'none')", "'nothing'"),
            ], hasOrder: true)
        + pairs(
            "messages",
            [
                ("strftime('%s', _time)", "unixepoch()"), ("strftime('%s', _time)", "unixepoch() - 3600"),
                ("strftime('%H', _time)", "11"), ("unixepoch(_time)", "strftime('%s', 'now')"), ("_version", "4.9"),
                ("_time", "1795696124"), ("_time", "unixepoch()"), ("_time", "datetime('now')"), ("_time", "'now'"),
                ("_time", "'2026/11/26'"), ("_time", "'26.11.2026'"), ("_time", "'2026-11-26 10:00'"),
                ("_time", "'2026-11-26T10:00:00+09:00'"), ("_time", "'2026-11-26T10:00+09:00'"),
                ("_time", "'2026-11-26T10:00:00.000+09:00'"), ("_time", "'20261126'"), ("_level", "'error'"),
                ("date(_time)", "20261126"), ("date(_time)", "'2026/11/26'"), ("substr(_time, 1, 10)", "'26.11.2026'"),
                ("datetime(_time)", "'2026-11-26T10:00:00'"), ("date(_time)", "unixepoch()"), ("level_name", "17"),
                ("substr(_version, 1, 1)", "4"), ("julianday(_time)", "'2026-11-26'"),
                ("coalesce(_version, '')", "4"), ("max(_version, '')", "4.9"), ("trim(_version)", "5"),
            ])
        + pairs(
            "messages",
            [
                ("_time", "'2026-11-26T10:00:00'"), ("_time", "'2026-11-26T10:00:00Z'"), ("_time", "'2026-11-26'"),
                ("date(_time)", "'2026-11'"), ("strftime('%H', _time)", "'9'"), ("_time", "date('now')"),
                ("substr(_time, 1, 10)", "'2026-11-26T10:00'"),
            ], hasOrder: true)
        + pairs(
            "a__b",
            [
                ("position", "'top'"), ("position", "'5'"), ("score", "'high'"), ("is_new", "'true'"),
                ("\"order\"", "30"),
                ("[order]", "-1.5"), ("born", "20261126"), ("born", "'26.11.2026'"), ("\"order\"", "length(\"order\")"),
            ])
        + pairs(
            "requests", [("status_code", "'500'"), ("duration_ms", "'5s'"), ("method", "5"), ("status_code", "'ok'")])
        + pairs("errors", [("error_type", "404")])

    private static let right =
        pairs(
            "records",
            [
                ("level", "17"), ("level", "'17'"), ("time", "1795696124000000000"), ("time", "0"), ("time", "1"),
                ("time", "unixepoch() * 1000000000"), ("time", "(unixepoch() - 900) * 1000000000"),
                ("time", "1795696124 * 1000000000"), ("time", "CAST(strftime('%s', 'now') AS INTEGER) * 1000000000"),
                ("time", "strftime('%s', 'now') * 1000000000"), ("time / 1000000000", "unixepoch()"),
                ("time / 1000000000", "1795696124"), ("time / 1e6", "unixepoch() * 1000"),
                ("time / 1000000000", "CAST(strftime('%s', 'now') AS INTEGER)"),
                ("time / 1000 / 1000 / 1000", "unixepoch()"),
                ("time + 60 * 1000000000", "unixepoch() * 1000000000"), ("time - duration", "unixepoch() * 1000000000"),
                ("datetime(time / 1000000000, 'unixepoch')", "datetime('now')"),
                ("datetime(time / 1e9, 'unixepoch')", "'2026-11-26 10:00:00'"), ("duration", "1795696124"),
                ("duration / 1e9", "60"), ("tag", "'a.b'"), ("tag", "5"), ("message", "404"), ("message", "'error'"),
                ("attributes ->> '$.x'", "'y'"), ("attributes ->> '$.x'", "5"), ("attributes -> '$.x'", "'\"y\"'"),
                ("json_extract(attributes, '$.x')", "'true'"), ("json_extract(attributes, '$.order.total')", "5"),
                ("json_extract(context, '$.\"service.version\"')", "'1.0'"), ("kind", "'error'"),
                ("lower(tag)", "'a.b'"),
                ("json_type(attributes, '$.x')", "'text'"), ("CAST(level AS TEXT)", "'17'"), ("level || ''", "'17'"),
                ("coalesce(level, 'none')", "'none'"), ("length(tag)", "5"),
                ("time", "(SELECT max(time) FROM records)"),
                ("level", "(SELECT max(_level) FROM messages)"), ("time", "line"), ("nullif(tag, '')", "'x'"),
                ("CASE WHEN level >= 17 THEN 'bad' ELSE 'good' END", "'bad'"), ("unknown(level)", "'x'"),
                ("julianday('now') - julianday(time / 1e9, 'unixepoch')", "1"), ("time % 1000000000", "5"),
                ("(julianday('now') - 2440587.5) * 86400", "time / 1e9"), ("time", "?"), ("time", ":start"),
                ("strftime('%s', time / 1000000000, 'unixepoch')", "strftime('%s', 'now')"), ("session", "\"x\""),
            ])
        + pairs(
            "messages",
            [
                ("_time", "'2026-11-26T10:00:00.000000000Z'"), ("date(_time)", "'2026-11-26'"),
                ("date(_time)", "date('now', '-1 day')"), ("strftime('%H', _time)", "'09'"),
                ("CAST(strftime('%H', _time) AS INTEGER)", "9"), ("unixepoch(_time)", "unixepoch() - 3600"),
                ("unixepoch(_time)", "1795696124"), ("level_name", "'error'"), ("_version", "'4.9'"), ("_level", "17"),
                ("substr(_time, 1, 13)", "'2026-11-26T10'"), ("datetime(_time)", "datetime('now', '-1 hour')"),
                ("datetime(_time, '+9 hours')", "'2026-11-26 10:00:00'"), ("strftime('%Y-%W', _time)", "'2026-01'"),
                ("julianday(_time)", "julianday('now') - 1"), ("CAST(_version AS REAL)", "4.9"),
            ])
        + pairs(
            "a__b",
            [
                ("position", "5"), ("\"order\"", "'30'"), ("is_new", "1"), ("is_new", "true"), ("born", "'2026-11-26'"),
                ("kind", "'Error'"),
            ])

    private static let orders = ["<", "<=", ">", ">="]
    private static let equals = ["=", "==", "!=", "<>", "IS", "IS NOT", "IS NOT DISTINCT FROM"]

    private func conditions(_ left: String, _ right: String, _ signs: [String], hasOrder: Bool) -> [String] {
        var all = signs.flatMap { sign in
            ["\(left) \(sign) \(right)", "(\(left)) \(sign) (\(right))", "tag > 'a' AND (\(left) \(sign) \(right))"]
                + (sign.hasPrefix("IS") ? [] : ["\(right) \(sign) \(left)", "NOT \(left) \(sign) \(right)"])
        }
        all += ["\(left) IN (\(right))", "\(left) NOT IN (\(right), \(right))", "(\(left), 1) = (\(right), 1)"]
        all += ["CASE \(left) WHEN \(right) THEN 1 ELSE 0 END = 1", "(\(left), 1) IN ((\(right), 1), (\(right), 2))"]
        all += ["\(left) IN (SELECT \(right))", "(SELECT \(left)) = \(right)"]
        if !hasOrder { all += ["\(left) BETWEEN \(right) AND \(right)", "\(left) NOT BETWEEN \(right) AND \(left)"] }
        return all
    }

    private func statements(_ table: String, _ condition: String) -> [String] {
        [
            "SELECT count(*) FROM \(table) WHERE \(condition)", "SELECT \(condition) AS x FROM \(table)",
            "SELECT tag FROM \(table) GROUP BY tag HAVING \(condition)",
            "WITH x AS (SELECT 1 FROM \(table) WHERE \(condition)) SELECT * FROM x",
            "SELECT sum(CASE WHEN \(condition) THEN 1 END) FROM \(table) AS t ORDER BY 1",
            "SELECT count(*) FILTER (WHERE \(condition)) FROM \(table)",
            "SELECT 1 FROM tags WHERE EXISTS (SELECT 1 FROM \(table) WHERE \(condition))",
            "SELECT 1 UNION ALL SELECT 1 FROM \(table) WHERE \(condition)",
        ]
    }

    @Test("A comparison that never holds causes one warning", arguments: wrong) func warnsNeverTrue(pair: Pair) {
        let signs = pair.hasOrder ? Self.equals : Self.equals + Self.orders
        for condition in conditions(pair.left, pair.right, signs, hasOrder: pair.hasOrder) {
            let sql = "SELECT count(*) FROM \(pair.table) WHERE \(condition)"
            #expect(!warnings(sql).isEmpty, "\(sql)")
            #expect(warnings(sql) == warnings(sql, nil), "\(sql)")
        }
        let condition = "\(pair.left) = \(pair.right)"
        for sql in statements(pair.table, condition) {
            #expect(warnings(sql).count == 1, "\(sql): \(warnings(sql))")
        }
        let alias = "WITH x AS (SELECT \(pair.left) AS y FROM \(pair.table)) SELECT * FROM x WHERE y = \(pair.right)"
        #expect(warnings(alias).count == 1, "\(alias)")
    }

    @Test("A comparison that may hold causes no warning", arguments: right) func acceptsPossible(pair: Pair) {
        // Level names have no meaningful order.
        let isName = pair.left == "level_name"
        let signs = isName ? Self.equals : Self.equals + Self.orders
        for condition in conditions(pair.left, pair.right, signs, hasOrder: isName) {
            for sql in statements(pair.table, condition) { #expect(warnings(sql) == [], "\(sql)") }
        }
        let alias = "SELECT * FROM (SELECT \(pair.left) AS y FROM \(pair.table)) WHERE y = \(pair.right)"
        #expect(warnings(alias) == [], "\(alias)")
    }

    @Test(
        "A pattern that matches nothing causes a warning",
        arguments: [
            ("messages", "_time LIKE '2026-11-26 10%'"), ("messages", "_time LIKE '26.11.%'"),
            ("messages", "_time NOT LIKE '2026/11/26%'"), ("messages", "_time GLOB '2026-11-26 *'"),
            ("messages", "date(_time) LIKE '2026-11-26T%'"), ("records", "level LIKE 'err%'"),
            ("records", "kind GLOB 'Err*'"),
            ("records", "kind LIKE 'crash%'"), ("messages", "level_name LIKE 'warn'"),
            ("records", "time LIKE '2026-%-T%'"),
            ("records", "attributes -> '$.x' LIKE 'y%'"), ("records", "lower(tag) GLOB 'A.*'"),
        ])
    func warnsDeadPattern(table: String, condition: String) {
        for sql in statements(table, condition) { #expect(warnings(sql).count == 1, "\(sql): \(warnings(sql))") }
    }

    @Test(
        "A pattern that can match causes no warning",
        arguments: [
            ("messages", "_time LIKE '2026-11-26%'"), ("messages", "_time LIKE '%T10:%'"),
            ("messages", "_time LIKE '2026-11-26t10%'"),
            ("messages", "_time GLOB '2026-11-2[0-6]T*'"), ("records", "level LIKE '1%'"),
            ("records", "kind LIKE 'ERR%'"),
            ("messages", "level_name LIKE '%r'"), ("records", "attributes LIKE '%y%'"),
            ("records", "tag LIKE 'A%' ESCAPE '\\'"),
            ("records", "attributes -> '$.x' LIKE '\"y%'"), ("messages", "date(_time) LIKE '____-11-26'"),
            ("records", "level IS NULL"), ("records", "level IS NOT NULL"), ("records", "level NOT NULL"),
        ])
    func acceptsLivePattern(table: String, condition: String) {
        for sql in statements(table, condition) { #expect(warnings(sql) == [], "\(sql)") }
    }

    @Test(
        "The warning says what to write instead",
        arguments: [
            ("level = NULL", "IS NULL"), ("level <> NULL", "IS NOT NULL"), ("tag IN (NULL)", "IS NULL"),
            ("date(time, 'unixepoch') = '2026-11-26'", "date(time / 1000000000, 'unixepoch')"),
            ("date(time) IS NULL", "date(time / 1000000000, 'unixepoch')"),
            ("datetime(time / 1000000000) > datetime('now')", "datetime(time / 1000000000, 'unixepoch')"),
            ("datetime(time / 1e6, 'unixepoch') > datetime('now')", "datetime((time / 1e6) / 1000, 'unixepoch')"),
            (
                "strftime('%H', time, 'unixepoch') = '11'",
                "strftime('%Y-%m-%dT%H:%M:%S', time / 1000000000, 'unixepoch')"
            ),
            ("unixepoch(time) > 5", "unixepoch(time / 1000000000, 'unixepoch')"),
            ("context ->> 'service.version' = '1'", "context ->> '$.\"service.version\"'"),
            ("context ->> '$.service.version' = '1'", "context ->> '$.\"service.version\"'"),
            ("json_extract(context, '$.service.version') IS NULL", "'$.\"service.version\"'"),
            ("json_extract(attributes, '$.http.response.status_code') = 5", "'$.\"http.response.status_code\"'"),
            ("attributes ->> 'exception.type' = 'x'", "attributes ->> '$.\"exception.type\"'"),
            ("time > 1795696124", "time > 1795696124 * 1000000000"),
            ("time > 1795696124000", "time > 1795696124000 * 1000000"),
            ("time > unixepoch()", "unixepoch() * 1000000000"),
            ("time > unixepoch() - 3600", "(unixepoch() - 3600) * 1000000000"),
            ("time / 1000000000 > strftime('%s', 'now')", "CAST(strftime('%s', 'now') AS INTEGER)"),
            ("kind = 'Error'", "'error'"), ("attributes -> 'x' = 'y'", "attributes ->> 'x' = 'y'"),
            ("lower(tag) = 'A.B'", "'a.b'"), ("CAST(level AS TEXT) = 'error'", "write `level = 17`"),
            ("time = julianday('now')", "unixepoch('2026-11-20')"),
        ])
    func suggestsCorrection(condition: String, hint: String) {
        let found = warnings("SELECT 1 FROM records WHERE \(condition)")
        #expect(found.count == 1 && found[0].message.contains(hint), "\(found)")
    }

    @Test(
        "The warning about a view says what to write instead",
        arguments: [
            ("_time = '2026-11-26T10:00:00Z'", "LIKE '2026-11-26T10:00:00%'"),
            ("_time = '2026-11-26'", "LIKE '2026-11-26%'"),
            ("_time > '2026-11-26T10:00:00+09:00'", "'2026-11-26T01:00:00'"),
            ("_time > '2026-11-26T10:00Z'", "without the Z"),
            ("_time > '2026-11-26T01:30-02:00'", "'2026-11-26T03:30:00'"), ("strftime('%H', _time) = 9", "'09'"),
            ("strftime('%H', _time) = '9'", "'09'"),
            ("_version = 4.9", "'4.9'"), ("_version >= 5", "CAST(_version AS REAL) >= 5"),
            ("unixepoch(_time) > strftime('%s', 'now')", "CAST(strftime('%s', 'now') AS INTEGER)"),
            ("strftime('%s', _time) > unixepoch()", "CAST(strftime('%s', _time) AS INTEGER) > unixepoch()"),
            ("level_name = 'Error'", "'error'"), ("_time > '2026-11-26t10:00'", "write `T`"),
        ])
    func suggestsForView(condition: String, hint: String) {
        let found = warnings("SELECT 1 FROM messages WHERE \(condition)")
        #expect(found.count == 1 && found[0].message.contains(hint), "\(found)")
    }

    @Test(
        "A comparison exact to the second causes no warning",
        arguments: [
            "_time > '2026-11-26T10:00:00Z'", "_time > '2026-11-26T10:00:00+00:00'",
            "_time >= '2026-11-26T10:00:00.5Z'",
            "_time BETWEEN '2026-11-26' AND '2026-11-27'", "_time >= date('now')", "_time > ''", "_time <> ''",
            "_time < '2026'", "kind <> ''",
        ])
    func acceptsWholeSeconds(condition: String) {
        #expect(warnings("SELECT 1 FROM errors WHERE \(condition)") == [])
    }

    @Test(
        "A condition on a masked column causes a warning",
        arguments: [
            ("SELECT 1 FROM a__b WHERE ?", "user_email"), ("SELECT 1 FROM activity_log WHERE ?", "user_email"),
            ("SELECT 1 FROM records WHERE ?", "attributes ->> '$.user_email'"),
            ("SELECT 1 FROM records WHERE ?", "attributes ->> 'user_email'"),
            ("SELECT 1 FROM records WHERE ?", "json_extract(attributes, '$.user_email')"),
            ("SELECT 1 FROM records WHERE ?", "lower(json_extract(attributes, '$.\"user_email\"'))"),
            ("WITH x AS (SELECT user_email AS y FROM a__b) SELECT 1 FROM x WHERE ?", "y"),
            ("SELECT 1 FROM a__b WHERE ?", "coalesce(trim(user_email), '')"),
        ])
    func warnsMaskedColumn(sql: String, column: String) {
        let masking = MaskingPolicy(Self.definitions)
        for condition in [
            "= 'a@b.example'", "<> 'x'", "IN ('a', 'b')", "LIKE 'a%'", "BETWEEN 'a' AND 'b'", "> 'm'", "= lower('A')",
        ] {
            let statement = sql.replacing("?", with: "\(column) \(condition)")
            let found = warnings(statement, masking: masking)
            #expect(
                !found.isEmpty && found.allSatisfy { $0.message.contains("`user_email` is private") }, "\(statement)")
            #expect(warnings(statement) == [])
        }
        for condition in ["IS NOT NULL", "IN (SELECT user_email FROM a__b)", "= tag", "LIKE '%'"] {
            #expect(
                warnings(sql.replacing("?", with: "\(column) \(condition)"), masking: masking) == [], "\(condition)")
        }
        #expect(warnings("SELECT count(DISTINCT user_email) FROM a__b GROUP BY user_email", masking: masking) == [])
    }

    @Test(
        "A statement for an unknown store is judged by its words",
        arguments: [
            ("SELECT 1 FROM messages WHERE _time > '2026-11-26 10:00' AND time > now() - interval '1 h'", 0),
            ("SELECT 1 FROM messages WHERE _time > timestamptz '2026-11-26 10:00'", 0),
            ("SELECT 1 FROM records WHERE time > 1795696124 AND tag::text = 'x'", 1),
            ("SELECT 1 FROM records WHERE time > extract(epoch FROM now())", 1),
            ("SELECT 1 FROM records WHERE time > toUnixTimestamp(now())", 1),
            ("SELECT 1 FROM records WHERE time > extract(epoch FROM now())::bigint * 1000000000", 0),
            ("SELECT 1 FROM records WHERE time > toUnixTimestamp(now()) * 1000000000", 0),
            ("SELECT 1 FROM messages WHERE _time > toDateTime('2026-11-26 10:00:00')", 0),
            ("SELECT 1 FROM messages WHERE _time > '2026-11-26 10:00'", 1),
        ])
    func unknownStoreByWords(sql: String, count: Int) {
        #expect(warnings(sql, nil).count == count, "\(warnings(sql, nil))")
    }
}
