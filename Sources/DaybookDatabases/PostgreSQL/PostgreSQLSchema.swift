import DaybookStore
import DaybookTools

/// The tables of a PostgreSQL store, and their version; see docs/guides/stores.md.
enum PostgreSQLSchema {
    /// Increased with every schema change.
    static let version: Int64 = 6

    /// Index keys are limited to 2,704 bytes, so key texts are cut to this many.
    static let keyBytes = 800

    private static let tables = """
        CREATE TABLE daybook_schema(version bigint NOT NULL);
        INSERT INTO daybook_schema VALUES (\(version));
        CREATE TABLE stored_records(
            id bigint PRIMARY KEY, uid text COLLATE "C" NOT NULL, time bigint NOT NULL, kind text COLLATE "C" NOT NULL,
            level smallint NOT NULL, tag text COLLATE "C" NOT NULL, message text COLLATE "C", module text COLLATE "C",
            attributes jsonb NOT NULL, context jsonb, session text COLLATE "C", installation text COLLATE "C",
            trace_id text COLLATE "C", span_id text COLLATE "C", parent_span_id text COLLATE "C", duration bigint,
            file text COLLATE "C", function text COLLATE "C", line integer, context_id uuid);
        CREATE INDEX records_tag ON stored_records(tag, id);
        CREATE INDEX records_session ON stored_records(session, id) WHERE session IS NOT NULL;
        CREATE INDEX records_time ON stored_records(time);
        -- The last arrival number ever given. Its row is locked from the first look at `streams` to COMMIT, so appends
        -- of all collectors follow one another, and numbers become visible in their order.
        CREATE TABLE arrivals(last bigint NOT NULL) WITH (fillfactor = 10);
        INSERT INTO arrivals VALUES (0);
        \(arrivalTimes)
        CREATE TABLE streams(
            stream text COLLATE "C" NOT NULL, after bigint NOT NULL, through bigint NOT NULL,
            PRIMARY KEY (stream, after));
        CREATE TABLE ledger(
            stream text COLLATE "C" PRIMARY KEY, sender text COLLATE "C", installation text COLLATE "C",
            version text COLLATE "C", stored bigint NOT NULL, duplicates bigint NOT NULL);
        CREATE TABLE losses(
            sender text COLLATE "C" NOT NULL, reason text COLLATE "C" NOT NULL, count bigint NOT NULL,
            PRIMARY KEY (sender, reason));
        -- An absent version is the empty text.
        CREATE TABLE tags(
            tag text COLLATE "C" NOT NULL, kind text COLLATE "C" NOT NULL, version text COLLATE "C" NOT NULL,
            count bigint NOT NULL, first_time bigint NOT NULL, last_time bigint NOT NULL,
            PRIMARY KEY (tag, kind, version));
        CREATE TABLE sessions(
            session text COLLATE "C" PRIMARY KEY, installation text COLLATE "C", version text COLLATE "C",
            device text COLLATE "C", count bigint NOT NULL, errors bigint NOT NULL, first_time bigint NOT NULL,
            last_time bigint NOT NULL);
        CREATE INDEX sessions_last_time ON sessions(last_time);
        CREATE TABLE event_views(name text COLLATE "C" PRIMARY KEY, statement text NOT NULL);
        \(completeness)
        \(contexts)
        -- A member of a context that is a text or a whole number.
        CREATE FUNCTION daybook_text(context jsonb, key text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
            SELECT CASE WHEN jsonb_typeof(context -> key) = 'string' OR context ->> key ~ '^-?[0-9]+$'
                THEN context ->> key END $$;
        CREATE FUNCTION daybook_version(context jsonb) RETURNS text LANGUAGE sql IMMUTABLE AS $$
            SELECT daybook_text(context, 'service.version') $$;
        -- What a search compares: NFKC, then lower case of the letters of ASCII; other letters are left to Daybook.
        CREATE FUNCTION daybook_folded(given text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
            SELECT CASE WHEN octet_length(given) = length(given) THEN lower(given COLLATE "C")
                ELSE lower(normalize(given, NFKC) COLLATE "C") END $$;
        """

    private static let arrivalTimes = """
        -- When records arrived, by marks: those from a number on at a time, or up to a minute later.
        CREATE TABLE IF NOT EXISTS arrival_times(id bigint PRIMARY KEY, time bigint NOT NULL UNIQUE);
        """

    /// Existing records arrived by now; times after that or before 2010 no longer count as first or last.
    private static let marking = """
        \(arrivalTimes)
        INSERT INTO arrival_times SELECT last + 1, extract(epoch FROM now())::bigint * 1000000000 FROM arrivals
            ON CONFLICT DO NOTHING;
        \([
            ("tags", "r.tag = t.tag AND r.kind = t.kind AND t.version IN ('', daybook_version(r.context))"),
            ("sessions", "r.session = t.session"),
        ].map { table, isOwn in
            """
            UPDATE \(table) SET last_time = mark.time, first_time = least(first_time, mark.time)
                FROM (SELECT max(time) AS time FROM arrival_times) AS mark
                WHERE last_time >= mark.time + \(PlausibleTime.tolerance);
            UPDATE \(table) AS t SET first_time = coalesce((
                    SELECT min(r.time) FROM records AS r
                    WHERE \(isOwn) AND r.time BETWEEN \(PlausibleTime.earliest) AND t.last_time), t.last_time)
                WHERE t.first_time < \(PlausibleTime.earliest) AND t.last_time >= \(PlausibleTime.earliest);
            """
        }.joined(separator: "\n"))
        """

    private static let contexts = """
        -- What records have in common, once; its number is a digest keyed with the store's identity.
        CREATE TABLE contexts(id uuid PRIMARY KEY, context jsonb NOT NULL);
        CREATE TABLE context_uses(context uuid PRIMARY KEY, records bigint NOT NULL) WITH (fillfactor = 50);
        CREATE TABLE identity(store text NOT NULL);
        INSERT INTO identity VALUES (replace(gen_random_uuid()::text, '-', ''));
        CREATE VIEW records AS SELECT \(columns) FROM stored_records AS r;
        """

    private static let columns = RecordColumn.allCases.map { column in
        column == .context
            ? "coalesce(r.context, (SELECT c.context FROM contexts AS c WHERE c.id = r.context_id)) AS context"
            : "r.\(column.name)"
    }.joined(separator: ", ")

    /// Replaces the table `records` by a view without touching its rows. Dependent views and read grants move to it.
    private static let sharing = """
        DO $migration$ DECLARE
            dependents text[]; statement text; reader text;
        BEGIN
            SELECT array_agg(format('CREATE OR REPLACE VIEW %s%s AS %s', view.oid::regclass,
                ' WITH (' || array_to_string(view.reloptions, ', ') || ')', pg_get_viewdef(view.oid)))
            INTO dependents FROM (
                SELECT DISTINCT class.oid, class.reloptions FROM pg_depend AS depend
                JOIN pg_rewrite AS rule ON rule.oid = depend.objid JOIN pg_class AS class ON class.oid = rule.ev_class
                WHERE depend.classid = 'pg_rewrite'::regclass AND depend.refclassid = 'pg_class'::regclass
                    AND depend.refobjid = 'records'::regclass AND class.relkind = 'v') AS view;
            ALTER TABLE records RENAME TO stored_records;
            ALTER TABLE stored_records ALTER COLUMN context DROP NOT NULL, ADD COLUMN context_id uuid;
            \(contexts)
            FOREACH statement IN ARRAY coalesce(dependents, '{}') LOOP EXECUTE statement; END LOOP;
            FOR reader IN
                SELECT CASE grantee WHEN 0 THEN 'PUBLIC' ELSE grantee::regrole::text END
                FROM pg_class, aclexplode(relacl) WHERE pg_class.oid = 'stored_records'::regclass
                    AND privilege_type = 'SELECT' AND grantee <> relowner
            LOOP EXECUTE 'GRANT SELECT ON records TO ' || reader; END LOOP;
        END $migration$;
        """

    /// Senders may report any number, so sums are capped at 10¹². A sender without proof settles only its records; gaps
    /// between them mean nothing.
    private static let completeness = """
        CREATE OR REPLACE VIEW stream_gaps AS
            SELECT stream, previous AS after, after AS through, after - previous AS missing FROM (
                SELECT stream, after, lag(through) OVER (PARTITION BY stream ORDER BY after) AS previous
                FROM streams WHERE \(StreamOwner.isBelieved())) AS neighbours
            WHERE previous IS NOT NULL;
        CREATE OR REPLACE VIEW completeness AS
            SELECT installation, version, sum(stored)::bigint AS stored, sum(duplicates)::bigint AS duplicates,
                CASE WHEN bool_and(is_believed) THEN least(sum(missing), 1000000000000)::bigint END AS missing,
                least(sum(lost), 1000000000000)::bigint AS lost, owner, max(proven) AS proven
            FROM (
                SELECT installation, version, stored, duplicates,
                    coalesce((SELECT sum(missing) FROM stream_gaps g WHERE g.stream = l.stream), 0) AS missing,
                    0 AS lost, \(owner) AS owner, \(StreamOwner.proof()) AS proven,
                    \(StreamOwner.isBelieved()) AS is_believed
                FROM ledger l
                UNION ALL
                SELECT max(installation), max(version), 0, 0, 0,
                    coalesce((SELECT sum(count) FROM losses o WHERE o.sender = l.sender), 0),
                    max(\(owner)), max(\(StreamOwner.proof())), bool_and(\(StreamOwner.isBelieved()))
                FROM ledger l WHERE sender IS NOT NULL GROUP BY sender) AS accounts
            GROUP BY installation, version, owner;
        """

    private static let owner = StreamOwner.owner("stream", "split_part(stream, '/', 1)")

    /// From each version to the next.
    private static let migrations: [Int64: String] = [
        1: completeness, 2: sharing, 3: marking, 4: completeness, 5: completeness,
    ]

    /// Creates missing tables, migrates older ones, and refuses newer ones.
    /// - Returns: the store's identity; empty for read-only access.
    /// - Throws: ``StoreError``, `unavailable`.
    static func prepare(_ session: PostgreSQLSession, access: StoreAccess) throws(StoreError) -> String {
        do throws(PostgreSQLError) {
            if access == .readWrite {
                try session.repeating { connection throws(PostgreSQLError) in
                    // Serializes collectors that start concurrently.
                    try connection.run("BEGIN; SELECT pg_advisory_xact_lock(1145133378)")
                    let isMade = try connection.run("SELECT to_regclass('daybook_schema') IS NOT NULL")
                    if isMade.first?.text(0, 0) == "t" { try migrate(connection) } else { try connection.run(tables) }
                    try connection.run("COMMIT")
                }
            }
            let found = try session.repeating { connection throws(PostgreSQLError) in
                try connection.run("SELECT version FROM daybook_schema").first?.integer(0, 0) ?? 0
            }
            let encoding = try session.repeating { connection throws(PostgreSQLError) in
                try connection.run("SHOW server_encoding").first?.text(0, 0)
            }
            guard encoding == "UTF8" else {
                throw PostgreSQLError(
                    state: "0A000",
                    message: "The database has the encoding \(encoding ?? ""). Make one with ENCODING 'UTF8'.")
            }
            guard found == version else {
                throw PostgreSQLError(
                    state: "0A000",
                    message:
                        "The tables in PostgreSQL have version \(found), and this Daybook knows version \(version). "
                        + (found < version
                            ? "Open them for writing once, with `daybook serve`, to bring them up to date."
                            : "Use the Daybook that made them, or a newer one."))
            }
            // Readers may lack the privilege to see it.
            if access == .readOnly { return "" }
            return try session.repeating { connection throws(PostgreSQLError) in
                try connection.run("SELECT store FROM identity").first?.text(0, 0) ?? ""
            }
        } catch {
            throw StoreError(
                .unavailable,
                error.state == "42P01"
                    ? "There is no Daybook store in this database. `daybook serve` creates one."
                    : error.message)
        }
    }

    private static func migrate(_ connection: PostgreSQLConnection) throws(PostgreSQLError) {
        var found = try connection.run("SELECT version FROM daybook_schema").first?.integer(0, 0) ?? 0
        while let migration = migrations[found] {
            try connection.run(migration)
            found += 1
            try connection.run("UPDATE daybook_schema SET version = \(found)")
        }
    }
}

/// The views of a PostgreSQL store. The table `event_views` keeps each text, since the server stores another form.
enum PostgreSQLViews {
    /// Creates all views, and drops those no longer given; all or nothing.
    static func replaceAll(
        with views: [StoreView], _ connection: PostgreSQLConnection
    ) throws(PostgreSQLError) {
        do throws(PostgreSQLError) {
            try connection.run("BEGIN; LOCK TABLE event_views")
            let present = try connection.run("SELECT name, statement FROM event_views")[0]
            var known: [String: String] = [:]
            for row in 0..<present.count { known[present.text(row, 0) ?? ""] = present.text(row, 1) }
            let names = Set(views.map(\.name))
            for name in known.keys where !names.contains(name) { try drop(name, connection) }
            for view in views {
                let whole = ([view.statement] + view.following).joined(separator: ";\n")
                // Leave unchanged views alone, along with whatever depends on them.
                if known[view.name] == whole { continue }
                if known[view.name] != nil { try drop(view.name, connection) }
                try connection.run(
                    whole + "; INSERT INTO event_views VALUES "
                        + "(\(PostgreSQLLiteral.text(view.name)), \(PostgreSQLLiteral.text(whole)))")
            }
            try connection.run("COMMIT")
        } catch {
            connection.rollBack()
            throw error
        }
    }

    private static func drop(_ name: String, _ connection: PostgreSQLConnection) throws(PostgreSQLError) {
        try connection.run(
            "DROP VIEW IF EXISTS \(PostgreSQLLiteral.identifier(name)); "
                + "DELETE FROM event_views WHERE name = \(PostgreSQLLiteral.text(name))")
    }
}
