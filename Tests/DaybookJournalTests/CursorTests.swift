import DaybookJournal
import DaybookTestTraits
import DaybookTesting
import DaybookTrials
import Foundation
import Testing

@Suite(.temporaryDirectory) struct CursorTests {
    private let directory = TemporaryDirectory.current.subdirectory("journal")
    private let steered = SteeredSystem()

    private func open(_ outputs: [String], boot: UInt64 = 1, options: JournalOptions = smallOptions()) -> Journal {
        Journal.open(
            directory: directory.path, outputs: outputs, options: options, system: steered.system(boot: boot))
    }

    private var cursorFile: String { directory.path + "/cursors/a.cursor" }

    @Test("A cursor survives its process and never moves back") func cursorSurvivesProcess() {
        do {
            let journal = open(["a"])
            for index in 0..<10 { journal.log("\(index)") }
            journal.advance("a", to: 4)
            journal.advance("a", to: 2)
        }
        let journal = open(["a"])
        #expect(journal.cursor(of: "a") == 4)
        #expect(journal.all(after: 4, output: 0).map(\.text) == (4..<10).map { "\($0)" })
        #expect(journal.pending(of: "a") == 6)
    }

    @Test("The delivered mark survives the process beside its cursor") func deliveredMarkSurvives() {
        do {
            let journal = open(["a"])
            for index in 0..<10 { journal.log("\(index)") }
            #expect(journal.delivered(of: "a") == 0)
            journal.advance("a", to: 2)
            #expect(journal.delivered(of: "a") == 2, "where nobody noted it, all up to the cursor")
            journal.advance("a", to: 8, delivered: 4)
        }
        let journal = open(["a"])
        #expect((journal.cursor(of: "a"), journal.delivered(of: "a")) == (8, 4))
    }

    @Test("Records are sent again after a cursor is lost", arguments: [true, false])
    func lostCursorResends(isDeleted: Bool) throws {
        do {
            let journal = open(["a"])
            for index in 0..<10 { journal.log("\(index)") }
            journal.advance("a", to: 7)
        }
        if isDeleted {
            try FileManager.default.removeItem(atPath: cursorFile)
        } else {
            try Data(repeating: 0xab, count: 1024).write(to: URL(fileURLWithPath: cursorFile))
        }
        let journal = open(["a"])
        #expect(journal.cursor(of: "a") == 0)
        #expect(journal.counters.lostCursors == 1)
        #expect(journal.pending(of: "a") == 10)
        journal.advance("a", to: 3)
        #expect(journal.cursor(of: "a") == 3)
    }

    @Test("A damaged cursor file yields the current or previous position, or zero if cut") func damagedCursorIsBounded()
        throws
    {
        do {
            let journal = open(["a"])
            for index in 0..<10 { journal.log("\(index)") }
            journal.advance("a", to: 5)
            journal.advance("a", to: 6)
        }
        let files = try directory.snapshot()
        let data = try #require(files["cursors/a.cursor"])
        for offset in stride(from: 0, to: data.count, by: 7) {
            try directory.restore(files)
            var damaged = data
            damaged[offset] ^= 1 << UInt8(offset % 8)
            try damaged.write(to: URL(fileURLWithPath: cursorFile))
            #expect([5, 6].contains(open(["a"]).cursor(of: "a")))
        }
        for length in stride(from: 0, to: data.count, by: 61) {
            try directory.restore(files)
            try data.prefix(length).write(to: URL(fileURLWithPath: cursorFile))
            #expect([0, 5, 6].contains(open(["a"]).cursor(of: "a")))
        }
    }

    @Test("Clamps a cursor that is ahead of the data") func clampsCursorAhead() throws {
        do {
            let journal = open(["a"])
            for index in 0..<10 { journal.log("\(index)") }
            journal.advance("a", to: 99)
            #expect(journal.cursor(of: "a") == 10)
        }
        let ahead = try Data(contentsOf: URL(fileURLWithPath: cursorFile))
        // Older data, as a power loss may leave it.
        try FileManager.default.removeItem(atPath: directory.path)
        do {
            let journal = open(["a"])
            journal.log("only")
        }
        try ahead.write(to: URL(fileURLWithPath: cursorFile))
        let journal = open(["a"])
        #expect(journal.cursor(of: "a") == journal.openedAt && journal.openedAt < 10)
        #expect(journal.counters.clampedCursors == 1)
        journal.log("new")
        #expect(journal.all(after: journal.cursor(of: "a"), output: 0).map(\.text) == ["new"])
    }

    @Test("Without segments the sequence continues after the cursors") func sequenceFollowsCursors() throws {
        do {
            let journal = open(["a"])
            for index in 0..<10 { journal.log("\(index)") }
            journal.advance("a", to: 10)
        }
        for name in directory.segments { try FileManager.default.removeItem(atPath: directory.path + "/" + name) }
        #expect(open(["a"]).log("next").sequence > 10)
    }

    @Test("Masks follow their outputs when the outputs are reordered") func masksFollowReorder() {
        do {
            let journal = open(["a", "b", "c"])
            journal.log("for a", mask: 1)
            journal.log("for b and c", mask: 6)
        }
        let journal = open(["c", "x", "a"])
        journal.log("for c and x", mask: 3)
        #expect(journal.all(output: 0).map(\.text) == ["for b and c", "for c and x"])
        #expect(journal.all(output: 1).map(\.text) == ["for c and x"])
        #expect(journal.all(output: 2).map(\.text) == ["for a"])
        #expect(journal.all().map(\.mask) == [4, 1, 3])
        #expect(journal.pending(of: "c") == 2 && journal.pending(of: "x") == 1 && journal.pending(of: "b") == 1)
    }

    @Test("A new output starts at the head unless it asks for earlier frames") func newOutputStartsAtHead() {
        do {
            let journal = open(["a"])
            for index in 0..<5 { journal.log("\(index)") }
        }
        #expect(open(["a", "b"]).pending(of: "b") == 0)
        var options = smallOptions()
        options.backfill = ["c"]
        let journal = open(["a", "c"], options: options)
        #expect(journal.cursor(of: "c") == 0)
        #expect(journal.pending(of: "c") == 5)
        #expect(journal.all(output: 1).map(\.text) == (0..<5).map { "\($0)" })
    }

    @Test("A removed output keeps its cursor and records") func removedOutputKeepsPlace() {
        do {
            let journal = open(["a", "b"])
            for index in 0..<6 { journal.log("\(index)", mask: 3) }
            journal.advance("b", to: 2)
        }
        do {
            let journal = open(["a"])
            journal.advance("a", to: journal.lastSequence)
            journal.housekeep()
        }
        let journal = open(["b", "a"])
        #expect(journal.cursor(of: "b") == 2)
        #expect(journal.all(after: 2, output: 0).map(\.text) == ["2", "3", "4", "5"])
    }

    @Test("Drops an output that is absent for a week within one boot") func dropsOutputAfterWeek() {
        open(["a", "b"]).log("for b", mask: 2)
        do {
            let journal = open(["a"])
            steered.advance(6 * 86_400)
            journal.housekeep()
            #expect(journal.pending(of: "b") == 1)
        }
        do {
            // Clocks of different boots do not compare, so the week starts over.
            let journal = open(["a"], boot: 2)
            steered.advance(2 * 86_400)
            journal.housekeep()
            #expect(journal.pending(of: "b") == 1)
        }
        let journal = open(["a"], boot: 2)
        steered.advance(6 * 86_400)
        journal.housekeep()
        #expect(journal.counters.drops == [.outputRemoved: ["b": 1]])
        #expect(!FileManager.default.fileExists(atPath: directory.path + "/cursors/b.cursor"))
    }

    @Test("Outputs can change while the journal runs") func outputsChangeAtRuntime() {
        let journal = open(["a", "b"])
        journal.log("for b", mask: 2)
        journal.updateOutputs(["b", "n"])
        journal.log("for n", mask: 2)
        #expect(journal.all(output: 0).map(\.text) == ["for b"])
        #expect(journal.all(output: 1).map(\.text) == ["for n"])
        #expect(journal.pending(of: "n") == 1)
        journal.updateOutputs(["b", "n"])
        // Each table has a segment; setting the same table again makes none.
        journal.sync()
        #expect(directory.segments.count == 2 && journal.counters.rotations == 1)
    }

    @Test("Output IDs that no file name could hold have cursors of their own") func anyOutputIDHasCursor() {
        let ids = [
            "A", "a", "../x", "出力", String(repeating: "long", count: 100), String(repeating: "long", count: 101),
        ]
        do {
            let journal = open(ids)
            for index in ids.indices { journal.log("\(index)", mask: 1 << UInt64(index)) }
            for (index, id) in ids.enumerated() { journal.advance(id, to: UInt64(index + 1)) }
        }
        let journal = open(ids)
        #expect(ids.map { journal.cursor(of: $0) } == [1, 2, 3, 4, 5, 6])
        #expect(journal.counters.lostCursors == 0)
    }

    @Test("Outputs beyond the sixty-fourth get nothing") func capsOutputsAt64() {
        let ids = (0..<70).map { "output\($0)" }
        let journal = open(ids)
        journal.log("for all", mask: .max)
        #expect(journal.all(output: 63).count == 1)
        #expect(journal.all(output: 64).isEmpty && journal.pending(of: "output64") == 0)
    }
}
