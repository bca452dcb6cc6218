import CSQLite
import Synchronization

/// Records in a SQLite file: the store inside an app, and the collector's default.
///
/// The file is in WAL mode with `synchronous=FULL`: an append that returned survives a power cut. Appends of many tasks
/// share commits. Reading has connections of its own and waits for no writer. One process writes; others may read, and
/// a second writer waits for the first one's commit. Safe to share between threads.
public final class SQLiteStore: EventStore {
    /// What a store may do with its file.
    public enum Access: Sendable {
        /// Make the file where it is missing, append and read.
        case readWrite
        /// Read a file that exists; appending throws.
        case readOnly
    }

    private let path: String
    private let writer: SQLiteWriter?
    private let readers: ReaderPool
    private let consoles: ReaderPool

    /// Opens a store; blocks while it does.
    /// - Parameters:
    ///   - path: the database file; its folder must exist.
    ///   - access: what may be done. Default: everything.
    /// - Throws: ``StoreError`` with the code `unavailable` where the file cannot be opened, is a database of another
    ///   program, or was made by a newer Daybook.
    public init(path: String, access: Access = .readWrite) throws(StoreError) {
        self.path = path
        switch access {
        case .readWrite:
            let connection = try SQLiteConnection(path: path, access: .create)
            try SQLiteSchema.prepare(connection)
            try connection.execute(
                """
                PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA cache_size = -16000;
                PRAGMA wal_autocheckpoint = 4000; PRAGMA journal_size_limit = 67108864;
                """)
            writer = SQLiteWriter(connection)
        case .readOnly:
            try SQLiteSchema.check(SQLiteConnection(path: path, access: .readOnly))
            writer = nil
        }
        readers = ReaderPool(capacity: 3) { () throws(StoreError) in
            let connection = try SQLiteConnection(path: path, access: .readOnly)
            try connection.addContainsFunction()
            return connection
        }
        consoles = ReaderPool(capacity: 2) { () throws(StoreError) in try SQLiteConsole.open(path: path) }
    }

    @discardableResult
    public func append(_ batch: RecordBatch) async throws -> AppendResult {
        try Settlement.check(batch)
        return try await writing().append(batch)
    }

    public func page(_ query: RecordQuery) async throws -> [StoredRecord] {
        let page = RecordPage(query)
        return try await readers.read { connection throws(StoreError) in try page.read(connection) }
    }

    public func head() async throws -> Int64 {
        try await readers.read { connection throws(StoreError) in
            try connection.integer("SELECT max(id) FROM records") ?? 0
        }
    }

    public func tagSummaries() async throws -> [TagSummary] {
        try await readers.read { connection throws(StoreError) in
            let statement = try connection.statement(
                "SELECT tag, kind, count, first_time, last_time FROM tags ORDER BY tag, kind")
            defer { statement.reset() }
            var summaries: [TagSummary] = []
            while try statement.step() {
                summaries.append(
                    TagSummary(
                        tag: statement.text(0), kind: statement.text(1), count: statement.integer(2),
                        firstTime: statement.integer(3), lastTime: statement.integer(4)))
            }
            return summaries
        }
    }

    /// Runs one reading statement. Cancelling the task stops it.
    public func query(_ sql: String, limits: QueryLimits) async throws -> QueryResult {
        let cancellation = Cancellation()
        return try await withTaskCancellationHandler {
            try await consoles.read { connection throws(StoreError) in
                try SQLiteConsole.run(sql, limits: limits, on: connection) { cancellation.isCancelled }
            }
        } onCancel: {
            cancellation.cancel()
        }
    }

    /// Makes a view per event, or makes it anew where its columns changed; all of them or none.
    /// - Throws: ``StoreError``, `badStatement` for a name that cannot be a view's column.
    public func createEventViews(_ views: [EventView]) async throws {
        try await writing().perform { connection throws(StoreError) in
            try connection.transaction { () throws(StoreError) in
                for view in views { try SQLiteEventView.create(view, on: connection) }
            }
        }
    }

    private func writing() throws(StoreError) -> SQLiteWriter {
        guard let writer else {
            throw StoreError(.unavailable, "\(path) is open for reading only. Open it for writing to change it.")
        }
        return writer
    }
}

/// Tells a running statement that nobody waits for it any more.
private final class Cancellation: Sendable {
    private let flag = Atomic(false)
    var isCancelled: Bool { flag.load(ordering: .relaxed) }
    func cancel() { flag.store(true, ordering: .relaxed) }
}
