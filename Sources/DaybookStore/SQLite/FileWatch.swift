import Foundation

/// Notices that the files of an open store are no longer those under their names: deleted, moved away or replaced.
///
/// A file without a name takes commits like any other, and is gone when the process ends. Safe to share between threads.
struct FileWatch: Sendable {
    let path: String
    private let files: [(path: String, identity: FileIdentity)]

    /// Knows the files from now on.
    /// - Parameter store: the file of a store that is open; beside it stands its log.
    init(ofStore store: String) {
        path = store
        files = [store, store + "-wal"].compactMap { path in FileIdentity(path).map { (path, $0) } }
    }

    /// Before a store is opened for writing: SQLite would take a log whose file is missing or empty for one of no store, and
    /// overwrite it.
    /// - Throws: ``StoreError``, `unavailable`.
    static func checkLog(ofStore store: String) throws(StoreError) {
        guard FileSize.bytes(of: store) ?? 0 == 0, let log = FileSize.bytes(of: store + "-wal"), log > 0 else { return }
        throw StoreError(
            .unavailable,
            "\(store) is missing or empty, but its write-ahead log \(store)-wal has \(log) bytes, which may be records. Put "
                + "the file back under its name; or move the log away, to begin anew without them.")
    }

    /// Whether the files still are those.
    var isIntact: Bool { files.allSatisfy { FileIdentity($0.path) == $0.identity } }

    /// - Throws: ``StoreError``, `storage`, where a file is another one now, or none.
    func check() throws(StoreError) {
        for (file, identity) in files where FileIdentity(file) != identity {
            throw StoreError(
                .storage,
                "\(file) was deleted, moved or replaced while \(path) was open, so nothing more is stored. Put it back under "
                    + "its name, and records are accepted again; or restart the collector, which starts with the file it finds."
            )
        }
    }
}

/// A regular file, whatever its name: no other has both numbers while it is open. What is a pipe, a device or a folder has
/// none, for to open it may wait for ever.
struct FileIdentity: Equatable {
    private var device: UInt64
    private var number: UInt64

    init?(_ path: String) {
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        device = UInt64(truncatingIfNeeded: status.st_dev)
        number = UInt64(truncatingIfNeeded: status.st_ino)
    }
}
