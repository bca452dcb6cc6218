import DaybookBase
import DaybookStore
import DaybookTools

/// Makes a PostgreSQL statement read masked records: temporary views shadow the store's, and the server itself reports
/// which other tables the statement reads.
///
/// For that the statement becomes a view that is never queried: the server parses it and resolves all names, without
/// running anything.
struct PostgreSQLMask {
    /// The store's tables and views without private data.
    private static let open: Set<String> = [
        "arrivals", "completeness", "context_uses", "daybook_schema", "event_views", "ledger", "losses", "stream_gaps",
        "streams", "tags",
    ]
    /// System catalogs that describe tables and columns, not their content.
    private static let catalogs: Set<String> = [
        "pg_class", "pg_namespace", "pg_attribute", "pg_type", "pg_tables", "pg_indexes", "tables", "columns",
    ]
    /// Functions that read what they are given by name, or reveal view definitions or others' statements.
    private static let refused = [
        "table_to_xml", "schema_to_xml", "database_to_xml", "pg_get_viewdef", "pg_get_ruledef", "pg_stat_get_",
    ]

    private let mask: ServerMask
    private let connection: PostgreSQLConnection

    /// - Parameter connection: in a writable transaction that will be rolled back.
    init(_ policy: MaskingPolicy, _ connection: PostgreSQLConnection) {
        mask = ServerMask(policy)
        self.connection = connection
    }

    /// Creates the masking views, and checks what the statement reads.
    /// - Throws: ``PostgreSQLError``, a refusal if it reads anything else.
    func prepare(for sql: String) throws(PostgreSQLError) {
        let word = StatementText.firstWord(of: sql)
        if word == "show" { return }
        guard word != "explain" else { throw refusal("EXPLAIN would reveal what masking hides") }
        try connection.run("SET LOCAL standard_conforming_strings = on")
        let known = try connection.run("SELECT name, statement FROM event_views")[0]
        let views = (0..<known.count).map { (name: known.text($0, 0) ?? "", statement: known.text($0, 1) ?? "") }
        try connection.run("CREATE TEMP VIEW records AS SELECT \(columns) FROM \(source)")
        for view in ServerMask.named(in: sql, of: views) {
            try connection.run("CREATE TEMP VIEW \(PostgreSQLLiteral.identifier(view.name)) AS \(view.body)")
        }
        var statement = sql[...]
        while let last = statement.last, last.isWhitespace || last == ";" { statement.removeLast() }
        // More than one statement is refused by the server.
        let beginning = "CREATE TEMP VIEW daybook_statement AS SELECT 1 AS one WHERE EXISTS (\n"
        do throws(PostgreSQLError) {
            try connection.stream("\(beginning)\(statement)\n)") { _ in true }
        } catch {
            var error = error
            error.position = error.position.map { max($0 - beginning.count, 1) }
            throw error
        }
        try check()
    }

    /// Checks the relations and functions in the parsed statement.
    private func check() throws(PostgreSQLError) {
        let parsed = """
            FROM pg_catalog.pg_rewrite AS w,
                LATERAL pg_catalog.regexp_matches(w.ev_action::text, '%', 'g') AS m(found)
            WHERE w.ev_class = 'pg_temp.daybook_statement'::pg_catalog.regclass
            """
        let relations = try connection.run(
            """
            SELECT DISTINCT n.nspname, c.relname, c.relnamespace = pg_catalog.pg_my_temp_schema(),
                pg_catalog.to_regclass(pg_catalog.quote_ident(c.relname)) = c.oid
            FROM pg_catalog.pg_class AS c JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
            WHERE c.oid IN (SELECT m.found[1]::oid \(parsed.replacing("%", with: ":relid ([0-9]+)")))
            """)[0]
        for row in 0..<relations.count {
            let (schema, name) = (relations.text(row, 0) ?? "", relations.text(row, 1) ?? "")
            let isCatalog = schema == "pg_catalog" || schema == "information_schema"
            let isOpen =
                relations.text(row, 2) == "t" || (relations.text(row, 3) == "t" && Self.open.contains(name))
                || (isCatalog && Self.catalogs.contains(name))
            guard isOpen else { throw refusal("\(schema).\(name) may hold what is private") }
        }
        let functions = try connection.run(
            """
            SELECT p.proname, p.oid::bigint >= 16384 FROM pg_catalog.pg_proc AS p WHERE p.oid IN (
                SELECT m.found[1]::oid \(parsed.replacing("%", with: ":(?:funcid|aggfnoid|winfnoid|opfuncid) ([0-9]+)")))
            """)[0]
        for row in 0..<functions.count {
            let name = functions.text(row, 0) ?? ""
            if functions.text(row, 1) == "t" || Self.refused.contains(where: name.hasPrefix) {
                throw refusal("the function \(name) may read what is private")
            }
        }
    }

    private func refusal(_ reason: String) -> PostgreSQLError {
        PostgreSQLError(
            state: "42501",
            message:
                "The statement was refused: \(reason). Read what may be private through `records` and the views of "
                + "events, or ask for private values.")
    }

    // MARK: The columns

    private var columns: String {
        RecordColumn.allCases.map { column in
            switch column {
            case .attributes, .context: "shown_\(column.name).\(column.name)"
            case .message:
                "CASE WHEN \(names("r.message")) THEN \(PostgreSQLLiteral.text(Record.mask)) "
                    + "WHEN r.message ~* \(suspicion) THEN \(replacement) ELSE r.message END AS message"
            default: "r.\(column.name)"
            }
        }.joined(separator: ", ")
    }

    private let suspicion = PostgreSQLLiteral.text(ServerMask.suspicion)
    private let replacement = PostgreSQLLiteral.text(CredentialScrubber.replacement)

    /// Each record with its masked objects. `OFFSET 0` evaluates an object at most once per record, and only if it is
    /// used; `Memoize` caches objects that records share.
    private var source: String {
        let lists = MaskingPolicy.lists.map { PostgreSQLLiteral.text($0) }
        let told = ["r.attributes", "stored.context"].flatMap { object in
            lists.map { "coalesce(\(object) -> \($0), '[]')" }
        }
        return """
            records AS r
            CROSS JOIN LATERAL (SELECT r.context AS context OFFSET 0) AS stored
            CROSS JOIN LATERAL (SELECT nullif(\(told.joined(separator: " || ")), '[]') AS names OFFSET 0) AS told
            CROSS JOIN LATERAL (SELECT \(masked("r.attributes")) AS attributes OFFSET 0) AS shown_attributes
            CROSS JOIN LATERAL (SELECT \(masked("stored.context")) AS context OFFSET 0) AS shown_context
            """
    }

    /// An object with stand-ins for its private members. Regular expressions test all other members at once, and each
    /// one only if that matches.
    private func masked(_ object: String) -> String {
        let lists = MaskingPolicy.lists.map { PostgreSQLLiteral.text($0) }
        let isOpen = "(m.value = 'null' OR m.key IN (\(lists.joined(separator: ", "))))"
        let isPrivate =
            "(m.name = ANY(\(list(mask.names)))"
            + (mask.open.isEmpty ? "" : " AND r.tag || E'\\n' || m.name <> ALL(\(list(mask.open)))")
            + " OR coalesce(told.names ?| ARRAY[m.key, m.name], false))"
        let member = #"'"' || m.name || '":' || m.value::text"#
        let members = """
            (SELECT key, value, CASE WHEN key ~ '^[!-@\\[-~]*$' THEN key ELSE \(folded) END AS name
                FROM jsonb_each(\(object))) AS m
            """
        return """
            CASE WHEN jsonb_typeof(\(object)) = 'object' THEN coalesce((
                SELECT CASE WHEN \(names("whole.rest")) OR whole.rest ~* \(suspicion) THEN (
                        SELECT jsonb_object_agg(m.key, CASE WHEN \(isOpen) THEN m.value WHEN \(isPrivate) THEN \(standIn)
                            WHEN \(names("m.value::text")) THEN to_jsonb(\(PostgreSQLLiteral.text(Record.mask))::text)
                            WHEN \(member) ~* \(suspicion) THEN to_jsonb(\(replacement)::text)
                            ELSE m.value END) FROM \(members))
                    ELSE whole.shown END
                FROM (SELECT string_agg(CASE WHEN NOT \(isOpen) AND NOT \(isPrivate) THEN \(member) END, E'\\n') AS rest,
                    jsonb_object_agg(m.key, CASE WHEN \(isOpen) OR NOT \(isPrivate) THEN m.value ELSE \(standIn) END) AS shown
                    FROM \(members) OFFSET 0) AS whole), '{}') ELSE '{}' END
            """
    }

    /// Whether a text contains a private column's name as JSON writes it.
    private func names(_ text: String) -> String {
        mask.naming.map { "\(text) ~* \(PostgreSQLLiteral.text($0))" } ?? "false"
    }

    private let folded = ServerMask.folded("key", translate: "translate") {
        "regexp_replace(\($0), \(PostgreSQLLiteral.text($1)), '', 'g')"
    }

    private func list(_ names: [String]) -> String { "ARRAY[\(PostgreSQLLiteral.list(names))]::text[]" }

    /// Like ``Pseudonyms``, but with another hash.
    private var standIn: String {
        let hash = "md5(\(PostgreSQLLiteral.text(mask.key)) || m.value::text)"
        let number = "('x' || left(\(hash), 13))::bit(52)::bigint"
        return """
            CASE WHEN m.value = to_jsonb(\(PostgreSQLLiteral.text(Record.mask))::text) THEN m.value
                WHEN jsonb_typeof(m.value) = 'number' THEN to_jsonb(
                    CASE WHEN m.value::text ~ '^-?[0-9]+$' AND abs(m.value::numeric) <= 2147483647 THEN -1 - \(number) % 2147483647
                        ELSE -4503599627370496 - \(number) END)
                ELSE to_jsonb(\(PostgreSQLLiteral.text(Pseudonyms.beginning)) || left(\(hash), 12) || ']') END
            """
    }
}
