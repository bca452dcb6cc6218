import Foundation
import Testing

@testable import DaybookDefinitions

struct SQLMigrationTests {
    private let old = load([
        "common.md": "# common\n\n- user_id: !integer\n",
        "feed.md": """
        # feed

        ## show

        - position: !smallint
        - title: !string 8
        - score: !real
        - code: !integer
        - day: !date
        - width: !string
        - gone: !string

        ## hide

        - position: !smallint
        """,
    ]).definitions
    private let new = load([
        "common.md": "# common\n\n- user_id: !bigint\n- language: !string 8\n",
        "feed.md": """
        # feed

        ## show

        - position: !integer
        - title: !string 64
        - score: !double
        - code: !string 16
        - day: !timestamp
        - width: !bigint
        - added: !boolean
            - it's new

        ## share

        - by: !string
        """,
    ]).definitions

    private static let combinations: [(SQLDialect, SQLShape)] = Engine.present.flatMap { dialect in
        SQLShape.allCases.filter { $0 != .views || dialect.hasRecords }.map { (dialect, $0) }
    }

    @Test("A migrated warehouse keeps its rows and accepts new ones", arguments: combinations)
    func migrationKeepsRows(dialect: SQLDialect, shape: SQLShape) throws {
        let generator = try SQLGenerator(dialect: dialect, shape: shape)
        let migration = try SQLMigration(generator).generate(from: old, to: new)
        #expect(migration.omissions.isEmpty)
        try Engine.with(dialect) { engine in
            let records = RecordsTable(dialect: dialect)
            let source = shape == .views ? records.creation : ""
            // What was removed from the definitions is still there.
            var questions = """
                SELECT position, title, score, code, user_id, added FROM feed__show;
                SELECT position FROM feed__hide;
                SELECT gone FROM feed__show;
                SELECT count(*) FROM feed__share;

                """
            var answers = "3\tegg\t0.5\t7\t42\t\\N\n4\nx\n0\n"
            if shape != .views {
                let table = shape == .wide ? "activity_log" : "feed__show"
                questions += """
                    SELECT width__was_string FROM \(table) WHERE width__was_string IS NOT NULL;
                    INSERT INTO \(table) (_uid, _time\(shape == .wide ? ", event_category, event_name" : ""), title, width, user_id)
                    VALUES ('n', '2026-11-20 10:00:00'\(shape == .wide ? ", 'feed', 'show'" : ""), \
                    'more than eight bytes', 9223372036854775807, 9223372036854775807);
                    """
                answers += "w\n"
            }
            let start = try source + generator.generate(old).text + rows(dialect, shape, records)
            #expect(try engine.run(start + migration.text + questions) == answers)
            // Migrating again changes nothing.
            let again = try SQLMigration(generator).generate(from: new, to: new).text
            #expect(again.hasSuffix("\n-- Nothing to change.\n"))
        }
    }

    private func rows(_ dialect: SQLDialect, _ shape: SQLShape, _ records: RecordsTable) -> String {
        let names = "_uid, _time, position, title, score, code, day, width, gone, user_id"
        let values = "'u', '2026-11-20 10:00:00', 3, 'egg', 0.5, 7, '2026-11-20', 'w', 'x', 42"
        switch shape {
        case .views:
            return records.event(
                1, "feed.show", #"{"position":3,"title":"egg","score":0.5,"code":7,"width":"w","gone":"x"}"#,
                context: #"{"user_id":42}"#) + records.event(2, "feed.hide", #"{"position":4}"#)
        case .wide:
            return """
                INSERT INTO activity_log (event_category, event_name, \(names)) VALUES ('feed', 'show', \(values));
                INSERT INTO activity_log (event_category, event_name, _uid, _time, position)
                VALUES ('feed', 'hide', 'v', '2026-11-20 10:00:01', 4);

                """
        case .tables:
            return """
                INSERT INTO feed__show (\(names)) VALUES (\(values));
                INSERT INTO feed__hide (_uid, _time, position) VALUES ('v', '2026-11-20 10:00:01', 4);

                """
        }
    }

    @Test("A migration never drops anything", arguments: SQLDialect.allCases)
    func migrationDropsNothing(dialect: SQLDialect) throws {
        for shape in SQLShape.allCases where shape != .views || dialect.hasRecords {
            let migration = SQLMigration(try SQLGenerator(dialect: dialect, shape: shape))
            for (from, to) in [(old, new), (new, old), (old, Definitions()), (Definitions(), new)] {
                let text = try migration.generate(from: from, to: to).text
                for word in ["DROP TABLE", "DROP COLUMN", "DELETE", "TRUNCATE"] { #expect(!text.contains(word)) }
            }
        }
    }

    @Test(
        "A column changes only as its values allow",
        arguments: [
            (WarehouseType.integer, WarehouseType.bigint, SQLDialect.postgresql, ColumnChange.alter(using: nil)),
            (.bigint, .integer, .postgresql, .none), (.integer, .bigint, .sqlite, .none),
            (.integer, .bigint, .redshift, .replace(copy: "k::bigint")),
            (.text(limit: 8), .text(limit: 9), .postgresql, .none),
            (.text(limit: 8), .text(limit: 9), .redshift, .alter(using: nil)),
            (.text(limit: 9), .text(limit: 8), .redshift, .none),
            (.bigint, .text(limit: nil), .postgresql, .alter(using: "c::text")),
            (
                .boolean, .text(limit: 32), .redshift,
                .replace(copy: "CASE WHEN k THEN 'true' WHEN NOT k THEN 'false' END")
            ),
            (.text(limit: nil), .bigint, .clickhouse, .replace(copy: nil)),
            (.bigint, .double, .postgresql, .replace(copy: nil)),
            (.integer, .double, .sqlite, .replace(copy: "CAST(k AS REAL)")),
            (.timestamp, .timestamptz, .postgresql, .alter(using: "c AT TIME ZONE 'UTC'")),
            (.timestamp, .timestamptz, .clickhouse, .none),
        ])
    func columnChangesSafely(
        old: WarehouseType, new: WarehouseType, dialect: SQLDialect, change: ColumnChange
    ) {
        #expect(ColumnChange(from: old, to: new, column: "c", kept: "k", in: dialect) == change)
    }

    @Test("The migration steps equal their reference file") func migrationMatchesReference() throws {
        for dialect in SQLDialect.allCases {
            let made = try SQLMigration(SQLGenerator(dialect: dialect, shape: .wide)).generate(from: old, to: new)
            try expect(made.text, equalsFixture: "SQL/migration.\(dialect.rawValue).sql")
        }
    }
}
