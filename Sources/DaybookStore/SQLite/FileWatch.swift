import Foundation

/// Detects that a store's open files were deleted, moved or replaced.
///
/// An unlinked file still accepts commits, and vanishes when the process ends. Safe to share between threads.
struct FileWatch: Sendable {
    let path: String
    private let files: [(path: String, identity: FileIdentity)]

    /// Records the files' identities.
    /// - Parameter store: The file of an open store; its log is beside it.
    init(ofStore store: String) {
        path = store
        files = [store, store + "-wal"].compactMap { path in FileIdentity(path).map { (path, $0) } }
    }

    /// For a missing or empty file, SQLite would discard and overwrite its log.
    /// - Throws: ``StoreError``, `unavailable`.
    static func checkLog(ofStore store: String) throws(StoreError) {
        guard FileSize.bytes(of: store) ?? 0 == 0, let log = FileSize.bytes(of: store + "-wal"), log > 0 else { return }
        throw StoreError(
            .unavailable,
            "\(store) is missing or empty, but its write-ahead log \(store)-wal has \(log) bytes, which may be records. Put "
                + "the file back under its name; or move the log away, to begin anew without them.")
    }

    var isIntact: Bool { files.allSatisfy { FileIdentity($0.path) == $0.identity } }

    /// - Throws: ``StoreError``, `storage`, if a file is missing or replaced.
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

/// Identifies a regular file while it is open. Pipes, devices and folders have none: opening them may block.
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
