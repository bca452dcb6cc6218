/// A place that keeps records: SQLite in the app and at the collector, a database server where one machine is too small.
///
/// Every store behaves the same; one conformance suite runs against each. Implementations are safe to share between
/// threads and keep blocking calls off Swift's cooperative threads.
public protocol EventStore: Sendable {
    /// Stores a batch: all of it, or, when it throws, none of it. Returns only after the batch is durable.
    /// - Throws: ``StoreError``.
    @discardableResult
    func append(_ batch: RecordBatch) async throws -> AppendResult

    /// A page of records.
    /// - Throws: ``StoreError``.
    func page(_ query: RecordQuery) async throws -> [StoredRecord]

    /// The largest arrival number, 0 for an empty store.
    /// - Throws: ``StoreError``.
    func head() async throws -> Int64

    /// Per tag: how many records of kind event, error or message, the first and the last time seen.
    /// - Throws: ``StoreError``.
    func tagSummaries() async throws -> [TagSummary]

    /// Runs one reading statement; anything that would write is refused.
    /// - Throws: ``StoreError``.
    func query(_ sql: String, limits: QueryLimits) async throws -> QueryResult
}

/// Records that are stored together or not at all.
public struct RecordBatch: Sendable {
    /// Where a batch comes from, when its sender numbers its records: the stream (journal and epoch) and the
    /// half-open interval (`after`, `through`] of sequence numbers that it settles.
    public struct Origin: Sendable, Hashable {
        public var stream: String
        public var after: UInt64
        public var through: UInt64

        /// The interval (`after`, `through`] of `stream`.
        public init(stream: String, after: UInt64, through: UInt64) {
            self.stream = stream
            self.after = after
            self.through = through
        }
    }

    /// Set when the sender numbers its records: rows whose sequence an earlier batch settled are duplicates.
    public var origin: Origin?
    /// The rows, in the sender's order.
    public var rows: [RecordRow]

    /// A batch.
    public init(origin: Origin? = nil, rows: [RecordRow]) {
        self.origin = origin
        self.rows = rows
    }
}

/// What became of a batch.
public struct AppendResult: Sendable, Hashable {
    /// Rows now stored.
    public var stored: Int
    /// Rows that had been stored before.
    public var duplicates: Int

    /// Counts of a batch.
    public init(stored: Int, duplicates: Int) {
        self.stored = stored
        self.duplicates = duplicates
    }
}

/// Which records a page holds.
public struct RecordQuery: Sendable, Hashable {
    /// Newest first (the default) or oldest first, by arrival.
    public enum Order: Sendable { case newestFirst, oldestFirst }

    public var order: Order = .newestFirst
    /// Only records that arrived before this number (exclusive).
    public var before: Int64?
    /// Only records that arrived after this number (exclusive).
    public var after: Int64?
    /// At most this many rows, 1–1,000. Default 100.
    public var limit = 100
    /// Text that tag, message or attributes contain, in any case; empty for all.
    public var text = ""
    /// Only these kinds; empty for all.
    public var kinds: [String] = []
    /// Only this severity number or above.
    public var minimumLevel: Int?
    /// Only this session.
    public var session: String?
    /// Only this tag.
    public var tag: String?

    /// All records, newest first, 100 a page.
    public init() {}
}

/// How often and when a tag was seen.
public struct TagSummary: Sendable, Hashable {
    public var tag: String
    public var kind: String
    public var count: Int64
    /// Nanoseconds since 1970.
    public var firstTime: Int64
    /// Nanoseconds since 1970.
    public var lastTime: Int64

    /// A summary of one tag.
    public init(tag: String, kind: String, count: Int64, firstTime: Int64, lastTime: Int64) {
        self.tag = tag
        self.kind = kind
        self.count = count
        self.firstTime = firstTime
        self.lastTime = lastTime
    }
}

/// The bounds of one reading statement.
public struct QueryLimits: Sendable, Hashable {
    /// At most this many rows. Default 1,000.
    public var rows = 1_000
    /// At most this long. Default 1 s.
    public var time: Duration = .seconds(1)

    /// 1,000 rows, 1 s.
    public init() {}
}

/// The answer to a statement.
public struct QueryResult: Sendable, Hashable {
    /// One cell.
    public enum Cell: Sendable, Hashable {
        case null
        case integer(Int64)
        case real(Double)
        case text(String)
        case blob([UInt8])
    }

    public var columns: [String]
    public var rows: [[Cell]]
    /// Whether the row limit cut the answer.
    public var isTruncated: Bool

    /// An answer.
    public init(columns: [String], rows: [[Cell]], isTruncated: Bool) {
        self.columns = columns
        self.rows = rows
        self.isTruncated = isTruncated
    }
}
