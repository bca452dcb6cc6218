import CSQLite
import CStoreFile
import Foundation

/// An open SQLite database; with ``SQLiteStatement`` the only code that calls the C library.
///
/// Opened without SQLite's own mutex: a connection and its statements belong to one thread at a time, which its owner
/// ensures (the writer's serial queue, or the reader pool that hands a connection to one reader alone).
final class SQLiteConnection {
    /// How a file is opened.
    enum Access { case create, readWrite, readOnly }

    /// The file system of who writes: nothing that was moved or deleted stays in a page. Where it could not be made known,
    /// nothing opens by its name.
    private static let files: String = {
        _ = daybook_store_file_register()
        return DAYBOOK_STORE_FILE
    }()

    /// How long another's lock is waited for, in milliseconds.
    private static let patience: Int32 = 5_000

    let path: String
    let handle: OpaquePointer
    /// Whether an index is attached.
    private(set) var hasIndex = false
    /// Whether people wrote what runs: then what is wrong with a statement is theirs to mend.
    var runsStatementsOfPeople = false
    /// What imports have read of the store.
    var knownTimes = KnownTimes()
    private var statements: [String: SQLiteStatement] = [:]
    /// What ``authorize(_:)``, ``watch(_:)`` and ``leaveLog(to:)`` installed; SQLite holds unowned pointers to them.
    private var authorizer: Authorizer?
    private var watch: Watch?
    private var logMover: LogMover?

    /// Opens a file.
    /// - Throws: ``StoreError`` with the code `unavailable`.
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
            // Where SQLite may not create a file it looks for one to read, and says that there is none.
            let system = creation == 0 ? sqlite3_system_errno(opened) : creation
            let reason = system == 0 ? String(cString: sqlite3_errstr(code)) : String(cString: strerror(system))
            sqlite3_close_v2(opened)
            throw StoreError(.unavailable, Self.cannotOpen(path, access, system, reason))
        }
        self.path = path
        handle = opened
        sqlite3_busy_timeout(opened, Self.patience)
    }

    /// Says what stood in the way of opening, and what to do.
    /// - Parameter system: a number of `errno`, 0 where the system said nothing.
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

    /// Makes a missing file, readable to its owner alone; SQLite would make it readable to all, and gives the files that
    /// it makes beside it the same mode. A file that is there is not opened: closing it would end the locks that this
    /// process has on it (POSIX).
    /// - Returns: a number of `errno`, 0 where the file is there.
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

    /// Runs statements that take no values and give no rows.
    /// - Throws: ``StoreError``.
    func execute(_ sql: String) throws(StoreError) {
        let code = sqlite3_exec(handle, sql, nil, nil, nil)
        if code != SQLITE_OK { throw error(code) }
    }

    /// A statement prepared once and kept; it comes back reset.
    /// - Throws: ``StoreError``.
    func statement(_ sql: String) throws(StoreError) -> SQLiteStatement {
        if let known = statements[sql] {
            known.reset()
            return known
        }
        // Callers with an unbounded variety of texts (the console) prepare on their own.
        if statements.count >= 128 { statements.removeAll() }
        let statement = try SQLiteStatement(sql, on: self, isKept: true)
        statements[sql] = statement
        return statement
    }

    /// Runs `body` in a writing transaction: committed as a whole, or rolled back as a whole when it throws.
    /// - Throws: ``StoreError``; after a failed COMMIT nothing of it is stored.
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
    /// - Throws: ``StoreError``.
    func begin() throws(StoreError) { try run("BEGIN IMMEDIATE") }

    /// - Throws: ``StoreError``; what is not committed is to be rolled back.
    func commit() throws(StoreError) { try run("COMMIT") }

    /// Undoes what is not committed. After some errors SQLite has done so itself, and there is nothing to undo.
    func rollBack() {
        if sqlite3_get_autocommit(handle) == 0 { try? run("ROLLBACK") }
    }

    /// Runs `body` on one view of the database, whatever is written meanwhile.
    /// - Throws: ``StoreError``.
    func reading<Result>(_ body: () throws(StoreError) -> Result) throws(StoreError) -> Result {
        try run("BEGIN")
        defer { try? run("COMMIT") }
        return try body()
    }

    /// Moves the write-ahead log into the file and empties it, where nobody reads within a while.
    /// - Parameters:
    ///   - patience: the while, in milliseconds.
    ///   - keepsFile: whether its file stays as it is, and the next commit writes it anew from the start: to shorten one of
    ///     200 MB takes 50 ms. What was erased may stand in it.
    /// - Returns: Whether it is empty, or will begin anew.
    /// - Throws: ``StoreError``.
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

    /// Moves what nobody needs in the write-ahead log any more into the file, and waits for nobody.
    /// - Returns: pages in the log, and how many of them are in the file.
    /// - Throws: ``StoreError``; also where another moves it.
    func moveLog() throws(StoreError) -> (pages: Int, moved: Int) {
        var pages: Int32 = 0
        var moved: Int32 = 0
        let code = sqlite3_wal_checkpoint_v2(handle, "main", SQLITE_CHECKPOINT_PASSIVE, &pages, &moved)
        if code != SQLITE_OK { throw error(code) }
        // It says so where it has not opened the log yet, which it does with the first question.
        guard pages >= 0 else { throw StoreError(.storage, "The log of \(path) is not open.") }
        return (Int(pages), Int(moved))
    }

    /// Leaves moving the log to another thread, but for a rest now and then, in the place of SQLite's own way.
    func leaveLog(to mover: LogMover) {
        logMover = mover
        // Unretained is sound: `self` keeps the object for as long as the handle is open.
        sqlite3_wal_hook(
            handle,
            { context, handle, name, pages in
                guard let context else { return SQLITE_OK }
                let mover = Unmanaged<LogMover>.fromOpaque(context).takeUnretainedValue()
                // What fails is tried again later; the commit is done.
                if mover.noteCommit(pages: Int(pages)) {
                    sqlite3_wal_checkpoint_v2(handle, name, SQLITE_CHECKPOINT_PASSIVE, nil, nil)
                }
                return SQLITE_OK
            }, Unmanaged.passUnretained(mover).toOpaque())
    }

    /// Before a commit; see ``LogMover``.
    func checkLog() throws(StoreError) { try logMover?.checkLength(on: self) }

    /// Lets statements read an index under the name `idx`; see ``IndexedReader``.
    /// - Throws: ``StoreError``.
    func attachIndex(_ path: String) throws(StoreError) {
        let statement = try statement("ATTACH ? AS idx")
        defer { statement.reset() }
        statement.bind(1, path)
        _ = try statement.step()
        hasIndex = true
    }

    /// Reads the index no more.
    func detachIndex() {
        hasIndex = false
        // What a failed statement holds of it goes with the statement.
        statements.removeAll()
        try? execute("DETACH idx")
    }

    /// Closes the files as they are: an end of a connection else moves the log into the file, and removes by its name what may
    /// by now be another file's.
    func leave() { try? setSwitch(SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true) }

    private func run(_ sql: String) throws(StoreError) {
        let statement = try statement(sql)
        defer { statement.reset() }
        while try statement.step() {}
    }

    /// The first column of the first row as a number, `nil` where there is none.
    func integer(_ sql: String) throws(StoreError) -> Int64? {
        let statement = try statement(sql)
        defer { statement.reset() }
        guard try statement.step(), !statement.isNull(0) else { return nil }
        return statement.integer(0)
    }

    /// The largest arrival number of a record, 0 where there is none.
    /// - Throws: ``StoreError``, also for a number that cannot be one.
    func head() throws(StoreError) -> Int64 {
        try StoredNumber.arrival(
            try integer("SELECT max(id) FROM stored_records") ?? 0, at: "The largest records.id", of: path)
    }

    /// The last arrival number that was given: what the store has noted, or its largest record where that is more.
    /// - Throws: ``StoreError``, also for a number that cannot be one.
    func lastArrival() throws(StoreError) -> Int64 {
        let noted = try integer("SELECT last FROM arrivals") ?? 0
        return max(try StoredNumber.arrival(noted, at: "arrivals.last", of: path), try head())
    }

    /// The smallest arrival number of a record from one on; `nil` where there is none.
    /// - Throws: ``StoreError``.
    func firstArrival(from number: Int64) throws(StoreError) -> Int64? {
        try edge("SELECT min(id) FROM stored_records WHERE id >= ?", number)
    }

    /// The largest arrival number of a record below one; `nil` where there is none.
    /// - Throws: ``StoreError``.
    func lastArrival(before number: Int64) throws(StoreError) -> Int64? {
        try edge("SELECT max(id) FROM stored_records WHERE id < ?", number)
    }

    private func edge(_ sql: String, _ number: Int64) throws(StoreError) -> Int64? {
        let statement = try statement(sql)
        defer { statement.reset() }
        statement.bind(1, number)
        return try statement.step() ? statement.optionalInteger(0) : nil
    }

    /// Sets an on-off switch of `sqlite3_db_config`.
    func setSwitch(_ option: Int32, _ isOn: Bool) throws(StoreError) {
        let code = daybook_sqlite_switch(handle, option, isOn ? 1 : 0)
        if code != SQLITE_OK { throw error(code) }
    }

    /// Lowers a limit of `sqlite3_limit`.
    func setLimit(_ limit: Int32, _ value: Int32) { sqlite3_limit(handle, limit, value) }

    /// Decides what every later statement may do: the closure sees SQLite's action code and its first three texts, of which
    /// the third is the name of the database.
    func authorize(
        _ allows: @escaping (_ action: Int32, _ first: String?, _ second: String?, _ database: String?) -> Bool
    ) {
        let authorizer = Authorizer(allows)
        self.authorizer = authorizer
        // Unretained is sound: `self` keeps the object for as long as the handle is open.
        sqlite3_set_authorizer(
            handle,
            { context, action, first, second, database, _ in
                guard let context else { return SQLITE_DENY }
                let authorizer = Unmanaged<Authorizer>.fromOpaque(context).takeUnretainedValue()
                let isAllowed = authorizer.allows(
                    action, first.map { String(cString: $0) }, second.map { String(cString: $0) },
                    database.map { String(cString: $0) })
                return isAllowed ? SQLITE_OK : SQLITE_DENY
            }, Unmanaged.passUnretained(authorizer).toOpaque())
    }

    /// Asks `stops` every thousand steps of SQLite's machine whether to give up; `nil` asks no more.
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

    /// How many rows the last statement has changed that changes rows.
    var changes: Int64 { sqlite3_changes64(handle) }

    /// What was to be stored is not, although SQLite names no error.
    func unchanged(_ count: Int64) -> StoreError {
        StoreError(
            .storage,
            "Writing \(path) changed \(count) rows in the place of one: a trigger or another program keeps rows from it. "
                + "Nothing is stored until that is gone.")
    }

    /// SQLite's last error as ours.
    func error(_ code: Int32) -> StoreError {
        SQLiteFailure.error(
            code, String(cString: sqlite3_errmsg(handle)), path: path, isOfPeople: runsStatementsOfPeople)
    }
}

private final class Authorizer {
    let allows: (Int32, String?, String?, String?) -> Bool
    init(_ allows: @escaping (Int32, String?, String?, String?) -> Bool) { self.allows = allows }
}

private final class Watch {
    let stops: () -> Bool
    init(_ stops: @escaping () -> Bool) { self.stops = stops }
}
