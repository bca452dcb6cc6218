import CSQLite
import CStoreFile
import Foundation

/// An open SQLite database. Apart from SQL functions and memory limits, only this type and ``SQLiteStatement`` call the
/// C library.
///
/// Opened without SQLite's mutex: a connection and its statements belong to one thread at a time, which the owner
/// ensures (the writer's serial queue, or the pool's exclusive readers).
final class SQLiteConnection {
    enum Access { case create, readWrite, readOnly }

    /// The VFS of writing connections, which zeroes moved or deleted content in pages. If it cannot be registered,
    /// opening fails.
    private static let files: String = {
        _ = daybook_store_file_register()
        return DAYBOOK_STORE_FILE
    }()

    /// Busy timeout in milliseconds.
    private static let patience: Int32 = 5_000

    let path: String
    let handle: OpaquePointer
    private(set) var hasIndex = false
    /// Whether people wrote the statements: an error in one is then theirs.
    var runsStatementsOfPeople = false
    var knownTimes = KnownTimes()
    private var statements: [String: SQLiteStatement] = [:]
    /// The targets of unowned pointers that SQLite holds, from ``authorize(_:)``, ``watch(_:)`` and ``leaveLog(to:)``.
    private var authorizer: Authorizer?
    private var watch: Watch?
    private var logMover: LogMover?

    /// Opens a file.
    /// - Throws: ``StoreError``, `unavailable`.
    init(path: String, access: Access) throws(StoreError) {
        var flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
        var creation: Int32 = 0
        switch access {
        case .create:
            flags |= SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
            creation = Self.makePrivate(path)
        case .readWrite: flags |= SQLITE_OPEN_READWRITE
        case .readOnly: flags |= SQLITE_OPEN_READONLY
        }
        var opened: OpaquePointer?
        let code = sqlite3_open_v2(path, &opened, flags, access == .readOnly ? nil : Self.files)
        guard code == SQLITE_OK, let opened else {
            // If SQLite may not create a file, it tries to open one, and reports that it is missing.
            let system = creation == 0 ? sqlite3_system_errno(opened) : creation
            let reason = system == 0 ? String(cString: sqlite3_errstr(code)) : String(cString: strerror(system))
            sqlite3_close_v2(opened)
            throw StoreError(.unavailable, Self.cannotOpen(path, access, system, reason))
        }
        self.path = path
        handle = opened
        sqlite3_busy_timeout(opened, Self.patience)
    }

    /// Why opening failed, and what to do.
    /// - Parameter system: The `errno`; 0 if unknown.
    private static func cannotOpen(_ path: String, _ access: Access, _ system: Int32, _ reason: String) -> String {
        if system == ENOENT, access != .create {
            return "There is no store \(path). Check its path and the current folder; `daybook serve` creates one."
        }
        let advice =
            switch system {
            case ENOENT: "Make its folder first."
            case EISDIR: "Name a file in it."
            case EACCES, EPERM, EROFS: "Check the owner and the mode of the file and its folder."
            default: "Check that its folder exists and is yours."
            }
        return "The database \(path) cannot be opened: \(reason). \(advice)"
    }

    /// Creates a missing file readable by its owner only; SQLite would make it readable by all, and copies the mode to
    /// the files beside it. Does not open an existing file: closing it would release the process's POSIX locks.
    /// - Returns: The `errno`; 0 if the file exists.
    private static func makePrivate(_ path: String) -> Int32 {
        guard path != ":memory:" else { return 0 }
        let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return errno == EEXIST ? 0 : errno }
        close(descriptor)
        return 0
    }

    deinit {
        statements.removeAll()
        if logMover?.watch.isIntact == false { leave() }
        sqlite3_close_v2(handle)
    }

    /// Makes commits and checkpoints survive a power failure on Darwin too, whose `fsync` ends in the drive's cache.
    func syncThroughDriveCache() throws(StoreError) {
        try execute("PRAGMA fullfsync = ON; PRAGMA checkpoint_fullfsync = ON")
    }

    func execute(_ sql: String) throws(StoreError) {
        let code = sqlite3_exec(handle, sql, nil, nil, nil)
        if code != SQLITE_OK { throw error(code) }
    }

    /// A cached prepared statement, reset, with its parameters.
    func statement(_ sql: String, _ values: [SQLValue?] = []) throws(StoreError) -> SQLiteStatement {
        if let known = statements[sql] {
            known.reset()
            known.bind(values)
            return known
        }
        // Bounds the cache; callers with arbitrary texts, such as the console, prepare their own.
        if statements.count >= 128 { statements.removeAll() }
        let statement = try SQLiteStatement(sql, on: self, isKept: true)
        statements[sql] = statement
        statement.bind(values)
        return statement
    }

    /// Runs `body` in a writing transaction, rolled back if it throws.
    /// - Throws: ``StoreError``; after a failed COMMIT nothing is stored.
    func transaction<Result>(_ body: () throws(StoreError) -> Result) throws(StoreError) -> Result {
        try begin()
        do throws(StoreError) {
            let result = try body()
            try commit()
            return result
        } catch {
            rollBack()
            throw error
        }
    }

    /// Begins a writing transaction that ends with ``commit()`` or ``rollBack()``.
    func begin() throws(StoreError) { try run("BEGIN IMMEDIATE") }

    /// - Throws: ``StoreError``; then roll back.
    func commit() throws(StoreError) { try run("COMMIT") }

    /// Rolls back, unless SQLite has already done so after an error.
    func rollBack() {
        if sqlite3_get_autocommit(handle) == 0 { try? run("ROLLBACK") }
    }

    /// Runs `body` on one snapshot of the database.
    func reading<Result>(_ body: () throws(StoreError) -> Result) throws(StoreError) -> Result {
        try run("BEGIN")
        defer { try? run("COMMIT") }
        return try body()
    }

    /// Checkpoints and empties the write-ahead log, if readers let it within the timeout.
    /// - Parameters:
    ///   - patience: In milliseconds.
    ///   - keepsFile: The next commit overwrites the file, whose truncation takes 50 ms for 200 MB. Erased values may
    ///     remain in it.
    /// - Returns: Whether the log is empty, or will restart.
    func emptyLog(patience: Int32 = 250, keepsFile: Bool = false) throws(StoreError) -> Bool {
        guard let logMover else { return try emptyLogNow(patience, keepsFile) }
        return try logMover.withoutMoving { () throws(StoreError) in
            try logMover.watch.check()
            let isEmpty = try emptyLogNow(patience, keepsFile)
            if isEmpty { logMover.noteEmptied() }
            return isEmpty
        }
    }

    private func emptyLogNow(_ patience: Int32, _ keepsFile: Bool) throws(StoreError) -> Bool {
        sqlite3_busy_timeout(handle, patience)
        defer { sqlite3_busy_timeout(handle, Self.patience) }
        return try integer("PRAGMA wal_checkpoint(\(keepsFile ? "RESTART" : "TRUNCATE"))") == 0
    }

    /// Checkpoints as much of the write-ahead log as readers allow, without waiting.
    /// - Returns: Pages in the log, and how many of them are in the database file.
    /// - Throws: ``StoreError``; also if another connection is checkpointing.
    func moveLog() throws(StoreError) -> (pages: Int, moved: Int) {
        var pages: Int32 = 0
        var moved: Int32 = 0
        let code = sqlite3_wal_checkpoint_v2(handle, "main", SQLITE_CHECKPOINT_PASSIVE, &pages, &moved)
        if code != SQLITE_OK { throw error(code) }
        // SQLite returns -1 until the connection's first query opens the log.
        guard pages >= 0 else { throw StoreError(.storage, "The log of \(path) is not open.") }
        return (Int(pages), Int(moved))
    }

    /// Replaces SQLite's automatic checkpoints by `mover`'s on another thread; only a small rest is checkpointed
    /// after a commit.
    func leaveLog(to mover: LogMover) {
        logMover = mover
        // Unretained is sound: `self` keeps the object for as long as the handle is open.
        sqlite3_wal_hook(
            handle,
            { context, handle, name, pages in
                guard let context else { return SQLITE_OK }
                let mover = Unmanaged<LogMover>.fromOpaque(context).takeUnretainedValue()
                // The commit is done; a failed checkpoint is retried later.
                if mover.noteCommit(pages: Int(pages)) {
                    sqlite3_wal_checkpoint_v2(handle, name, SQLITE_CHECKPOINT_PASSIVE, nil, nil)
                }
                return SQLITE_OK
            }, Unmanaged.passUnretained(mover).toOpaque())
    }

    /// Runs before a commit; see ``LogMover``.
    func checkLog() throws(StoreError) { try logMover?.checkLength(on: self) }

    func attachIndex(_ path: String) throws(StoreError) {
        try run("ATTACH ? AS idx", [.text(path)])
        hasIndex = true
    }

    func detachIndex() {
        hasIndex = false
        // A failed statement holds the index until it is finalized.
        statements.removeAll()
        try? execute("DETACH idx")
    }

    /// Prevents closing from checkpointing the log and unlinking its path, which may be another file's by now.
    func leave() { try? setSwitch(SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true) }

    /// Runs a statement for what it changes.
    func run(_ sql: String, _ values: [SQLValue?] = []) throws(StoreError) {
        let statement = try statement(sql, values)
        defer { statement.reset() }
        while try statement.step() {}
    }

    /// Runs a statement that must change one row; see ``SQLiteStatement/change()``.
    func change(_ sql: String, _ values: [SQLValue?]) throws(StoreError) {
        let statement = try statement(sql, values)
        defer { statement.reset() }
        try statement.change()
    }

    /// The store's name and secret.
    func identity() throws(StoreError) -> String {
        let statement = try statement("SELECT store FROM identity")
        defer { statement.reset() }
        return try statement.step() ? statement.text(0) : ""
    }

    /// The first column of the first row; `nil` without a row or for NULL.
    func integer(_ sql: String) throws(StoreError) -> Int64? {
        let statement = try statement(sql)
        defer { statement.reset() }
        guard try statement.step(), !statement.isNull(0) else { return nil }
        return statement.integer(0)
    }

    /// The largest arrival number of a record, 0 without records.
    /// - Throws: ``StoreError``, also for an impossible number.
    func head() throws(StoreError) -> Int64 {
        try StoredNumber.arrival(
            try integer("SELECT max(id) FROM stored_records") ?? 0, at: "The largest records.id", of: path)
    }

    /// The last arrival number given: the store's counter, or its largest record if that is larger.
    /// - Throws: ``StoreError``, also for an impossible number.
    func lastArrival() throws(StoreError) -> Int64 {
        let noted = try integer("SELECT last FROM arrivals") ?? 0
        return max(try StoredNumber.arrival(noted, at: "arrivals.last", of: path), try head())
    }

    /// The smallest arrival number of a record at or above `number`; `nil` without one.
    func firstArrival(from number: Int64) throws(StoreError) -> Int64? {
        try edge("SELECT min(id) FROM stored_records WHERE id >= ?", number)
    }

    /// The largest arrival number of a record below `number`; `nil` without one.
    func lastArrival(before number: Int64) throws(StoreError) -> Int64? {
        try edge("SELECT max(id) FROM stored_records WHERE id < ?", number)
    }

    private func edge(_ sql: String, _ number: Int64) throws(StoreError) -> Int64? {
        let statement = try statement(sql, [.integer(number)])
        defer { statement.reset() }
        return try statement.step() ? statement.optionalInteger(0) : nil
    }

    func setSwitch(_ option: Int32, _ isOn: Bool) throws(StoreError) {
        let code = daybook_sqlite_switch(handle, option, isOn ? 1 : 0)
        if code != SQLITE_OK { throw error(code) }
    }

    func setLimit(_ limit: Int32, _ value: Int32) { sqlite3_limit(handle, limit, value) }

    /// Installs an authorizer: it gets SQLite's action code and four texts, the third being the schema name, the last
    /// the name of the innermost view, or `WITH` table, whose text asks.
    func authorize(
        _ allows:
            @escaping (
                _ action: Int32, _ first: String?, _ second: String?, _ database: String?, _ view: String?
            ) -> Bool
    ) {
        let authorizer = Authorizer(allows)
        self.authorizer = authorizer
        // Unretained is sound: `self` keeps the object for as long as the handle is open.
        sqlite3_set_authorizer(
            handle,
            { context, action, first, second, database, view in
                guard let context else { return SQLITE_DENY }
                let authorizer = Unmanaged<Authorizer>.fromOpaque(context).takeUnretainedValue()
                let isAllowed = authorizer.allows(
                    action, first.map { String(cString: $0) }, second.map { String(cString: $0) },
                    database.map { String(cString: $0) }, view.map { String(cString: $0) })
                return isAllowed ? SQLITE_OK : SQLITE_DENY
            }, Unmanaged.passUnretained(authorizer).toOpaque())
    }

    /// Calls `stops` every 1,000 steps of SQLite's virtual machine; `true` interrupts the statement. `nil` removes it.
    func watch(_ stops: (() -> Bool)?) {
        guard let stops else {
            sqlite3_progress_handler(handle, 0, nil, nil)
            watch = nil
            return
        }
        let watch = Watch(stops)
        self.watch = watch
        // Unretained is sound: `self` keeps the object until it is replaced or the handle is closed.
        sqlite3_progress_handler(
            handle, 1_000,
            { context in
                guard let context else { return 0 }
                return Unmanaged<Watch>.fromOpaque(context).takeUnretainedValue().stops() ? 1 : 0
            }, Unmanaged.passUnretained(watch).toOpaque())
    }

    /// Whether a function that takes long must end, says what watches.
    var mustStop: Bool { watch?.stops() ?? false }

    /// Rows changed by the last INSERT, UPDATE or DELETE.
    var changes: Int64 { sqlite3_changes64(handle) }

    /// For a change that did not happen although SQLite reported success.
    func unchanged(_ count: Int64) -> StoreError {
        StoreError(
            .storage,
            "Writing \(path) changed \(count) rows in the place of one: a trigger or another program keeps rows from it. "
                + "Nothing is stored until that is gone.")
    }

    func error(_ code: Int32) -> StoreError {
        SQLiteFailure.error(
            code, String(cString: sqlite3_errmsg(handle)), path: path, isOfPeople: runsStatementsOfPeople)
    }
}

private final class Authorizer {
    let allows: (Int32, String?, String?, String?, String?) -> Bool
    init(_ allows: @escaping (Int32, String?, String?, String?, String?) -> Bool) { self.allows = allows }
}

private final class Watch {
    let stops: () -> Bool
    init(_ stops: @escaping () -> Bool) { self.stops = stops }
}
