import DaybookJournal
import DaybookTestTraits
import DaybookTesting
import DaybookTrials
import Foundation
import Testing

/// Promise J10: the next opener of the directory adopts what a dead second writer left.
@Suite(.temporaryDirectory) struct AdoptionTests {
    private let directory = TemporaryDirectory.current.subdirectory("journal")
    private let steered = SteeredSystem()
    private let files = FaultyFileSystem()

    private func open(
        _ outputs: [String] = ["a", "b"], _ options: JournalOptions = smallOptions(cap: 8 << 20)
    ) -> Journal {
        Journal.open(
            directory: directory.path, outputs: outputs, context: Array("own".utf8), options: options,
            system: steered.system(files: files))
    }

    /// Runs housekeeping until nothing more is due at once.
    private func settle(_ journal: Journal) {
        for _ in 0..<1000 where journal.housekeep() <= steered.now {}
    }

    private func second(_ count: Int, closing: Bool = false) -> JournalStream {
        let first = open()
        let second = open()
        #expect(second.directory.hasSuffix("/writer-2"))
        for index in 0..<count {
            if index == count / 2 { second.updateContext(Array("later".utf8)) }
            second.log("\(index) " + String(repeating: "s", count: index % 300), mask: index % 2 == 0 ? 1 : 3)
        }
        let identity = second.identity
        if closing { second.close() }
        first.close()
        return identity
    }

    @Test("Adopts a dead second writer's frames in order, with their stream and context", arguments: [true, false])
    func adoptsDeadWriterInOrder(closing: Bool) {
        let stream = second(3000, closing: closing)
        let journal = open()
        journal.log("new")
        settle(journal)
        var origins: [FrameOrigin] = []
        var texts: [String] = []
        var contexts: [String] = []
        journal.read(after: 0, output: 0) { frame in
            if let origin = frame.origin { origins.append(origin) }
            #expect(frame.stream == journal.identity && frame.flags == .record)
            texts.append(String(decoding: frame.payload.prefix { $0 != UInt8(ascii: " ") }, as: UTF8.self))
            contexts.append(String(decoding: frame.context.bytes, as: UTF8.self))
            return true
        }
        #expect(texts == ["new"] + (0..<3000).map { "\($0)" })
        #expect(contexts == ["own"] + (0..<3000).map { $0 < 1500 ? "own" : "later" })
        #expect(origins.count == 3000 && origins.allSatisfy { $0.stream == stream })
        #expect(zip(origins, origins.dropFirst()).allSatisfy { $0.sequence < $1.sequence })
        #expect(journal.pending(of: "a") == 3001 && journal.pending(of: "b") == 1500)
        #expect(journal.counters.adoptedFrames == 3000 && journal.counters.drops.isEmpty)
        journal.log("after")
        #expect(journal.all().last?.contextText == "own")
        journal.close()
        let next = open()
        settle(next)
        #expect(next.counters.adoptedFrames == 0 && next.pending(of: "a") == 3002)
        let other = open()
        #expect(other.directory.hasSuffix("/writer-2") && other.openedAt >= 3000 && other.pending(of: "a") == 0)
    }

    @Test("Adoption skips frames an output has already received") func adoptionSkipsDelivered() {
        do {
            let first = open()
            let second = open()
            for index in 1...10 { second.log("\(index)", mask: 3) }
            second.advance("a", to: 7)
            second.advance("b", to: 4)
            first.close()
        }
        let journal = open()
        settle(journal)
        #expect(journal.all(output: 0).map(\.text) == ["8", "9", "10"])
        #expect(journal.all(output: 1).map(\.text) == ["5", "6", "7", "8", "9", "10"])
    }

    @Test("A living second writer keeps its journal") func livingWriterKeepsJournal() {
        let first = open()
        let second = open()
        second.log("mine")
        first.close()
        let journal = open()
        settle(journal)
        #expect(journal.counters.adoptedFrames == 0 && journal.all().isEmpty)
        #expect(second.log("still mine").sequence == 2 && second.all().map(\.text) == ["mine", "still mine"])
    }

    /// The process dies after each possible number of file operations during the adoption.
    @Test("A death at any step of the adoption loses nothing") func adoptionSurvivesDeath() throws {
        _ = second(40)
        let before = try directory.snapshot()
        var isThrough = false
        for count in 0..<400 where !isThrough {
            try directory.restore(before)
            do {
                let journal = open()
                files.forgetCalls()
                // From here on, only stores into mapped memory succeed.
                files.fail(code: EIO, after: count)
                journal.housekeep()
                journal.housekeep()
                isThrough = !files.calls.contains { $0.failed }
                files.heal()
            }
            let next = open()
            settle(next)
            let texts = next.all(output: 0).map { $0.text.prefix { $0 != " " } }
            // Frames copied but not yet noted come again with the same origin; the first copies are in order.
            var seen: Set<Substring> = []
            let first = texts.filter { seen.insert($0).inserted }
            #expect(first == (0..<40).map { "\($0)" }, "after \(count) operations")
            #expect(texts.count <= 80)
        }
        #expect(isThrough)
    }

    @Test("Counts adopted frames for outputs that no longer exist") func countsRemovedOutputs() {
        _ = second(10)
        let journal = open(["a"])
        settle(journal)
        #expect(journal.pending(of: "a") == 10)
        #expect(journal.counters.drops == [.outputRemoved: ["b": 5]])
    }

    @Test("Adopts frames of maximum length whole") func adoptsLongestFrame() {
        do {
            let first = open()
            let second = open()
            for _ in 0..<5 { second.log(String(repeating: "l", count: 16 << 10)) }
            first.close()
        }
        let journal = open()
        settle(journal)
        #expect(journal.all().map(\.payload.count) == [Int](repeating: 16 << 10, count: 5))
    }
}
