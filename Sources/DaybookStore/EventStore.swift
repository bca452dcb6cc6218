import DaybookBase
import DaybookTools

/// Stores records: SQLite in an app or a collector, or a database server when one machine is too small.
///
/// All stores behave the same; one conformance suite tests each. Implementations are safe to share between threads and
/// keep blocking calls off Swift's cooperative threads. Methods that may read many records (both versions of
/// ``slice(_:)``, ``histogram(_:)``, ``facets(_:)``) return what they found within their budget, and where to continue.
public protocol EventStore: RecordAccess {
    /// A page of records by ``RecordRow/time``, or the part of it found within ``TimeQuery/budget``.
    /// - Throws: ``StoreError``.
    func slice(_ query: TimeQuery) async throws -> TimeSlice

    /// The earliest and latest ``RecordRow/time``; `nil` without records.
    /// - Parameter times: Only records within these times, such as the plausible ones; `nil` for all.
    /// - Throws: ``StoreError``.
    func timeBounds(within times: Range<Int64>?) async throws -> ClosedRange<Int64>?

    /// Counts matching records by time.
    /// - Throws: ``StoreError``.
    func histogram(_ query: HistogramQuery) async throws -> Histogram

    /// Counts matching records by the values of some columns.
    /// - Throws: ``StoreError``.
    func facets(_ query: FacetQuery) async throws -> Facets

    /// Sessions, the one with the latest record first.
    /// - Throws: ``StoreError``.
    func sessions(_ query: SessionQuery) async throws -> [SessionSummary]

    /// For each tag, kind and version: the number of stored records of kind event, error or message, and when the first
    /// and last were seen. Erased records are not counted, but stay listed with their tag and version. One page,
    /// ordered by tag, kind and version.
    /// - Throws: ``StoreError``.
    func tagSummaries(after position: TagPosition?) async throws -> TagPage

    /// What each stream has settled, received twice and lost: a page, ordered by stream.
    /// - Throws: ``StoreError``.
    func ledger(_ query: LedgerQuery) async throws -> LedgerPage

    /// The SQL dialect of `query` and the views; `nil` for a store without SQL.
    var dialect: StoreDialect? { get }

    /// Creates these views over the records, and recreates those whose text has changed; drops other views created
    /// here. All or nothing. A store without SQL ignores the call.
    /// - Throws: ``StoreError``, `badStatement` if the store rejects a statement.
    func createViews(_ views: [StoreView]) async throws

    /// The `policy` of the view `StoreView.masking`; `nil` without such a view. Default: reads it with
    /// `query`.
    /// - Throws: ``StoreError``.
    func maskingText() async throws -> String?

    /// The disk space that the store uses; `nil` if its files do not belong to this process.
    func diskUse() async -> StoreDiskUse?

    /// Reads the whole store and verifies checksums, if the store keeps its own.
    /// - Parameters:
    ///   - resting: Rest per unit of work, to leave room for others; 0 for none.
    ///   - found: Receives each damage as a sentence.
    /// - Throws: ``StoreError`` if the store cannot be read, or `CancellationError`.
    func check(resting: Int, _ found: @escaping @Sendable (String) -> Void) async throws

    /// Messages for the operator since the last call, each reported once. Default: none.
    func notices() async -> [String]

    /// The content's size in bytes, also on a database server. Excludes reusable space if the store can tell; `nil` if
    /// unknown.
    /// - Throws: ``StoreError``.
    func size() async throws -> Int64?
}

extension EventStore {
    public func diskUse() async -> StoreDiskUse? { nil }

    public func notices() async -> [String] { [] }

    /// Database servers have their own checksums.
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

    /// The newest record with a uid; `nil` without one.
    /// - Throws: ``StoreError``.
    public func record(uid: String) async throws -> StoredRecord? {
        var query = RecordQuery()
        query.narrow(by: .field(.uid, uid))
        query.limit = 1
        return try await page(query).first
    }

    /// The records that arrived before and after a record: on each side up to `count`, and up to
    /// ``AnswerBounds/bytes``, oldest first, without the record itself.
    /// - Parameter filter: Only records that match. Default: all.
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
            // The view does not exist. Any other error is thrown: the policy is unknown.
            return nil
        }
    }
}

/// Runs people's SQL statements, in the store's process or a separate one.
///
/// Safe to share between threads.
public protocol StatementRunner: Sendable {
    /// Runs one read-only statement; statements that would write are refused. Cancelling the task stops it.
    /// - Throws: ``StoreError``; `unavailable` from a store without SQL, `limit` if the statement exceeded one of
    ///   `limits`.
    func query(_ sql: String, limits: QueryLimits) async throws -> QueryResult
}

public enum StoreAccess: Sendable {
    /// Creates the store if it is missing; allows appending and reading.
    case readWrite
    /// Opens an existing store; appending throws.
    case readOnly
}

/// The disk space that a store uses, in bytes.
public struct StoreDiskUse: Sendable, Hashable {
    /// The total size of its files, including log, index and reserve.
    public var files: Int64
    /// The free space on its disk.
    public var free: Int64
    /// Bytes in use of the write-ahead log, which `files` includes.
    public var log: Int64 = 0

    public init(files: Int64, free: Int64) {
        self.files = files
        self.free = free
    }
}

public struct StoreError: Error, Sendable, Hashable, CustomStringConvertible {
    public enum Code: String, Sendable {
        /// The statement is invalid, or would write.
        case badStatement
        /// A limit of time or size was exceeded.
        case limit
        /// The store cannot be opened, or has another schema version.
        case unavailable
        /// The disk is full, or reading or writing failed.
        case storage
        /// The clock may be wrong.
        case clock
    }

    public var code: Code
    /// What happened, where, and what to do: one line, safe to show.
    public var message: String
    package var isFullDisk = false
    /// Whether another program held the lock; a retry may succeed.
    package var isLocked = false

    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    public var description: String { message }
}

extension StoreError {
    package static func refused(_ reason: String) -> StoreError {
        StoreError(
            .badStatement, "Only reading is allowed here, so the statement was refused (\(reason)). Write a SELECT.")
    }

    package static func refused(function name: String) -> StoreError {
        refused("the function \(name) writes, signals, locks or reaches outside")
    }

    package func suggesting(_ names: [String], for name: some StringProtocol) -> StoreError {
        let near = NearestName.several(name, among: names)
        guard !near.isEmpty else { return self }
        var error = self
        error.message += "\(message.hasSuffix(".") ? "" : ".") Did you mean \(near.joined(separator: ", "))?"
        return error
    }

    package static func stopped(after time: Duration) -> StoreError {
        StoreError(
            .limit, "The query was stopped after \(time). Narrow it by id, time, tag or session, or add LIMIT.")
    }

    package static func stopped(atMemory bytes: Int) -> StoreError {
        StoreError(
            .limit,
            "The query was stopped because it took more than \(bytes >> 20) MiB of memory. Narrow it, or select and group "
                + "less at once.")
    }

    package static let queryCancelled = StoreError(.limit, "The query was cancelled.")
    package static let searchCancelled = StoreError(.limit, "The search was cancelled.")

    /// - Parameter store: Its name, at the start of a sentence.
    package static func readOnly(_ store: String = "The store") -> StoreError {
        StoreError(.unavailable, "\(store) is open for reading only. Open it for writing to change it.")
    }
}

/// A view over a store's records, as its CREATE statement.
public struct StoreView: Sendable, Hashable {
    /// The name of the view with the masking policy.
    package static let masking = "daybook_masking"

    /// The name, without quotation marks.
    public var name: String
    /// `CREATE VIEW …` in the store's dialect, without a semicolon. The view is recreated when this text changes.
    public var statement: String
    /// Statements to run after it, such as comments.
    public var following: [String]

    public init(name: String, statement: String, following: [String] = []) {
        self.name = name
        self.statement = statement
        self.following = following
    }
}

/// The SQL dialect of a store.
public enum StoreDialect: String, Sendable, Hashable, CaseIterable {
    case sqlite, postgresql, clickhouse
}

/// The limits of one read-only statement.
public struct QueryLimits: Sendable, Hashable {
    /// Most rows. Default 1,000.
    public var rows = 1_000
    /// Longest run time. Default 1 s.
    public var time: Duration = .seconds(1)

    /// Approximate bytes of the answer. A larger one is cut after the last row that fits; a first row that does not fit
    /// is cut within its cells. Default 16 MiB.
    public var bytes = 16 << 20
    /// SQLite only: the largest text, blob or record, in bytes. Default 1 MiB: a call such as `instr(a, b)` costs
    /// length times length and cannot be interrupted.
    package var valueBytes = 1 << 20
    /// Shows the statement stand-ins for private values and credentials. Default `nil`: stored values.
    package var masking: MaskingPolicy?

    /// Creates the default limits: 1,000 rows, 1 s, 16 MiB.
    public init() {}
}

/// The room left in an answer, row by row (pure).
package struct AnswerBudget {
    package enum Room: Equatable {
        case whole
        /// The first row is too large: its cells are cut, and nothing follows.
        case cut
        case none
    }

    private static let cellBytes = 16
    private var rows: Int
    package private(set) var bytes: Int
    private var isEmpty = true

    package init(_ limits: QueryLimits) {
        rows = max(limits.rows, 0)
        bytes = limits.bytes
    }

    /// Reserves room for a row.
    /// - Parameter sizes: Bytes of its cells' texts and blobs.
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

    /// The start of a cell in a cut row; a text is cut between characters.
    package mutating func beginning(of bytes: UnsafeRawBufferPointer, isText: Bool) -> UnsafeRawBufferPointer {
        var count = min(bytes.count, self.bytes)
        if isText, count < bytes.count {
            while count > 0, bytes[count] & 0xC0 == 0x80 { count -= 1 }
        }
        self.bytes -= count
        return UnsafeRawBufferPointer(rebasing: bytes[..<count])
    }
}

public struct QueryResult: Sendable, Hashable {
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
    /// Whether the statement read a stand-in, if the store can tell.
    package var isMasked = false

    public init(columns: [String], rows: [[Cell]], isTruncated: Bool) {
        self.columns = columns
        self.rows = rows
        self.isTruncated = isTruncated
    }
}
