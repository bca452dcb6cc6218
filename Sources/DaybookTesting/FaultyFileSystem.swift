import DaybookBase
import DaybookJournal
import Foundation

/// A file system that fails on demand, for tests of a journal or pipeline on a bad disk: `Pipeline(store:
/// .directory(url, files: files))`.
///
/// Passes every operation on to another file system (by default the real one), unless a fault is set for it. Keeps a
/// list of the requested operations. Safe to use from any thread.
public final class FaultyFileSystem: JournalFileSystem {
    /// A requested operation, whether it failed or not.
    public struct Call: Sendable, Equatable {
        public let operation: FileOperation
        public let path: String
        public let failed: Bool
    }

    private struct Fault: Sendable {
        let operations: Set<FileOperation>
        let code: Int32
        /// How many matching calls succeed first.
        var passing: Int
        /// How many calls then fail.
        var failing: Int
    }

    private struct State: Sendable {
        var faults: [Fault] = []
        var calls: [Call] = []
        var longestTransfer: Int?
        var interlude: (operation: FileOperation, run: @Sendable () -> Void)?
    }

    private let base: any JournalFileSystem
    private let state = Mutex(State())

    /// Creates a file system that works until a fault is set.
    ///
    /// ```swift
    /// let files = FaultyFileSystem()
    /// files.fillDisk()
    /// let pipeline = try Pipeline(store: .directory(folder, files: files)) { Route("**", to: ConsoleOutput()) }
    /// ```
    public init(over base: any JournalFileSystem = PosixFileSystem()) {
        self.base = base
    }

    /// Makes calls fail with an error number.
    ///
    /// - Parameters:
    ///   - operations: Default: all.
    ///   - code: The `errno` value, such as `ENOSPC`.
    ///   - passing: How many calls still succeed first; default 0.
    ///   - times: How many calls then fail; default all, until `heal()`.
    public func fail(
        _ operations: Set<FileOperation> = Set(FileOperation.allCases), code: Int32, after passing: Int = 0,
        times: Int = .max
    ) {
        state.withLock {
            $0.faults.append(Fault(operations: operations, code: code, passing: passing, failing: times))
        }
    }

    /// Every operation that needs space fails with `ENOSPC`, until ``heal()``.
    public func fillDisk() { fail([.createDirectory, .allocate, .write], code: ENOSPC) }

    /// Runs `run` once, just before the next call of an operation.
    package func interrupt(_ operation: FileOperation, with run: @escaping @Sendable () -> Void) {
        state.withLock { $0.interlude = (operation, run) }
    }

    /// Limits reads and writes to so many bytes per call; `nil` for no limit.
    public func limitTransfers(to bytes: Int?) {
        state.withLock { $0.longestTransfer = bytes }
    }

    public func heal() {
        state.withLock { state in
            state.faults = []
            state.longestTransfer = nil
        }
    }

    /// In order, since the beginning or the last `forgetCalls()`.
    public var calls: [Call] {
        state.withLock { $0.calls }
    }

    public func forgetCalls() {
        state.withLock { $0.calls = [] }
    }

    private func check(_ operation: FileOperation, _ path: String) throws(JournalFileError) {
        let interlude = state.withLock { state -> (@Sendable () -> Void)? in
            guard let interlude = state.interlude, interlude.operation == operation else { return nil }
            state.interlude = nil
            return interlude.run
        }
        interlude?()
        let code = state.withLock { state -> Int32? in
            var code: Int32?
            for index in state.faults.indices where state.faults[index].operations.contains(operation) {
                if state.faults[index].passing > 0 {
                    state.faults[index].passing -= 1
                } else if code == nil, state.faults[index].failing > 0 {
                    state.faults[index].failing -= 1
                    code = state.faults[index].code
                }
            }
            state.calls.append(Call(operation: operation, path: path, failed: code != nil))
            return code
        }
        if let code { throw JournalFileError(operation, path, code: code) }
    }

    private func limit(_ count: Int) -> Int {
        state.withLock { min(count, max($0.longestTransfer ?? count, 1)) }
    }

    public func createDirectory(_ path: String) throws(JournalFileError) {
        try check(.createDirectory, path)
        try base.createDirectory(path)
    }

    public func names(in directory: String) throws(JournalFileError) -> [String] {
        try check(.list, directory)
        return try base.names(in: directory)
    }

    public func open(_ path: String, _ mode: FileMode) throws(JournalFileError) -> JournalFile {
        try check(.open, path)
        return try base.open(path, mode)
    }

    public func close(_ file: JournalFile) {
        base.close(file)
    }

    public func size(_ file: JournalFile) throws(JournalFileError) -> Int {
        try check(.size, file.path)
        return try base.size(file)
    }

    public func allocate(_ file: JournalFile, bytes: Int) throws(JournalFileError) {
        try check(.allocate, file.path)
        try base.allocate(file, bytes: bytes)
    }

    public func truncate(_ file: JournalFile, bytes: Int) throws(JournalFileError) {
        try check(.truncate, file.path)
        try base.truncate(file, bytes: bytes)
    }

    public func read(_ file: JournalFile, into buffer: UnsafeMutableRawBufferPointer, at offset: Int)
        throws(JournalFileError) -> Int
    {
        try check(.read, file.path)
        let part = UnsafeMutableRawBufferPointer(rebasing: buffer[..<limit(buffer.count)])
        return try base.read(file, into: part, at: offset)
    }

    public func write(_ file: JournalFile, _ buffer: UnsafeRawBufferPointer, at offset: Int)
        throws(JournalFileError) -> Int
    {
        try check(.write, file.path)
        return try base.write(file, UnsafeRawBufferPointer(rebasing: buffer[..<limit(buffer.count)]), at: offset)
    }

    public func sync(_ file: JournalFile, _ strength: SyncStrength) throws(JournalFileError) {
        try check(.sync, file.path)
        try base.sync(file, strength)
    }

    public func syncDirectory(_ path: String) throws(JournalFileError) {
        try check(.syncDirectory, path)
        try base.syncDirectory(path)
    }

    public func rename(_ from: String, to: String) throws(JournalFileError) {
        try check(.rename, from)
        try base.rename(from, to: to)
    }

    public func remove(_ path: String) throws(JournalFileError) {
        try check(.remove, path)
        try base.remove(path)
    }

    public func map(_ file: JournalFile, bytes: Int) throws(JournalFileError) -> UnsafeMutableRawPointer {
        try check(.map, file.path)
        return try base.map(file, bytes: bytes)
    }

    public func unmap(_ base: UnsafeMutableRawPointer, bytes: Int) {
        self.base.unmap(base, bytes: bytes)
    }

    public func look(at path: String) -> FileLook { base.look(at: path) }

    public func mark(of file: JournalFile) -> FileMark? { base.mark(of: file) }

    public func lock(_ file: JournalFile) throws(JournalFileError) -> Bool {
        try check(.lock, file.path)
        return try base.lock(file)
    }
}
