/// The tables of a store file and their version.
///
/// `PRAGMA application_id` says that the file is ours, `PRAGMA user_version` which version of the tables it has.
enum SQLiteSchema {
    /// "DAYB" in ASCII.
    static let applicationID: Int64 = 0x4441_5942
    /// Raised with every change of the tables.
    static let version: Int64 = 1

    private static let tables = """
        CREATE TABLE records(
            id INTEGER PRIMARY KEY, uid TEXT NOT NULL, time INTEGER NOT NULL, kind TEXT NOT NULL,
            level INTEGER NOT NULL, tag TEXT NOT NULL, message TEXT, module TEXT, attributes TEXT NOT NULL,
            context TEXT NOT NULL, session TEXT, installation TEXT, trace_id TEXT, span_id TEXT,
            parent_span_id TEXT, duration INTEGER, file TEXT, function TEXT, line INTEGER) STRICT;
        CREATE INDEX records_tag ON records(tag);
        CREATE INDEX records_session ON records(session) WHERE session IS NOT NULL;
        -- The last arrival number ever given: numbers of erased records are not given again.
        CREATE TABLE arrivals(last INTEGER NOT NULL) STRICT;
        INSERT INTO arrivals VALUES (0);
        -- Counts per tag of messages, errors and events, kept so that nobody has to count the records.
        CREATE TABLE tags(
            tag TEXT NOT NULL, kind TEXT NOT NULL, count INTEGER NOT NULL, first_time INTEGER NOT NULL,
            last_time INTEGER NOT NULL, PRIMARY KEY (tag, kind)) STRICT, WITHOUT ROWID;
        -- What each sender's stream has settled: disjoint intervals (after, through] of its sequence numbers.
        CREATE TABLE streams(
            stream TEXT NOT NULL, after INTEGER NOT NULL, through INTEGER NOT NULL,
            PRIMARY KEY (stream, after)) STRICT, WITHOUT ROWID;
        """

    /// Makes the tables in a new file, and refuses a file that is not ours to use.
    /// - Throws: ``StoreError`` with the code `unavailable`; then nothing in the file is changed.
    static func prepare(_ connection: SQLiteConnection) throws(StoreError) {
        if try isNew(connection) {
            // The journal mode cannot change inside a transaction.
            try connection.execute("PRAGMA journal_mode = WAL")
            try connection.transaction { () throws(StoreError) in
                // Another process may have been first.
                guard try isNew(connection) else { return }
                try connection.execute(tables)
                try connection.execute("PRAGMA application_id = \(applicationID); PRAGMA user_version = \(version)")
            }
        }
        try check(connection)
    }

    /// Refuses a file of another program or of a newer version.
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
                    + "Use the Daybook that made it, or a newer one.")
        }
    }

    private static func isNew(_ connection: SQLiteConnection) throws(StoreError) -> Bool {
        let application = try connection.integer("PRAGMA application_id")
        let version = try connection.integer("PRAGMA user_version")
        let objects = try connection.integer("SELECT count(*) FROM sqlite_master")
        return application == 0 && version == 0 && objects == 0
    }
}
