import DaybookJournal

/// A custom store that keeps everything below one path under another.
struct RelocatedFiles: JournalFileSystem {
    private let from: String
    private let to: String
    private let base: PosixFileSystem

    init(from: String, to: String, prepare: (@Sendable (_ path: String) -> Void)? = nil) {
        (self.from, self.to) = (from, to)
        base = PosixFileSystem(prepare: prepare)
    }

    private func place(_ path: String) -> String {
        path.hasPrefix(from) ? to + path.dropFirst(from.count) : path
    }

    func createDirectory(_ path: String) throws(JournalFileError) { try base.createDirectory(place(path)) }
    func names(in directory: String) throws(JournalFileError) -> [String] { try base.names(in: place(directory)) }
    func open(_ path: String, _ mode: FileMode) throws(JournalFileError) -> JournalFile {
        JournalFile(descriptor: try base.open(place(path), mode).descriptor, path: path)
    }
    func close(_ file: JournalFile) { base.close(file) }
    func size(_ file: JournalFile) throws(JournalFileError) -> Int { try base.size(file) }
    func allocate(_ file: JournalFile, bytes: Int) throws(JournalFileError) { try base.allocate(file, bytes: bytes) }
    func truncate(_ file: JournalFile, bytes: Int) throws(JournalFileError) { try base.truncate(file, bytes: bytes) }
    func read(
        _ file: JournalFile, into buffer: UnsafeMutableRawBufferPointer, at offset: Int
    ) throws(JournalFileError) -> Int { try base.read(file, into: buffer, at: offset) }
    func write(
        _ file: JournalFile, _ buffer: UnsafeRawBufferPointer, at offset: Int
    ) throws(JournalFileError) -> Int { try base.write(file, buffer, at: offset) }
    func sync(_ file: JournalFile, _ strength: SyncStrength) throws(JournalFileError) { try base.sync(file, strength) }
    func syncDirectory(_ path: String) throws(JournalFileError) { try base.syncDirectory(place(path)) }
    func rename(_ from: String, to: String) throws(JournalFileError) { try base.rename(place(from), to: place(to)) }
    func remove(_ path: String) throws(JournalFileError) { try base.remove(place(path)) }
    func map(_ file: JournalFile, bytes: Int) throws(JournalFileError) -> UnsafeMutableRawPointer {
        try base.map(file, bytes: bytes)
    }
    func unmap(_ address: UnsafeMutableRawPointer, bytes: Int) { base.unmap(address, bytes: bytes) }
    func lock(_ file: JournalFile) throws(JournalFileError) -> Bool { try base.lock(file) }
}
