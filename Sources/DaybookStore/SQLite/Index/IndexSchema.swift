import Foundation

/// The tables of the index file, `<store>-index`.
///
/// Derived from the records; rebuilt if missing, damaged, or of another version or store. An extent's rows are valid
/// only with its records' seal, see ``ExtentSeals``.
enum IndexSchema {
    /// Raised with every change of the tables, ``Gram`` or ``TextFolding``.
    static let version: Int64 = 8

    static func path(ofStore path: String) -> String { path + "-index" }

    private static let tables = """
        -- The extents that are indexed: their seal and version in the store, the times of their records, and checksums of
        -- the records and of what the other tables say of them.
        CREATE TABLE segments(
            segment INTEGER PRIMARY KEY, seal INTEGER NOT NULL, version INTEGER NOT NULL, first_time INTEGER,
            last_time INTEGER, rows INTEGER NOT NULL, content INTEGER NOT NULL) STRICT;
        -- Which of an extent's 64 blocks have a gram or a term.
        CREATE TABLE marks(
            segment INTEGER NOT NULL, gram INTEGER NOT NULL, blocks INTEGER NOT NULL,
            PRIMARY KEY (segment, gram)) STRICT, WITHOUT ROWID;
        CREATE TABLE blocks(
            segment INTEGER NOT NULL, block INTEGER NOT NULL, first_time INTEGER NOT NULL, last_time INTEGER NOT NULL,
            PRIMARY KEY (segment, block)) STRICT, WITHOUT ROWID;
        -- Counts by time; a minute and an hour are numbers since 1970.
        CREATE TABLE minutes(
            segment INTEGER NOT NULL, minute INTEGER NOT NULL, tag TEXT NOT NULL, kind TEXT NOT NULL,
            level INTEGER NOT NULL, count INTEGER NOT NULL,
            PRIMARY KEY (segment, minute, tag, kind, level)) STRICT, WITHOUT ROWID;
        CREATE TABLE hours(
            segment INTEGER NOT NULL, hour INTEGER NOT NULL, tag TEXT NOT NULL, kind TEXT NOT NULL,
            level INTEGER NOT NULL, count INTEGER NOT NULL,
            PRIMARY KEY (segment, hour, tag, kind, level)) STRICT, WITHOUT ROWID;
        CREATE TABLE facets(
            segment INTEGER NOT NULL, field TEXT NOT NULL, value TEXT NOT NULL, count INTEGER NOT NULL,
            PRIMARY KEY (segment, field, value)) STRICT, WITHOUT ROWID;
        CREATE TABLE sessions(
            session TEXT NOT NULL, segment INTEGER NOT NULL, installation TEXT, version TEXT, device TEXT,
            count INTEGER NOT NULL, errors INTEGER NOT NULL, first_time INTEGER NOT NULL, last_time INTEGER NOT NULL,
            PRIMARY KEY (session, segment)) STRICT, WITHOUT ROWID;
        CREATE INDEX sessions_segment ON sessions(segment);
        -- The latest sessions, of all and of an installation.
        CREATE INDEX sessions_time ON sessions(last_time DESC, session);
        CREATE INDEX sessions_installation ON sessions(installation, last_time DESC, session);
        -- What each record has in each column, and the values that occur. With row numbers, so that a page is of one row.
        CREATE TABLE columns(
            segment INTEGER NOT NULL, name TEXT NOT NULL, codes BLOB NOT NULL, content BLOB NOT NULL,
            PRIMARY KEY (segment, name)) STRICT;
        -- Which store this is the index of.
        CREATE TABLE origin(store TEXT NOT NULL) STRICT;
        """

    /// Opens a store's index, rebuilt if unusable.
    /// - Parameter remade: Called with the reason if an existing index is replaced.
    static func open(
        ofStore path: String, identity: String, remade: (String) -> Void
    ) throws(StoreError) -> sending SQLiteConnection {
        let path = Self.path(ofStore: path)
        do throws(StoreError) {
            if try file(path) != nil {
                let connection = try SQLiteConnection(path: path, access: .readWrite)
                try check(connection, "main", identity: identity)
                try configure(connection)
                return connection
            }
        } catch {
            // A rebuild would not help.
            guard !error.isFullDisk, !error.isLocked else { throw error }
            remade(error.message)
        }
        try remove(path)
        let connection = try SQLiteConnection(path: path, access: .create)
        // Columns are long: with fewer, larger pages reading them takes a third less.
        try connection.execute("PRAGMA page_size = 16384")
        try configure(connection)
        try connection.transaction { () throws(StoreError) in
            // Another process may have created it meanwhile.
            if (try? check(connection, "main", identity: identity)) != nil { return }
            try connection.execute(tables)
            try connection.run("INSERT INTO origin VALUES (?)", [.text(identity)])
            try connection.execute("PRAGMA user_version = \(version)")
        }
        // Out of the log, so that its size counts from the start.
        _ = try connection.emptyLog()
        return connection
    }

    /// Opens a store's index for reading; `nil` if it does not exist.
    /// - Throws: ``StoreError`` if it is unusable.
    static func openForReading(ofStore path: String, identity: String) throws(StoreError) -> SQLiteConnection? {
        let path = Self.path(ofStore: path)
        guard try file(path) != nil else { return nil }
        let connection = try SQLiteConnection(path: path, access: .readOnly)
        try check(connection, "main", identity: identity)
        return connection
    }

    /// The index file's identity; `nil` if it does not exist. Opening anything but a regular file may block.
    /// - Throws: ``StoreError`` if something else has its name.
    static func file(_ path: String) throws(StoreError) -> FileIdentity? {
        if let file = FileIdentity(path) { return file }
        // A dangling symbolic link is in the way too.
        guard (try? FileManager.default.attributesOfItem(atPath: path)) != nil else { return nil }
        throw StoreError(.unavailable, "\(path) is not a regular file.")
    }

    /// Removes files at the index's path, but never a folder, which may be someone's.
    private static func remove(_ path: String) throws(StoreError) {
        for path in [path, path + "-wal", path + "-shm"] where unlink(path) != 0 && errno != ENOENT {
            throw StoreError(
                .unavailable,
                "\(path) is in the index's place and cannot be removed: \(String(cString: strerror(errno))). Searches read "
                    + "all records until it is gone.")
        }
    }

    private static func configure(_ connection: SQLiteConnection) throws(StoreError) {
        // A power failure may lose whole commits, which are redone. With a short busy timeout, a locked index is
        // retried later.
        try connection.execute(
            """
            PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA secure_delete = ON;
            PRAGMA journal_size_limit = 67108864; PRAGMA busy_timeout = 250;
            """)
    }

    /// - Parameter database: The index's schema name on the connection.
    /// - Throws: ``StoreError`` with the reason if it is not the index of the store.
    static func check(
        _ connection: SQLiteConnection, _ database: String, identity: String
    ) throws(StoreError) {
        guard try connection.integer("PRAGMA \(database).user_version") == version else {
            throw StoreError(.unavailable, "It is of another version, or no index.")
        }
        let count = try connection.integer(
            """
            SELECT count(*) FROM \(database).sqlite_schema WHERE type = 'table'
            AND name IN ('segments', 'marks', 'blocks', 'minutes', 'hours', 'facets', 'sessions', 'columns', 'origin')
            """)
        guard count == 9 else { throw StoreError(.unavailable, "A table of it is missing.") }
        let statement = try connection.statement("SELECT store FROM \(database).origin")
        defer { statement.reset() }
        guard try statement.step(), statement.text(0) == identity else {
            throw StoreError(.unavailable, "It is the index of another store.")
        }
    }
}

/// A range of arrival numbers that is indexed as a unit: 64 blocks of 512.
///
/// Tables call it `segment`: renaming the column of `seals` would take a migration of every store.
enum IndexExtent {
    static let blockSize: Int64 = 512
    /// Arrival numbers per extent: a block for each bit of a mask.
    static let size: Int64 = 64 * blockSize

    static func number(of id: Int64) -> Int64 { id / size }

    static func range(_ extent: Int64) -> ArrivalRange {
        ArrivalRange(lower: extent * size, upper: (extent + 1) * size)
    }
}

/// The part of the index that is valid in a reading transaction.
struct IndexView {
    struct Indexed {
        var firstTime: Int64
        var lastTime: Int64
    }

    /// By number. An extent without records has an empty time range.
    private(set) var extents: [Int64: Indexed] = [:]

    /// Without an index: every record is read.
    init() {}

    /// Starts snapshots of both files, the index first, so that it knows no record that the transaction does not see.
    /// Segments erased from in between are recognized by their versions.
    init(_ connection: SQLiteConnection) throws(StoreError) {
        guard connection.hasIndex else { return }
        let indexed = try ExtentSeals("idx.segments", connection).states
        let sealed = try ExtentSeals("main.seals", connection).states
        let times = try connection.statement("SELECT segment, first_time, last_time FROM idx.segments")
        defer { times.reset() }
        while try times.step() {
            let extent = times.integer(0)
            guard let seal = indexed[extent], seal == sealed[extent] else { continue }
            extents[extent] = Indexed(
                firstTime: times.optionalInteger(1) ?? .max, lastTime: times.optionalInteger(2) ?? .min)
        }
    }

    /// Passes the ranges of unindexed extents with records to `body`; gaps are skipped.
    func forEachUnindexed(
        _ connection: SQLiteConnection, _ body: (ArrivalRange) throws(StoreError) -> Void
    ) throws(StoreError) {
        let last = IndexExtent.number(of: try connection.head())
        var extent: Int64 = 0
        while extent <= last {
            if extents[extent] == nil {
                guard let first = try connection.firstArrival(from: extent * IndexExtent.size) else { return }
                extent = IndexExtent.number(of: first)
                if extents[extent] == nil { try body(IndexExtent.range(extent)) }
            }
            extent += 1
        }
    }

    /// Extents with records in a time range that lie completely between two arrival numbers.
    func extents(since: Int64, until: Int64, after: Int64?, before: Int64?) -> [Int64] {
        extents.filter { extent, times in
            times.lastTime >= since && times.firstTime < until && extent * IndexExtent.size > after ?? .min
                && (extent + 1) * IndexExtent.size <= before ?? .max
        }.keys.sorted()
    }
}
