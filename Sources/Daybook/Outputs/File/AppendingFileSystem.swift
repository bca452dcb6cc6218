import DaybookJournal

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The file operations of a ``FileOutput``. Injected, so that a test can make any of them fail.
protocol AppendingFileSystem: Sendable {
    /// Makes the directory and its missing parents; an existing one is no error.
    func createDirectory(_ path: String) throws(JournalFileError)
    /// The names in a directory.
    func names(in directory: String) throws(JournalFileError) -> [String]
    /// Opens a file for appending, made empty if it is missing; the descriptor does not pass to child processes.
    func open(_ path: String) throws(JournalFileError) -> JournalFile
    func close(_ file: JournalFile)
    /// What is at a path; `nil` if nothing is.
    func status(_ path: String) throws(JournalFileError) -> FileStatus?
    /// The last byte of an open file; `nil` if it is empty.
    func lastByte(of file: JournalFile, size: Int) throws(JournalFileError) -> UInt8?
    /// Appends up to all bytes at once, and tells how many.
    func append(_ bytes: UnsafeRawBufferPointer, to file: JournalFile) throws(JournalFileError) -> Int
    func rename(_ from: String, to: String) throws(JournalFileError)
    func remove(_ path: String) throws(JournalFileError)
}

/// What the system knows of a file.
struct FileStatus: Equatable {
    /// Which file it is, whatever its name: the same for as long as it is open somewhere.
    var identity: Identity
    /// Bytes.
    var size: Int
    /// When it was last written to, in nanoseconds since 1970.
    var modified: Int64

    struct Identity: Equatable {
        var device: UInt64
        var number: UInt64
    }
}

/// The real file system.
struct PosixAppending: AppendingFileSystem {
    private let posix = PosixFileSystem()

    func createDirectory(_ path: String) throws(JournalFileError) { try posix.createDirectory(path) }
    func names(in directory: String) throws(JournalFileError) -> [String] { try posix.names(in: directory) }
    func close(_ file: JournalFile) { posix.close(file) }
    func rename(_ from: String, to: String) throws(JournalFileError) { try posix.rename(from, to: to) }
    func remove(_ path: String) throws(JournalFileError) { try posix.remove(path) }

    func open(_ path: String) throws(JournalFileError) -> JournalFile {
        let descriptor = retrying { systemOpen(path) }
        guard descriptor >= 0 else { throw JournalFileError(.open, path, code: errno) }
        return JournalFile(descriptor: descriptor, path: path)
    }

    func status(_ path: String) throws(JournalFileError) -> FileStatus? {
        var status = stat()
        guard lstat(path, &status) == 0 else {
            if errno == ENOENT { return nil }
            throw JournalFileError(.size, path, code: errno)
        }
        #if canImport(Darwin)
            let modified = status.st_mtimespec
        #else
            let modified = status.st_mtim
        #endif
        return FileStatus(
            identity: .init(
                device: UInt64(truncatingIfNeeded: status.st_dev), number: UInt64(truncatingIfNeeded: status.st_ino)),
            size: Int(status.st_size),
            modified: Int64(modified.tv_sec) &* 1_000_000_000 &+ Int64(modified.tv_nsec))
    }

    func lastByte(of file: JournalFile, size: Int) throws(JournalFileError) -> UInt8? {
        guard size > 0 else { return nil }
        var byte: UInt8 = 0
        let count = retrying { pread(file.descriptor, &byte, 1, off_t(size - 1)) }
        guard count >= 0 else { throw JournalFileError(.read, file.path, code: errno) }
        return count == 1 ? byte : nil
    }

    func append(_ bytes: UnsafeRawBufferPointer, to file: JournalFile) throws(JournalFileError) -> Int {
        let count = retrying { write(file.descriptor, bytes.baseAddress, bytes.count) }
        guard count >= 0 else { throw JournalFileError(.write, file.path, code: errno) }
        return count
    }
}

/// Repeats an interrupted call. Bounded, so that a storm of signals ends in an error and not in a hang.
private func retrying<Result: SignedInteger>(_ call: () -> Result) -> Result {
    for _ in 0..<1000 {
        let result = call()
        if result != -1 || errno != EINTR { return result }
    }
    return -1
}

/// `open(2)`, by a name that the method above does not hide. For reading too: a line that was cut off must be noticed. A
/// link is not followed, and others cannot read what an app logs.
private func systemOpen(_ path: String) -> Int32 {
    open(path, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
}
