import DaybookJournal
import DaybookTestTraits
import DaybookTesting
import DaybookTrials
import Foundation
import Testing

@Suite(.temporaryDirectory) struct FaultTests {
    private let directory = TemporaryDirectory.current.subdirectory("journal")
    private let steered = SteeredSystem()
    private let files = FaultyFileSystem()

    private func open(_ options: JournalOptions = smallOptions()) -> Journal {
        Journal.open(
            directory: directory.path, outputs: ["a"], context: [1], options: options,
            system: steered.system(files: files))
    }

    @Test("A full disk keeps frames in the ring until there is space", arguments: [ENOSPC, EIO, EDQUOT])
    func fullDiskUsesRing(code: Int32) {
        let journal = open()
        files.fail([.open, .write], code: code)
        let texts = (0..<400).map { "\($0) " + String(repeating: "m", count: 400) }
        for text in texts { #expect(!journal.log(text).isDropped) }
        journal.sync()
        guard case .waiting(let reason) = journal.status else {
            Issue.record("the journal does not tell that the disk cannot be written")
            return
        }
        #expect(reason.contains("open") && journal.counters.framesInMemory == 0)
        #expect(journal.all(output: 0).map(\.text) == texts)
        journal.housekeep()
        #expect(journal.status != .mapped)

        files.heal()
        steered.advance(120)
        journal.housekeep()
        #expect(journal.status == .mapped)
        #expect(!journal.log("on disk").attention.contains(.inMemory))
        #expect(journal.all(output: 0).map(\.text) == texts + ["on disk"])
        // Everything is on disk now: the next launch finds it.
        let files = try? directory.snapshot()
        let copy = TemporaryDirectory.current.subdirectory("copy")
        try? copy.restore(files ?? [:])
        let next = Journal.open(directory: copy.path, outputs: ["a"], options: smallOptions())
        #expect(next.all(output: 0).count == 401)
        #expect(next.counters.corruptFrames == 0 && next.counters.lostFrames == 0)
    }

    /// A killed writer's directory: so many frames, in the ring alone.
    private func killedDirectory(_ options: JournalOptions, _ fill: (Journal) -> Void) throws -> TemporaryDirectory {
        let journal = Journal.open(
            directory: directory.path, outputs: ["a"], context: [1], options: options, system: steered.system())
        fill(journal)
        let killed = TemporaryDirectory.current.subdirectory("killed")
        try killed.restore(try directory.snapshot())
        return killed
    }

    @Test("A ring that cannot be renamed keeps its place until segments have its frames")
    func unrenamedRingIsKept() throws {
        let killed = try killedDirectory(smallOptions()) { for index in 0..<10 { $0.log("\(index)") } }
        files.fail([.rename], code: EIO, times: 1)
        let next = Journal.open(
            directory: killed.path, outputs: ["a"], options: smallOptions(), system: steered.system(files: files))
        let texts = (0..<10).map { "\($0)" }
        #expect(next.all(output: 0).map(\.text) == texts && next.log("new").attention.contains(.inMemory))
        // A kill now loses what is in memory alone.
        let again = TemporaryDirectory.current.subdirectory("again")
        try again.restore(try killed.snapshot())
        #expect(
            Journal.open(directory: again.path, outputs: ["a"], options: smallOptions()).all(output: 0).map(\.text)
                == texts)
        steered.advance(2)
        next.housekeep()
        #expect(next.status == .mapped)
        let last = TemporaryDirectory.current.subdirectory("last")
        try last.restore(try killed.snapshot())
        #expect(
            Journal.open(directory: last.path, outputs: ["a"], options: smallOptions()).all(output: 0).map(\.text)
                == texts + ["new"])
    }

    @Test("An unreadable ring reserves the sequences that it may hold", arguments: [false, true])
    func unreadableRingReservesSequences(isRenamed: Bool) throws {
        var options = smallOptions()
        options.ringBytes = 16 << 20
        let count = 150_000
        let killed = try killedDirectory(options) { journal in
            for _ in 0..<count { journal.append(mask: 1, flags: .record, payload: [0]) }
        }
        // Behind the lock.
        files.fail([.open], code: EACCES, after: 1, times: 1)
        if !isRenamed { files.fail([.rename], code: EIO, times: 1) }
        let next = Journal.open(
            directory: killed.path, outputs: ["a"], options: options, system: steered.system(files: files))
        let sequence = next.log("new").sequence
        next.sync()
        if isRenamed {
            #expect(next.status == .mapped && sequence > count)
        } else {
            guard case .memory = next.status else {
                Issue.record("the unreadable ring was overwritten")
                return
            }
        }
        let later = TemporaryDirectory.current.subdirectory("later")
        try later.restore(try killed.snapshot())
        let last = Journal.open(directory: later.path, outputs: ["a"], options: options)
        #expect(last.all(output: 0).count == (isRenamed ? count + 1 : count))
    }

    @Test("Copies that are longer than a frame may be survive a kill") func longCopySurvives() throws {
        var options = smallOptions()
        options.ringBytes = 64 << 10
        options.maximumFrameBytes = 16 << 10
        let payload = [UInt8](repeating: 7, count: options.maximumFrameBytes + 1000)
        let killed = try killedDirectory(options) { journal in
            let copy = FrameCopy(mask: 1, flags: .record, context: [1], payload: payload)
            #expect(journal.append([copy], beyond: 1024) == 1)
        }
        let next = Journal.open(directory: killed.path, outputs: ["a"], options: options)
        #expect(next.all(output: 0).count == 1)
    }

    @Test("The ring is bounded and counts what it drops") func ringIsBounded() {
        let journal = open()
        files.fail([.open, .write], code: ENOSPC)
        for index in 0..<5000 { #expect(!journal.log("\(index)" + String(repeating: "m", count: 300)).isDropped) }
        let lost = journal.counters.drops[.memoryFull]?["a"] ?? 0
        #expect(lost > 0 && journal.counters.drops.count == 1)
        #expect(journal.pending(of: "a") + lost == 5000)
        #expect(UInt64(journal.all(output: 0).count) + lost == 5000)
    }

    @Test("An unusable directory keeps records in memory for the whole launch") func badDirectoryUsesMemory() {
        files.fail([.createDirectory, .open], code: EROFS)
        let journal = open()
        #expect(journal.status != .mapped)
        #expect(journal.log("kept").attention.contains(.inMemory))
        #expect(journal.all(output: 0).map(\.text) == ["kept"])
        #expect(journal.housekeep() == .max)
        #expect(!journal.sync())
        #expect(journal.counters.failedOperations == [.createDirectory: 1])
        journal.close()
    }

    @Test("A failed sync is never retried on the same file") func failedSyncRewrites() throws {
        let journal = open()
        for index in 0..<20 { journal.log("\(index)") }
        files.forgetCalls()
        files.fail([.sync], code: EIO, times: 1)
        #expect(journal.sync())
        for index in 20..<30 { journal.log("\(index)") }
        #expect(journal.sync())
        let failed = try #require(files.calls.first { $0.failed })
        #expect(files.calls.filter { $0.operation == .sync && $0.path == failed.path }.count == 1)
        #expect(journal.counters.rewrittenSegments == 1)
        #expect(journal.all(output: 0).map(\.text) == (0..<30).map { "\($0)" })
        let copy = TemporaryDirectory.current.subdirectory("copy")
        try copy.restore(try directory.snapshot())
        let next = Journal.open(directory: copy.path, outputs: ["a"], options: smallOptions())
        #expect(next.all(output: 0).map(\.text) == (0..<30).map { "\($0)" })
    }

    @Test("Completes short reads and writes") func completesShortTransfers() {
        files.limitTransfers(to: 7)
        do {
            let journal = open()
            for index in 0..<50 { journal.log("\(index)") }
            journal.advance("a", to: 3)
            journal.close()
        }
        let journal = open()
        #expect(journal.cursor(of: "a") == 3)
        #expect(journal.all(after: 3, output: 0).count == 47)
        #expect(journal.counters.lostCursors == 0 && journal.counters.setAsideSegments == 0)
    }

    @Test("Skips unreadable sectors and counts the frames in them") func skipsBadSectors() {
        do {
            let journal = open()
            for index in 0..<200 { journal.log("\(index) " + String(repeating: "s", count: 100)) }
            journal.close()
        }
        let journal = open()
        // The first read of the whole file fails, then those of two pages.
        files.fail([.read], code: EIO, times: 1)
        files.fail([.read], code: EIO, after: 3, times: 2)
        let found = journal.all(output: 0)
        #expect(found.count > 100 && found.count < 200)
        #expect(journal.counters.corruptFrames > 0)
        let dropped: UInt64 = journal.counters.drops[.corrupt]?["a"] ?? 0
        #expect(UInt64(found.count) + dropped == 200)
    }

    /// Each operation over two launches fails once. Nothing may crash, and nothing synced before the fault may be lost.
    @Test("Survives a fault in any single file operation", arguments: [EIO, ENOSPC])
    func survivesAnyFault(code: Int32) {
        var isDone = false
        var number = 0
        while !isDone {
            let directory = TemporaryDirectory.current.subdirectory("\(number)")
            defer { directory.remove() }
            let files = FaultyFileSystem(over: UnsyncedFileSystem())
            func launch() -> Journal {
                Journal.open(
                    directory: directory.path, outputs: ["a"], options: smallOptions(),
                    system: steered.system(files: files))
            }
            let before = (0..<30).map { "before \($0) " + String(repeating: "q", count: 300) }
            do {
                let journal = launch()
                for text in before { journal.log(text) }
                #expect(journal.sync())
            }
            files.forgetCalls()
            files.fail(code: code, after: number, times: 1)
            let during = (0..<150).map { "during \($0) " + String(repeating: "q", count: 600) }
            do {
                let journal = launch()
                for text in during { #expect(!journal.log(text).isDropped) }
                journal.housekeep()
                journal.sync()
                steered.advance(100)
                journal.housekeep()
                journal.sync()
                let found = Set(journal.all().map(\.text))
                let missing = during.filter { !found.contains($0) }.count
                #expect(missing == 0, "operation \(number): \(String(describing: files.calls.first { $0.failed }))")
                journal.close()
            }
            isDone = !files.calls.contains { $0.failed }
            files.heal()
            let journal = launch()
            let found = Set(journal.all().map(\.text))
            // A launch that could not claim its directory had only memory.
            let call = files.calls.first { $0.failed }
            let hadDirectory = call.map {
                ![.createDirectory, .lock, .list].contains($0.operation) && !$0.path.hasSuffix("/lock")
            }
            let missingBefore = before.filter { !found.contains($0) }.count
            let missing = during.filter { !found.contains($0) }.count
            #expect(missingBefore == 0, "operation \(number): \(String(describing: call))")
            if hadDirectory ?? true {
                #expect(missing == 0, "operation \(number): \(String(describing: call))")
            }
            number += 1
        }
        #expect(number > 30)
    }
}
