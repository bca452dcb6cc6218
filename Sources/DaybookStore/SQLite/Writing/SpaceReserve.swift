import Foundation

/// A file of zeros beside the store: space to release for erasing on a full disk.
///
/// Erasing writes to the log first, which cannot be emptied into a file that cannot grow: without a reserve nothing
/// could be erased. Safe to share between threads and processes: each step is one file system operation.
struct SpaceReserve: Sendable {
    /// Space for the log before a checkpoint (8 MiB, and what is added meanwhile; see ``LogMover``), if all of it is
    /// new pages, and for erasing 500 scattered records (4 MB).
    static let defaultSize = 24 << 20
    /// Most space that opening a store takes: 32 KiB of log index each for the store and its index, and pages.
    private static let roomForOpening = 1 << 20

    private let path: String
    private let size: Int

    /// - Parameter size: In bytes; 0 for none.
    init(ofStore store: String, size: Int) {
        path = Self.path(ofStore: store)
        self.size = size
    }

    static func path(ofStore store: String) -> String { store + "-reserve" }

    /// Allocates the file, provided that as much again stays free for the log. The store works without it.
    func fill() {
        let present = FileSize.bytes(of: path) ?? 0
        guard present < size, let free = FileSize.free(at: path), free >= Int64(2 * size - present) else { return }
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        if !Self.allocate(descriptor, size) { unlink(path) }
    }

    func giveUp() { unlink(path) }

    /// Runs `open`; on a full disk, releases part of the reserve and retries, because a store must be opened to erase
    /// from it.
    func opening<Opened>(_ open: () throws(StoreError) -> sending Opened) throws(StoreError) -> sending Opened {
        do throws(StoreError) {
            return try open()
        } catch {
            guard error.isFullDisk, let present = FileSize.bytes(of: path), present > 0,
                truncate(path, off_t(max(present - Self.roomForOpening, 0))) == 0
            else { throw error }
            return try open()
        }
    }

    private static func allocate(_ descriptor: Int32, _ size: Int) -> Bool {
        #if canImport(Darwin)
            var request = fstore_t(
                fst_flags: UInt32(F_ALLOCATEALL), fst_posmode: F_PEOFPOSMODE, fst_offset: 0,
                fst_length: off_t(size), fst_bytesalloc: 0)
            return fcntl(descriptor, F_PREALLOCATE, &request) != -1 && ftruncate(descriptor, off_t(size)) == 0
        #else
            var code: Int32
            repeat { code = posix_fallocate(descriptor, 0, off_t(size)) } while code == EINTR
            return code == 0
        #endif
    }
}

enum FileSize {
    /// A file's size; `nil` if it does not exist. Runs at each commit, so not Foundation, which also looks up the
    /// owner's name.
    static func bytes(of path: String) -> Int? {
        var status = stat()
        return stat(path, &status) == 0 ? Int(status.st_size) : nil
    }

    /// Free space on the disk of a path, whether the file exists or not; `nil` if unknown.
    static func free(at path: String) -> Int64? {
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        let attributes = try? FileManager.default.attributesOfFileSystem(forPath: folder)
        return (attributes?[.systemFreeSize] as? NSNumber)?.int64Value
    }
}
