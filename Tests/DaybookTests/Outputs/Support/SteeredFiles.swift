import DaybookBase
import DaybookJournal
import DaybookTesting

@testable import Daybook

/// In-memory files with their own clock, where any operation can be made to fail.
final class SteeredFiles: AppendingFileSystem {
    struct State {
        /// File numbers by name in the directory.
        var names: [String: Int] = [:]
        var contents: [Int: [UInt8]] = [:]
        var modified: [Int: Int64] = [:]
        var openFiles: Set<Int32> = []
        var nextNumber = 1
        var hasDirectory = false
        /// The error of each failing operation.
        var failures: [FileOperation: Int32] = [:]
        /// Bytes left on the disk.
        var room = Int.max
        /// The most bytes per append.
        var stride = Int.max
        var now: Int64 = 0
    }

    let state = Mutex(State())
    static let directory = "/logs"

    var now: Int64 { state.withLock { $0.now } }

    func change(_ body: (inout sending State) -> Void) { state.withLock { body(&$0) } }

    func text(_ name: String) -> String? {
        state.withLock { state in
            state.names[name].map { String(decoding: state.contents[$0] ?? [], as: UTF8.self) }
        }
    }

    var fileNames: [String] { state.withLock { $0.names.keys.sorted() } }

    private func perform<Result: Sendable>(
        _ operation: FileOperation, _ path: String, _ body: (inout State) throws(JournalFileError) -> Result
    ) throws(JournalFileError) -> Result {
        let outcome = state.withLock { state -> Swift.Result<Result, JournalFileError> in
            if let code = state.failures[operation] {
                return .failure(JournalFileError(operation, path, code: code))
            }
            do throws(JournalFileError) { return .success(try body(&state)) } catch { return .failure(error) }
        }
        return try outcome.get()
    }

    private func name(_ path: String) -> String { String(path.dropFirst(Self.directory.utf8.count + 1)) }

    func createDirectory(_ path: String) throws(JournalFileError) {
        try perform(.createDirectory, path) { $0.hasDirectory = true }
    }

    func names(in directory: String) throws(JournalFileError) -> [String] {
        try perform(.list, directory) { Array($0.names.keys) }
    }

    func open(_ path: String) throws(JournalFileError) -> JournalFile {
        let name = name(path)
        return try perform(.open, path) { state throws(JournalFileError) in
            guard state.hasDirectory else { throw JournalFileError(.open, path, code: 2) }
            let number = state.names[name] ?? state.nextNumber
            if state.names[name] == nil {
                state.nextNumber += 1
                state.names[name] = number
                state.contents[number] = []
                state.modified[number] = state.now
            }
            state.openFiles.insert(Int32(number))
            return JournalFile(descriptor: Int32(number), path: path)
        }
    }

    func close(_ file: JournalFile) { state.withLock { _ = $0.openFiles.remove(file.descriptor) } }

    func status(_ path: String) throws(JournalFileError) -> FileStatus? {
        let name = name(path)
        return try perform(.size, path) { state in
            guard let number = state.names[name] else { return nil }
            return FileStatus(
                identity: .init(device: 1, number: UInt64(number)), size: state.contents[number]?.count ?? 0,
                modified: state.modified[number] ?? 0)
        }
    }

    func lastByte(of file: JournalFile, size: Int) throws(JournalFileError) -> UInt8? {
        try perform(.read, file.path) { $0.contents[Int(file.descriptor)]?.last }
    }

    func append(_ bytes: UnsafeRawBufferPointer, to file: JournalFile) throws(JournalFileError) -> Int {
        let bytes = Array(bytes)
        return try perform(.write, file.path) { state throws(JournalFileError) in
            guard state.room > 0 else { throw JournalFileError(.write, file.path, code: 28) }
            let count = min(bytes.count, state.room, state.stride)
            if state.room < .max { state.room -= count }
            state.contents[Int(file.descriptor), default: []] += bytes.prefix(count)
            state.modified[Int(file.descriptor)] = state.now
            return count
        }
    }

    func rename(_ from: String, to: String) throws(JournalFileError) {
        let (source, target) = (name(from), name(to))
        try perform(.rename, from) { state throws(JournalFileError) in
            guard let number = state.names.removeValue(forKey: source) else {
                throw JournalFileError(.rename, from, code: 2)
            }
            state.names[target] = number
        }
    }

    func remove(_ path: String) throws(JournalFileError) {
        let name = name(path)
        try perform(.remove, path) { state throws(JournalFileError) in
            guard state.names.removeValue(forKey: name) != nil else {
                throw JournalFileError(.remove, path, code: 2)
            }
        }
    }
}
