/// The file operations that a journal needs. Injected, so that a test can make any of them fail.
///
/// Safe to call from several threads at once. An implementation retries `EINTR` itself; `read` and `write` may be
/// short, as the system calls are.
public protocol JournalFileSystem: Sendable {
    /// Makes the directory and its missing parents; an existing one is no error.
    func createDirectory(_ path: String) throws(JournalFileError)
    /// The names in a directory, without `.` and `..`, in no particular order.
    func names(in directory: String) throws(JournalFileError) -> [String]
    func open(_ path: String, _ mode: FileMode) throws(JournalFileError) -> JournalFile
    func close(_ file: JournalFile)
    /// The file's length in bytes.
    func size(_ file: JournalFile) throws(JournalFileError) -> Int
    /// Makes the file `bytes` long with every block reserved, so that a store into its mapping never meets a full disk.
    func allocate(_ file: JournalFile, bytes: Int) throws(JournalFileError)
    /// Shortens the file to `bytes`.
    func truncate(_ file: JournalFile, bytes: Int) throws(JournalFileError)
    /// Reads up to the buffer's size from `offset`; 0 at the end of the file.
    func read(_ file: JournalFile, into buffer: UnsafeMutableRawBufferPointer, at offset: Int)
        throws(JournalFileError) -> Int
    /// Writes up to the buffer's size at `offset`, and tells how much it wrote.
    func write(_ file: JournalFile, _ buffer: UnsafeRawBufferPointer, at offset: Int) throws(JournalFileError) -> Int
    /// Brings the file's data to stable storage.
    func sync(_ file: JournalFile, _ strength: SyncStrength) throws(JournalFileError)
    /// Brings the directory's entries to stable storage.
    func syncDirectory(_ path: String) throws(JournalFileError)
    /// Renames within a directory, replacing what is there.
    func rename(_ from: String, to: String) throws(JournalFileError)
    func remove(_ path: String) throws(JournalFileError)
    /// Maps the first `bytes` of the file, shared, for reading and writing.
    func map(_ file: JournalFile, bytes: Int) throws(JournalFileError) -> UnsafeMutableRawPointer
    func unmap(_ base: UnsafeMutableRawPointer, bytes: Int)
    /// What a path leads to now; a link is not followed. The default is `unknown`, for a file system in which nobody else
    /// touches files.
    func look(at path: String) -> FileLook
    /// Which file an open one is, and how it was changed last; `nil`, the default, where `look` is `unknown`.
    func mark(of file: JournalFile) -> FileMark?
    /// Takes the file's exclusive lock without waiting; `false` if another opener has it. Closing the file releases it.
    func lock(_ file: JournalFile) throws(JournalFileError) -> Bool
}

/// An open file: the system's descriptor, and the path it was opened by (for messages).
public struct JournalFile: Sendable, Equatable {
    public let descriptor: Int32
    public let path: String

    public init(descriptor: Int32, path: String) {
        self.descriptor = descriptor
        self.path = path
    }
}

/// Which file something is, and how it was changed last: equal for as long as nobody touches it.
public struct FileMark: Sendable, Equatable {
    /// The file, whatever is in it.
    public struct Identity: Sendable, Equatable {
        let device: UInt64
        let number: UInt64

        /// By the system's numbers of the device and of the file on it.
        public init(device: UInt64, number: UInt64) { (self.device, self.number) = (device, number) }
    }

    public let identity: Identity
    let bytes: Int
    let written: UInt64
    let changed: UInt64

    /// - Parameters:
    ///   - written: when its content changed last, in nanoseconds since 1970.
    ///   - changed: when anything of it changed last.
    public init(identity: Identity, bytes: Int, written: UInt64, changed: UInt64) {
        (self.identity, self.bytes, self.written, self.changed) = (identity, bytes, written, changed)
    }
}

/// What a path leads to.
public enum FileLook: Sendable, Equatable {
    case nothing
    case file(FileMark)
    /// It cannot be looked at.
    case unknown
}

public enum FileMode: Sendable {
    case read
    case readWrite
    /// Reading and writing; made empty if it is missing.
    case readWriteCreating
    /// Reading and writing of a new, empty file; what was there is emptied.
    case readWriteEmptied
}

/// How far a sync goes. The two differ on Apple platforms only: on Linux both are `fdatasync`.
public enum SyncStrength: Sendable {
    /// Ordered before later writes (`F_BARRIERFSYNC`): the periodic sync.
    case barrier
    /// Through the drive's own cache (`F_FULLFSYNC`): for a fatal record, and before suspension.
    case full
}

extension JournalFileSystem {
    public func look(at path: String) -> FileLook { .unknown }
    public func mark(of file: JournalFile) -> FileMark? { nil }

    /// Writes the whole buffer at `offset`, however short the single writes are.
    func writeAll(_ file: JournalFile, _ buffer: UnsafeRawBufferPointer, at offset: Int) throws(JournalFileError) {
        var done = 0
        while done < buffer.count {
            let count = try write(file, UnsafeRawBufferPointer(rebasing: buffer[done...]), at: offset + done)
            guard count > 0 else { throw JournalFileError(.write, file.path, code: SystemCode.inputOutput) }
            done += count
        }
    }

    /// Reads until the buffer is full or the file ends; returns how much was read.
    func readAll(_ file: JournalFile, into buffer: UnsafeMutableRawBufferPointer, at offset: Int)
        throws(JournalFileError) -> Int
    {
        var done = 0
        while done < buffer.count {
            let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[done...])
            let count = try read(file, into: rest, at: offset + done)
            if count <= 0 { break }
            done += count
        }
        return done
    }

    package func writeAll(_ file: JournalFile, _ bytes: [UInt8], at offset: Int) throws(JournalFileError) {
        try bytes.withUnsafeBytes { buffer in
            Result { () throws(JournalFileError) in try writeAll(file, buffer, at: offset) }
        }.get()
    }

    /// The first `count` bytes of the file, or all of a shorter one.
    package func readPrefix(_ file: JournalFile, _ count: Int) throws(JournalFileError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        let read = try bytes.withUnsafeMutableBytes { buffer in
            Result { () throws(JournalFileError) in try readAll(file, into: buffer, at: 0) }
        }.get()
        bytes.removeLast(count - read)
        return bytes
    }
}

/// A file operation that the system refused: what was tried, on which path, and the system's error number.
public struct JournalFileError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The operation that failed.
    public let operation: FileOperation
    /// The path it was tried on.
    public let path: String
    /// The `errno` value.
    public let code: Int32

    public init(_ operation: FileOperation, _ path: String, code: Int32) {
        self.operation = operation
        self.path = path
        self.code = code
    }

    public var description: String {
        "could not \(operation.rawValue) \(path): \(systemMessage(for: code)) (errno \(code))"
    }
}

/// The file operations that a journal performs; each can fail, and each can be made to fail in a test.
public enum FileOperation: String, CaseIterable, Sendable {
    case createDirectory = "create directory"
    case list
    case open
    case size = "read the size of"
    case allocate
    case truncate
    case read
    case write
    case sync
    case syncDirectory = "sync directory"
    case rename
    case remove
    case map
    case lock
}
