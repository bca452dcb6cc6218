import CSQLite
import DaybookBase
import DaybookTools

/// Decides when to checkpoint the write-ahead log (pure).
///
/// A checkpoint syncs twice, so it runs beside commits, a few thousand pages at a time; the pages added meanwhile are
/// moved with the next commit, so that the log can restart. An older snapshot prevents that, and the log grows until it
/// is emptied.
struct CheckpointPlan {
    enum Action: Equatable { case nothing, moveBeside, moveRest }

    /// Pages since the last checkpoint: 8 MiB.
    static let pageCount = 2_000

    private var moved = 0
    private var isUnderWay = false
    private var isNearlyDone = false

    /// Returns what to do after a commit.
    /// - Parameter pages: The log's length.
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

    /// - Parameter result: Pages in the log, and those in the database file; `nil` if the checkpoint failed.
    mutating func noteMove(_ result: (pages: Int, moved: Int)?) {
        isUnderWay = false
        guard let result else { return }
        moved = result.pages
        isNearlyDone = result.moved == result.pages
    }
}

/// Checkpoints the write-ahead log beside its writer, on its own thread and connection.
final class LogMover: Sendable {
    private let threads = WorkThreads("daybook.log", count: 1)
    private let plan = Mutex(CheckpointPlan())
    private let connection: Mutex<SQLiteConnection>
    let watch: FileWatch
    private let log: WriteAheadLog
    /// The log's least length in bytes: up to our last commit.
    private let length = Atomic(0)
    private let frame: Int
    /// Pages moved when a reader last prevented the rest.
    private let held = Mutex<Int?>(nil)

    /// Opens the writer's files now, because their names may later be other files'.
    init(ofStore path: String, _ log: WriteAheadLog, _ watch: FileWatch) throws(StoreError) {
        let connection = try SQLiteConnection(path: path, access: .readWrite)
        connection.leave()
        try connection.syncThroughDriveCache()
        // The first query opens the log.
        _ = try connection.head()
        frame = Int(try connection.integer("PRAGMA page_size") ?? 0) + 24
        self.connection = Mutex(connection)
        (self.log, self.watch) = (log, watch)
    }

    deinit { threads.stop() }

    /// - Returns: Whether to checkpoint the rest now.
    func noteCommit(pages: Int) -> Bool {
        length.store(bytes(of: pages), ordering: .relaxed)
        let action = plan.withLock { $0.noteCommit(pages: pages) }
        if action == .moveBeside { threads.add { [self] in moveNow() } }
        return action == .moveRest && watch.isIntact
    }

    /// Bytes of the log in use; its file may be longer.
    var bytes: Int { length.load(ordering: .relaxed) }
    var isTooLong: Bool { bytes > log.bounds.bytes }

    /// Notes that the log is empty, so its file may be short.
    func noteEmptied() { length.store(0, ordering: .relaxed) }

    /// Detects, before a commit, that another program truncated the log: SQLite would go on, and lose all commits at
    /// the next start. If another Daybook process emptied or restarted it, the shared index says so.
    /// - Throws: ``StoreError``, `storage`.
    func checkLength(on connection: SQLiteConnection) throws(StoreError) {
        guard log.bytes < bytes else { return }
        do throws(StoreError) {
            let pages = try withoutMoving { () throws(StoreError) in try connection.moveLog().pages }
            if log.bytes >= bytes(of: pages) { return noteEmptied() }
        } catch {
            // Other failures also fail the commit, or are reported by its next check.
            guard error.code == .storage, !error.isLocked else { return }
        }
        throw StoreError(
            .storage,
            "\(watch.path)-wal was cut while it was open: records that were only in it are gone. Nothing more is stored until "
                + "the collector is restarted, which goes on with what is left; then compare with a backup.")
    }

    /// The log's header, and each page with its frame header.
    private func bytes(of pages: Int) -> Int { pages > 0 ? 32 + pages * frame : 0 }

    /// Runs `body` while no checkpoint runs.
    func withoutMoving<Result>(_ body: () throws(StoreError) -> Result) throws(StoreError) -> Result {
        try connection.withLock { (_) throws(StoreError) in try body() }
    }

    /// Checkpoints as far as readers allow.
    /// - Returns: Pages in the log, and those in the database file; `nil` if it failed.
    func move() async -> (pages: Int, moved: Int)? {
        await withCheckedContinuation { done in threads.add { [self] in done.resume(returning: moveNow()) } }
    }

    /// Runs `body` once no reader holds an older snapshot: long-running readers stop, and new ones wait. Commits
    /// continue.
    /// - Parameter body: Returns whether it succeeded; otherwise it is retried for a while.
    func whileNobodyReads(_ body: () async -> Bool) async -> Bool {
        // A reader that did not stop last time is another program's; do not make others wait again.
        if let (pages, moved) = await move(), moved < pages, moved == held.withLock({ $0 }) { return false }
        log.mark(isEmptied: true)
        defer { log.mark(isEmptied: false) }
        let end = ContinuousClock.now + log.bounds.emptying
        var moved: Int?
        repeat {
            let result = await move()
            if let result, result.moved == result.pages, await body() { return true }
            moved = result?.moved ?? moved
            // Poll, because the reader may be in another process.
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
        plan.withLock { $0.noteMove(result) }
        return result
    }
}
