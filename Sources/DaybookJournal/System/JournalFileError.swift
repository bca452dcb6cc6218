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
