import DaybookBase
import DaybookJournal
import Foundation

/// A file system that knows what a power loss may leave.
///
/// The files are real. It also keeps each file's content at its last sync, and the directory's names at its last. An
/// image of the disk is any mix of the two, page by page or sector by sector, with the name changes applied up to any
/// of them, in order. Safe to use from any thread.
package final class VolatileDisk: JournalFileSystem {
    private struct State: Sendable {
        var open: [Int32: Int] = [:]
        /// Where a file's bytes are now, by identity.
        var backing: [Int: String] = [:]
        var stable: [Int: Data] = [:]
        var names: [String: Int] = [:]
        var stableNames: [String: Int] = [:]
        /// The names after each change since the directory's last sync.
        var changes: [[String: Int]] = []
        var next = 0
    }

    private let root: String
    private let grave: String
    private let base = PosixFileSystem()
    private let state = Mutex(State())

    /// A disk whose files are below `root`.
    package init(root: String, grave: String) {
        self.root = root
        self.grave = grave
    }

    /// One possible content of the disk if power is lost now.
    package func image(_ random: inout some RandomNumberGenerator) -> [String: Data] {
        let state = state.withLock { $0 }
        let step = Int.random(in: 0...state.changes.count, using: &random)
        let names = step == 0 ? state.stableNames : state.changes[step - 1]
        let grain = Bool.random(using: &random) ? 4096 : 512
        let shares: [Double] = [0, 0.1, 0.5, 0.9, 1]
        let share = shares.randomElement(using: &random) ?? 0.5
        var image: [String: Data] = [:]
        for (name, id) in names.sorted(by: { $0.key < $1.key }) {
            guard let path = state.backing[id],
                let current = FileManager.default.contents(atPath: path)
            else { continue }
            let stable = state.stable[id] ?? Data()
            // The length is the old or the new one; a page past the old end reads as zeros until written.
            let length = Bool.random(using: &random) ? current.count : stable.count
            var mixed = Data(count: length)
            for start in stride(from: 0, to: length, by: grain) {
                let source = Double.random(in: 0..<1, using: &random) < share ? current : stable
                let end = min(start + grain, length, source.count)
                if start < end { mixed.replaceSubrange(start..<end, with: source[start..<end]) }
            }
            image[String(name.dropFirst(root.count + 1))] = mixed
        }
        return image
    }

    private func note(_ file: JournalFile) throws(JournalFileError) {
        let id = state.withLock { $0.open[file.descriptor] }
        guard let id, let path = state.withLock({ $0.backing[id] }),
            let data = FileManager.default.contents(atPath: path)
        else { throw JournalFileError(.sync, file.path, code: EIO) }
        state.withLock { $0.stable[id] = data }
    }

    package func sync(_ file: JournalFile, _ strength: SyncStrength) throws(JournalFileError) {
        try note(file)
    }

    package func syncDirectory(_ path: String) throws(JournalFileError) {
        state.withLock { state in
            state.stableNames = state.names
            state.changes = []
        }
    }

    package func open(_ path: String, _ mode: FileMode) throws(JournalFileError) -> JournalFile {
        let file = try base.open(path, mode)
        state.withLock { state in
            if state.names[path] == nil {
                state.names[path] = state.next
                state.backing[state.next] = path
                state.next += 1
                state.changes.append(state.names)
            }
            state.open[file.descriptor] = state.names[path]
        }
        return file
    }

    package func close(_ file: JournalFile) {
        state.withLock { $0.open[file.descriptor] = nil }
        base.close(file)
    }

    package func rename(_ from: String, to: String) throws(JournalFileError) {
        // Under the lock, so that no image sees half of it.
        try state.withLock { state in
            Result { () throws(JournalFileError) in
                if let old = state.names[to] { try bury(old, at: to, &state) }
                try base.rename(from, to: to)
                guard let id = state.names.removeValue(forKey: from) else { return }
                state.names[to] = id
                state.backing[id] = to
                state.changes.append(state.names)
            }
        }.get()
    }

    package func remove(_ path: String) throws(JournalFileError) {
        try state.withLock { state in
            Result { () throws(JournalFileError) in
                guard let id = state.names[path] else { return try base.remove(path) }
                try bury(id, at: path, &state)
                state.names[path] = nil
                state.changes.append(state.names)
            }
        }.get()
    }

    /// Keeps the bytes of a file that lost its name: a power loss may restore it.
    private func bury(_ id: Int, at path: String, _ state: inout State) throws(JournalFileError) {
        let place = grave + "/\(id)"
        try base.rename(path, to: place)
        state.backing[id] = place
    }

    package func createDirectory(_ path: String) throws(JournalFileError) { try base.createDirectory(path) }
    package func names(in directory: String) throws(JournalFileError) -> [String] { try base.names(in: directory) }
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
    package func write(_ file: JournalFile, _ buffer: UnsafeRawBufferPointer, at offset: Int)
        throws(JournalFileError) -> Int
    { try base.write(file, buffer, at: offset) }
    package func map(_ file: JournalFile, bytes: Int) throws(JournalFileError) -> UnsafeMutableRawPointer {
        try base.map(file, bytes: bytes)
    }
    package func unmap(_ start: UnsafeMutableRawPointer, bytes: Int) { base.unmap(start, bytes: bytes) }
    package func lock(_ file: JournalFile) throws(JournalFileError) -> Bool { try base.lock(file) }
}
