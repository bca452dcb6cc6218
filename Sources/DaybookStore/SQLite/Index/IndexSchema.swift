import Foundation

/// The tables of the index file, which stands beside the store under the name `<store>-index`.
///
/// All of it is made from the records, and is made anew when it is missing, of another version, or of another store.
enum IndexSchema {
    /// Raised with every change of the tables, and of what ``Gram`` or ``TextFolding`` make of a text.
    static let version: Int64 = 6

    /// The index file of a store.
    static func path(ofStore path: String) -> String { path + "-index" }

    private static let tables = """
        -- The segments that are indexed: as of which version of `changes`, the times of their records, and checksums of
        -- the records and of what the other tables say of them.
        CREATE TABLE segments(
            segment INTEGER PRIMARY KEY, version INTEGER NOT NULL, first_time INTEGER, last_time INTEGER,
            rows INTEGER NOT NULL, content INTEGER NOT NULL) STRICT;
        -- Which of a segment's 64 blocks have a gram or a term.
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
        -- Which store this is the index of.
        CREATE TABLE origin(store TEXT NOT NULL) STRICT;
        """

    /// Opens the index of a store, made anew where that is needed.
    /// - Parameters:
    ///   - identity: of the store.
    ///   - last: the store's last arrival number: a store that was replaced by a backup of itself has not all of what an
    ///     index may say.
    /// - Throws: ``StoreError``.
    static func open(
        ofStore path: String, identity: String, last: Int64
    ) throws(StoreError) -> SQLiteConnection {
        let path = Self.path(ofStore: path)
        if let connection = try? SQLiteConnection(path: path, access: .readWrite),
            (try? isUsable(connection, identity: identity)) == true
        {
            try configure(connection)
            try connection.execute("DELETE FROM segments WHERE segment >= \((last + 1) / IndexSegment.size)")
            return connection
        }
        for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + suffix) }
        let connection = try SQLiteConnection(path: path, access: .create)
        try configure(connection)
        try connection.transaction { () throws(StoreError) in
            try connection.execute(tables)
            let statement = try connection.statement("INSERT INTO origin VALUES (?)")
            statement.bind(1, identity)
            _ = try statement.step()
            statement.reset()
            try connection.execute("PRAGMA user_version = \(version)")
        }
        return connection
    }

    private static func configure(_ connection: SQLiteConnection) throws(StoreError) {
        // After a power cut the last commits may be missing, never a part of one: they are made again.
        try connection.execute(
            """
            PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA secure_delete = ON;
            PRAGMA journal_size_limit = 67108864;
            """)
    }

    private static func isUsable(_ connection: SQLiteConnection, identity: String) throws(StoreError) -> Bool {
        guard try connection.integer("PRAGMA user_version") == version else { return false }
        let statement = try connection.statement("SELECT store FROM origin")
        defer { statement.reset() }
        return try statement.step() && statement.text(0) == identity
    }
}

/// A stretch of arrival numbers that is indexed as one: 64 blocks of 512.
enum IndexSegment {
    /// Arrival numbers of a block, the smallest stretch that the index tells apart.
    static let blockSize: Int64 = 512
    /// Arrival numbers of a segment: a block for each bit of a 64-bit mask.
    static let size: Int64 = 64 * blockSize

    /// The segment of an arrival number.
    static func number(of id: Int64) -> Int64 { id / size }

    /// The arrival numbers of a segment.
    static func range(_ segment: Int64) -> ArrivalRange {
        ArrivalRange(lower: segment * size, upper: (segment + 1) * size)
    }
}

/// What of the index is true at the moment of a reading transaction.
struct IndexView {
    /// One that can be used.
    struct Indexed {
        var firstTime: Int64
        var lastTime: Int64
    }

    /// By number; a segment without records has no times, and none that match.
    private(set) var segments: [Int64: Indexed] = [:]

    /// No index: every record is looked at.
    init() {}

    /// Reads it; begins the transaction's view of both files. The index first: so it knows of no record that the
    /// transaction does not see, but for segments that are erased from since, which `changes` then tells.
    /// - Throws: ``StoreError``.
    init(_ connection: SQLiteConnection) throws(StoreError) {
        guard connection.hasIndex else { return }
        var versions: [Int64: Int64] = [:]
        let indexed = try connection.statement("SELECT segment, version, first_time, last_time FROM idx.segments")
        defer { indexed.reset() }
        while try indexed.step() {
            let segment = indexed.integer(0)
            guard (0...IndexSegment.number(of: StoredNumber.largest)).contains(segment) else { continue }
            versions[segment] = indexed.integer(1)
            segments[segment] = Indexed(
                firstTime: indexed.optionalInteger(2) ?? .max, lastTime: indexed.optionalInteger(3) ?? .min)
        }
        let changed = try connection.statement("SELECT segment, version FROM main.changes")
        defer { changed.reset() }
        var changes: [Int64: Int64] = [:]
        while try changed.step() { changes[changed.integer(0)] = changed.integer(1) }
        for (segment, version) in versions where version != changes[segment] ?? 0 {
            segments.removeValue(forKey: segment)
        }
    }

    /// Hands over the segments that have records and are not indexed, as ranges of arrival numbers. However wide the gaps
    /// between records are, they cost nothing.
    /// - Throws: ``StoreError``.
    func forEachUnindexed(
        _ connection: SQLiteConnection, _ body: (ArrivalRange) throws(StoreError) -> Void
    ) throws(StoreError) {
        let last = IndexSegment.number(of: try connection.head())
        var segment: Int64 = 0
        while segment <= last {
            if segments[segment] == nil {
                guard let first = try connection.firstArrival(from: segment * IndexSegment.size) else { return }
                segment = IndexSegment.number(of: first)
                if segments[segment] == nil { try body(IndexSegment.range(segment)) }
            }
            segment += 1
        }
    }

    /// Segments with records of a time range, of which all have arrived after one number and before another.
    func segments(since: Int64, until: Int64, after: Int64?, before: Int64?) -> [Int64] {
        segments.filter { segment, times in
            times.lastTime >= since && times.firstTime < until && segment * IndexSegment.size > after ?? .min
                && (segment + 1) * IndexSegment.size <= before ?? .max
        }.keys.sorted()
    }
}
