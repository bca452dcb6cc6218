import DaybookBase
import DaybookJournal

/// Clocks and randomness that a test controls. Safe to share.
package final class SteeredSystem: Sendable {
    private let state = Mutex((now: UInt64(1_000_000_000_000), random: UInt64(0x9e37_79b9_7f4a_7c15)))

    package init(seed: UInt64 = 1) {
        state.withLock { $0.random &+= seed &* 0xbf58_476d_1ce4_e5b9 }
    }

    package func advance(_ seconds: Double) {
        state.withLock { $0.now += UInt64(seconds * 1_000_000_000) }
    }

    package var now: UInt64 { state.withLock { $0.now } }

    private func next() -> UInt64 {
        state.withLock { state in
            state.random ^= state.random << 13
            state.random ^= state.random >> 7
            state.random ^= state.random << 17
            return state.random
        }
    }

    package func system(files: any JournalFileSystem = PosixFileSystem(), boot: UInt64 = 1) -> JournalSystem {
        JournalSystem(
            files: files, monotonicNanoseconds: { self.now }, wallNanoseconds: { self.now },
            random: { self.next() }, boot: JournalID(high: 0, low: boot))
    }
}

/// The real files without syncs, for tests that open thousands of journals.
package struct UnsyncedFileSystem: JournalFileSystem {
    private let base = PosixFileSystem()

    package init() {}

    package func sync(_ file: JournalFile, _ strength: SyncStrength) throws(JournalFileError) {}
    package func syncDirectory(_ path: String) throws(JournalFileError) {}

    package func createDirectory(_ path: String) throws(JournalFileError) { try base.createDirectory(path) }
    package func names(in directory: String) throws(JournalFileError) -> [String] { try base.names(in: directory) }
    package func open(_ path: String, _ mode: FileMode) throws(JournalFileError) -> JournalFile {
        try base.open(path, mode)
    }
    package func close(_ file: JournalFile) { base.close(file) }
    package func size(_ file: JournalFile) throws(JournalFileError) -> Int { try base.size(file) }
    package func allocate(_ file: JournalFile, bytes: Int) throws(JournalFileError) {
        try base.allocate(file, bytes: bytes)
    }
    package func truncate(_ file: JournalFile, bytes: Int) throws(JournalFileError) {
        try base.truncate(file, bytes: bytes)
    }
    package func read(_ file: JournalFile, into buffer: UnsafeMutableRawBufferPointer, at offset: Int)
        throws(JournalFileError) -> Int
    { try base.read(file, into: buffer, at: offset) }
    package func write(_ file: JournalFile, _ buffer: UnsafeRawBufferPointer, at offset: Int) throws(JournalFileError)
        -> Int
    {
        try base.write(file, buffer, at: offset)
    }
    package func rename(_ from: String, to: String) throws(JournalFileError) { try base.rename(from, to: to) }
    package func remove(_ path: String) throws(JournalFileError) { try base.remove(path) }
    package func map(_ file: JournalFile, bytes: Int) throws(JournalFileError) -> UnsafeMutableRawPointer {
        try base.map(file, bytes: bytes)
    }
    package func unmap(_ start: UnsafeMutableRawPointer, bytes: Int) { base.unmap(start, bytes: bytes) }
    package func lock(_ file: JournalFile) throws(JournalFileError) -> Bool { try base.lock(file) }
}
