import Foundation
import Testing

@testable import DaybookDefinitions

@Suite struct NumberComparisonTests {
    private static let definitions = load([
        "a.md": "# a\n\n## b\n\n- position: !integer?\n- score: !double?\n- is_new: !boolean\n- name: !string 64\n"
    ]).definitions

    /// Built once: there are thousands of statements.
    private static let tables: [SQLDialect?: StatementTables] = Dictionary(
        uniqueKeysWithValues: [SQLDialect.sqlite, .postgresql, .clickhouse, nil].map {
            ($0, StatementTables(dialect: $0, definitions: definitions))
        })

    private func warnings(_ sql: String, _ dialect: SQLDialect? = .sqlite) -> [StatementWarning] {
        (Self.tables[dialect] ?? StatementTables(dialect: dialect)).warnings(of: sql, masking: nil)
    }

    /// Each view that has a column knows its type.
    @Test(
        "A value of the column's own type causes no warning in any view",
        arguments: [SQLDialect.sqlite, .postgresql, .clickhouse])
    func acceptsOwnType(dialect: SQLDialect) {
        let truth = dialect == .sqlite ? "1" : "true"
        let values = [
            "smallint": "7", "integer": "42", "bigint": "42", "real": "1.5", "double": "2.5", "boolean": truth,
            "string 64": "'x'", "date": "'2026-11-20'",
        ]
        for (type, value) in values {
            let definitions = load([
                "common.md": "# common\n\n- who: !\(type)? [private]\n", "a.md": "# a\n\n## b\n\n- n: !integer?\n",
            ]).definitions
            let tables = StatementTables(dialect: dialect, definitions: definitions)
            let views = SQLViews.ofStore(definitions, dialect: dialect).filter {
                $0.columns.contains { $0.name == "who" }
            }
            #expect(views.map(\.name).contains("who_installations") && views.count >= 3, "\(views.map(\.name))")
            for view in views {
                for sign in ["=", "<", "!="] where type != "boolean" || sign != "<" {
                    let sql = "SELECT count(*) FROM \(view.name) WHERE who \(sign) \(value)"
                    #expect(tables.warnings(of: sql, masking: nil) == [], "\(sql)")
                }
            }
        }
    }

    /// The text is in the last pair of `'`, so its position is known.
    @Test(
        "A number compared with text causes a located warning",
        arguments: [
            "level >= 'error'", "level = 'error'", "level == 'error'", "level != 'error'", "level <> 'error'",
            "level < 'error'", "LEVEL >= 'error'", "\"level\" >= 'error'", "`level` >= 'error'", "[level] >= 'error'",
            "records.level >= 'error'", "main.records.level >= 'error'", "level IS 'error'", "level IS NOT 'error'",
            "level IS NOT DISTINCT FROM 'error'", "level IN (17, 'error')", "level NOT IN ('error')",
            "level BETWEEN 9 AND 'error'", "level NOT BETWEEN 9 AND 'error'", "NOT level = 'error'",
            "tag = 'a.b' AND (level>='error')", "level/**/>=--x\n'error'", "time > 'yesterday'", "duration > '5s'",
            "line = ''", "id = 'x''y'", "level >= E'error'", "level >= 'error' COLLATE nocase",
            "tag LIKE 'a%' OR level > 'warn'",
            "CASE level WHEN 17 THEN 1 WHEN 'error' THEN 2 END = 2",
        ])
    func warnsTextForNumber(condition: String) throws {
        let sql = "SELECT count(*)\nFROM records\nWHERE \(condition)"
        let found = warnings(sql)
        try #require(found.count == 1, "\(found)")
        let lines = sql.split(separator: "\n", omittingEmptySubsequences: false)
        let line = lines[found[0].line - 1]
        let rest = line.unicodeScalars.dropFirst(found[0].column - 1)
        #expect(rest.first == "'" || rest.starts(with: "E'".unicodeScalars), "\(found)")
        for dialect in [SQLDialect.postgresql, .clickhouse, nil] { #expect(warnings(sql, dialect).count == 1) }
    }

    @Test(
        "The warning appears wherever the column is read",
        arguments: [
            "SELECT 1 FROM records r WHERE r.level >= 'error'", "SELECT 1 FROM records AS r WHERE 'error' <= r.level",
            "SELECT 1 FROM records WHERE ('error' = level)",
            "WITH x AS (SELECT level FROM records) SELECT * FROM x WHERE level = 'e'",
            "WITH x AS (SELECT level AS l, tag FROM records) SELECT * FROM x WHERE x.l = 'e'",
            "WITH x AS (SELECT * FROM records), y AS (SELECT r.* FROM x r) SELECT * FROM y WHERE level = 'e'",
            "SELECT * FROM (SELECT tag, count(*) AS n FROM records GROUP BY tag) WHERE n > 'many'",
            "SELECT tag FROM records GROUP BY tag HAVING max(id) > 3 AND level = 'e'",
            "SELECT 1 FROM records JOIN sessions AS s ON records.session = s.session AND s.errors = 'some'",
            "SELECT tag, sum(CASE WHEN level = 'error' THEN 1 ELSE 0 END) FROM records GROUP BY 1",
            "SELECT count(*) FILTER (WHERE level = 'error') FROM records",
            "SELECT 1 UNION ALL SELECT count(*) FROM records WHERE level = 'error'",
            "SELECT 1 WHERE EXISTS (SELECT 1 FROM records WHERE level = 'error')",
            "SELECT * FROM tags t WHERE EXISTS (SELECT 1 FROM records r WHERE r.tag = t.tag AND t.count = 'x')",
            "SELECT (SELECT count(*) FROM records WHERE level = 'error') AS n",
            "SELECT * FROM messages WHERE _level = 'error'", "SELECT * FROM requests WHERE status_code = 'ok'",
            "SELECT * FROM requests WHERE duration_ms > '5s'", "SELECT * FROM errors WHERE \"_level\" > 'x'",
            "SELECT * FROM a__b WHERE position > 'top'", "SELECT * FROM a__b AS e WHERE e.score = 'high'",
            "SELECT * FROM a__b WHERE is_new = 'true'", "SELECT * FROM activity_log WHERE position = 'x'",
            "SELECT * FROM violations WHERE count > 'x'", "SELECT 1 FROM records WHERE level >= \"error\"",
            "SELECT 1 FROM records WHERE time > datetime('now', '-1 hour')",
            "SELECT 1 FROM records WHERE time > date('now')",
            "SELECT 1 FROM records WHERE time >= CURRENT_TIMESTAMP", "SELECT 1 FROM records WHERE time > now() - 3600",
            "SELECT 1 FROM installations WHERE last_time > '2026-11-01' ORDER BY 1 LIMIT 5",
            "SELECT level FROM records WHERE level = 'error' ORDER BY level",
            "(SELECT 1 FROM records WHERE level = 'error')",
        ])
    func warnsWhereverRead(sql: String) {
        #expect(warnings(sql).count == 1, "\(warnings(sql))")
    }

    @Test(
        "Correct conditions cause no warning",
        arguments: [
            "level >= 17", "level >= '17'", "level >= ' 17 '", "tag = 'error'", "kind = 'error'",
            "tag >= 'a' AND level > 9",
            "message = 'level >= ''error'''", "attributes ->> '$.level' = 'error'", "'x' || level = 'x17'",
            "level || 'x' = '17x'",
            "CAST(level AS TEXT) = '17'", "level::text = '17'", "level LIKE '1%'",
            "level IN (SELECT level FROM records)",
            "level -- = 'error'\n > 3", "/* level = 'error' */ level > 3",
            "time > unixepoch('2026-11-20') * 1000000000",
            "time > (unixepoch() - 900) * 1000000000",
            "date(time / 1000000000, 'unixepoch') = '2026-11-20'", "CASE WHEN level >= 17 THEN 'error' END = 'error'",
            "coalesce(level, 'none') = 'none'", "level = ?", "level IS NULL", "level IS NOT NULL AND tag = 'x'",
            "tag IN ('a', 'b') AND level BETWEEN 9 AND 17", "time BETWEEN 1 AND 2 AND tag = 'x'", "session = \"x\"",
            "tag = \"error\"", "line = 3 OR file = 'a'",
        ])
    func acceptsRightSQL(condition: String) {
        let sql = "SELECT count(*) FROM records WHERE \(condition)"
        for dialect in [SQLDialect.sqlite, .postgresql, .clickhouse, nil] {
            #expect(warnings(sql, dialect) == [], "\(sql)")
        }
    }

    @Test(
        "Columns of unknown origin cause no warning",
        arguments: [
            "SELECT * FROM messages WHERE level_name = 'error' AND _time > '2026-11-20'",
            "WITH x AS (SELECT CASE level WHEN 17 THEN 'error' END AS level FROM records) SELECT * FROM x WHERE level = 'error'",
            "SELECT * FROM (SELECT tag AS level FROM records) WHERE level = 'a.b'",
            "WITH x(level) AS (SELECT tag FROM records) SELECT * FROM x WHERE level = 'a.b'",
            "SELECT substr(tag, 1, 3) AS level FROM records WHERE level = 'abc'",
            "SELECT * FROM somebodys_table WHERE level = 'error'", "SELECT * FROM json_each('[]') WHERE id = 'x'",
            "SELECT * FROM a__unknown WHERE position = 'x'", "SELECT * FROM a__b WHERE name = 'x' AND position = 3",
            "SELECT t.tag FROM tags t WHERE t.kind = 'event' AND t.version = '1.2'",
            "SELECT * FROM spans WHERE status = 'ERROR' AND kind = 'request'", "SELECT 'level' = 'error'", "", "SELECT",
            "((((", "SELECT FROM WHERE = 'x'", "level = 'error'", "SELECT * FROM records WHERE level = 'unclosed",
        ])
    func ignoresUnknown(sql: String) {
        let found = warnings(sql).filter { !sql.contains("unclosed") || !$0.message.contains("unclosed") }
        #expect(found == [], "\(sql)")
    }

    @Test("The warning suggests the number to write") func suggestsNumber() {
        #expect(
            warnings("SELECT 1 FROM records WHERE level >= 'error'").map(\.message) == [
                "`level` is a number and is compared with the text 'error' (write `level >= 17`)"
            ])
        #expect(
            warnings("SELECT 1 FROM records WHERE level = 'error'").first?.message.contains("or `level_name = 'error'`")
                == true)
        #expect(warnings("SELECT 1 FROM records WHERE 'Warn' < level").first?.message.contains("`level > 13`") == true)
        #expect(
            warnings("SELECT 1 FROM records WHERE level = 'bad'").first?.message.contains("levels are 1 to 24") == true)
        for (dialect, example) in [
            (SQLDialect.sqlite, "unixepoch("), (.postgresql, "extract(epoch"), (.clickhouse, "toUnixTimestamp("),
        ] {
            let found = warnings("SELECT 1 FROM records WHERE time > '2026-11-20'", dialect)
            #expect(found.first?.message.contains("`time > \(example)") == true, "\(found)")
        }
        #expect(warnings("SELECT 1 FROM a__b WHERE is_new = 'true'").first?.message.contains("`is_new = 1`") == true)
        // Only SQLite has no other truth values.
        #expect(warnings("SELECT 1 FROM a__b WHERE is_new = 'true'", .postgresql) == [])
    }

    @Test(
        "Other shapes of the comparison cause the warning too",
        arguments: [
            "(level) = 'error'", "level = ('error')", "+level = 'error'", "((level)) >= 'error'", "'error' <= (level)",
            "level COLLATE NOCASE = 'error'", "max(level) >= 'error'", "coalesce(level, 0) >= 'error'",
            "ifnull(level, 0) >= 'error'", "abs(level) = 'error'", "level LIKE 'err%'", "level NOT LIKE 'err%'",
            "'error' BETWEEN level AND 24", "time > strftime('%s', 'now')", "time > unixepoch()",
            "time > unixepoch() - 3600", "level = 'inf'", "level = 'nan'", "level = '0x11'",
        ])
    func warnsOtherShapes(condition: String) {
        let found = warnings("SELECT 1 FROM records WHERE \(condition)")
        #expect(found.count == 1, "\(found)")
    }

    @Test(
        "Comparisons that SQLite evaluates differently cause a warning",
        arguments: [
            ("SELECT 1 FROM requests WHERE status_code >= '500'", "write 500 without quotation marks"),
            ("SELECT 1 FROM requests WHERE duration_ms > '1000'", "write 1000 without"),
            ("SELECT 1 FROM a__b WHERE position = '5'", "write 5 without"),
            ("SELECT 1 FROM a__b AS e WHERE '1' < e.score", "write 1 without"),
            ("SELECT tag, max(level) AS m FROM records GROUP BY tag HAVING m >= 'error'", "write `m >= 17`"),
            ("SELECT tag FROM records GROUP BY tag HAVING count(*) > '10'", "write 10 without"),
            ("SELECT * FROM (SELECT count(*) AS n FROM records) WHERE n = '5'", "write 5 without"),
            (
                "SELECT 1 FROM messages WHERE _time > unixepoch() - 3600",
                "strftime('%Y-%m-%dT%H:%M:%S', 'now', '-1 hour')"
            ),
            ("SELECT 1 FROM messages WHERE _time > 1e30", "strftime("),
            ("SELECT 1 FROM messages WHERE _time > '1764000000'", "strftime("),
            ("SELECT 1 FROM messages WHERE _time > datetime('now', '-1 hour')", "strftime("),
            ("SELECT 1 FROM messages WHERE _time > '2026-11-20 10:00'", "write `T`"),
            ("SELECT 1 FROM messages WHERE level_name >= 'error'", "write `_level >= 17`"),
            ("SELECT 1 FROM messages WHERE level_name = 'warn'", "write 'warning'"),
            ("SELECT 1 FROM messages WHERE level_name IN ('error', 'ERROR')", "write 'error'"),
            ("SELECT 1 FROM messages WHERE level_name = 'eror'", "write 'error'"),
            ("SELECT 1 FROM messages WHERE level_name = 17", "write `_level = …`"),
        ])
    func warnsSQLiteMismatch(sql: String, hint: String) {
        let found = warnings(sql)
        #expect(found.count == 1 && found[0].message.contains(hint), "\(found)")
    }

    @Test(
        "Comparisons that SQLite evaluates correctly cause no warning",
        arguments: [
            "SELECT 1 FROM messages WHERE _level >= '17' AND _id > '5'", "SELECT 1 FROM spans WHERE level = '17'",
            "SELECT 1 FROM messages WHERE _time >= date('now', '-1 day') AND _time > '2026' AND _time < '2026-11-20T10'",
            "SELECT 1 FROM messages WHERE _time > strftime('%Y-%m-%dT%H:%M:%S', 'now', '-1 hour')",
            "SELECT 1 FROM messages WHERE level_name IN ('error', 'fatal') OR level_name LIKE 'e%'",
            "SELECT 1 FROM requests WHERE status_code >= 500 AND (status_code) < 600 AND duration_ms > 1e3",
            "SELECT max(level) AS m FROM records GROUP BY tag HAVING m >= 17",
            "SELECT level FROM (SELECT level FROM records) WHERE level = '17'",
            "SELECT 1 FROM records WHERE time > unixepoch() * 1000000000 AND time < (unixepoch() + 60) * 1000000000",
        ])
    func acceptsSQLiteMatch(sql: String) {
        #expect(warnings(sql) == [])
    }

    @Test(
        "Comparisons valid in PostgreSQL and ClickHouse cause no warning there",
        arguments: [
            "SELECT 1 FROM requests WHERE status_code >= '500'",
            "SELECT 1 FROM messages WHERE _time > now() - interval '1 h'",
        ])
    func otherStoresNoWarning(sql: String) {
        #expect(warnings(sql, .postgresql) == [] && warnings(sql, .clickhouse) == [])
    }

    @Test("No statement in the documents and examples causes a warning") func projectSQLIsClean() throws {
        let files = FileManager.default
        var count = 0
        for folder in ["docs", "Examples"] {
            for case let name as String in files.enumerator(atPath: packageRoot.appending(path: folder).path) ?? .init()
            where name.hasSuffix(".md") {
                let text = try String(contentsOf: packageRoot.appending(path: "\(folder)/\(name)"), encoding: .utf8)
                for block in text.components(separatedBy: "```sql").dropFirst() {
                    let sql = block.components(separatedBy: "```")[0].drop { !$0.isNewline }
                    // Some of PostgreSQL's would be wrong in SQLite.
                    for dialect in [SQLDialect.postgresql, .clickhouse, nil] {
                        #expect(warnings(String(sql), dialect) == [], "\(name): \(sql)")
                    }
                    count += 1
                }
            }
        }
        #expect(count > 20)
    }

    /// Statements in other tests are all intended as written.
    @Test("No statement in the other tests causes a warning") func testSQLIsClean() throws {
        let files = FileManager.default
        let root = packageRoot.appending(path: "Tests")
        let told = ["NumberComparisonTests", "ComparisonMatrixTests", "StatementWarningTests"]
        var count = 0
        for case let name as String in files.enumerator(atPath: root.path) ?? .init()
        where [".swift", ".py", ".mjs"].contains(where: name.hasSuffix) && !told.contains(where: name.contains) {
            let text = try String(contentsOf: root.appending(path: name), encoding: .utf8)
            for match in text.matches(of: /"((?:SELECT|WITH) [^"\\\n]*)"/) {
                let sql = String(match.1)
                #expect(warnings(sql) == [] && warnings(sql, nil) == [], "\(name): \(sql)")
                count += 1
            }
        }
        #expect(count > 200)
    }

    @Test("Hostile SQL is read without a hang or a crash") func hostileSQLIsRead() {
        let hostile = [
            String(repeating: "(SELECT level FROM records WHERE level = 'x' AND ", count: 2_000),
            String(repeating: "(", count: 20_000), String(repeating: "level = 'x' ", count: 5_000),
            String(repeating: "CASE level WHEN 'x' THEN ", count: 300), String(repeating: "[", count: 20_000),
            "WITH " + String(repeating: "a AS (SELECT 1), ", count: 2_000),
            "SELECT 1 FROM records WHERE " + String(repeating: "level = 'x' AND ", count: 5_000),
            "SELECT 1 FROM records WHERE level" + String(repeating: " = 'x'", count: 10_000),
            "SELECT 1 FROM records WHERE " + String(repeating: "NOT -", count: 10_000) + "level = 'x'",
            "SELECT 1 FROM records WHERE level IN (" + String(repeating: "(SELECT (", count: 5_000),
            "SELECT " + String(repeating: "CASE WHEN max((level), ", count: 5_000),
        ]
        for sql in hostile { _ = warnings(sql) }
    }
}
