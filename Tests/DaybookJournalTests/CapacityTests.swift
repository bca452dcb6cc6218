import DaybookBase
import DaybookJournal
import DaybookTestTraits
import DaybookTesting
import DaybookTrials
import Testing

@Suite(.temporaryDirectory) struct CapacityTests {
    private let directory = TemporaryDirectory.current.subdirectory("journal")
    private let steered = SteeredSystem()

    private func open(_ options: JournalOptions) -> Journal {
        Journal.open(
            directory: directory.path, outputs: ["a", "b"], options: options, system: steered.system())
    }

    @Test("Drops the oldest segments at the cap and counts them per output", arguments: [true, false])
    func oldestGoAtCap(withHousekeeping: Bool) {
        let journal = open(smallOptions(cap: 256 << 10))
        var total = 0
        for round in 0..<4000 {
            total +=
                journal.log(String(repeating: "z", count: round % 500), mask: round % 3 == 0 ? 3 : 1).isDropped ? 0 : 1
            if withHousekeeping && round % 97 == 0 { journal.housekeep() }
            if round % 500 == 0 { #expect(directory.dataBytes <= 256 << 10) }
        }
        #expect(total == 4000)
        #expect(directory.dataBytes <= 256 << 10)
        let drops = journal.counters.drops[.capacity] ?? [:]
        #expect((drops["a"] ?? 0) > 0 && (drops["b"] ?? 0) > 0)
        #expect(journal.pending(of: "a") + (drops["a"] ?? 0) == 4000)
        #expect(journal.pending(of: "b") + (drops["b"] ?? 0) == 1334)
        #expect(UInt64(journal.all(output: 0).count) == journal.pending(of: "a"))
        #expect(UInt64(journal.all(output: 1).count) == journal.pending(of: "b"))
    }

    /// Removing a large file is slow. A removal under the lock would deadlock here.
    @Test("Removes the oldest file without holding the lock") func removesWithoutLock() {
        let files = FaultyFileSystem()
        let journal = Journal.open(
            directory: directory.path, outputs: ["a"], options: smallOptions(cap: 256 << 10),
            system: steered.system(files: files))
        let dropped = Mutex<UInt64?>(nil)
        files.interrupt(.remove) { dropped.withLock { $0 = journal.counters.dropped(because: .capacity) } }
        for _ in 0..<4000 { journal.log(String(repeating: "z", count: 200)) }
        // The drop is counted before its file goes.
        #expect(dropped.withLock { $0 ?? 0 } > 0)
    }

    @Test("Refuses the newest frames at the cap if the policy says so") func refusesNewestByPolicy() {
        var options = smallOptions(cap: 256 << 10)
        options.policy = .dropNewest
        let journal = open(options)
        var accepted: UInt64 = 0
        for _ in 0..<4000 {
            if !journal.log(String(repeating: "z", count: 200), mask: 1).isDropped { accepted += 1 }
        }
        #expect(accepted < 4000)
        #expect(journal.counters.drops == [.capacity: ["a": 4000 - accepted]])
        #expect(journal.all(output: 0).first?.sequence == 1)
        #expect(directory.dataBytes <= 256 << 10)
        journal.advance("a", to: journal.lastSequence)
        journal.housekeep()
        #expect(!journal.log("again").isDropped)
    }

    @Test("Removes segments that every output has passed") func removesPassedSegments() {
        let journal = open(smallOptions(cap: 512 << 10))
        for round in 0..<20 {
            for _ in 0..<100 { journal.log(String(repeating: "z", count: 400), mask: 1) }
            journal.advance("a", to: journal.lastSequence)
            journal.housekeep()
            #expect(directory.segments.count <= 3, "round \(round)")
        }
        #expect(journal.counters.rotations > 10)
        #expect(journal.counters.drops.isEmpty)
    }

    @Test("An output without records does not hold segments back") func idleOutputFreesSegments() {
        let journal = open(smallOptions(cap: 512 << 10))
        for _ in 0..<500 { journal.log(String(repeating: "z", count: 400), mask: 1) }
        journal.advance("a", to: journal.lastSequence)
        journal.housekeep()
        #expect(journal.cursor(of: "b") == 0)
        #expect(directory.segments.count == 1)
    }

    @Test("A reader can keep reading a segment that the writer drops") func readerKeepsDroppedSegment() {
        let journal = open(smallOptions(cap: 256 << 10))
        for index in 0..<100 { journal.log("\(index) " + String(repeating: "z", count: 300)) }
        var isIntact = true
        var visited = 0
        journal.read(after: 0, output: 0) { frame in
            // The journal wraps several times while this frame is held.
            for _ in 0..<50 { journal.log(String(repeating: "w", count: 1000)) }
            let text = String(decoding: frame.payload, as: UTF8.self)
            if visited < 100 { isIntact = isIntact && text.hasPrefix("\(visited) z") }
            visited += 1
            return visited < 100
        }
        #expect(isIntact && visited == 100)
        #expect((journal.counters.drops[.capacity]?["a"] ?? 0) > 0)
    }

    @Test("Changing outputs in a full journal never mixes up their frames") func outputChangeKeepsMasks() {
        var options = smallOptions(cap: 256 << 10)
        options.policy = .dropNewest
        let journal = open(options)
        for count in [2000, 1] {
            while !journal.log(String(repeating: "z", count: count), mask: 1).isDropped {}
        }
        let full = journal.pending(of: "a")
        journal.updateOutputs(["b", "a"])
        journal.updateContext([9])
        // Small frames would still fit after the last one, where the first bit means "a".
        #expect(journal.log("s", mask: 1).isDropped)
        #expect(journal.pending(of: "a") == full && journal.pending(of: "b") == 0)
        journal.advance("a", to: journal.lastSequence)
        journal.housekeep()
        #expect(!journal.log("for b", mask: 1).isDropped)
        #expect(journal.all(output: 0).map(\.text) == ["for b"])
        #expect(journal.all(output: 0).map(\.context) == [[9]])
    }

    @Test("At the cap low priority is refused and high priority replaces the oldest") func lowPriorityRefusedAtCap() {
        var options = smallOptions(cap: 256 << 10)
        options.policy = .dropBelow(priority: 2)
        let journal = open(options)
        let text = [UInt8](repeating: 7, count: 1000)
        func log(_ priority: Int) -> Bool {
            let appended = journal.append(mask: 1, flags: .record.union(.priority(priority)), payload: text)
            if appended.attention.contains(.workDue) { journal.housekeep() }
            return !appended.isDropped
        }
        while log(1) {}
        let full = journal.pending(of: "a")
        #expect(full > 150 && !log(0) && journal.pending(of: "a") == full)
        for _ in 0..<100 { #expect(log(2) && log(3)) }
        #expect(journal.pending(of: "a") < full + 200)
        // The space they took is not for lower priorities.
        #expect(!log(1))
        let refused = journal.counters.lowPriorityDrops["a"] ?? 0
        #expect(refused == 3)
        #expect((journal.counters.drops[.capacity]?["a"] ?? 0) > refused)
        #expect(directory.dataBytes <= 256 << 10)
        // Once an output has made room, every priority is accepted again.
        journal.advance("a", to: journal.lastSequence)
        journal.housekeep()
        #expect(log(0))
        var flags = FrameFlags.none
        journal.read(after: journal.lastSequence - 1) { frame in
            flags = frame.flags
            return true
        }
        #expect(flags == .record)
    }
}

@Suite(.temporaryDirectory) struct AgeTests {
    @Test("Drops whole segments past the maximum age, within one boot") func expiresWholeSegments() {
        let (directory, steered) = (TemporaryDirectory.current, SteeredSystem())
        var options = smallOptions()
        options.maximumAge = .seconds(1000)
        func open(boot: UInt64) -> Journal {
            Journal.open(
                directory: directory.path, outputs: ["a"], options: options, system: steered.system(boot: boot))
        }
        open(boot: 1).log("of another boot")
        open(boot: 2).log("old")
        steered.advance(100)
        open(boot: 2).log("younger")
        steered.advance(1200)
        let journal = open(boot: 2)
        journal.log("new")
        journal.housekeep()
        // The successors of the first two segments are over 1,000 s old; the third one's is new.
        #expect(journal.all().map(\.text) == ["younger", "new"])
        #expect(journal.counters.drops == [.expired: ["a": 2]])
        steered.advance(5000)
        let other = { () -> Journal in
            journal.close()
            return open(boot: 3)
        }()
        other.housekeep()
        #expect(other.all().map(\.text) == ["younger", "new"])
    }
}
