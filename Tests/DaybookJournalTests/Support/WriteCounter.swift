import DaybookBase
import DaybookJournal

/// The real files; counts bytes written and syncs. Safe to share.
final class WriteCounter: JournalFileSystem {
    private let base = PosixFileSystem()
    private let state = Mutex((bytes: 0, syncs: 0))

    /// Bytes written, without those through mappings.
    var bytes: Int { state.withLock { $0.bytes } }
    var syncs: Int { state.withLock { $0.syncs } }

    func sync(_ file: JournalFile, _ strength: SyncStrength) throws(JournalFileError) {
        state.withLock { $0.syncs += 1 }
        try base.sync(file, strength)
    }
    func syncDirectory(_ path: String) throws(JournalFileError) {
        state.withLock { $0.syncs += 1 }
        try base.syncDirectory(path)
    }
    func write(_ file: JournalFile, _ buffer: UnsafeRawBufferPointer, at offset: Int) throws(JournalFileError) -> Int {
        state.withLock { $0.bytes += buffer.count }
        return try base.write(file, buffer, at: offset)
    }
    func createDirectory(_ path: String) throws(JournalFileError) { try base.createDirectory(path) }
    func names(in directory: String) throws(JournalFileError) -> [String] { try base.names(in: directory) }
    func open(_ path: String, _ mode: FileMode) throws(JournalFileError) -> JournalFile { try base.open(path, mode) }
    func close(_ file: JournalFile) { base.close(file) }
    func size(_ file: JournalFile) throws(JournalFileError) -> Int { try base.size(file) }
    func allocate(_ file: JournalFile, bytes: Int) throws(JournalFileError) { try base.allocate(file, bytes: bytes) }
    func truncate(_ file: JournalFile, bytes: Int) throws(JournalFileError) { try base.truncate(file, bytes: bytes) }
    func read(_ file: JournalFile, into buffer: UnsafeMutableRawBufferPointer, at offset: Int)
        throws(JournalFileError) -> Int
    { try base.read(file, into: buffer, at: offset) }
    func rename(_ from: String, to: String) throws(JournalFileError) { try base.rename(from, to: to) }
    func remove(_ path: String) throws(JournalFileError) { try base.remove(path) }
    func map(_ file: JournalFile, bytes: Int) throws(JournalFileError) -> UnsafeMutableRawPointer {
        try base.map(file, bytes: bytes)
    }
    func unmap(_ start: UnsafeMutableRawPointer, bytes: Int) { base.unmap(start, bytes: bytes) }
    func lock(_ file: JournalFile) throws(JournalFileError) -> Bool { try base.lock(file) }
}
