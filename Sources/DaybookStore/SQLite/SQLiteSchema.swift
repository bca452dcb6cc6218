import DaybookTools

/// The tables of a store file; see docs/formats/store.md. `PRAGMA application_id` identifies a store, `PRAGMA
/// user_version` is the schema version.
enum SQLiteSchema {
    /// "DAYB" in ASCII.
    private static let applicationID: Int64 = 0x4441_5942
    /// Raised with every change of the tables.
    static let version: Int64 = 9

    private static let records = """
        CREATE TABLE stored_records(
            id INTEGER PRIMARY KEY, uid TEXT NOT NULL, time INTEGER NOT NULL, kind TEXT NOT NULL,
            level INTEGER NOT NULL, tag TEXT NOT NULL, message TEXT, module TEXT, attributes TEXT NOT NULL,
            context TEXT NOT NULL, session TEXT, installation TEXT, trace_id TEXT, span_id TEXT,
            parent_span_id TEXT, duration INTEGER, file TEXT, function TEXT, line INTEGER) STRICT;
        CREATE INDEX records_tag ON stored_records(tag);
        \(timeIndex)
        -- The last arrival number ever given: numbers of erased records are not given again.
        CREATE TABLE arrivals(last INTEGER NOT NULL) STRICT;
        INSERT INTO arrivals VALUES (0);
        \(arrivalTimes)
        -- What each sender's stream has settled: disjoint intervals (after, through] of its sequence numbers.
        CREATE TABLE streams(
            stream TEXT NOT NULL, after INTEGER NOT NULL, through INTEGER NOT NULL,
            PRIMARY KEY (stream, after)) STRICT, WITHOUT ROWID;
        """

    private static let timeIndex = "CREATE INDEX IF NOT EXISTS records_time ON stored_records(time);"

    private static let arrivalTimes = """
        -- When records arrived, by marks: those from a number on at a time, or up to a minute later.
        CREATE TABLE IF NOT EXISTS arrival_times(id INTEGER PRIMARY KEY, time INTEGER NOT NULL UNIQUE) STRICT;
        """

    private static let accounts = """
        -- Counts per tag of messages, errors and events, kept so that nobody has to count the records. An absent
        -- version is the empty text.
        CREATE TABLE tags(
            tag TEXT NOT NULL, kind TEXT NOT NULL, version TEXT NOT NULL, count INTEGER NOT NULL,
            first_time INTEGER NOT NULL, last_time INTEGER NOT NULL,
            PRIMARY KEY (tag, kind, version)) STRICT, WITHOUT ROWID;
        -- What has come of each stream. `sender` is the stream's output, whose losses are in `losses`.
        CREATE TABLE ledger(
            stream TEXT PRIMARY KEY, sender TEXT, installation TEXT, version TEXT, stored INTEGER NOT NULL,
            duplicates INTEGER NOT NULL) STRICT, WITHOUT ROWID;
        CREATE TABLE losses(
            sender TEXT NOT NULL, reason TEXT NOT NULL, count INTEGER NOT NULL,
            PRIMARY KEY (sender, reason)) STRICT, WITHOUT ROWID;
        -- Tells this store from others, so that an index is never taken for that of another.
        CREATE TABLE identity(store TEXT NOT NULL) STRICT;
        INSERT INTO identity VALUES (lower(hex(randomblob(16))));
        \(history)
        \(streamGaps)
        \(completeness)
        """

    private static let history = """
        -- What tells a complete extent of records from any other that has its numbers: `seal` is given when it becomes
        -- complete, `version` whenever records of it are erased. Both are random, so that copies of a store that go on
        -- apart have none in common. See ExtentSeals.
        CREATE TABLE IF NOT EXISTS seals(
            segment INTEGER PRIMARY KEY, seal INTEGER NOT NULL, version INTEGER NOT NULL) STRICT;
        -- How many erasures have left something in the logs that is still to be emptied out of them.
        CREATE TABLE IF NOT EXISTS erasures(number INTEGER NOT NULL) STRICT;
        INSERT INTO erasures SELECT 0 WHERE NOT EXISTS (SELECT 1 FROM erasures);
        """

    /// A sender without proof settles only its records, so gaps between them mean nothing.
    private static let streamGaps = """
        CREATE VIEW stream_gaps AS
            SELECT stream, previous AS after, after AS through, after - previous AS missing FROM (
                SELECT stream, after, lag(through) OVER (PARTITION BY stream ORDER BY after) AS previous FROM streams
                WHERE \(StreamOwner.isBelieved()))
            WHERE previous IS NOT NULL;
        """

    private static let contexts = """
        -- What records have in common, once: see ContextTable. A digest is keyed with the store's identity.
        CREATE TABLE contexts(id INTEGER PRIMARY KEY, digest TEXT NOT NULL UNIQUE, context TEXT NOT NULL) STRICT;
        CREATE TABLE context_uses(context INTEGER PRIMARY KEY, records INTEGER NOT NULL) STRICT;
        CREATE VIEW records AS SELECT \(ContextTable.columns) FROM stored_records;
        """

    /// Senders may report any number, so sums use `total`, which cannot overflow, capped at 10¹² for sums over the
    /// view.
    private static let completeness = """
        CREATE VIEW completeness AS
            SELECT installation, version, sum(stored) AS stored, sum(duplicates) AS duplicates,
                CASE WHEN min(is_believed) THEN CAST(min(total(missing), 1e12) AS INTEGER) END AS missing,
                CAST(min(total(lost), 1e12) AS INTEGER) AS lost, owner, max(proven) AS proven
            FROM (
                SELECT installation, version, stored, duplicates,
                    (SELECT total(missing) FROM stream_gaps g WHERE g.stream = l.stream) AS missing, 0 AS lost,
                    \(owner) AS owner, \(StreamOwner.proof()) AS proven, \(StreamOwner.isBelieved()) AS is_believed
                FROM ledger l
                UNION ALL
                SELECT max(installation), max(version), 0, 0, 0,
                    (SELECT total(count) FROM losses o WHERE o.sender = l.sender),
                    max(\(owner)), max(\(StreamOwner.proof())), min(\(StreamOwner.isBelieved()))
                FROM ledger l WHERE sender IS NOT NULL GROUP BY sender)
            GROUP BY installation, version, owner;
        """

    private static let owner = StreamOwner.owner("stream", "substr(stream, 1, instr(stream, '/') - 1)")

    private static let migrations: [Int64: String] = [
        1: """
        ALTER TABLE tags RENAME TO older_tags;
        \(accounts)
        INSERT INTO tags SELECT tag, kind, '', count, first_time, last_time FROM older_tags;
        DROP TABLE older_tags;
        INSERT INTO ledger SELECT DISTINCT stream, NULL, NULL, NULL, 0, 0 FROM streams;
        """,
        // The separate index finds sessions; this one slowed every append.
        2: "DROP INDEX IF EXISTS records_session;",
        3: "DROP VIEW completeness; \(completeness)",
        // Event views keep reading `records`, now a view. Adding a column to a STRICT table would read all of it.
        4: """
        PRAGMA legacy_alter_table = ON;
        ALTER TABLE records RENAME TO stored_records;
        PRAGMA legacy_alter_table = OFF;
        \(contexts)
        """,
        5: timeIndex,
        // Existing records arrived by now. Times ahead of that, or before 2010, are removed from sums.
        6: """
        \(arrivalTimes)
        INSERT OR IGNORE INTO arrival_times SELECT last + 1, unixepoch() * 1000000000 FROM arrivals;
        UPDATE tags SET last_time = unixepoch() * 1000000000, first_time = min(first_time, unixepoch() * 1000000000)
            WHERE last_time >= unixepoch() * 1000000000 + \(PlausibleTime.tolerance);
        UPDATE tags SET first_time = coalesce((
                SELECT min(r.time) FROM records AS r WHERE r.tag = tags.tag AND r.kind = tags.kind
                    AND r.time BETWEEN \(PlausibleTime.earliest) AND tags.last_time
                    AND tags.version IN ('', CAST(iif(json_valid(r.context), json_extract(r.context, '$."service.version"'), '') AS TEXT))),
            last_time)
            WHERE first_time < \(PlausibleTime.earliest) AND last_time >= \(PlausibleTime.earliest);
        """,
        7: newViews,
        // Extents are sealed when the store is opened, and then indexed anew.
        8: "\(newViews) DROP TABLE IF EXISTS changes; \(history)",
    ]

    private static let newViews = "DROP VIEW completeness; DROP VIEW stream_gaps; \(streamGaps) \(completeness)"

    /// Creates the tables in a new file, migrates older versions, and refuses other files.
    /// - Throws: ``StoreError``, `unavailable`; then the file is unchanged.
    static func prepare(_ connection: SQLiteConnection) throws(StoreError) {
        if try isNew(connection) {
            // The journal mode cannot change inside a transaction.
            try connection.execute("PRAGMA journal_mode = WAL")
            try connection.transaction { () throws(StoreError) in
                // Another process may have created them meanwhile.
                guard try isNew(connection) else { return }
                try connection.execute(records + accounts + contexts)
                try connection.execute("PRAGMA application_id = \(applicationID); PRAGMA user_version = \(version)")
            }
        }
        try migrate(connection)
        try check(connection)
    }

    private static func migrate(_ connection: SQLiteConnection) throws(StoreError) {
        guard try connection.integer("PRAGMA application_id") == applicationID else { return }
        try connection.transaction { () throws(StoreError) in
            var found = try connection.integer("PRAGMA user_version") ?? 0
            while let migration = migrations[found] {
                try connection.execute(migration)
                found += 1
                try connection.execute("PRAGMA user_version = \(found)")
            }
        }
    }

    /// Refuses a file of another program or version.
    static func check(_ connection: SQLiteConnection) throws(StoreError) {
        guard try connection.integer("PRAGMA application_id") == applicationID else {
            throw StoreError(
                .unavailable,
                "\(connection.path) is a database of another program, not a Daybook store. Choose another file.")
        }
        let found = try connection.integer("PRAGMA user_version") ?? 0
        guard found == version else {
            throw StoreError(
                .unavailable,
                "\(connection.path) has schema version \(found), and this Daybook knows version \(version). "
                    + (found < version
                        ? "Open it for writing once, with `daybook serve`, to bring it up to date."
                        : "Use the Daybook that made it, or a newer one."))
        }
    }

    private static func isNew(_ connection: SQLiteConnection) throws(StoreError) -> Bool {
        let application = try connection.integer("PRAGMA application_id")
        let version = try connection.integer("PRAGMA user_version")
        let objects = try connection.integer("SELECT count(*) FROM sqlite_master")
        return application == 0 && version == 0 && objects == 0
    }
}

enum SQLiteViews {
    /// Creates the given views, and drops others created here. Runs inside a writing transaction.
    static func replaceAll(with views: [StoreView], on connection: SQLiteConnection) throws(StoreError) {
        let names = Set(views.map { lowercasedASCII($0.name) })
        for name in try present(on: connection) where !names.contains(lowercasedASCII(name)) {
            try drop(name, on: connection)
        }
        for view in views { try create(view, on: connection) }
    }

    /// The views created here, recognized by their first column.
    private static func present(on connection: SQLiteConnection) throws(StoreError) -> [String] {
        let search = try connection.statement(
            "SELECT name FROM sqlite_master WHERE type = 'view' AND sql LIKE '% AS \"_id\",%'")
        defer { search.reset() }
        var names: [String] = []
        while try search.step() { names.append(search.text(0)) }
        return names
    }

    /// Creates the view, or recreates it if its text differs.
    private static func create(_ view: StoreView, on connection: SQLiteConnection) throws(StoreError) {
        let search = try connection.statement("SELECT sql FROM sqlite_master WHERE type = 'view' AND name = ?")
        search.bind(1, view.name)
        let present = try search.step() ? search.text(0) : nil
        search.reset()
        // Every schema change makes all statements prepare again.
        if present == view.statement { return }
        if present != nil { try drop(view.name, on: connection) }
        try connection.execute(view.statement)
        for statement in view.following { try connection.execute(statement) }
    }

    private static func drop(_ name: String, on connection: SQLiteConnection) throws(StoreError) {
        let quoted = name.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"")
        try connection.execute("DROP VIEW \"\(quoted)\"")
    }

    private static func lowercasedASCII(_ name: String) -> String {
        String(decoding: name.utf8.map { (65...90).contains($0) ? $0 + 32 : $0 }, as: UTF8.self)
    }
}
