import CSQLite
import Foundation

/// Maps SQLite's result codes to errors (pure). Unknown codes are faults of the store. Some blame the statement if
/// people wrote it, otherwise the file.
enum SQLiteFailure {
    /// `SQLITE_IOERR_SHMSIZE`, a macro that Swift does not import: the log's shared index could not grow.
    private static let noRoomForLogIndex = SQLITE_IOERR | (19 << 8)
    /// Codes of a wrong statement.
    private static let mistakes: Set = [SQLITE_ERROR, SQLITE_AUTH, SQLITE_MISMATCH, SQLITE_RANGE]

    /// Words in messages about too large a statement.
    private static let limits = ["overflow", "too large", "too many", "too long", "at most"]

    static func error(_ code: Int32, _ reason: String, path: String, isOfPeople: Bool) -> StoreError {
        let primary = code & 0xFF
        switch primary {
        case SQLITE_FULL: return fullDisk(reason, path)
        case SQLITE_IOERR where code == noRoomForLogIndex: return fullDisk(reason, path)
        case SQLITE_NOTADB:
            return StoreError(.unavailable, "\(path) is not a SQLite database. Choose another file.")
        case SQLITE_CANTOPEN:
            return StoreError(
                .unavailable, "\(path) cannot be opened: \(reason). Check that its folder exists and is yours.")
        case SQLITE_BUSY, SQLITE_LOCKED:
            var error = StoreError(
                .storage, "\(path) is locked by another program: \(reason). Try again when it is done.")
            error.isLocked = true
            return error
        case SQLITE_INTERRUPT, SQLITE_TOOBIG, SQLITE_NOMEM:
            return StoreError(.limit, "SQLite gave up: \(reason). Ask for less at once.")
        case _ where isOfPeople && mistakes.contains(primary): return StoreError(.badStatement, "SQLite: \(reason).")
        case SQLITE_ERROR where limits.contains(where: reason.contains):
            return StoreError(.limit, "That is more than SQLite takes at once: \(reason). Ask with fewer conditions.")
        case SQLITE_ERROR:
            return StoreError(
                .storage,
                "SQLite refused to read or write \(path): \(reason). Another program may have changed the file's tables: "
                    + "`daybook store check` reads all of it.")
        default:
            return StoreError(
                .storage,
                "Reading or writing \(path) failed: \(reason) (SQLite's code \(code)). Check the disk, the file's owner, "
                    + "and what other programs have changed in the file: `daybook store check` reads all of it.")
        }
    }

    private static func fullDisk(_ reason: String, _ path: String) -> StoreError {
        var error = StoreError(
            .storage, "The disk is full (\(path)): \(reason). Free space; what was being written is not stored.")
        error.isFullDisk = true
        return error
    }
}
