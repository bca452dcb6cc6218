import DaybookBase
import DaybookJournal
import DaybookTestTraits
import DaybookTesting
import DaybookTrials
import Foundation
import Testing

/// Promise J10 in a shared directory: a suspended process holds no lock.
@Suite(.temporaryDirectory) struct SuspensionTests {
    private let directory = TemporaryDirectory.current.subdirectory("journal")
    private let steered = SteeredSystem()
    private let files = FaultyFileSystem()

    private func open(shared: Bool = true) -> Journal {
        var options = smallOptions(cap: 8 << 20)
        options.isShared = shared
        return Journal.open(
            directory: directory.path, outputs: ["a"], context: [1], options: options,
            system: steered.system(files: files))
    }

    private var isLocked: Bool {
        let files = PosixFileSystem()
        guard let lock = try? files.open(directory.path + "/lock", .readWrite) else { return false }
        defer { files.close(lock) }
        return (try? files.lock(lock)) != true
    }

    @Test("Suspension releases the lock, and frames reach the disk after it") func suspensionReleasesLock() throws {
        let journal = open()
        journal.log("before")
        #expect(isLocked)
        journal.suspend()
        #expect(!isLocked)
        let inMemory = journal.log("while suspended").attention.contains(.inMemory)
        #expect(inMemory)
        #expect(journal.all().map(\.text) == ["before", "while suspended"] && journal.pending(of: "a") == 2)
        // A suspended process's last calls change nothing on disk.
        let before = try directory.snapshot()
        journal.advance("a", to: 1)
        journal.updateOutputs(["a", "b"])
        #expect(journal.housekeep() == .max && !journal.sync())
        #expect(try directory.snapshot() == before && !isLocked)

        journal.resume()
        #expect(isLocked && journal.status == .mapped && !journal.isTakenOver)
        #expect(!journal.log("after").attention.contains(.inMemory))
        #expect(journal.all(after: journal.cursor(of: "a")).map(\.text) == ["while suspended", "after"])
        // A kill now loses neither records nor the output's cursor.
        let copy = TemporaryDirectory.current.subdirectory("copy")
        try copy.restore(directory.snapshot())
        let next = Journal.open(directory: copy.path, outputs: ["a", "b"], options: smallOptions())
        #expect(next.all(after: next.cursor(of: "a")).map(\.text) == ["while suspended", "after"])
        #expect(next.counters.corruptFrames == 0 && next.counters.lostFrames == 0)
    }

    @Test("Suspending an unshared journal keeps its lock and disk") func unsharedKeepsLock() {
        let journal = open(shared: false)
        journal.suspend()
        #expect(isLocked && journal.status == .mapped)
        journal.resume()
        #expect(!journal.log("on").attention.contains(.inMemory))
    }

    @Test("A kill during suspension loses nothing stored before it") func killWhileSuspendedSafe() throws {
        let journal = open()
        let texts = (0..<300).map { "\($0) " + String(repeating: "x", count: 300) }
        for text in texts { journal.log(text) }
        journal.suspend()
        journal.log("in memory alone")
        let copy = TemporaryDirectory.current.subdirectory("copy")
        try copy.restore(directory.snapshot())
        let next = Journal.open(directory: copy.path, outputs: ["a"], options: smallOptions(cap: 8 << 20))
        #expect(next.all().map(\.text) == texts && next.counters.tornTails == 0)
        #expect(journal.counters.framesInMemory == 1)
    }

    @Test("A directory taken during suspension is left to its new owner", arguments: [true, false])
    func ownerChangeIsRespected(closing: Bool) {
        let journal = open()
        for index in 0..<10 { journal.log("\(index)") }
        journal.advance("a", to: 4)
        journal.suspend()
        let other = open()
        #expect(other.directory == directory.path)
        #expect(other.all(after: other.cursor(of: "a")).map(\.text) == (4..<10).map { "\($0)" })
        other.log("other")
        if closing { other.close() }
        journal.log("while suspended")
        journal.resume()
        #expect(journal.isTakenOver && journal.status != .mapped)
        journal.log("after")
        #expect(journal.all(after: journal.cursor(of: "a")).map(\.text) == ["while suspended", "after"])
        #expect(journal.counters.drops == [.takenOver: ["a": 6]])
        #expect(journal.pending(of: "a") == 2)
        journal.advance("a", to: journal.lastSequence)
        journal.close()
        // It has changed neither files nor the output's cursor.
        if closing {
            let next = open()
            #expect(next.all(after: next.cursor(of: "a")).map(\.text) == (4..<10).map { "\($0)" } + ["other"])
        } else {
            #expect(isLocked)
            #expect(other.all(after: other.cursor(of: "a")).map(\.text) == (4..<10).map { "\($0)" } + ["other"])
        }
    }

    @Test("A suspended second writer finds that it was adopted") func suspendedWriterAdopted() {
        let first = open()
        let second = open()
        #expect(second.directory.hasSuffix("/writer-2"))
        second.log("two")
        second.suspend()
        first.close()
        let third = open()
        for _ in 0..<100 where third.housekeep() <= steered.now {}
        #expect(third.all().map(\.text) == ["two"])
        second.resume()
        #expect(second.isTakenOver && second.counters.drops == [.takenOver: ["a": 1]])
    }

    @Test("A lock that is unavailable is retried") func retriesForLock() {
        let journal = open()
        journal.suspend()
        journal.log("while suspended")
        files.fail([.open, .lock], code: EIO)
        journal.resume()
        #expect(journal.status != .mapped && !journal.isTakenOver)
        let due = journal.housekeep()
        #expect(due > steered.now && due != .max)
        files.heal()
        steered.advance(120)
        journal.housekeep()
        #expect(isLocked && journal.status == .mapped)
        #expect(journal.all().map(\.text) == ["while suspended"])
    }

    @Test("Closing a suspended journal stores the frames held in memory") func suspendedCloseStores() {
        let journal = open()
        journal.suspend()
        journal.log("while suspended")
        journal.close()
        #expect(!isLocked)
        #expect(open().all().map(\.text) == ["while suspended"])
    }

    @Test("Many suspensions leave files no larger than their content") func suspensionsLeaveNoSlack() {
        let journal = open()
        for index in 0..<50 {
            journal.log("\(index)")
            journal.suspend()
            journal.log("\(index) suspended")
            journal.resume()
        }
        #expect(journal.all().count == 100 && journal.counters.drops.isEmpty)
        #expect(directory.dataBytes < 100 * 4096 + 4 * (64 << 10))
    }

    /// Before the first unlock after a boot, protected files cannot be opened.
    @Test("A start before the first unlock uses memory", arguments: [EPERM, EACCES])
    func lockedDeviceUsesMemory(code: Int32) {
        open().close()
        files.fail(code: code)
        let journal = open()
        guard case .memory = journal.status else {
            Issue.record("the journal does not tell that it is in memory")
            return
        }
        journal.log("locked")
        journal.suspend()
        journal.resume()
        #expect(journal.all().map(\.text) == ["locked"] && journal.counters.framesInMemory == 1)
        journal.close()
        files.heal()
        #expect(open().status == .mapped)
    }

    @Test("Prepares every directory and file before writing to it") func preparesBeforeWriting() throws {
        struct Seen { var paths: Set<String> = [], filled: [String] = [] }
        let seen = Mutex(Seen())
        let system = PosixFileSystem { path in
            let size = (try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int) ?? nil
            let isDirectory = (try? FileManager.default.contentsOfDirectory(atPath: path)) != nil
            seen.withLock { seen in
                if !isDirectory, size != 0, !seen.paths.contains(path) { seen.filled.append(path) }
                seen.paths.insert(path)
            }
        }
        let path = directory.path + "/deep/inside"
        let journal = Journal.open(
            directory: path, outputs: ["a"], options: smallOptions(), system: steered.system(files: system))
        for _ in 0..<400 { journal.log(String(repeating: "p", count: 400)) }
        journal.housekeep()
        let (paths, filled) = seen.withLock { ($0.paths, $0.filled) }
        #expect(filled.isEmpty)
        #expect(
            paths.isSuperset(of: [directory.path, directory.path + "/deep", path, path + "/cursors", path + "/lock"]))
        let segments = paths.filter { $0.hasSuffix(".segment") }.count
        #expect(segments > 1 && segments == directory.segments(below: "deep/inside"))
        #expect(paths.contains(path + "/ring"))
        journal.close()
    }

    @Test("Every directory and file is private to its owner") func filesArePrivate() throws {
        let path = directory.path + "/deep"
        let journal = Journal.open(
            directory: path, outputs: ["a"], options: smallOptions(), system: steered.system(files: PosixFileSystem()))
        for _ in 0..<400 { journal.log(String(repeating: "p", count: 400)) }
        journal.housekeep()
        let names = try FileManager.default.subpathsOfDirectory(atPath: path)
        #expect(names.contains("lock") && names.contains { $0.hasSuffix(".segment") })
        for name in [""] + names {
            let attributes = try FileManager.default.attributesOfItem(atPath: path + "/" + name)
            let isDirectory = attributes[.type] as? FileAttributeType == .typeDirectory
            #expect(attributes[.posixPermissions] as? Int == (isDirectory ? 0o700 : 0o600), "\(name)")
        }
        journal.close()
    }
}

extension TemporaryDirectory {
    fileprivate func segments(below folder: String) -> Int {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: path + "/" + folder)) ?? []
        return names.filter { $0.hasSuffix(".segment") }.count
    }
}
