import DaybookBase
import DaybookJournal
import DaybookJournalInspection
import DaybookTestTraits
import DaybookTesting
import DaybookTrials
import Foundation
import Testing

@Suite(.temporaryDirectory) struct RingTests {
    private let directory = TemporaryDirectory.current.subdirectory("journal")
    private let steered = SteeredSystem()
    private let files = FaultyFileSystem()

    private func open(_ options: JournalOptions = smallOptions(cap: 8 << 20)) -> Journal {
        Journal.open(
            directory: directory.path, outputs: ["a"], options: options, system: steered.system(files: files))
    }

    private func append(_ text: String, to journal: Journal) -> Appended {
        journal.append(mask: 1, flags: .record, payload: Array(text.utf8))
    }

    /// No background thread, as in a burst that outruns it.
    @Test("An append makes no file and at most writes to the log") func appendOnlyWrites() {
        let journal = open()
        _ = append("first", to: journal)
        journal.writeLog()
        files.forgetCalls()
        var texts = ["first"]
        // More than the ring holds, less than the open segment may grow to.
        for index in 0..<330 {
            texts.append("\(index) " + String(repeating: "b", count: 900))
            #expect(!append(texts[index + 1], to: journal).isDropped)
        }
        let operations = Set(files.calls.map(\.operation))
        #expect(operations == [.write])
        #expect(journal.all().map(\.text) == texts && journal.counters.drops.isEmpty)
        #expect(journal.writeLog())
        #expect(journal.all().map(\.text) == texts && directory.segments.count > 2)
    }

    @Test(
        "A full ring drops by policy and counts when nobody drains it",
        arguments: [JournalOptions.Policy.dropOldest, .dropNewest])
    func fullRingDropsByPolicy(policy: JournalOptions.Policy) {
        var options = smallOptions(cap: 8 << 20)
        options.policy = policy
        let journal = open(options)
        var accepted: [String] = []
        for index in 0..<2000 {
            let text = "\(index) " + String(repeating: "b", count: 900)
            if !append(text, to: journal).isDropped { accepted.append(text) }
        }
        // No segment was started, and a log call starts none.
        #expect(directory.segments.isEmpty)
        let lost = journal.counters.dropped(because: .memoryFull)
        #expect(lost > 1000 && journal.counters.drops.count == 1)
        #expect(accepted.count == (policy == .dropOldest ? 2000 : 2000 - Int(lost)))
        let kept = journal.all().map(\.text)
        #expect(kept == (policy == .dropOldest ? accepted.suffix(2000 - Int(lost)) : accepted))
        #expect(journal.pending(of: "a") == UInt64(kept.count) && UInt64(kept.count) + lost == 2000)
        #expect(journal.sync() && journal.all().map(\.text) == kept)
    }

    /// The pause runs the background work on the same thread: a lock held by the waiting append would deadlock.
    @Test("A waiting append holds no lock the background needs") func waitingAppendHoldsNoLock() {
        let background = Background()
        var system = steered.system(files: files)
        system.pause = { _ in background.run() }
        let journal = Journal.open(
            directory: directory.path, outputs: ["a"], options: smallOptions(cap: 8 << 20), system: system)
        background.journal.withLock { $0 = journal }
        defer { background.journal.withLock { $0 = nil } }
        var texts: [String] = []
        for index in 0..<2000 {
            if index % 100 == 0 { journal.updateContext(Array("\(index / 100)".utf8)) }
            texts.append("\(index) " + String(repeating: "b", count: 900))
            #expect(!append(texts[index], to: journal).isDropped)
        }
        #expect(background.rounds.withLock { $0 } > 3 && journal.counters.drops.isEmpty)
        let found = journal.all()
        #expect(found.map(\.text) == texts)
        #expect(found.map(\.contextText) == texts.indices.map { "\($0 / 100)" })
    }

    @Test("A context that finds no room applies from the next frame on") func contextWaitsForRoom() {
        let background = Background()
        var system = steered.system(files: files)
        system.pause = { _ in background.run() }
        var options = smallOptions(cap: 8 << 20)
        options.policy = .dropNewest
        let journal = Journal.open(directory: directory.path, outputs: ["a"], options: options, system: system)
        while !append(String(repeating: "b", count: 900), to: journal).isDropped {}
        let waited = background.rounds.withLock { $0 }
        let kept = journal.all().count
        for version in 0..<20 { journal.updateContext([UInt8](repeating: UInt8(version), count: 4000)) }
        #expect(waited > 0 && background.rounds.withLock { $0 } == waited)
        #expect(journal.writeLog())
        #expect(!append("next", to: journal).isDropped)
        let found = journal.all()
        #expect(found.count == kept + 1 && found.dropLast().allSatisfy { $0.context.isEmpty })
        #expect(found.last?.text == "next" && found.last?.context == [UInt8](repeating: 19, count: 4000))
    }

    /// What runs during a pause of the journal, once there is one.
    private final class Background: Sendable {
        let journal = Mutex<Journal?>(nil)
        let rounds = Mutex(0)

        func run() {
            rounds.withLock { $0 += 1 }
            _ = journal.withLock { $0 }?.housekeep()
        }
    }

    @Test("A ring dropped in part keeps its context and outputs for the next launch") func partlyDroppedRingReopens()
        throws
    {
        let journal = open()
        journal.updateContext(Array("early".utf8))
        journal.updateOutputs(["b", "a"])
        for index in 0..<1000 {
            _ = journal.append(
                mask: 2, flags: .record, payload: Array("\(index) ".utf8) + [UInt8](repeating: 98, count: 900))
        }
        let kept = journal.all(output: 1)
        #expect(kept.count < 1000 && journal.counters.dropped(because: .memoryFull) > 0)
        let copy = TemporaryDirectory.current.subdirectory("copy")
        try copy.restore(directory.snapshot())
        let next = Journal.open(directory: copy.path, outputs: ["a", "b"], options: smallOptions())
        let found = next.all(output: 0)
        #expect(found.map(\.text) == kept.map(\.text) && found.allSatisfy { $0.contextText == "early" })
        #expect(next.counters.contextUnknownFrames == 0)
    }

    @Test("Writes frames longer than one run whole") func writesLongFrames() {
        var options = JournalOptions()
        options.maximumFrameBytes = 256 << 10
        let journal = open(options)
        // The ring wraps more than once.
        for index in 0..<12 { #expect(!journal.log("\(index) " + String(repeating: "l", count: 200 << 10)).isDropped) }
        #expect(journal.sync() && journal.counters.drops.isEmpty)
        #expect(journal.all().map { $0.text.prefix { $0 != " " } } == (0..<12).map { "\($0)" })
    }

    @Test("Recent frames are read without touching the disk") func recentReadsSkipDisk() {
        let journal = open()
        for index in 0..<100 { _ = append("\(index)", to: journal) }
        #expect(journal.sync())
        files.forgetCalls()
        #expect(journal.all().count == 100 && journal.pending(of: "a") == 100)
        #expect(!files.calls.contains { $0.operation == .read || $0.operation == .open })
    }

    /// On the caller's thread; `housekeep` does the syncing.
    @Test("An open syncs nothing and writes little", arguments: [0, 3000])
    func openSyncsNothing(backlog: Int) {
        do {
            let journal = open()
            for index in 0..<backlog { journal.log("\(index) " + String(repeating: "o", count: 300)) }
        }
        let counted = WriteCounter()
        let journal = Journal.open(
            directory: directory.path, outputs: ["a"], options: smallOptions(cap: 8 << 20),
            system: steered.system(files: counted))
        #expect(counted.syncs == 0)
        #expect(counted.bytes > 0 && counted.bytes < 8 << 10)
        #expect(journal.all().count == backlog && journal.pending(of: "a") == UInt64(backlog))
        #expect(journal.sync() && counted.syncs > 0)
    }

    @Test("Frames of several killed launches are read in order") func killedLaunchesInOrder() throws {
        var texts: [String] = []
        for launch in 0..<5 {
            let journal = open()
            journal.updateContext([UInt8(launch)])
            for index in 0..<50 {
                texts.append("\(launch) \(index)")
                _ = append(texts[texts.count - 1], to: journal)
            }
            // One launch writes to the log before the rings of earlier launches are in it.
            if launch == 3 { journal.writeLog() }
        }
        let rings = try FileManager.default.contentsOfDirectory(atPath: directory.path).filter { $0.hasSuffix("ring") }
        #expect(rings.count > 3)
        let journal = open()
        #expect(journal.all().map(\.text) == texts)
        #expect(journal.all().map(\.context) == texts.map { [UInt8(String($0.prefix(1))) ?? 9] })
        #expect(journal.sync())
        let left = try FileManager.default.contentsOfDirectory(atPath: directory.path).filter { $0.hasSuffix("ring") }
        #expect(left == ["ring"] && journal.all().map(\.text) == texts)
        #expect(journal.counters.lostFrames == 0 && journal.counters.corruptFrames == 0)
    }

    /// The damaged frame is not yet in the log.
    @Test("Damage in the ring costs only the frame it hits") func ringDamageCostsFrame() throws {
        let journal = open()
        for index in 0..<20 { _ = append("\(index)", to: journal) }
        var files = try directory.snapshot()
        var data = try #require(files["ring"])
        data[(56 << 10) + 7 * 64 + 32] ^= 1
        data[8] ^= 1
        files["ring"] = data
        try directory.restore(files)
        let next = Journal.open(directory: directory.path, outputs: ["a"], options: smallOptions())
        #expect(next.all().map(\.text) == (0..<20).filter { $0 != 7 }.map { "\($0)" })
        #expect(next.counters.lostFrames == 1)
    }
}

/// Directories written by version 1, stored as they were.
@Suite(.temporaryDirectory) struct VersionOneTests {
    private let samples = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("Fixtures/version-1")

    private func copy(_ name: String) throws -> TemporaryDirectory {
        let directory = TemporaryDirectory.current.subdirectory(name)
        try FileManager.default.copyItem(at: samples.appendingPathComponent(name), to: directory.url)
        return directory
    }

    @Test("Takes over a closed version 1 directory with its cursors") func adoptsClosedVersionOne() throws {
        let directory = try copy("closed")
        let journal = Journal.open(
            directory: directory.path, outputs: ["a", "b"], options: smallOptions(), system: SteeredSystem().system())
        let all = journal.all()
        #expect(all.count == 244 && journal.cursor(of: "a") == 50 && journal.cursor(of: "b") == 0)
        #expect(all.prefix(120).allSatisfy { $0.contextText == "launch 0" })
        #expect(
            all.filter { $0.text.hasSuffix("after the change") }.map(\.contextText) == ["changed in 0", "changed in 1"])
        #expect(journal.all(output: 1).filter { $0.text.hasSuffix("for b alone") }.count == 2)
        #expect(journal.pending(of: "a") == 242 - 50 && journal.pending(of: "b") == 82)
        #expect(journal.counters.setAsideSegments == 0 && journal.counters.corruptFrames == 0)
        #expect(journal.log("new").sequence > all.last?.sequence ?? .max)
        #expect(journal.sync() && journal.all().count == 245)
        #expect(try JournalInspection(directory: directory.path).check().isIntact)
    }

    @Test("Takes over a version 1 directory whose writer was killed") func adoptsKilledVersionOne() throws {
        let directory = try copy("killed")
        let journal = Journal.open(
            directory: directory.path, outputs: ["a"], options: smallOptions(), system: SteeredSystem().system())
        let all = journal.all()
        #expect(all.map { $0.text.prefix { $0 != " " } } == (0..<230).map { "\($0)" })
        #expect(all.map(\.contextText) == (0..<230).map { $0 < 200 ? "before" : "later" })
        #expect(journal.counters.lostFrames == 0 && journal.counters.tornTails == 0)
        for _ in 0..<20 { journal.housekeep() }
        #expect(journal.all().suffix(5).map(\.text) == (0..<5).map { "second \($0)" })
        journal.close()
        let next = Journal.open(
            directory: directory.path, outputs: ["a"], options: smallOptions(), system: SteeredSystem().system())
        #expect(next.all().count == 235 && next.counters.setAsideSegments == 0)
        #expect(try JournalInspection(directory: directory.path).check().isIntact)
    }
}
