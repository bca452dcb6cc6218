import DaybookJournal
import DaybookTestTraits
import DaybookTesting
import DaybookTrials
import Testing

@Suite(.temporaryDirectory) struct RoundTripTests {
    private let directory = TemporaryDirectory.current.subdirectory("journal")
    private let steered = SteeredSystem()

    private func open(outputs: [String] = ["a"], context: String = "", options: JournalOptions = smallOptions())
        -> Journal
    {
        Journal.open(
            directory: directory.path, outputs: outputs, context: Array(context.utf8), options: options,
            system: steered.system())
    }

    @Test("Frames are read in order with their contexts") func framesKeepContext() {
        let journal = open(outputs: ["a", "b"], context: "v1")
        #expect(journal.status == .mapped)
        let first = journal.log("one", mask: 1)
        let second = journal.log("two", mask: 3)
        #expect(first.sequence == 1 && second.sequence == 2)
        #expect(journal.updateContext(Array("v2".utf8)) == 2)
        journal.log("three", mask: 2)
        journal.log("", mask: 1)

        let all = journal.all()
        #expect(all.map(\.text) == ["one", "two", "three", ""])
        #expect(all.map(\.contextText) == ["v1", "v1", "v2", "v2"])
        #expect(all.map(\.mask) == [1, 3, 2, 1])
        #expect(all.allSatisfy { !$0.contextUnknown && $0.stream == journal.identity })
        #expect(journal.all(output: 0).map(\.text) == ["one", "two", ""])
        #expect(journal.all(output: 1).map(\.text) == ["two", "three"])
    }

    @Test("A frame survives its process once the append has returned") func frameSurvivesProcess() {
        var epochs: Set<UInt64> = []
        for launch in 0..<5 {
            // Not closed: the journal goes away as in a killed process.
            let journal = open(context: "launch \(launch)")
            epochs.insert(journal.identity.epoch)
            for index in 0..<10 { journal.log("\(launch)/\(index)") }
        }
        let journal = open()
        let all = journal.all()
        #expect(all.map(\.text) == (0..<5).flatMap { launch in (0..<10).map { "\(launch)/\($0)" } })
        #expect(all.map(\.contextText) == (0..<5).flatMap { Array(repeating: "launch \($0)", count: 10) })
        #expect(Set(all.map(\.stream.epoch)) == epochs && epochs.count == 5)
        #expect(Set(all.map(\.stream.journal)) == [journal.identity.journal])
        #expect(zip(all, all.dropFirst()).allSatisfy { $0.sequence < $1.sequence })
        #expect(journal.counters.recoveredFrames == 50)
        #expect(journal.counters.corruptFrames == 0 && journal.counters.lostFrames == 0)
        #expect(journal.log("next").sequence > all.last?.sequence ?? .max)
    }

    @Test("Many segments are read back before and after a restart") func manySegmentsSurvive() {
        let options = smallOptions(cap: 8 << 20)
        let texts = (0..<5000).map { "record \($0) " + String(repeating: "x", count: $0 % 300) }
        do {
            let journal = open(context: "c", options: options)
            for text in texts { journal.log(text) }
            #expect(journal.all().map(\.text) == texts)
            #expect(journal.pending(of: "a") == 5000)
            journal.close()
        }
        let journal = open(options: options)
        #expect(directory.segments.count > 5)
        #expect(journal.all().map(\.text) == texts)
        #expect(journal.all().allSatisfy { $0.contextText == "c" })
        #expect(journal.pending(of: "a") == 5000)
    }

    @Test("A read stops at its limits and resumes where it stopped") func readResumesAtLimit() {
        let journal = open()
        for index in 0..<100 { journal.log("\(index % 10)") }
        var texts: [String] = []
        var position: UInt64 = 0
        var rounds = 0
        while true {
            let progress = journal.read(after: position, output: 0, limitBytes: 7, limitFrames: 9) { frame in
                texts.append(String(decoding: frame.payload, as: UTF8.self))
                return true
            }
            #expect(progress.bytes <= 7)
            position = progress.through
            rounds += 1
            if progress.reachedEnd { break }
        }
        #expect(texts == (0..<100).map { "\($0 % 10)" })
        #expect(rounds >= 100 / 7)
    }

    @Test("A frame the visitor declines is visited again") func declinedFrameReturns() {
        let journal = open()
        for index in 0..<5 { journal.log("\(index)") }
        let progress = journal.read(after: 0, output: 0) { $0.sequence < 3 }
        #expect(progress.through == 2 && progress.frames == 2 && !progress.reachedEnd)
        #expect(journal.all(after: progress.through).map(\.sequence) == [3, 4, 5])
    }

    @Test("A batch does not mix launches") func batchKeepsToLaunch() {
        open().log("old")
        let journal = open()
        journal.log("new")
        let first = journal.read(after: 0, output: 0, withinStream: true) { _ in true }
        #expect(first.frames == 1 && !first.reachedEnd)
        let second = journal.read(after: first.through, output: 0, withinStream: true) { frame in
            frame.stream == journal.identity
        }
        #expect(second.frames == 1 && second.reachedEnd)
    }

    @Test("Drops and counts an oversized frame") func dropsOversizedFrame() {
        let journal = open(outputs: ["a", "b"])
        #expect(journal.append(mask: 3, flags: .record, capacity: 16385) { _ in 0 }.isDropped)
        #expect(journal.append(mask: 1, flags: .record, capacity: -1) { _ in 0 }.isDropped)
        #expect(journal.append(mask: 1, flags: .record, capacity: .max) { _ in 0 }.isDropped)
        #expect(journal.counters.drops == [.oversized: ["a": 3, "b": 1]])
        #expect(!journal.append(mask: 3, flags: .record, payload: [UInt8](repeating: 7, count: 16384)).isDropped)
        #expect(journal.all().map(\.payload.count) == [16384])
    }

    @Test("A body that gives up leaves no frame") func failedBodyLeavesNothing() {
        let journal = open()
        journal.log("before")
        #expect(
            journal.append(mask: 1, flags: .record, capacity: 100) { buffer in
                buffer.initializeMemory(as: UInt8.self, repeating: 0xee)
                return -1
            }.isDropped)
        journal.log("after")
        #expect(journal.all().map(\.text) == ["before", "after"])
        #expect(journal.counters.drops.isEmpty)
    }

    @Test("Drops and counts an append after close") func dropsAfterClose() {
        let journal = open()
        journal.log("in time")
        journal.close()
        journal.close()
        #expect(journal.log("late").isDropped)
        #expect(journal.counters.drops == [.closed: ["a": 1]])
        #expect(open().all().map(\.text) == ["in time"])
    }

    @Test("Empty launches keep the sequence and leave no files") func emptyLaunchesLeaveNothing() {
        open().log("only")
        for _ in 0..<20 { open().close() }
        for _ in 0..<20 { _ = open() }
        let journal = open()
        #expect(journal.all().map(\.sequence) == [1])
        #expect(directory.segments.count <= 1)
        journal.advance("a", to: 1)
        journal.housekeep()
        journal.close()
        let next = open()
        #expect(directory.segments.count <= 1)
        #expect(next.log("more").sequence > 1)
        #expect(next.counters.clampedCursors == 0)
    }

    @Test("Many short launches do not fill the cap") func shortLaunchesFitCap() {
        for launch in 0..<60 { open(options: smallOptions(cap: 512 << 10)).log("launch \(launch)") }
        let journal = open(options: smallOptions(cap: 512 << 10))
        #expect(journal.all().count == 60)
        #expect(journal.counters.drops.isEmpty)
    }
}
