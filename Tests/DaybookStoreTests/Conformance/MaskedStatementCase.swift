import DaybookBase
import DaybookCollector
import DaybookDefinitions
import DaybookStore
import DaybookTools
import Testing

/// Plants a secret of each kind, then tries to reveal it with SQL in each store's dialect.
enum MaskedStatementCase {
    private static let secrets = [
        "ann@private", "ANN@PRIVATE", "1442517903", "sender-told-1", "header-9f3a1", "body-9f3a2", "name-9f3a3",
        "nested-9f3a4", "query-9f3a5", "user-9f3a6", "message-9f3a7", "context-9f3a8",
    ]

    private static let attributes = """
        {"mail":"ann@private.example","told":"sender-told-1","daybook.private":["told"],\
        "http.request.header.authorization":["Bearer header-9f3a1"],\
        "http.request.body.content":"{\\"user\\":{\\"access_token\\":\\"body-9f3a2\\"},\\"n\\":1}",\
        "api_key":"name-9f3a3","payload":"{\\"inner\\":\\"{\\\\\\"password\\\\\\":\\\\\\"nested-9f3a4\\\\\\"}\\"}",\
        "url.full":"https://me:user-9f3a6@a.example/?q=egg&token=query-9f3a5","title":"soup"}
        """

    private static let definitions = Definitions.load([
        (path: "common.md", bytes: Array("# common\n\n- user_id: !integer? [private]\n- plan: !string 8?\n".utf8)),
        (
            path: "user.md",
            bytes: Array(
                "# user\n\n## sign_up\n\nSigned up\n\n- mail: !string 64 [private]\n- title: !string 64?\n- payload: !string 900?\n"
                    .utf8)
        ),
    ]).0

    private static let policy = MaskingPolicy(definitions).withPseudonyms()

    /// Statements for every store.
    private static let common = [
        "SELECT * FROM records", "SELECT attributes AS a, context AS b, message AS c FROM records",
        "SELECT upper(CAST(attributes AS #)) AS x FROM records", "SELECT substr(message, 1, 99) AS s FROM records",
        "SELECT replace(message, ' ', '') AS m FROM records", "SELECT mail AS x, user_id AS y FROM user__sign_up",
        "SELECT * FROM user__sign_up", "SELECT * FROM activity_log", "SELECT mail || '!' AS m FROM activity_log",
        "SELECT substr(mail, 1, 11) AS m, count(*) AS n FROM activity_log GROUP BY substr(mail, 1, 11)",
        "SELECT min(mail) AS x, max(payload) AS y, sum(user_id) AS z FROM user__sign_up",
        "SELECT x FROM (SELECT attributes AS x FROM records) AS r", "SELECT * FROM user_id_installations",
        "SELECT * FROM errors", "SELECT message, attributes, level_name FROM errors",
        "WITH hidden AS (SELECT message AS x FROM records) SELECT x FROM hidden",
        "SELECT title FROM user__sign_up UNION ALL SELECT mail FROM user__sign_up",
        "SELECT CASE WHEN message LIKE '%message-9f3a7%' THEN 'yes' ELSE 'no' END AS guessed FROM records WHERE 1 = 1",
        "SELECT a.mail AS x FROM user__sign_up AS a JOIN user__sign_up AS b ON a.mail = b.mail",
    ]

    /// Statements that read the data under names other than `records`.
    private static let refused: [StoreDialect: [String]] = [
        .sqlite: [
            "SELECT attributes FROM stored_records", "SELECT message AS m FROM main.stored_records",
            "SELECT * FROM main.records", "SELECT * FROM main.user__sign_up", "SELECT * FROM contexts",
            "SELECT context FROM main.contexts", "SELECT store FROM identity", "SELECT * FROM sqlite_temp_master",
            "WITH records AS (SELECT * FROM main.stored_records) SELECT * FROM records",
            "WITH daybook_masked AS (SELECT attributes FROM main.records) SELECT * FROM daybook_masked",
            "SELECT (SELECT attributes FROM stored_records LIMIT 1) AS x",
            "SELECT 1 WHERE EXISTS (SELECT 1 FROM stored_records WHERE attributes LIKE '%ann%')",
            "SELECT tag FROM stored_records ORDER BY attributes", "SELECT * FROM sqlite_dbpage", "SELECT * FROM dbstat",
        ],
        .postgresql: [
            "SELECT attributes FROM stored_records", "SELECT * FROM public.records", "TABLE public.user__sign_up",
            "SELECT * FROM contexts", "SELECT * FROM identity", "SELECT stored_records::text AS x FROM stored_records",
            "WITH records AS (SELECT * FROM public.records) SELECT * FROM records",
            "SELECT most_common_vals::text FROM pg_stats", "SELECT pg_get_viewdef('pg_temp.records')",
            "SELECT definition FROM pg_views", "SELECT query FROM pg_stat_get_activity(NULL)",
            "SELECT table_to_xml('stored_records', true, false, '')",
            "SELECT 1 FROM records) UNION SELECT 1 FROM (SELECT 1", "SELECT 1); SELECT (1",
            "EXPLAIN ANALYZE SELECT 1 FROM public.records WHERE message LIKE 'sent%'",
            "SELECT daybook_text(context, 'user_id') FROM public.records",
            "SELECT 1 WHERE EXISTS (SELECT 1 FROM public.stored_records WHERE attributes::text LIKE '%ann%')",
        ],
        .clickhouse: [
            "SELECT attributes FROM stored_records", "SELECT * FROM @.records", "SELECT * FROM `@`.records",
            "SELECT * FROM \"@\".user__sign_up", "SELECT * FROM merge('@', 'stored.*')", "SELECT * FROM system.tables",
            "SELECT 1 IN (SELECT 1 FROM @ . stored_records)", "EXPLAIN SELECT 1",
            "SELECT * FROM view(SELECT * FROM @.records)", "SELECT * FROM loop(@.records)",
            "SELECT dictGet('x', 'y', 1)", "WITH 1 AS x SELECT * FROM all_stored_records",
        ],
    ]

    /// - Parameter database: The name of a ClickHouse store's database.
    static func check(_ store: any EventStore, database: String = "") async throws {
        let dialect = try #require(store.dialect)
        var row = RecordRow(
            uid: "0123456789abcdef-7", time: 1_795_168_931_000_000_000, kind: .event, level: 17, tag: "user.sign_up",
            attributes: attributes, context: #"{"user_id":1442517903,"cookie":"context-9f3a8","plan":"free"}"#)
        row.message = "sent with Bearer message-9f3a7 now"
        (row.session, row.installation) = ("s", "i")
        var other = row
        (other.uid, other.message) = ("0123456789abcdef-8", nil)
        (other.attributes, other.context) = (#"{"mail":"bob@private.example","title":"stew"}"#, #"{"user_id":44252}"#)
        try await store.append(RecordBatch(rows: [row, other]))
        #expect(try await store.storedMasking() == nil)
        try await store.createViews(of: definitions)
        // A reader without the definitions hides the same values.
        #expect(try await store.storedMasking() == MaskingPolicy(definitions))
        var limits = QueryLimits()
        limits.time = .seconds(30)
        var masked = limits
        masked.masking = policy
        let type: [StoreDialect: String] = [.sqlite: "TEXT", .postgresql: "text", .clickhouse: "String"]
        for sql in common.map({ $0.replacing("#", with: type[dialect] ?? "") }) {
            let answer = try await store.query(sql, limits: masked)
            #expect(!answer.rows.isEmpty, "\(sql)")
            for secret in secrets { #expect(!"\(answer.rows)".contains(secret), "\(sql) reveals \(secret)") }
            #expect(try await store.query(sql, limits: limits).isMasked == false)
        }
        for sql in refused[dialect, default: []].map({ $0.replacing("@", with: database) }) {
            await #expect(throws: StoreError.self, "\(sql)") { try await store.query(sql, limits: masked) }
        }
        if dialect == .sqlite {
            let members = try await store.query(
                "SELECT key, value FROM records AS r, json_each(r.attributes) WHERE key IN ('mail', 'title')",
                limits: masked)
            #expect(members.rows.count == 4 && members.isMasked)
            for secret in secrets { #expect(!"\(members.rows)".contains(secret)) }
        }
        try await checkCounts(store, masked)
        try await checkUndefined(store, row, masked)
    }

    /// An event's private column is also private in records of undefined events, whose names may be typos of it.
    private static func checkUndefined(_ store: any EventStore, _ row: RecordRow, _ limits: QueryLimits) async throws {
        var row = row
        (row.uid, row.tag, row.message) = ("0123456789abcdef-9", "user.sing_up", nil)
        (row.attributes, row.context) = (#"{"mail":"ann@private.example","title":"soup"}"#, "{}")
        try await store.append(RecordBatch(rows: [row]))
        let sql = "SELECT tag, attributes FROM records WHERE tag = 'user.sing_up'"
        let answer = try await store.query(sql, limits: limits)
        #expect(answer.rows.count == 1 && answer.isMasked)
        #expect("\(answer.rows)".contains("soup") && !"\(answer.rows)".contains("ann@"))
        var open = limits
        open.masking = nil
        #expect("\(try await store.query(sql, limits: open).rows)".contains("ann@"))
    }

    /// Counts, joins and conditions on open values are unaffected.
    private static func checkCounts(_ store: any EventStore, _ limits: QueryLimits) async throws {
        func rows(_ sql: String) async throws -> [[QueryResult.Cell]] {
            try await store.query(sql, limits: limits).rows
        }
        #expect(
            try await rows(
                "SELECT count(DISTINCT mail) AS m, count(DISTINCT user_id) AS u, count(*) AS n FROM activity_log")
                == [[.integer(2), .integer(2), .integer(2)]])
        #expect(
            try await rows(
                "SELECT count(*) AS n FROM user__sign_up AS a JOIN activity_log AS b ON a.user_id = b.user_id AND a.mail = b.mail"
            )
                == [[.integer(2)]])
        #expect(
            try await rows("SELECT title FROM user__sign_up WHERE title = 'soup' AND plan = 'free'") == [
                [.text("soup")]
            ])
        #expect(
            try await rows("SELECT count(*) AS n FROM records WHERE message LIKE '%message-9f3a7%'") == [[.integer(0)]])
        #expect(try await rows("SELECT tag, count FROM tags") == [[.text("user.sign_up"), .integer(2)]])
        #expect(try await store.query("SELECT mail AS x FROM user__sign_up", limits: limits).isMasked)
        #expect(try await store.query("SELECT title FROM user__sign_up", limits: limits).rows.count == 2)
    }
}
