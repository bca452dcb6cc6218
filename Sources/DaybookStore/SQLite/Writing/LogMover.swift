import CSQLite
import DaybookBase
import DaybookTools

/// Decides when the pages of the write-ahead log are moved into the file (pure).
///
/// Moving needs two syncs, and commits would wait for them. So it happens beside them, a few thousand pages at a time; what
/// has come meanwhile is little, and moved with the next commit, so that the log can begin anew. Where a reader holds an
/// older state there is no such end, and the log grows until it is emptied.
struct LogMoving {
    enum Action: Equatable { case nothing, moveBeside, moveRest }

    /// Pages that have come since the last time: 8 MiB.
    static let pageCount = 2_000

    private var moved = 0
    private var isUnderWay = false
    private var isNearlyDone = false

    /// What a commit gives rise to.
    /// - Parameter pages: the log has now.
    mutating func noteCommit(pages: Int) -> Action {
        if pages < moved { moved = 0 }
        if isUnderWay { return .nothing }
        if isNearlyDone {
            isNearlyDone = false
            moved = pages
            return .moveRest
        }
        guard pages - moved >= Self.pageCount else { return .nothing }
        isUnderWay = true
        return .moveBeside
    }

    /// - Parameter result: pages in the log, and of these in the file; `nil` where moving failed, which is tried again.
    mutating func noteMove(_ result: (pages: Int, moved: Int)?) {
        isUnderWay = false
        guard let result else { return }
        moved = result.pages
        isNearlyDone = result.moved == result.pages
    }
}

/// Moves the write-ahead log into the file beside its writer, on a thread and a connection of its own.
final class LogMover: Sendable {
    private let threads = WorkThreads("daybook.log", count: 1)
    private let moving = Mutex(LogMoving())
    private let connection: Mutex<SQLiteConnection>
    let watch: FileWatch
    private let log: WriteAheadLog
    /// Bytes that the log has at least: those of what we committed last.
    private let length = Atomic(0)
    private let frame: Int
    /// What was moved when somebody's reading last kept the rest from being.
    private let held = Mutex<Int?>(nil)

    /// Opens the files that the writer has open now: what later has their names is another's.
    /// - Throws: ``StoreError``.
    init(ofStore path: String, _ log: WriteAheadLog, _ watch: FileWatch) throws(StoreError) {
        let connection = try SQLiteConnection(path: path, access: .readWrite)
        connection.leave()
        // The log is opened with the first question to the file.
        _ = try connection.head()
        frame = Int(try connection.integer("PRAGMA page_size") ?? 0) + 24
        self.connection = Mutex(connection)
        (self.log, self.watch) = (log, watch)
    }

    deinit { threads.stop() }

    /// - Returns: whether the rest is to be moved now.
    func noteCommit(pages: Int) -> Bool {
        length.store(bytes(of: pages), ordering: .relaxed)
        let action = moving.withLock { $0.noteCommit(pages: pages) }
        if action == .moveBeside { threads.add { [self] in moveNow() } }
        return action == .moveRest && watch.isIntact
    }

    /// What is in use of the log: its file may be longer.
    var bytes: Int { length.load(ordering: .relaxed) }
    var isTooLong: Bool { bytes > log.bounds.bytes }

    /// The log is empty, and may be short.
    func noteEmptied() { length.store(0, ordering: .relaxed) }

    /// Before a commit: a log that another program has cut takes commits like any other, and at the next start all of them are
    /// gone with what was cut off. Another process of ours may have emptied it or begun it anew, and says so in its index.
    /// - Throws: ``StoreError``, `storage`.
    func checkLength(on connection: SQLiteConnection) throws(StoreError) {
        guard log.bytes < bytes else { return }
        do throws(StoreError) {
            let pages = try withoutMoving { () throws(StoreError) in try connection.moveLog().pages }
            if log.bytes >= bytes(of: pages) { return noteEmptied() }
        } catch {
            // What else fails will fail the commit too, or its next check tells.
            guard error.code == .storage, !error.isLocked else { return }
        }
        throw StoreError(
            .storage,
            "\(watch.path)-wal was cut while it was open: records that were only in it are gone. Nothing more is stored until "
                + "the collector is restarted, which goes on with what is left; then compare with a backup.")
    }

    /// The log's header, and each page with its own.
    private func bytes(of pages: Int) -> Int { pages > 0 ? 32 + pages * frame : 0 }

    /// Runs something that cannot be done while the log is moved.
    func withoutMoving<Result>(_ body: () throws(StoreError) -> Result) throws(StoreError) -> Result {
        try connection.withLock { (_) throws(StoreError) in try body() }
    }

    /// Moves what no reader of an older state keeps from it.
    /// - Returns: pages in the log, and how many of them are in the file; `nil` where moving failed.
    func move() async -> (pages: Int, moved: Int)? {
        await withCheckedContinuation { done in threads.add { [self] in done.resume(returning: moveNow()) } }
    }

    /// Does something once nobody reads an older state of the store: readers of ours that have kept one for long end, and none
    /// begins until it is done. Commits go on.
    /// - Parameter body: whether it was done; otherwise it is tried again for a while.
    func whileNobodyReads(_ body: () async -> Bool) async -> Bool {
        // A reader who did not end is another program's: while it stays, nobody is to wait.
        if let (pages, moved) = await move(), moved < pages, moved == held.withLock({ $0 }) { return false }
        log.mark(isEmptied: true)
        defer { log.mark(isEmptied: false) }
        let end = ContinuousClock.now + log.bounds.emptying
        var moved: Int?
        repeat {
            let result = await move()
            if let result, result.moved == result.pages, await body() { return true }
            moved = result?.moved ?? moved
            // Nobody tells when a reader ends, who may be another process.
            try? await Task.sleep(for: .milliseconds(20))
        } while .now < end && !Task.isCancelled
        held.withLock { $0 = moved }
        return false
    }

    @discardableResult
    private func moveNow() -> (pages: Int, moved: Int)? {
        let result = connection.withLock { connection in
            watch.isIntact ? try? connection.moveLog() : nil
        }
        moving.withLock { $0.noteMove(result) }
        return result
    }
}
