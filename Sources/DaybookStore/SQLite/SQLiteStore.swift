import CSQLite
import DaybookBase
import DaybookTools
import Foundation

/// Records in a SQLite file: the store inside an app, and the collector's default.
///
/// WAL mode with `synchronous=FULL`: an append that returned survives a power failure. Concurrent appends share
/// commits. Reads use their own connections and do not wait for writers. One process should write; others may read, and
/// a second writer waits for the first one's commit. Safe to share between threads.
public final class SQLiteStore: EventStore, KeyedStore, ColumnarStore {
    private let path: String
    package let ownKey: StoreKey
    private let reserve: SpaceReserve
    private let log: WriteAheadLog
    private let notices = StoreNotices()
    private let isClosed = Atomic(false)
    private let writer: CommitQueue<SQLiteConnection>?
    /// Only for a writer.
    private let watch: FileWatch?
    private let mover: LogMover?
    private let indexer: SearchIndexer?
    /// Reads are CPU-bound, so their threads yield to the writer.
    private let readers: ConnectionPool<IndexedReader>
    /// For folds, which may take long without an index, and then do not keep others waiting.
    private let folds: ConnectionPool<IndexedReader>
    /// They read columns for folds.
    private let columnReaders: WorkThreads
    /// Only for the head, which health checks and ingest read; never waits behind other reads.
    private let heads: ConnectionPool<SQLiteConnection>
    /// Slots for people's statements, each of which opens its own connection.
    private let consoles: ConnectionPool<Void>

    /// Opens a store; blocks meanwhile.
    ///
    /// ```swift
    /// let store = try SQLiteStore(path: folder.appendingPathComponent("inspector.sqlite").path)
    /// ```
    /// - Parameters:
    ///   - path: The database file; its folder must exist.
    ///   - access: Whether to write. Default: `readWrite`.
    ///   - reserve: Bytes that a file beside the store keeps free for ``erase(_:)`` on a full disk; 0 for no such file.
    ///     It is created only if as much again stays free. Default: 0, as for an app; `daybook` uses
    ///     ``defaultReserve``.
    /// - Throws: ``StoreError``, `unavailable`, if the file cannot be opened, is another program's database, or was
    ///   created by a newer Daybook.
    public convenience init(
        path: String, access: StoreAccess = .readWrite, reserve: Int = 0
    ) throws(StoreError) {
        try self.init(
            path: path, access: access, reserve: reserve, bounds: WriteAheadLog.Bounds(), names: NameBound())
    }

    init(
        path: String, access: StoreAccess, reserve: Int, bounds: WriteAheadLog.Bounds, names: NameBound
    ) throws(StoreError) {
        self.path = path
        let log = WriteAheadLog(ofStore: path, bounds: bounds)
        self.log = log
        self.reserve = SpaceReserve(ofStore: path, size: reserve)
        let identity: String
        switch access {
        case .readWrite:
            let connection = try self.reserve.opening { () throws(StoreError) in try Self.openWriter(path, bounds) }
            identity = try connection.identity()
            let indexer = try SearchIndexer(ofStore: path, identity: identity, self.reserve, notices)
            self.indexer = indexer
            self.reserve.fill()
            let watch = FileWatch(ofStore: path)
            self.watch = watch
            let mover = try LogMover(ofStore: path, log, watch)
            self.mover = mover
            connection.leaveLog(to: mover)
            let names = Mutex(names)
            log.mark(isEmptied: false)
            writer = CommitQueue(connection) { batches, connection throws(CommitFailure) in
                defer { indexer.wake() }
                do throws(StoreError) {
                    try watch.check()
                    try connection.checkLog()
                } catch {
                    throw CommitFailure(error)
                }
                let results = try names.withLock { (names) throws(CommitFailure) in
                    try SQLiteInsertion.commit(batches, into: connection, &names)
                }
                do throws(StoreError) {
                    // The commit may have gone into an unlinked file.
                    try watch.check()
                } catch {
                    throw CommitFailure(error)
                }
                return results
            }
            indexer.wake()
        case .readOnly:
            identity = try self.reserve.opening { () throws(StoreError) in
                let connection = try SQLiteConnection(path: path, access: .readOnly)
                try SQLiteSchema.check(connection)
                return try connection.identity()
            }
            writer = nil
            watch = nil
            mover = nil
            indexer = nil
        }
        ownKey = StoreKey(identity: identity)
        heads = ConnectionPool<SQLiteConnection>(capacity: 1) { () throws(StoreError) in
            try SQLiteConnection(path: path, access: .readOnly)
        }
        let open = { @Sendable [notices, indexer] () throws(StoreError) -> sending IndexedReader in
            let connection = try SQLiteConnection(path: path, access: .readOnly)
            try SQLiteFunctions.add(to: connection)
            return IndexedReader(connection, ofStore: path, identity: identity) { error, wasInUse in
                if error.isLocked { return }
                notices.tell("Searches read all records, for the index beside \(path) cannot be used: \(error.message)")
                indexer?.wake(doubt: wasInUse ? .isDamaged : .mayBeDamaged)
            }
        }
        readers = ConnectionPool<IndexedReader>(capacity: 3, niceness: WorkThreads.yieldingNiceness, open: open)
        let foldsAtOnce = 2
        folds = ConnectionPool<IndexedReader>(capacity: foldsAtOnce, niceness: WorkThreads.yieldingNiceness, open: open)
        columnReaders = WorkThreads("daybook.columns", count: foldsAtOnce, niceness: WorkThreads.yieldingNiceness)
        consoles = ConnectionPool<Void>(capacity: 2) {}
        guard writer != nil else { return }
        Task { [weak self, pause = log.bounds.pause] in
            while await self?.tendLogs() == true { try? await Task.sleep(for: pause) }
        }
    }

    deinit {
        indexer?.close()
        columnReaders.stop()
    }

    /// Runs one statement that people wrote on the calling thread, for a process with no other work.
    package static func answer(_ sql: String, limits: QueryLimits, path: String) throws(StoreError) -> QueryResult {
        try SQLiteConsole.run(sql, limits: limits, WriteAheadLog(ofStore: path), path: path)
    }

    /// Limits SQLite's memory in this process, for one that runs a single statement. Call it before opening a store.
    package static func limitMemory(to bytes: Int) {
        // The limit needs statistics, which some systems' SQLite is compiled without unless asked, Apple's among them.
        _ = daybook_sqlite_count_memory(1)
        sqlite3_hard_heap_limit64(Int64(bytes))
    }

    /// Disables SQLite's memory statistics in this process, and with them ``limitMemory(to:)``: their global lock makes
    /// commits contend with readers at each allocation. Call it before opening the first store.
    package static func countNoMemory() { _ = daybook_sqlite_count_memory(0) }

    /// The size of a collector's reserve: 24 MiB, in bytes.
    public static let defaultReserve = SpaceReserve.defaultSize

    private static func openWriter(
        _ path: String, _ bounds: WriteAheadLog.Bounds
    ) throws(StoreError) -> sending SQLiteConnection {
        try FileWatch.checkLog(ofStore: path)
        let connection = try SQLiteConnection(path: path, access: .create)
        try connection.syncThroughDriveCache()
        try SQLiteSchema.prepare(connection)
        try ExtentSeals.complete(connection)
        try connection.execute(
            """
            PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA cache_size = -16000;
            PRAGMA secure_delete = ON; PRAGMA journal_size_limit = \(bounds.fileBytes);
            """)
        return connection
    }

    /// Returns when the index covers all records except the last, incomplete extent. Reads do not depend on it.
    package func settleIndex() async { await indexer?.settle() }

    @discardableResult
    public func append(_ batch: RecordBatch) async throws(AppendError) -> AppendResult {
        try batch.checkSequences()
        guard let writer else { throw .failed(.readOnly(path)) }
        return try await writer.append(batch.named(by: key))
    }

    public func slice(_ query: RecordQuery) async throws -> RecordSlice {
        try await read { connection, isCancelled throws(StoreError) in
            try SliceReader(query).read(connection, isCancelled: isCancelled)
        }
    }

    public func slice(_ query: TimeQuery) async throws -> TimeSlice {
        try await read { connection, isCancelled throws(StoreError) in
            try TimeSliceReader.read(query, connection, isCancelled: isCancelled)
        }
    }

    public func head() async throws -> Int64 {
        try watch?.check()
        return try await heads.read { connection throws(StoreError) in try connection.head() }
    }

    public func timeBounds(within times: Range<Int64>?) async throws -> ClosedRange<Int64>? {
        try await read { connection, _ throws(StoreError) in
            try TimeReader.bounds(connection, within: times)
        }
    }

    public func histogram(_ query: HistogramQuery) async throws -> Histogram {
        try await read { [indexer] connection, isCancelled throws(StoreError) in
            let columns = ExtentColumns(connection, isCancelled: isCancelled) { indexer?.repair($0) }
            return try HistogramReader.read(query, connection, columns, isCancelled: isCancelled)
        }
    }

    public func facets(_ query: FacetQuery) async throws -> Facets {
        try await read { [indexer] connection, isCancelled throws(StoreError) in
            let columns = ExtentColumns(connection, isCancelled: isCancelled) { indexer?.repair($0) }
            return try FacetReader.read(query, connection, columns, isCancelled: isCancelled)
        }
    }

    package func fold<Answer: Sendable>(
        limit: Duration, progress: @escaping @Sendable (SearchProgress) -> Void,
        _ body: @escaping @Sendable (any ColumnSource) throws(StoreError) -> Answer
    ) async throws -> Answer {
        let threads = columnReaders
        return try await read(indexedBy: folds) { [ownKey, indexer] connection, isCancelled throws(StoreError) in
            try connection.reading { () throws(StoreError) in
                let columns = ExtentColumns(connection, limit: limit, isCancelled: isCancelled) { indexer?.repair($0) }
                return try body(
                    try ColumnReader(connection, ownKey.ofColumns, columns, on: threads, progress: progress))
            }
        }
    }

    public func sessions(_ query: SessionQuery) async throws -> [SessionSummary] {
        try await read { connection, isCancelled throws(StoreError) in
            try SessionReader.read(query, connection, isCancelled: isCancelled)
        }
    }

    public func tagSummaries(after position: TagPosition?) async throws -> TagPage {
        try await read { connection, _ throws(StoreError) in try TagReader.read(after: position, connection) }
    }

    public func ledger(_ query: LedgerQuery) async throws -> LedgerPage {
        try await read { connection, _ throws(StoreError) in try LedgerReader.read(query, connection) }
    }

    @discardableResult
    public func erase(_ filter: RecordFilter) async throws -> Int64 {
        try filter.checkForErasing()
        let writer = try writing()
        try watch?.check()
        do {
            let erased = try await erasePages(of: filter, pageSize: RecordErasure.batchSize) { [reserve] ids in
                try await writer.perform { connection throws(StoreError) in
                    try RecordErasure.erase(ids, on: connection, reserve)
                }
            }
            try watch?.check()
            indexer?.wake(afterErasing: true)
            if let installation = filter.onlyInstallation {
                try await writer.perform { [reserve] connection throws(StoreError) in
                    try RecordErasure.forget(installation: installation, on: connection, reserve)
                }
            }
            await emptyLogs()
            await fillReserve()
            return erased
        } catch {
            await fillReserve()
            throw error
        }
    }

    /// Restores the reserve after an erasure, if there is space.
    private func fillReserve() async {
        try? await writer?.perform { [reserve] _ throws(StoreError) in reserve.fill() }
    }

    /// Checkpoints and empties both logs, so that erased values are gone. If older snapshots prevent it, the erasure is
    /// noted in the store, and the process that has it open for writing retries.
    private func emptyLogs() async {
        guard let writer else { return }
        let end = ContinuousClock.now + log.bounds.erasing
        while await !emptyLogsOnce(writer), .now < end, !Task.isCancelled {
            try? await Task.sleep(for: .milliseconds(50))
        }
    }

    /// Whether the logs had nothing to remove, or are now empty.
    private func emptyLogsOnce(_ writer: CommitQueue<SQLiteConnection>) async -> Bool {
        // A concurrent erasure raises the number, and stays noted.
        guard let owed = try? await writer.perform({ connection throws(StoreError) in try Self.erasures(connection) })
        else { return false }
        if owed == 0 { return true }
        let isEmpty = await mover?.whileNobodyReads {
            guard await emptyLog(writer) else { return false }
            return await indexer?.emptyLog() ?? true
        }
        guard isEmpty == true else { return false }
        let done: Void? = try? await writer.perform { connection throws(StoreError) in
            try connection.execute("UPDATE erasures SET number = 0 WHERE number = \(owed)")
        }
        return done != nil
    }

    private static func erasures(_ connection: SQLiteConnection) throws(StoreError) -> Int64 {
        try connection.integer("SELECT number FROM erasures") ?? 0
    }

    /// Blocks queued commits meanwhile.
    private func emptyLog(
        _ writer: CommitQueue<SQLiteConnection>, patience: Int32 = 50, keepsFile: Bool = false
    ) async -> Bool {
        (try? await writer.perform { connection throws(StoreError) in
            try connection.emptyLog(patience: patience, keepsFile: keepsFile)
        }) == true
    }

    /// Tries once to empty the logs after erasures by any process, or beyond their bound. Returns whether to call it
    /// again.
    private func tendLogs() async -> Bool {
        guard let writer, !isClosed.load(ordering: .relaxed) else { return false }
        let owed = try? await writer.perform { connection throws(StoreError) in try Self.erasures(connection) }
        if owed != 0 {
            // Another process's erasure is not yet out of the index.
            indexer?.wake(afterErasing: true)
            _ = await emptyLogsOnce(writer)
        } else if let mover, mover.isTooLong {
            _ = await mover.whileNobodyReads { await emptyLog(writer, keepsFile: true) }
        }
        return true
    }

    public func erasureRemains() async -> String? {
        let owed = try? await read { connection, _ throws(StoreError) in try Self.erasures(connection) }
        guard let owed, owed != 0 else { return nil }
        return
            "Erased values are still in \(path)-wal or \(path)-index-wal, which cannot be emptied while another program "
            + "reads an older state of the store. A collector that has the store open tries again every \(log.bounds.pause) "
            + "until that ends; without one, the next command that opens the store for writing does, such as this one."
    }

    public func notices() async -> [String] { notices.take() }

    public func diskUse() async -> StoreDiskUse? {
        let index = IndexSchema.path(ofStore: path)
        let paths = [path, index].flatMap { [$0, $0 + "-wal", $0 + "-shm"] } + [SpaceReserve.path(ofStore: path)]
        guard let free = FileSize.free(at: path) else { return nil }
        var use = StoreDiskUse(files: Int64(paths.reduce(0) { $0 + (FileSize.bytes(of: $1) ?? 0) }), free: free)
        use.log = Int64(mover?.bytes ?? log.bytes)
        return use
    }

    public func size() async throws -> Int64? {
        let index = Int64(FileSize.bytes(of: IndexSchema.path(ofStore: path)) ?? 0)
        return try await read { connection, _ throws(StoreError) in
            let pages = try connection.integer(
                "SELECT page_count - freelist_count FROM pragma_page_count, pragma_freelist_count")
            return (pages ?? 0) * (try connection.integer("PRAGMA page_size") ?? 0) + index
        }
    }

    public func close() async {
        isClosed.store(true, ordering: .relaxed)
        guard let writer else { return }
        for _ in 0..<40 where await emptyLog(writer, patience: 250) {
            // The reader that held the log may have ended only now.
            if await emptyLogsOnce(writer) { _ = await emptyLog(writer, patience: 250) }
            break
        }
        await indexer?.closeFile()
    }

    public func query(_ sql: String, limits: QueryLimits) async throws -> QueryResult {
        try await read(from: consoles) { [path, log] _, isCancelled throws(StoreError) in
            try SQLiteConsole.run(sql, limits: limits, log, path: path, isCancelled: isCancelled)
        }
    }

    public var dialect: StoreDialect? { .sqlite }

    public func createViews(_ views: [StoreView]) async throws {
        try await writing().perform { [reserve] connection throws(StoreError) in
            let replace = { () throws(StoreError) in
                connection.runsStatementsOfPeople = true
                defer { connection.runsStatementsOfPeople = false }
                return try connection.transaction { () throws(StoreError) in
                    try SQLiteViews.replaceAll(with: views, on: connection)
                }
            }
            // A store that cannot start on a full disk cannot erase there either.
            try RecordErasure.withRoom(on: connection, reserve, replace, orInPieces: replace)
        }
    }

    public func check(resting: Int = 0, _ found: @escaping @Sendable (String) -> Void) async throws {
        let checks = ConnectionPool<StoreCheck>(capacity: 1) { [path] () throws(StoreError) in
            try StoreCheck(path: path, isWhole: resting == 0)
        }
        var hasMore = true
        while hasMore {
            try Task.checkCancellation()
            let start = ContinuousClock.now
            hasMore = try await checks.read { check throws(StoreError) in check.step(found) }
            if resting > 0 { try await Task.sleep(for: (ContinuousClock.now - start) * resting) }
        }
    }

    /// Copies a snapshot of the store to a new file, while appends continue.
    ///
    /// The copy is complete and compact. It is written under a temporary name beside `path`, and renamed when complete.
    /// - Parameter path: The new file; its folder must exist.
    /// - Throws: ``StoreError``; `unavailable` if the file already exists.
    public func backUp(to path: String) async throws {
        try await readers.read { reader throws(StoreError) in
            try reader.read { connection throws(StoreError) in try SQLiteBackup.write(connection, to: path) }
        }
    }

    /// Runs `body` on a reading connection; cancelling the task stops it.
    /// - Parameter pool: Default: the readers.
    private func read<Value: Sendable>(
        indexedBy pool: ConnectionPool<IndexedReader>? = nil,
        _ body: @escaping @Sendable (SQLiteConnection, @escaping () -> Bool) throws(StoreError) -> Value
    ) async throws -> Value {
        try await read(from: pool ?? readers) { [log] reader, isCancelled throws(StoreError) in
            log.waitWhileEmptied()
            return try reader.read { connection throws(StoreError) in
                var logGuard = LogGuard(log)
                connection.watch { logGuard.mustEnd() }
                defer { connection.watch(nil) }
                do throws(StoreError) {
                    return try body(connection, isCancelled)
                } catch {
                    throw logGuard.hasEnded ? logGuard.error : error
                }
            }
        }
    }

    private func read<Connection, Value: Sendable>(
        from pool: ConnectionPool<Connection>,
        _ body: @escaping @Sendable (Connection, @escaping () -> Bool) throws(StoreError) -> Value
    ) async throws -> Value {
        let cancellation = Cancellation()
        return try await withTaskCancellationHandler {
            try await pool.read { connection throws(StoreError) in
                try body(connection) { cancellation.isCancelled }
            }
        } onCancel: {
            cancellation.cancel()
        }
    }

    private func writing() throws(StoreError) -> CommitQueue<SQLiteConnection> {
        guard let writer else { throw .readOnly(path) }
        return writer
    }
}

/// Tells a running statement that its caller has given up.
private final class Cancellation: Sendable {
    private let flag = Atomic(false)
    var isCancelled: Bool { flag.load(ordering: .relaxed) }
    func cancel() { flag.store(true, ordering: .relaxed) }
}
