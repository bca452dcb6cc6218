import DaybookJournal

/// The real files without waiting for the drive: for tests that open thousands of journals.
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
