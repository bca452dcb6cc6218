/// The file operations that a journal needs, so that a test can make any of them fail.
///
/// Must be thread-safe. An implementation retries `EINTR` itself. `read` and `write` may be short, like the system
/// calls.
public protocol JournalFileSystem: Sendable {
    /// Creates the directory and its missing parents; no error if it exists.
    func createDirectory(_ path: String) throws(JournalFileError)
    /// The names in a directory, unordered, without `.` and `..`.
    func names(in directory: String) throws(JournalFileError) -> [String]
    func open(_ path: String, _ mode: FileMode) throws(JournalFileError) -> JournalFile
    func close(_ file: JournalFile)
    func size(_ file: JournalFile) throws(JournalFileError) -> Int
    /// Sets the file's length and reserves every block, so that a store into its mapping never meets a full disk.
    func allocate(_ file: JournalFile, bytes: Int) throws(JournalFileError)
    func truncate(_ file: JournalFile, bytes: Int) throws(JournalFileError)
    /// Reads at most the buffer's size from `offset`; returns 0 at the end of the file.
    func read(_ file: JournalFile, into buffer: UnsafeMutableRawBufferPointer, at offset: Int)
        throws(JournalFileError) -> Int
    /// Writes at most the buffer's size at `offset`; returns how much.
    func write(_ file: JournalFile, _ buffer: UnsafeRawBufferPointer, at offset: Int) throws(JournalFileError) -> Int
    /// Brings the file's data to stable storage.
    func sync(_ file: JournalFile, _ strength: SyncStrength) throws(JournalFileError)
    /// Brings the directory's entries to stable storage.
    func syncDirectory(_ path: String) throws(JournalFileError)
    /// Renames within a directory, replacing an existing file.
    func rename(_ from: String, to: String) throws(JournalFileError)
    func remove(_ path: String) throws(JournalFileError)
    /// Maps the first `bytes` of the file, shared, for reading and writing.
    func map(_ file: JournalFile, bytes: Int) throws(JournalFileError) -> UnsafeMutableRawPointer
    func unmap(_ base: UnsafeMutableRawPointer, bytes: Int)
    /// What is at a path, without following a link. Default: `unknown`, for a file system whose files nobody else
    /// touches.
    func look(at path: String) -> FileLook
    /// The state of an open file; `nil`, the default, if `look` is `unknown`.
    func mark(of file: JournalFile) -> FileMark?
    /// Takes the file's exclusive lock without waiting; `false` if it is taken. Closing the file releases it.
    func lock(_ file: JournalFile) throws(JournalFileError) -> Bool
}

/// An open file: its descriptor, and its path for messages.
public struct JournalFile: Sendable, Equatable {
    public let descriptor: Int32
    public let path: String

    public init(descriptor: Int32, path: String) {
        self.descriptor = descriptor
        self.path = path
    }
}

/// A file's identity and state; equal as long as nobody changes the file.
public struct FileMark: Sendable, Equatable {
    public struct Identity: Sendable, Equatable {
        let device: UInt64
        let number: UInt64

        /// The numbers that the system gives the device and the file on it.
        public init(device: UInt64, number: UInt64) { (self.device, self.number) = (device, number) }
    }

    public let identity: Identity
    let bytes: Int
    let written: UInt64
    let changed: UInt64

    /// - Parameters:
    ///   - written: When the content last changed, in nanoseconds since 1970.
    ///   - changed: When content or metadata last changed, in nanoseconds since 1970.
    public init(identity: Identity, bytes: Int, written: UInt64, changed: UInt64) {
        (self.identity, self.bytes, self.written, self.changed) = (identity, bytes, written, changed)
    }
}

/// What is at a path.
public enum FileLook: Sendable, Equatable {
    case nothing
    case file(FileMark)
    /// The system could not tell.
    case unknown
}

public enum FileMode: Sendable {
    case read
    case readWrite
    /// Creates the file if it is missing.
    case readWriteCreating
    /// Creates the file, or empties it.
    case readWriteEmptied
}

/// How far a sync goes. The two differ on Apple platforms only; Linux uses `fdatasync` for both.
public enum SyncStrength: Sendable {
    /// Ordered before later writes (`F_BARRIERFSYNC`), for the periodic sync.
    case barrier
    /// Through the drive's cache (`F_FULLFSYNC`), for a fatal record and before suspension.
    case full
}

extension JournalFileSystem {
    public func look(at path: String) -> FileLook { .unknown }
    public func mark(of file: JournalFile) -> FileMark? { nil }

    func writeAll(_ file: JournalFile, _ buffer: UnsafeRawBufferPointer, at offset: Int) throws(JournalFileError) {
        var done = 0
        while done < buffer.count {
            let count = try write(file, UnsafeRawBufferPointer(rebasing: buffer[done...]), at: offset + done)
            guard count > 0 else { throw JournalFileError(.write, file.path, code: SystemCode.inputOutput) }
            done += count
        }
    }

    /// Reads until the buffer is full or the file ends; returns how much.
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

    /// The first `count` bytes, or the whole file if it is shorter.
    package func readPrefix(_ file: JournalFile, _ count: Int) throws(JournalFileError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        let read = try bytes.withUnsafeMutableBytes { buffer in
            Result { () throws(JournalFileError) in try readAll(file, into: buffer, at: 0) }
        }.get()
        bytes.removeLast(count - read)
        return bytes
    }
}

/// A file operation that the system refused.
public struct JournalFileError: Error, Equatable, Sendable, CustomStringConvertible {
    public let operation: FileOperation
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
