import Foundation
import Testing

@testable import DaybookDefinitions

struct SQLExecutionTests {
    private static let everyType = [
        "common.md": "# common\n\n- user_id: !bigint?\n- language: !string 8\n",
        "kitchen.md": """
        # kitchen

        - place: !string

        ## cook

        It's "cooked": 100% \\ `done`; really.

        - a: !smallint
            - a's note; with -- marks
        - b: !integer
        - c: !bigint
        - d: !real
        - e: !double
        - f: !boolean
        - g: !string 8
        - h: !date
        - i: !timestamp
        - j: !timestamptz
        - k: Kind
            - `x`
        - l: !integer [sensitive]
        - select: !string
        - Order: !boolean

        ## eat
        """,
    ]

    private static let attributes = """
        {"place":"卵","a":-3,"b":2147483647,"c":9223372036854775807,"d":0.5,"e":-1.5e300,"f":true,"g":"it's",\
        "h":"2024-02-29","i":"2026-11-20T10:02:11.204Z","j":"2026-11-20T19:02:11.204+09:00","k":"x","l":"00ff",\
        "select":"a\\\\b","Order":false}
        """

    @Test(
        "SQLite views show what was recorded", .enabled(if: Engine.absence(of: .sqlite) == nil),
        arguments: [SQLDialect.sqlite])
    func sqliteViewsShowRecords(dialect: SQLDialect) throws {
        #expect(
            try rows(dialect) == [
                "1", "u1", "2025-11-20T10:02:11.204000000Z", "s", "\\N", "9", "1.2", "-3", "2147483647",
                "9223372036854775807", "0.5", "-1.5e+300", "1", "it's", "2024-02-29", "2026-11-20T10:02:11.204Z",
                "2026-11-20T19:02:11.204+09:00", "x", "00ff", "a\\b", "0", "卵", "7", "ja",
            ])
    }

    @Test(
        "PostgreSQL views show what was recorded",
        .enabled(if: Engine.absence(of: .postgresql) == nil, "\(Engine.absence(of: .postgresql) ?? "")"))
    func postgresViewsShowRecords() throws {
        #expect(
            try rows(.postgresql) == [
                "1", "u1", "2025-11-20 19:02:11.204+09", "s", "\\N", "9", "1.2", "-3", "2147483647",
                "9223372036854775807", "0.5", "-1.5e+300", "t", "it's", "2024-02-29", "2026-11-20 10:02:11.204",
                "2026-11-20 19:02:11.204+09", "x", "00ff", "a\\b", "f", "卵", "7", "ja",
            ])
    }

    @Test(
        "ClickHouse views show what was recorded",
        .enabled(if: Engine.absence(of: .clickhouse) == nil, "\(Engine.absence(of: .clickhouse) ?? "")"))
    func clickHouseViewsShowRecords() throws {
        #expect(
            try rows(.clickhouse) == [
                "1", "u1", "2025-11-20 10:02:11.204000000", "s", "\\N", "9", "1.2", "-3", "2147483647",
                "9223372036854775807", "0.5", "-1.5e300", "true", "it\\'s", "2024-02-29",
                "2026-11-20 10:02:11.204000", "2026-11-20 10:02:11.204000", "x", "00ff", "a\\\\b", "false", "卵", "7",
                "ja",
            ])
    }

    private func rows(_ dialect: SQLDialect) throws -> [String] {
        try Engine.with(dialect) { engine in
            let records = RecordsTable(dialect: dialect)
            let found = try engine.run(
                records.creation + script(dialect, .views, Self.everyType)
                    + records.event(
                        1, "kitchen.cook", Self.attributes,
                        context: #"{"user_id":7,"language":"ja","service.version":"1.2"}"#)
                    + records.event(2, "kitchen.eat", "{}") + "SELECT * FROM kitchen__cook;\n")
            return found.split(separator: "\n", omittingEmptySubsequences: false)[0]
                .split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
        }
    }

    /// Values that do not fit their column's type, tried one by one.
    private static let nonsense = [
        "null", "\"\"", "\"x\"", "1e400", "-1e-400", "99999999999999999999", "0.1", "\"2026-02-31\"",
        "\"2023-02-29T00:00:00Z\"", "\"0000-01-01\"", "\"2026-11-20T25:00:00Z\"", "\"2026-11-20T10:00:00+99:00\"",
        "true", "\"true\"", "[1]", "{\"a\":{}}", "\"NaN\"", "\"-Infinity\"",
    ]

    private static func attributes(all value: String) -> String {
        let names = ["place", "a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l"]
        return "{" + names.map { "\"\($0)\":\(value)" }.joined(separator: ",") + "}"
    }

    /// Which columns show a value: those of its type, and those of text.
    private static let shown: [(value: String, columns: String)] = [
        ("null", ""), ("\"\"", "g"), ("\"x\"", "g"), ("5", "abcdeg"), ("5.0", "abcdeg"), ("70000", "bcdeg"),
        ("-99999999999", "cdeg"), ("9223372036854775807", "cdeg"), ("-9223372036854775808", "cdeg"),
        ("9223372036854775808", "deg"), ("0.5", "deg"), ("1e-60", "deg"), ("1e39", "eg"), ("-1e308", "eg"),
        ("true", "fg"), ("false", "fg"), ("\"5\"", "g"), ("\"true\"", "g"), ("\"-Infinity\"", "deg"),
        ("[1]", "g"), ("{\"a\":{}}", "g"), ("\"2026-11-20\"", "gh"), ("\"2026-02-31\"", "g"),
        ("\"2026-11-20T10:02:11Z\"", "ghij"), ("\"2026-11-20 10:02:11.5+09:00\"", "gij"),
        ("\"2026-11-20T24:00:00Z\"", "gh"), ("\"2026-11-20T10:02Z\"", "gh"), ("\"2026-11-20T10:02:11+99:00\"", "gh"),
        ("\"2023-02-29T10:02:11Z\"", "g"), ("\"10:02:11\"", "g"), ("\"1763632931\"", "g"),
    ]

    @Test("A column shows only values of its type", arguments: Engine.present.filter(\.hasRecords))
    func columnShowsOwnType(dialect: SQLDialect) throws {
        try Engine.with(dialect) { engine in
            let records = RecordsTable(dialect: dialect)
            let inserts = Self.shown.enumerated().map { index, item in
                records.event(index, "kitchen.cook", Self.attributes(all: item.value))
            }
            let start = try records.creation + script(dialect, .views, Self.everyType) + inserts.joined()
            let letters = "abcdefghij".map { "CASE WHEN \($0) IS NULL THEN '' ELSE '\($0)' END" }
            let query = "SELECT \(letters.joined(separator: " || ")) FROM kitchen__cook ORDER BY _id;\n"
            let texts = "SELECT g FROM kitchen__cook WHERE _id IN (3, 5, 14, 15, 16) ORDER BY _id;\n"
            let found = try engine.run(start + query + texts)
                .split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
            for (item, columns) in zip(Self.shown, found) { #expect(columns == item.columns, "\(item.value)") }
            #expect(found.dropFirst(Self.shown.count) == ["5", "70000", "true", "false", "5", ""])
        }
    }

    @Test(
        "Filling a table fails on no record and skips none", arguments: Engine.present.filter(\.hasRecords),
        [SQLShape.wide, .tables])
    func noRecordBreaksFill(dialect: SQLDialect, shape: SQLShape) throws {
        try Engine.with(dialect) { engine in
            let records = RecordsTable(dialect: dialect)
            let values = Self.nonsense + Self.shown.map(\.value)
            var inserts = values.enumerated().map { index, value in
                records.event(
                    index, "kitchen.cook", Self.attributes(all: value),
                    context: "{\"user_id\":\(value),\"language\":\(value),\"service.version\":\(value)}")
            }
            for (index, tag) in ["other", "", ".", "a.", ".b", "a.b.c"].enumerated() {
                inserts.append(records.event(1_000 + index, tag, "{}"))
            }
            let views = SQLViews.overRecords(load(Self.everyType).definitions, dialect: dialect).map {
                $0.statement.replacingOccurrences(of: "CREATE VIEW \"", with: "CREATE VIEW \"from_") + ";\n"
            }
            let start =
                try records.creation + views.joined() + inserts.joined() + script(dialect, shape, Self.everyType)
            let name = shape == .wide ? "activity_log" : "kitchen__cook"
            let fill = "INSERT INTO \(name) SELECT * FROM from_\(name);\nSELECT count(*) FROM \(name);\n"
            guard shape == .wide else { return #expect(try engine.run(start + fill) == "\(values.count)\n") }
            let names = "SELECT event_category, event_name FROM activity_log WHERE _id >= 1000 ORDER BY _id;\n"
            #expect(
                try engine.run(start + fill + names) == "\(inserts.count)\n\tother\n\t\n\t\na\t\n\tb\na\tb.c\n")
        }
    }

    @Test("No value makes a query fail", arguments: Engine.present.filter(\.hasRecords))
    func noValueBreaksQuery(dialect: SQLDialect) throws {
        try Engine.with(dialect) { engine in
            let records = RecordsTable(dialect: dialect)
            var inserts = ""
            for (index, value) in Self.nonsense.enumerated() {
                inserts += records.event(
                    index, "kitchen.cook", Self.attributes(all: value), context: "{\"user_id\":\(value)}",
                    time: Int64(index) - 5)
            }
            let start = try records.creation + script(dialect, .views, Self.everyType) + inserts
            let rows = try engine.run(start + "SELECT * FROM kitchen__cook;\nSELECT * FROM activity_log;\n")
                .split(separator: "\n")
            #expect(rows.count == 2 * Self.nonsense.count)
        }
    }

    @Test("The wide view contains every event", arguments: Engine.present.filter(\.hasRecords))
    func wideViewHasAll(dialect: SQLDialect) throws {
        try Engine.with(dialect) { engine in
            let records = RecordsTable(dialect: dialect)
            let start =
                try records.creation + script(dialect, .views, Self.everyType)
                + records.event(1, "kitchen.cook", #"{"b":5}"#, context: #"{"language":"ja"}"#)
                + records.event(2, "unknown.event.long", #"{"language":"en"}"#) + records.event(3, "bare", "{}")
            let query = "SELECT event_category, event_name, language, b FROM activity_log ORDER BY _id;"
            #expect(
                try engine.run(start + query)
                    == "kitchen\tcook\tja\t5\nunknown\tevent.long\ten\t\\N\n\tbare\t\\N\t\\N\n")
        }
    }

    @Test("Tables are filled with what the views show", arguments: Engine.present, [SQLShape.wide, .tables])
    func tablesMatchViews(dialect: SQLDialect, shape: SQLShape) throws {
        try Engine.with(dialect) { engine in
            // Redshift's own types, filled from PostgreSQL's views.
            let store: SQLDialect = dialect == .redshift ? .postgresql : dialect
            let records = RecordsTable(dialect: store)
            let views = SQLViews.overRecords(load(Self.everyType).definitions, dialect: store)
            let source = views.map {
                $0.statement.replacingOccurrences(of: "CREATE VIEW \"", with: "CREATE VIEW \"from_") + ";\n"
            }.joined()
            let start =
                try records.creation + source
                + records.event(1, "kitchen.cook", Self.attributes, context: #"{"user_id":7,"language":"ja"}"#)
                + records.event(2, "kitchen.eat", "{}") + script(dialect, shape, Self.everyType)
            let targets = shape == .wide ? ["activity_log"] : ["kitchen__cook", "kitchen__eat"]
            let fill = targets.map { "INSERT INTO \($0) SELECT * FROM from_\($0);\n" }.joined()
            let columns = "_id, c, g, place, user_id, language"
            let found = try engine.run(
                start + fill + "SELECT \(columns) FROM kitchen__cook;\nSELECT \(columns) FROM from_kitchen__cook;\n"
                    + "SELECT count(*) FROM kitchen__eat;\n"
            ).split(separator: "\n")
            #expect(found.count == 3 && found[0] == found[1] && found.last == "1", "\(found)")
        }
    }

    @Test("Every name and type is accepted by the database", arguments: Engine.present)
    func everyTypeIsAccepted(dialect: SQLDialect) throws {
        let definitions = try DefinitionsFolder.load(fixtures.appending(path: "Kitchen").path).0
        for shape in SQLShape.allCases where shape != .views || dialect.hasRecords {
            try Engine.with(dialect) { engine in
                let start = shape == .views ? RecordsTable(dialect: dialect).creation : ""
                let made = try SQLGenerator(dialect: dialect, shape: shape).generate(definitions)
                try engine.run(start + made.text)
            }
        }
    }

    private func script(_ dialect: SQLDialect, _ shape: SQLShape, _ files: [String: String]) throws -> String {
        let (definitions, diagnostics) = load(files)
        #expect(diagnostics.isEmpty)
        return try SQLGenerator(dialect: dialect, shape: shape).generate(definitions).text
    }
}
