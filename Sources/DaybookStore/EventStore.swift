import DaybookBase
import DaybookTools

/// A place that keeps records: SQLite in the app and at the collector, a database server where one machine is too small.
///
/// Every store behaves the same; one conformance suite runs against each. Implementations are safe to share between
/// threads and keep blocking calls off Swift's cooperative threads. Methods that may have to read many records (both
/// versions of ``slice(_:)``, ``histogram(_:)``, ``facets(_:)``) return within their budget what they have found so
/// far, and say where to continue.
public protocol EventStore: RecordAccess {
    /// A page of records in the order of their own times, or the part of it found within ``TimeQuery/budget``.
    /// - Throws: ``StoreError``.
    func slice(_ query: TimeQuery) async throws -> TimeSlice

    /// The times of the oldest and of the newest record by ``RecordRow/time``; `nil` where there is none.
    /// - Parameter times: only records of these times, such as the plausible ones; `nil` for all.
    /// - Throws: ``StoreError``.
    func timeBounds(within times: Range<Int64>?) async throws -> ClosedRange<Int64>?

    /// How many records match, by time.
    /// - Throws: ``StoreError``.
    func histogram(_ query: HistogramQuery) async throws -> Histogram

    /// How many records match, by the values of some of their columns.
    /// - Throws: ``StoreError``.
    func facets(_ query: FacetQuery) async throws -> Facets

    /// Sessions, the one with the latest record first.
    /// - Throws: ``StoreError``.
    func sessions(_ query: SessionQuery) async throws -> [SessionSummary]

    /// For each tag and version: how many records of kind event, error or message are stored, and when the first and
    /// the last one were ever seen. Erased records no longer count, but it remains known that the event was seen in
    /// that version: a summary whose records are all erased has the count 0. One page, by tag, kind and version.
    /// - Throws: ``StoreError``.
    func tagSummaries(after position: TagPosition?) async throws -> TagPage

    /// What each sender's stream has settled, sent twice and lost: a page, by stream.
    /// - Throws: ``StoreError``.
    func ledger(_ query: LedgerQuery) async throws -> LedgerPage

    /// The SQL dialect of `query` and of the views; `nil` for a store without SQL.
    var dialect: StoreDialect? { get }

    /// Creates these views over the records, and recreates those whose text has changed: all of them or none. Views
    /// that were created here before and are no longer given are dropped. A store without SQL has no views.
    /// - Throws: ``StoreError``, `badStatement` if the store rejects a statement.
    func createViews(_ views: [StoreView]) async throws

    /// The `policy` of the view ``StoreView/masking``; `nil` if the store has no such view. Default: by ``query(_:limits:)``.
    /// - Throws: ``StoreError``.
    func maskingText() async throws -> String?

    /// The disk space that the store uses; `nil` if it does not consist of files of this process.
    func diskUse() async -> StoreDiskUse?

    /// Reads all there is and compares it with checksums, where the store keeps some itself.
    /// - Parameters:
    ///   - resting: how long to rest for each time worked, so that others are not held up: 0 for not at all.
    ///   - found: given each damage as a sentence.
    /// - Throws: ``StoreError`` where the store cannot be read at all, or `CancellationError`.
    func check(resting: Int, _ found: @escaping @Sendable (String) -> Void) async throws

    /// What the store has to say to whoever runs it since it was last asked, each thing once. Default: nothing.
    func notices() async -> [String]

    /// The size of the store's content in bytes, at a database server too. Space that erasing freed for reuse does not
    /// count, if the store can tell it apart. `nil` if the size is not known.
    /// - Throws: ``StoreError``.
    func size() async throws -> Int64?
}

extension EventStore {
    public func diskUse() async -> StoreDiskUse? { nil }

    public func notices() async -> [String] { [] }

    /// Servers have checksums of their own.
    public func check(resting: Int, _ found: @escaping @Sendable (String) -> Void) async throws {}

    public func size() async throws -> Int64? { nil }

    public func forEachTag(_ body: (TagSummary) -> Void) async throws {
        var page = try await tagSummaries(after: nil)
        while true {
            page.summaries.forEach(body)
            guard let next = page.next else { return }
            try Task.checkCancellation()
            page = try await tagSummaries(after: next)
        }
    }

    /// The newest record with a uid; `nil` if there is none.
    /// - Throws: ``StoreError``.
    public func record(uid: String) async throws -> StoredRecord? {
        var query = RecordQuery()
        query.narrow(by: .field(.uid, uid))
        query.limit = 1
        return try await page(query).first
    }

    /// Up to `count` records on either side, or ``AnswerBounds/bytes``, that arrived before and after a record, oldest
    /// first, without the record itself.
    /// - Parameter filter: only those that match. Default: all.
    /// - Throws: ``StoreError``.
    public func neighbours(
        of id: Int64, count: Int = 10, matching filter: RecordFilter = .init()
    ) async throws -> (before: [StoredRecord], after: [StoredRecord]) {
        var query = RecordQuery()
        query.filter = filter
        query.limit = count
        query.before = id
        let before = try await page(query)
        query.before = nil
        query.after = id
        query.order = .oldestFirst
        return (before.reversed(), try await page(query))
    }
}

extension EventStore {
    public func maskingText() async throws -> String? {
        guard dialect != nil else { return nil }
        do {
            let answer = try await query("SELECT \"policy\" FROM \"\(StoreView.masking)\"", limits: QueryLimits())
            guard case .text(let text)? = answer.rows.first?.first else { return nil }
            return text
        } catch let error as StoreError
            where error.code == .badStatement && error.message.contains(StoreView.masking)
        {
            // There is no such view. Any other failure says nothing about what is to be masked.
            return nil
        }
    }
}

/// Runs statements that people wrote: a store, in its own process, or a runner that keeps them out of that process.
///
/// Safe to share between threads.
public protocol StatementRunner: Sendable {
    /// Runs one read-only statement; anything that would write is refused. Cancelling the task stops it.
    /// - Throws: ``StoreError``; `unavailable` from a store without SQL, `limit` if the statement exceeded one of
    ///   `limits`.
    func query(_ sql: String, limits: QueryLimits) async throws -> QueryResult
}

/// What a store is opened for.
public enum StoreAccess: Sendable {
    /// Create the store if it is missing; append and read.
    case readWrite
    /// Read an existing store; appending throws.
    case readOnly
}

/// The disk space that a store uses, in bytes.
public struct StoreDiskUse: Sendable, Hashable {
    /// The size of all its files, including the log, the index and the reserve.
    public var files: Int64
    /// The space that is still free on its disk.
    public var free: Int64
    /// Bytes in use of the write-ahead log, which is one of them.
    public var log: Int64 = 0

    /// Creates a measurement.
    public init(files: Int64, free: Int64) {
        self.files = files
        self.free = free
    }
}

/// What went wrong in a store.
public struct StoreError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of failure.
    public enum Code: String, Sendable {
        /// The statement is invalid, or would write.
        case badStatement
        /// A limit of time or size was exceeded.
        case limit
        /// The store cannot be opened or has another schema.
        case unavailable
        /// The disk is full, or reading or writing failed.
        case storage
        /// The clock cannot be trusted.
        case clock
    }

    public var code: Code
    /// What happened, where, and what to do: one line of English, safe to show.
    public var message: String
    /// Whether there was no room on the disk.
    package var isFullDisk = false
    /// Whether another program had locked what was wanted: later it is free.
    package var isLocked = false

    /// An error.
    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    public var description: String { message }
}

/// What every store says in the same words.
extension StoreError {
    /// A statement of somebody else's does more than read.
    package static func refused(_ reason: String) -> StoreError {
        StoreError(
            .badStatement, "Only reading is allowed here, so the statement was refused (\(reason)). Write a SELECT.")
    }

    /// A statement of somebody else's calls a function that does more than read.
    package static func refused(function name: String) -> StoreError {
        refused("the function \(name) writes, signals, locks or reaches outside")
    }

    /// The same with the names that a wrong one may have been meant to be.
    package func suggesting(_ names: [String], for name: some StringProtocol) -> StoreError {
        let near = NearestName.several(name, among: names)
        guard !near.isEmpty else { return self }
        var error = self
        error.message += "\(message.hasSuffix(".") ? "" : ".") Did you mean \(near.joined(separator: ", "))?"
        return error
    }

    /// A statement of somebody else's took too long.
    package static func stopped(after time: Duration) -> StoreError {
        StoreError(
            .limit, "The query was stopped after \(time). Narrow it by id, time, tag or session, or add LIMIT.")
    }

    /// A statement of somebody else's took too much memory.
    package static func stopped(atMemory bytes: Int) -> StoreError {
        StoreError(
            .limit,
            "The query was stopped because it took more than \(bytes >> 20) MiB of memory. Narrow it, or select and group "
                + "less at once.")
    }

    /// Nobody waits for the answer to a statement any more.
    package static let queryCancelled = StoreError(.limit, "The query was cancelled.")
    /// Nobody waits for the records any more.
    package static let searchCancelled = StoreError(.limit, "The search was cancelled.")

    /// - Parameter store: names it at the beginning of a sentence.
    package static func readOnly(_ store: String = "The store") -> StoreError {
        StoreError(.unavailable, "\(store) is open for reading only. Open it for writing to change it.")
    }
}

/// A view over a store's records, as the text that creates it.
public struct StoreView: Sendable, Hashable {
    /// The name of the view that has what readers mask.
    package static let masking = "daybook_masking"

    /// Without quotation marks.
    public var name: String
    /// `CREATE VIEW …` in the store's dialect, without a semicolon. The view is recreated when this text changes.
    public var statement: String
    /// Statements to run after it, such as comments.
    public var following: [String]

    /// Creates a view.
    public init(name: String, statement: String, following: [String] = []) {
        self.name = name
        self.statement = statement
        self.following = following
    }
}

/// The SQL dialect of a store.
public enum StoreDialect: String, Sendable, Hashable {
    case sqlite, postgresql, clickhouse
}

/// The limits of one read-only statement.
public struct QueryLimits: Sendable, Hashable {
    /// At most this many rows. Default 1,000.
    public var rows = 1_000
    /// At most this long. Default 1 s.
    public var time: Duration = .seconds(1)

    /// The largest size of the answer in bytes, counted roughly: a larger answer is cut after the last row that fits,
    /// and a first row that does not fit is cut within its cells. Default 16 MiB.
    public var bytes = 16 << 20
    /// Bytes of one text, one blob or one record that the statement meets, where the store is SQLite. Default 1 MiB: a
    /// call such as `instr(a, b)` costs length times length and cannot be interrupted within.
    package var valueBytes = 1 << 20
    /// What the statement does not see: it reads stand-ins in the place of private values and credentials. Default `nil`:
    /// it reads what is stored.
    package var masking: MaskingPolicy?

    /// Creates the default limits: 1,000 rows, 1 s, 16 MiB.
    public init() {}
}

/// What of an answer still has room, row by row (pure).
package struct AnswerBudget {
    /// What may be taken of a row.
    package enum Room: Equatable {
        case whole
        /// The first row is too large by itself: as many bytes of each cell as there still is room, and nothing behind it.
        case cut
        case none
    }

    /// What a cell counts besides the bytes of its text.
    private static let cellBytes = 16
    private var rows: Int
    /// Bytes that still have room.
    package private(set) var bytes: Int
    private var isEmpty = true

    package init(_ limits: QueryLimits) {
        rows = max(limits.rows, 0)
        bytes = limits.bytes
    }

    /// Whether there is room for a row, which is then taken.
    /// - Parameter sizes: the bytes of its cells' texts and blobs.
    package mutating func take(_ sizes: [Int]) -> Room {
        let size = sizes.reduce(0) { $0 + $1 + Self.cellBytes }
        guard rows > 0, isEmpty || size <= bytes else { return .none }
        isEmpty = false
        rows -= 1
        guard size <= bytes else {
            bytes -= min(bytes, sizes.count * Self.cellBytes)
            rows = 0
            return .cut
        }
        bytes -= size
        return .whole
    }

    /// Takes the beginning of a cell of a row that is cut, on a character's boundary where it is text.
    package mutating func beginning(of bytes: UnsafeRawBufferPointer, isText: Bool) -> UnsafeRawBufferPointer {
        var count = min(bytes.count, self.bytes)
        if isText, count < bytes.count {
            while count > 0, bytes[count] & 0xC0 == 0x80 { count -= 1 }
        }
        self.bytes -= count
        return UnsafeRawBufferPointer(rebasing: bytes[..<count])
    }
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
    /// Whether a limit of rows or bytes cut the answer.
    public var isTruncated: Bool
    /// Whether the statement has read a stand-in, where the store can tell.
    package var isMasked = false

    /// An answer.
    public init(columns: [String], rows: [[Cell]], isTruncated: Bool) {
        self.columns = columns
        self.rows = rows
        self.isTruncated = isTruncated
    }
}
