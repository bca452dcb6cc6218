import DaybookBase
import DaybookTestTraits
import DaybookTesting
import DaybookTrials
import Foundation
import Testing

@testable import DaybookJournal

/// The real files, with a check for use of a descriptor that was closed and may belong to another file. Safe to share.
private final class DescriptorCheck: JournalFileSystem {
    private let base = PosixFileSystem()
    private let state = Mutex((open: [Int32: String](), misused: [String]()))

    var misused: [String] { state.withLock { $0.misused } }

    private func check(_ operation: String, _ file: JournalFile) {
        state.withLock { state in
            if state.open[file.descriptor] != file.path { state.misused.append("\(operation) \(file.path)") }
        }
    }

    func open(_ path: String, _ mode: FileMode) throws(JournalFileError) -> JournalFile {
        let file = try base.open(path, mode)
        state.withLock { $0.open[file.descriptor] = path }
        return file
    }
    func close(_ file: JournalFile) {
        check("close", file)
        // Before the close: another thread may get the number at once.
        state.withLock { $0.open[file.descriptor] = nil }
        base.close(file)
    }
    func write(_ file: JournalFile, _ buffer: UnsafeRawBufferPointer, at offset: Int) throws(JournalFileError) -> Int {
        check("write", file)
        return try base.write(file, buffer, at: offset)
    }
    func read(_ file: JournalFile, into buffer: UnsafeMutableRawBufferPointer, at offset: Int)
        throws(JournalFileError) -> Int
    {
        check("read", file)
        return try base.read(file, into: buffer, at: offset)
    }
    func truncate(_ file: JournalFile, bytes: Int) throws(JournalFileError) {
        check("truncate", file)
        try base.truncate(file, bytes: bytes)
    }
    func sync(_ file: JournalFile, _ strength: SyncStrength) throws(JournalFileError) {
        check("sync", file)
        try base.sync(file, strength)
    }
    func look(at path: String) -> FileLook { base.look(at: path) }
    func mark(of file: JournalFile) -> FileMark? {
        check("look at", file)
        return base.mark(of: file)
    }
    func size(_ file: JournalFile) throws(JournalFileError) -> Int { try base.size(file) }
    func allocate(_ file: JournalFile, bytes: Int) throws(JournalFileError) { try base.allocate(file, bytes: bytes) }
    func createDirectory(_ path: String) throws(JournalFileError) { try base.createDirectory(path) }
    func names(in directory: String) throws(JournalFileError) -> [String] { try base.names(in: directory) }
    func syncDirectory(_ path: String) throws(JournalFileError) { try base.syncDirectory(path) }
    func rename(_ from: String, to: String) throws(JournalFileError) { try base.rename(from, to: to) }
    func remove(_ path: String) throws(JournalFileError) { try base.remove(path) }
    func map(_ file: JournalFile, bytes: Int) throws(JournalFileError) -> UnsafeMutableRawPointer {
        try base.map(file, bytes: bytes)
    }
    func unmap(_ start: UnsafeMutableRawPointer, bytes: Int) { base.unmap(start, bytes: bytes) }
    func lock(_ file: JournalFile) throws(JournalFileError) -> Bool { try base.lock(file) }
}

/// Files removed, replaced or written to by others while the journal has them open.
@Suite(.timeLimit(.minutes(5)), .temporaryDirectory) struct RemovalTests {
    private let directory = TemporaryDirectory.current.subdirectory("journal")
    private let steered = SteeredSystem()
    private let files = DescriptorCheck()

    private func open(_ path: String, cap: Int = 8 << 20) -> Journal {
        Journal.open(
            directory: path, outputs: ["a"], context: [1], options: smallOptions(cap: cap),
            system: steered.system(files: files))
    }

    private func texts(_ range: Range<Int>) -> [String] {
        range.map { "\($0) " + String(repeating: "m", count: 200) }
    }

    /// What the next launch finds after a kill.
    private func afterKill<Answer>(_ look: (Journal) throws -> Answer) throws -> Answer {
        let copy = TemporaryDirectory.current.subdirectory("copy")
        try copy.restore(try directory.snapshot())
        return try look(open(copy.path))
    }

    @Test("Records stored before the directory was removed survive to the next launch", arguments: [true, false])
    func removalKeepsStored(isKilled: Bool)
        throws
    {
        let journal = open(directory.path)
        let all = texts(0..<200)
        for text in all[..<100] { journal.log(text) }
        #expect(journal.sync())
        try FileManager.default.removeItem(atPath: directory.path)
        for text in all[100...] { journal.log(text) }
        #expect(journal.sync())
        #expect(journal.status == .mapped)
        #expect(journal.counters.replacedFiles > 0)
        #expect(journal.all(output: 0).map(\.text) == all)
        if isKilled {
            try afterKill { next in
                #expect(next.all(output: 0).map(\.text) == all)
                #expect(next.identity.journal == journal.identity.journal)
            }
        } else {
            journal.close()
            let next = open(directory.path)
            #expect(next.all(output: 0).map(\.text) == all)
            #expect(next.identity.journal == journal.identity.journal)
        }
    }

    /// A reader that cannot open a segment makes housekeeping look for it, even with nothing to sync.
    @Test("A missing segment does not block readers and its frames are counted") func missingSegmentIsSkipped() throws {
        let journal = open(directory.path)
        for text in texts(0..<4_000) { journal.log(text) }
        #expect(journal.sync())
        journal.housekeep()
        let names = try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted()
        let first = try #require(names.first { $0.hasSuffix(".segment") })
        try FileManager.default.removeItem(atPath: "\(directory.path)/\(first)")
        _ = journal.read(after: 0, output: 0, limitFrames: 1_000) { _ in true }
        journal.housekeep()
        let found = journal.all(output: 0).count
        #expect(found < 4_000)
        #expect(UInt64(found) + journal.counters.dropped(for: "a") == 4_000)
        #expect(journal.counters.replacedFiles == 1)
    }

    /// What others may do to a journal's file.
    private enum Deed: CaseIterable {
        case remove, moveAway, replace, replaceByOlder, replaceByOther, link, hardLink, pipe
        // In place. Not to the ring: no process survives the truncation of a mapped file.
        case empty, shorten, overwrite, overwriteByOther, touch

        var isInPlace: Bool { [.empty, .shorten, .overwrite, .overwriteByOther, .touch].contains(self) }
    }

    private func `do`(
        _ deed: Deed, to path: String, older: Data?, other: Data?, _ random: inout SeededGenerator
    ) throws {
        let manager = FileManager.default
        func put(_ data: Data) throws { try data.write(to: URL(fileURLWithPath: path)) }
        func overwrite(_ data: Data, emptied: Bool) throws {
            let file = try #require(FileHandle(forWritingAtPath: path))
            if emptied { try file.truncate(atOffset: 0) }
            try file.write(contentsOf: data)
            try file.close()
        }
        if !deed.isInPlace {
            if deed == .moveAway {
                let aside = "\(path).aside.tmp"
                if manager.fileExists(atPath: aside) { try manager.removeItem(atPath: aside) }
                return try manager.moveItem(atPath: path, toPath: aside)
            }
            try manager.removeItem(atPath: path)
        }
        switch deed {
        case .remove, .moveAway: break
        case .replace: try put(Data("x".utf8))
        case .replaceByOlder: try put(older ?? Data())
        case .replaceByOther: try put(other ?? Data())
        case .link: try manager.createSymbolicLink(atPath: path, withDestinationPath: elsewhere)
        case .hardLink: try manager.linkItem(atPath: elsewhere, toPath: path)
        case .pipe: #expect(mkfifo(path, 0o600) == 0)
        case .empty: try overwrite(Data(), emptied: true)
        case .shorten:
            let file = try #require(FileHandle(forWritingAtPath: path))
            let size = try file.seekToEnd()
            try file.truncate(atOffset: UInt64.random(in: 0...size, using: &random))
            try file.close()
        case .overwrite: try overwrite(Data(repeating: 7, count: 5_000), emptied: false)
        case .overwriteByOther: try overwrite(other ?? Data(), emptied: true)
        case .touch: try manager.setAttributes([.modificationDate: Date(timeIntervalSince1970: 1)], ofItemAtPath: path)
        }
    }

    private var elsewhere: String { directory.path + ".elsewhere" }

    /// Any file at any time: each record is found at the next launch, or counted and reported. Files behind links are
    /// left alone.
    @Test("Records survive or are counted, whatever is done to the files", arguments: 0..<120)
    func survivesAnyFileChange(seed: Int) throws {
        var random = SeededGenerator(seed: UInt64(seed))
        let precious = Data(repeating: 9, count: 10_000)
        try precious.write(to: URL(fileURLWithPath: elsewhere))
        let journal = open(directory.path)
        var logged: [UInt64] = []
        var older: [String: Data] = [:]
        for step in 0..<30 {
            for text in texts(step * 100..<step * 100 + Int.random(in: 1...100, using: &random)) {
                logged.append(journal.log(text).sequence)
            }
            switch Int.random(in: 0..<8, using: &random) {
            case 0: journal.sync()
            case 1:
                steered.advance(2)
                journal.housekeep()
            case 2:
                journal.sync()
                if let some = journal.all(output: 0).randomElement(using: &random) {
                    journal.advance("a", to: some.sequence)
                }
            case 3:
                try? FileManager.default.removeItem(atPath: directory.path)
            case 4:
                let names = ((try? FileManager.default.subpathsOfDirectory(atPath: directory.path)) ?? []).sorted()
                for name in names where Int.random(in: 0..<3, using: &random) == 0 {
                    try? FileManager.default.removeItem(atPath: "\(directory.path)/\(name)")
                }
            default:
                // Start from intact files: a replaced lock beside a missing ring would be another process's.
                journal.sync()
                let files = (try? directory.snapshot()) ?? [:]
                let deed = Deed.allCases.randomElement(using: &random) ?? .remove
                let places = files.keys.sorted().filter { name in
                    if name.hasSuffix(".tmp") || deed.isInPlace && name.hasSuffix("ring") { return false }
                    // Anything that can be locked serves as the lock and stays.
                    return name != "lock" || ![.hardLink, .pipe].contains(deed)
                }
                guard let name = places.randomElement(using: &random) else { break }
                let other = files.keys.sorted().filter { $0 != name }.randomElement(using: &random)
                try `do`(
                    deed, to: "\(directory.path)/\(name)", older: older[name], other: other.flatMap { files[$0] },
                    &random)
                journal.sync()
                older = files
            }
            // The journal checks its files at a sync.
            if step % 3 == 2 { journal.sync() }
        }
        #expect(journal.sync(), "seed \(seed): \(journal.status)")
        let found = journal.all(output: 0)
        let sequences = Set(found.map(\.sequence))
        #expect(sequences.count == found.count, "seed \(seed)")
        // Whatever a read misses is counted by now. A dropped record has no sequence number.
        let missing = logged.filter { ($0 == 0 || $0 > journal.cursor(of: "a")) && !sequences.contains($0) }
        #expect(missing.count <= journal.counters.dropped(for: "a"), "seed \(seed)")
        let losses = journal.takeLosses().losses
        let isTold = missing.allSatisfy { place in
            place == 0 || losses.contains { $0.after < place && place <= $0.through }
        }
        #expect(isTold, "seed \(seed)")
        try afterKill { next in
            let there = next.all(output: 0)
            #expect(there.map(\.text) == found.map(\.text), "seed \(seed)")
            #expect(next.identity.journal == journal.identity.journal, "seed \(seed)")
            #expect(next.counters.setAsideSegments == 0, "seed \(seed)")
        }
        #expect(files.misused.isEmpty, "seed \(seed)")
        #expect(FileManager.default.contents(atPath: elsewhere) == precious, "seed \(seed)")
    }

    /// The next launch no longer finds the replaced content. This launch counts and reports it, whoever had read it.
    @Test("A replaced sealed segment is counted once", arguments: [true, false]) func replacedSegmentCounted(
        isInPlace: Bool
    ) throws {
        let journal = open(directory.path)
        for text in texts(0..<2_000) { journal.log(text) }
        #expect(journal.sync())
        journal.housekeep()
        journal.advance("a", to: 10)
        let first = try #require(directory.segments.first)
        if isInPlace {
            let file = try #require(FileHandle(forWritingAtPath: "\(directory.path)/\(first)"))
            try file.truncate(atOffset: 0)
            try file.write(contentsOf: Data("x".utf8))
            try file.close()
        } else {
            try Data("x".utf8).write(to: URL(fileURLWithPath: "\(directory.path)/\(first)"), options: .atomic)
        }
        journal.log("more")
        #expect(journal.sync())
        let found = journal.all(after: 10, output: 0).count
        #expect(found < 1_991)
        #expect(UInt64(found) + journal.counters.dropped(for: "a") == 1_991)
        #expect(journal.takeLosses().losses.reduce(0) { $0 + $1.count } == journal.counters.dropped(for: "a"))
        #expect(journal.counters.replacedFiles == 1)
        try afterKill { next in
            #expect(next.all(after: 10, output: 0).count == found)
            #expect(next.counters.setAsideSegments == 0)
        }
    }

    /// One thread syncs or seals a segment while another drops it for space. The first must not reach a file that the
    /// host has opened since.
    @Test(
        "A file stays open while a thread uses it, even once dropped",
        arguments: [FileOperation.sync, .truncate, .syncDirectory], 3..<6)
    func descriptorOutlivesDrop(operation: FileOperation, calls: Int) {
        let faulty = FaultyFileSystem(over: files)
        let journal = Journal.open(
            directory: directory.path, outputs: ["a"], options: smallOptions(cap: 300 << 10),
            system: steered.system(files: faulty))
        for round in 0..<calls {
            for text in texts(0..<100 * round) { journal.log(text) }
            faulty.interrupt(operation) {
                // More than the cap: every earlier segment goes.
                for text in self.texts(0..<3_000) { journal.log(text) }
            }
            journal.sync()
            steered.advance(2)
            journal.housekeep()
            faulty.interrupt(operation) {}
        }
        #expect(journal.counters.dropped(because: .capacity) > 0)
        journal.close()
        #expect(files.misused.isEmpty)
    }

    /// Its old descriptor may belong to another file by now.
    @Test("A cursor that cannot be rewritten is kept in memory") func cursorKeptInMemory() throws {
        let journal = open(directory.path)
        let last = texts(0..<10).map { journal.log($0).sequence }.max() ?? 0
        #expect(journal.sync())
        let cursors = "\(directory.path)/cursors"
        try FileManager.default.removeItem(atPath: cursors)
        try Data("x".utf8).write(to: URL(fileURLWithPath: cursors))
        #expect(journal.sync())
        journal.advance("a", to: last)
        #expect(journal.sync())
        #expect(journal.cursor(of: "a") == last)
        #expect(journal.counters.failedOperations == [.open: 1])
        journal.close()
        #expect(files.misused.isEmpty)
        try afterKill { next in
            #expect(next.all(output: 0).count == 10)
            #expect(next.counters.lostCursors == 1)
        }
    }

    /// The removed records are kept and reported.
    @Test("Leaves a directory that another process has taken over") func leavesTakenDirectory() throws {
        let journal = open(directory.path)
        journal.log("mine")
        #expect(journal.sync())
        try FileManager.default.removeItem(atPath: directory.path)
        let other = open(directory.path)
        other.log("theirs")
        #expect(other.sync())
        let files = try directory.snapshot()
        #expect(!journal.sync())
        #expect(journal.isTakenOver)
        guard case .waiting(let reason) = journal.status else {
            Issue.record("not told: \(journal.status)")
            return
        }
        #expect(reason.contains("lock"))
        journal.log("more")
        #expect(!journal.sync())
        steered.advance(120)
        journal.housekeep()
        #expect(journal.all(output: 0).map(\.text) == ["mine", "more"])
        #expect(try directory.snapshot() == files)
        #expect(other.all(output: 0).map(\.text) == ["theirs"])
        journal.close()
        #expect(try directory.snapshot() == files)
        other.close()
    }
}
