import DaybookBase
import DaybookStore
import DaybookTestTraits
import DaybookTesting
import DaybookTools
import DaybookTrials
import Testing

/// Masked statements over SQLite: what they show is what the policy shows, and nothing leads around it.
@Suite(.temporaryDirectory) struct MaskedSQLiteTests {
    private static let policy = MaskingPolicy(private: ["mail", "user_id"], open: ["feed.show": ["mail"]])
        .withPseudonyms(Pseudonyms(key: HashKey(1, 2)))
    private let store: SQLiteStore

    init() async throws {
        store = try SQLiteStore(path: TemporaryDirectory.current.file("store.sqlite"))
        var rows: [RecordRow] = []
        for number in 1...40 {
            var row = RecordRow(
                uid: "u-\(number)", time: Int64(number), kind: .event, level: 9,
                tag: number % 3 == 0 ? "feed.show" : "user.sign_up",
                attributes: #"{"mail":"secret-\#(number % 4)@b.example","title":"soup","n":\#(number),"list":[1,2]"#
                    + (number % 5 == 0 ? #","note":"secret note","daybook.private":["note","plan"]}"# : "}"),
                context: number % 2 == 0
                    ? #"{"user_id":\#(number % 3),"plan":"secret plan of the user, long enough to be shared"}"#
                    : #"{"user_id":"secret","app_version":"1"}"#)
            row.message = number % 4 == 0 ? nil : number % 4 == 1 ? "sent Bearer secret-token-5" : "plain"
            rows.append(row)
        }
        try await store.append(RecordBatch(rows: rows))
        try await store.createViews([
            StoreView(
                name: "user__sign_up",
                statement: """
                    CREATE VIEW user__sign_up AS SELECT id AS "_id", json_extract(attributes, '$.mail') AS mail,
                    json_extract(attributes, '$.title') AS title FROM records WHERE tag = 'user.sign_up'
                    """)
        ])
    }

    private func query(_ sql: String, masked: Bool = true) async throws -> QueryResult {
        var limits = QueryLimits()
        limits.masking = masked ? Self.policy : nil
        return try await store.query(sql, limits: limits)
    }

    @Test("A statement shows what the policy shows") func showsWhatPolicyShows() async throws {
        let sql = "SELECT tag, attributes, context, message FROM records ORDER BY id"
        let (whole, masked) = (try await query(sql, masked: false).rows, try await query(sql).rows)
        for (row, shown) in zip(whole, masked) {
            guard case .text(let tag) = row[0], case .text(let attributes) = row[1], case .text(let context) = row[2]
            else {
                Issue.record("no texts")
                continue
            }
            let right = Self.policy.masked(attributes: attributes, context: context, of: tag)
            #expect(shown[1] == .text(right.attributes) && shown[2] == .text(right.context))
            if case .text(let message) = row[3] { #expect(shown[3] == .text(Self.policy.masked(message))) }
        }
        // Each column alone, and several times.
        for (index, column) in ["attributes", "context", "message"].enumerated() {
            let alone = try await query("SELECT \(column), \(column) AS again FROM records ORDER BY id").rows
            #expect(alone == masked.map { [$0[index + 1], $0[index + 1]] })
        }
        #expect(try await query("SELECT mail FROM user__sign_up").isMasked)
    }

    @Test(
        "A result says whether something in it was masked",
        arguments: [
            ("SELECT attributes FROM records", true), ("SELECT context FROM records", true),
            ("SELECT message FROM records", true), ("SELECT tag, count(*) FROM records GROUP BY tag", false),
            ("SELECT message FROM records WHERE id % 4 = 2", false), ("SELECT count(title) FROM user__sign_up", true),
            ("SELECT n FROM (SELECT id AS n, attributes FROM records)", false),
            ("SELECT attributes FROM records WHERE id = 3", false), ("SELECT context FROM records WHERE id = 3", true),
            (
                "SELECT count(*) FROM records AS r WHERE EXISTS (SELECT 1 FROM user__sign_up AS s WHERE s._id = r.id)",
                false
            ),
        ])
    func tellsWhetherMasked(_ sql: String, _ isMasked: Bool) async throws {
        #expect(try await query(sql).isMasked == isMasked)
    }

    @Test(
        "No form of a statement reveals what is masked",
        arguments: [
            "SELECT a.attributes, b.context FROM records AS a JOIN records AS b ON a.id = b.id",
            "SELECT a.mail, b.* FROM user__sign_up AS a LEFT JOIN records AS b ON a._id = b.id + 1",
            "SELECT r.attributes FROM user__sign_up RIGHT JOIN records AS r ON _id = id",
            "WITH user__sign_up AS (SELECT attributes AS tag, message FROM records) SELECT * FROM user__sign_up",
            "SELECT mail, message FROM records NATURAL JOIN user__sign_up LIMIT 20",
            "SELECT mail FROM user__sign_up AS a FULL JOIN user__sign_up AS b USING (mail)",
            "WITH g(message) AS (VALUES ('x')) SELECT message FROM g FULL JOIN records USING (message)",
            "WITH stored_records AS (SELECT * FROM records) SELECT attributes, context FROM stored_records",
            "WITH contexts AS (SELECT * FROM records) SELECT r.context, c.context FROM records AS r, contexts AS c",
            "WITH stored_records(id, tag, attributes, context, message) AS (VALUES (1, 'a', '{}', '{}', '')) SELECT r.* FROM records AS r",
            "SELECT stored_records.attributes FROM records AS stored_records",
            "SELECT (SELECT group_concat(attributes) FROM records AS i WHERE i.id <= o.id) FROM records AS o",
            "SELECT attributes FROM records UNION SELECT context FROM records UNION ALL SELECT message FROM records",
            "SELECT lag(attributes) OVER (ORDER BY id), first_value(context) OVER (ORDER BY context) FROM records",
            "SELECT max(message), min(attributes), group_concat(context) FROM records",
            "SELECT * FROM records ORDER BY attributes LIMIT 9", "SELECT DISTINCT attributes, context FROM records",
            "SELECT e.* FROM records AS r, json_each(r.attributes) AS e",
            "SELECT t.* FROM records AS r, json_tree(r.context) AS t",
            "SELECT * FROM records WHERE attributes LIKE '%soup%' AND context IS NOT NULL AND message > ''",
            "SELECT hex(attributes), quote(message), CAST(context AS BLOB) FROM records",
            "SELECT json_patch(attributes, context), json_group_array(message) FROM records GROUP BY tag",
            "SELECT * FROM (SELECT * FROM records UNION ALL SELECT * FROM records) WHERE message IS NOT NULL",
            "WITH RECURSIVE n(i, t) AS (SELECT 1, '' UNION ALL SELECT i + 1, (SELECT attributes FROM records WHERE id = i) FROM n LIMIT 40) SELECT * FROM n",
            "SELECT * FROM main.tags", "SELECT sql FROM sqlite_master", "SELECT sql FROM main.sqlite_schema",
            "EXPLAIN SELECT * FROM records", "EXPLAIN QUERY PLAN SELECT * FROM records WHERE message LIKE 'x'",
        ])
    func revealsNothing(_ sql: String) async throws {
        var limits = QueryLimits()
        limits.masking = MaskingPolicy(private: ["mail", "user_id", "plan"]).withPseudonyms()
        let (masked, whole) = (try await store.query(sql, limits: limits), try await query(sql, masked: false))
        #expect(!masked.rows.isEmpty && masked.columns == whole.columns)
        for cell in masked.rows.joined() {
            var text = "\(cell)"
            if case .blob(let bytes) = cell { text = String(decoding: bytes, as: UTF8.self) }
            #expect(!text.contains("secret") && !text.contains("736563726574"))
        }
    }

    @Test(
        "What leads around the masked records is refused",
        arguments: [
            "SELECT daybook_masked(0, 'feed.show', attributes, context) FROM records",
            "SELECT daybook_masked(1, 'feed.show', '{}', '@1')", "SELECT DAYBOOK_MASKED(message) FROM records",
            #"SELECT daybook_masked(0, 'a', '{"mail":"guess@b.example"}', '{}')"#,
            "WITH records AS (SELECT attributes FROM main.stored_records) SELECT * FROM records",
            "WITH daybook_records AS (SELECT daybook_masked(1, 'feed.show', '{}', '@1') AS x) SELECT * FROM daybook_records",
            "WITH user__sign_up AS (SELECT context FROM stored_records) SELECT * FROM user__sign_up",
            "SELECT * FROM main.records", "SELECT title FROM main.user__sign_up",
            "SELECT message FROM \"main\".[stored_records]",
            "SELECT s.message FROM stored_records AS s", "SELECT * FROM (SELECT attributes AS id FROM stored_records)",
            "SELECT id FROM stored_records GROUP BY context",
            "SELECT id FROM stored_records WHERE EXISTS (SELECT message)",
            "SELECT r.id FROM records AS r JOIN stored_records AS s ON s.id = r.id AND s.attributes > ''",
            "SELECT r.id FROM records AS r JOIN stored_records AS s USING (id, message)",
            "WITH g(message) AS (VALUES ('x')) SELECT message FROM g FULL JOIN stored_records USING (message)",
            "WITH g(context) AS (VALUES ('x')) SELECT context FROM g FULL JOIN main.\"contexts\" Using(context)",
            "WITH g(store) AS (VALUES ('x')) SELECT store FROM g FULL JOIN identity USING (store)",
            "WITH g(store) AS (VALUES ('x')) SELECT 1 FROM [IDENTITY]natural JOIN g", "SELECT 'x' IN identity",
            "SELECT 'x' IN main.identity", "SELECT (1, 'x') IN (SELECT id, message FROM stored_records)",
            "SELECT id FROM records NATURAL JOIN stored_records",
            "SELECT count(*) OVER (ORDER BY message) FROM stored_records",
            "SELECT 1 UNION SELECT context FROM contexts", "SELECT (SELECT context FROM contexts)",
            "SELECT e.value FROM stored_records AS s, json_each(s.attributes) AS e", "SELECT count(*) FROM contexts",
            "UPDATE records SET tag = 'x' RETURNING attributes", "DELETE FROM stored_records RETURNING message",
            "INSERT INTO tags SELECT 1 RETURNING (SELECT context FROM contexts)",
            "SELECT name FROM sqlite_temp_master", "SELECT sql FROM temp.sqlite_master",
            "SELECT sql FROM sqlite_temp_schema",
            "SELECT sql FROM temp.sqlite_schema", "SELECT * FROM pragma_table_list",
            "SELECT * FROM pragma_table_info('records')",
            "SELECT * FROM pragma_function_list", "PRAGMA table_list", "SELECT * FROM sqlite_stmt",
            "SELECT * FROM bytecode('SELECT 1')",
        ])
    func refusesDetours(_ sql: String) async throws {
        let error = await #expect(throws: StoreError.self) { try await query(sql) }
        #expect(error?.message.contains(#/daybook_[0-9a-f]{8}/#) == false)
    }

    @Test("The view that reads everything has another name for each statement") func nameIsNew() async throws {
        // SQLite names it in the plan of a statement that keeps it apart.
        var names: Set<String> = []
        for _ in 0..<3 {
            let plan = try await query(
                """
                EXPLAIN QUERY PLAN SELECT a.attributes, b.message
                FROM records AS a LEFT JOIN (SELECT message, id FROM records LIMIT 5) AS b ON a.id = b.id
                """)
            for name in "\(plan.rows)".matches(of: #/daybook_[0-9a-f]{32}/#).map({ String($0.output) }) {
                #expect(names.insert(name).inserted)
            }
        }
        for name in names {
            await #expect(throws: StoreError.self) {
                try await query("WITH \(name) AS (SELECT message FROM main.stored_records) SELECT * FROM \(name)")
            }
            await #expect(throws: StoreError.self) { try await query("SELECT * FROM \(name)") }
        }
    }
}
