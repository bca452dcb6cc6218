import Foundation

/// A file beside the store that is full of nothing: room on the disk that an erasure is given when there is no other.
///
/// Erasing writes before it frees. What it writes goes to the log first, and the log cannot be emptied into a file that
/// may not grow; so on a full disk nothing could be erased without it. Safe to share between threads and processes: each
/// step is one of the file system's.
struct SpaceReserve: Sendable {
    /// Room for what the log holds before it is moved into the file (8 MiB, and what comes meanwhile; see ``LogMover``), should
    /// all of that be new pages, and for erasing 500 records that stand apart (4 MB).
    static let defaultSize = 24 << 20
    /// What opening a store takes at most: the log's index, 32 KiB for the records and for what is searched, and pages.
    private static let roomForOpening = 1 << 20

    private let path: String
    private let size: Int

    /// - Parameters:
    ///   - store: the store's file.
    ///   - size: in bytes; 0 for none.
    init(ofStore store: String, size: Int) {
        path = Self.path(ofStore: store)
        self.size = size
    }

    /// The reserve of a store.
    static func path(ofStore store: String) -> String { store + "-reserve" }

    /// Allocates it where it is missing or smaller, as long as as much again stays free for the log. Where there is no
    /// room, there is none: the store works without.
    func fill() {
        let present = FileSize.bytes(of: path) ?? 0
        guard present < size, let free = FileSize.free(at: path), free >= Int64(2 * size - present) else { return }
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        if !Self.allocate(descriptor, size) { unlink(path) }
    }

    /// Gives all of it back to the disk.
    func giveUp() { unlink(path) }

    /// Opens something of the store; where the disk is full, once more with some of the reserve's room: what cannot be
    /// opened cannot be erased from.
    /// - Throws: ``StoreError``.
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

/// Sizes as the file system tells them.
enum FileSize {
    /// Bytes of a file; `nil` where there is none. Asked at each commit: Foundation would look up the owner's name too.
    static func bytes(of path: String) -> Int? {
        var status = stat()
        return stat(path, &status) == 0 ? Int(status.st_size) : nil
    }

    /// Bytes that may still be written to the disk of a file, whether it is there or not; `nil` where nobody knows.
    static func free(at path: String) -> Int64? {
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        let attributes = try? FileManager.default.attributesOfFileSystem(forPath: folder)
        return (attributes?[.systemFreeSize] as? NSNumber)?.int64Value
    }
}
