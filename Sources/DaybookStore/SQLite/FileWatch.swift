import Foundation

/// Notices that the files of an open store are no longer those under their names: deleted, moved away or replaced.
///
/// A file without a name takes commits like any other, and is gone when the process ends. Safe to share between threads.
struct FileWatch: Sendable {
    /// A file, whatever its name: no other has both numbers while it is open.
    private struct Identity: Equatable {
        var device: UInt64
        var number: UInt64

        init?(_ path: String) {
            var status = stat()
            guard stat(path, &status) == 0 else { return nil }
            device = UInt64(truncatingIfNeeded: status.st_dev)
            number = UInt64(truncatingIfNeeded: status.st_ino)
        }
    }

    private let path: String
    private let files: [(path: String, identity: Identity)]

    /// Knows the files from now on.
    /// - Parameter store: the file of a store that is open; beside it stands its log.
    init(ofStore store: String) {
        path = store
        files = [store, store + "-wal"].compactMap { path in Identity(path).map { (path, $0) } }
    }

    /// - Throws: ``StoreError``, `storage`, where a file is another one now, or none.
    func check() throws(StoreError) {
        for (file, identity) in files where Identity(file) != identity {
            throw StoreError(
                .storage,
                "\(file) was deleted, moved or replaced while \(path) was open, so nothing more is stored. Put it back under "
                    + "its name, and records are accepted again; or restart the collector, which starts with the file it finds."
            )
        }
    }
}
