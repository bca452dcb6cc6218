import DaybookBase
import Foundation

/// The exclusive right to change files of a folder, held by one thread of one process at a time; nothing is written
/// without it. Between processes it is an `flock` on the folder, if the file system supports that.
package struct FolderTurn {
    /// How long to wait for another process before refusing an edit.
    private static let patience = (waits: 200, each: useconds_t(10_000))
    /// The prefix of a new file until it is renamed.
    private static let beginning = ".daybook-new-"
    private static let queues = Mutex<[String: Queue]>([:])

    /// Serializes this process's threads that edit one folder.
    private final class Queue: Sendable { let place = Mutex(()) }

    private let folder: String

    /// Calls `body` while no other edit of the folder is in progress.
    /// - Throws: ``OwnedFile/Problem`` if there is no such folder or another process takes too long, or what `body`
    ///   throws.
    package static func take<Answer: Sendable>(in folder: String, _ body: (FolderTurn) throws -> Answer) throws
        -> Answer
    {
        let folder = try OwnedFile.target(of: folder)
        let queue = queues.withLock { queues in
            let queue = queues[folder] ?? Queue()
            queues[folder] = queue
            return queue
        }
        return try queue.place.withLock { _ throws in
            let lock = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
            guard lock >= 0 else { throw OwnedFile.Problem.system("\(folder) cannot be opened") }
            // Releases the lock.
            defer { close(lock) }
            let turn = FolderTurn(folder: folder)
            if try take(lock, folder) { turn.removeLeftovers() }
            return try body(turn)
        }
    }

    /// Whether the lock was acquired; `false` if the file system has none.
    private static func take(_ lock: Int32, _ folder: String) throws(OwnedFile.Problem) -> Bool {
        for _ in 0..<patience.waits {
            if flock(lock, LOCK_EX | LOCK_NB) == 0 { return true }
            // Some network file systems have no locks; then only threads are serialized.
            guard errno == EWOULDBLOCK || errno == EINTR else { return false }
            usleep(patience.each)
        }
        throw OwnedFile.Problem(
            .busy, "Another program is changing files of \(folder). Nothing was written; try again.")
    }

    /// Removes leftovers of a crash; nobody else is writing now.
    private func removeLeftovers() {
        for name in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        where name.hasPrefix(Self.beginning) {
            unlink("\(folder)/\(name)")
        }
    }

    /// As ``OwnedFile/edit(_:over:mode:makesFolder:reached:_:)``, for a file in the folder.
    package func edit<Answer>(
        _ path: String, over seen: OwnedFile.Seen = .anything, mode: mode_t = 0o644,
        reached: (OwnedFile.Step) throws -> Void = { _ in }, _ body: (inout [UInt8]?) throws -> Answer
    ) throws -> Answer {
        let target = try OwnedFile.target(of: path)
        guard OwnedFile.parent(of: target) == folder else {
            throw OwnedFile.Problem(.conflict, "\(path) leads to another folder by now. Nothing was written.")
        }
        let before = try OwnedFile.read(target)
        if case .version(let version) = seen, before.map(OwnedFile.version) != version {
            throw OwnedFile.Problem.conflict(path, isThere: before != nil, wasThere: version != nil)
        }
        var after = before
        let answer = try body(&after)
        if let after {
            if after != before { try write(after, to: target, over: before, named: path, mode, reached) }
        } else if before != nil {
            try reached(.begun)
            guard unlink(target) == 0 else { throw refusal("\(path) is not removed", path) }
            syncFolder()
        }
        return answer
    }

    private func write(
        _ bytes: [UInt8], to target: String, over before: [UInt8]?, named path: String, _ mode: mode_t,
        _ reached: (OwnedFile.Step) throws -> Void
    ) throws {
        var former = stat()
        let isThere = before != nil && stat(target, &former) == 0
        if isThere { try check(former, target, path) }
        let new = "\(folder)/\(Self.beginning)\(UInt64.random(in: .min ... .max))"
        let file = open(new, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, isThere ? 0o600 : mode)
        guard file >= 0 else { throw OwnedFile.Problem.system("\(path) is not written") }
        var isOpen = true
        defer {
            if isOpen { close(file) }
            // Already gone if it was renamed.
            unlink(new)
        }
        try reached(.begun)
        if isThere { try keep(former, of: file, path) }
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Foundation.write(file, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw OwnedFile.Problem.system("\(path) is not written") }
            rest = rest.dropFirst(count)
        }
        try reached(.written)
        guard DriveCache.flush(file) else { throw OwnedFile.Problem.system("\(path) is not written") }
        isOpen = false
        // Some file systems report a full disk only now.
        guard close(file) == 0 else { throw OwnedFile.Problem.system("\(path) is not written") }
        try reached(.synced)
        // Editors do not take the lock.
        let now = try OwnedFile.read(target)
        guard now == before else {
            throw OwnedFile.Problem.conflict(path, isThere: now != nil, wasThere: before != nil)
        }
        try reached(.checked)
        try takeName(of: target, for: new, with: bytes, over: before, named: path)
        syncFolder()
        try reached(.renamed)
    }

    /// Renames a new file to its target. If an editor has saved the target since it was read, that version is restored.
    private func takeName(
        of target: String, for new: String, with bytes: [UInt8], over before: [UInt8]?, named path: String
    ) throws {
        guard before != nil else {
            // Unlike a rename, this fails if the name has been taken meanwhile.
            guard link(new, target) != 0 else { return }
            if errno == EEXIST { throw OwnedFile.Problem.conflict(path, isThere: true, wasThere: false) }
            guard rename(new, target) == 0 else { throw OwnedFile.Problem.system("\(path) is not written") }
            return
        }
        switch SwappedFiles.swap(new, target) {
        case .swapped: break
        case .failed(let code): throw refusal("\(path) is not written", path, code: code)
        case .unsupported:
            guard rename(new, target) == 0 else { throw OwnedFile.Problem.system("\(path) is not written") }
            return
        }
        var (placed, found) = (Optional(bytes), try? OwnedFile.read(new))
        guard found != before else { return }
        // An editor may save again in between; its last version must survive.
        var isBack = false
        while !isBack, case .swapped = SwappedFiles.swap(new, target) {
            let next = try? OwnedFile.read(new)
            isBack = next == placed
            (placed, found) = (found, next)
        }
        // The target was removed meanwhile.
        if !isBack { _ = rename(new, target) }
        throw OwnedFile.Problem.conflict(path, isThere: true, wasThere: true)
    }

    /// Refuses a replacement that would lose properties of the existing file.
    private func check(_ former: stat, _ target: String, _ path: String) throws(OwnedFile.Problem) {
        guard access(target, W_OK) == 0 else { throw refusal("\(path) is not written", path) }
        // An editor that saves by renaming removes the last link between the two checks.
        guard former.st_nlink > 0 else { throw .conflict(path, isThere: true, wasThere: true) }
        guard former.st_nlink == 1 else {
            throw OwnedFile.Problem(
                .storage,
                "\(path) is not written: it has \(former.st_nlink) names (hard links), which would no longer "
                    + "be one file; make them symbolic links")
        }
    }

    /// The system's refusal to access the former file, which may be gone by now.
    private func refusal(_ message: String, _ path: String, code: Int32 = errno) -> OwnedFile.Problem {
        code == ENOENT ? .conflict(path, isThere: false, wasThere: true) : .system(message, code: code)
    }

    /// Copies owner, group and mode from the replaced file.
    private func keep(_ former: stat, of file: Int32, _ path: String) throws(OwnedFile.Problem) {
        var new = stat()
        guard fstat(file, &new) == 0 else { throw .system("\(path) is not written") }
        if (new.st_uid, new.st_gid) != (former.st_uid, former.st_gid), fchown(file, former.st_uid, former.st_gid) != 0 {
            throw .system("\(path) is not written: its owner (\(former.st_uid):\(former.st_gid)) cannot be kept")
        }
        guard fchmod(file, former.st_mode & 0o7777) == 0 else { throw .system("\(path) is not written") }
    }

    /// Makes a rename durable. If the file system cannot, it is ignored: the file is complete either way.
    private func syncFolder() {
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        _ = DriveCache.flush(descriptor)
        close(descriptor)
    }
}
