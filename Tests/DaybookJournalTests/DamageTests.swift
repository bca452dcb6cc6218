import DaybookJournal
import DaybookJournalInspection
import DaybookTestTraits
import DaybookTesting
import DaybookTrials
import Foundation
import Testing

/// A small journal of three segments with one damaged byte or bit.
@Suite(.temporaryDirectory) struct DamageTests {
    private let directory = TemporaryDirectory.current.subdirectory("journal")
    private let steered = SteeredSystem()

    private func open(context: String = "", options: JournalOptions = smallOptions()) -> Journal {
        Journal.open(
            directory: directory.path, outputs: ["a"], context: Array(context.utf8), options: options,
            system: steered.system(files: UnsyncedFileSystem()))
    }

    /// Two segments that were closed and one whose writer was killed.
    private func threeSegments() throws -> (files: [String: Data], seen: [Seen], frames: [DumpedFrame]) {
        for launch in 0..<3 {
            let journal = open(context: "context of launch \(launch)")
            journal.log("first of \(launch)")
            journal.updateContext(Array("changed in \(launch)".utf8))
            journal.log("second of \(launch), which is so long that it needs two lines of sixty-four bytes")
            journal.log("third of \(launch)")
            if launch < 2 { journal.close() } else { journal.sync() }
        }
        let files = try directory.snapshot()
        var frames: [DumpedFrame] = []
        try JournalInspection(directory: directory.path).dump {
            frames.append($0)
            return true
        }
        let seen = open().all()
        #expect(seen.count == 9 && files.keys.filter { $0.hasSuffix(".segment") }.count == 3)
        return (files, seen, frames)
    }

    /// The bytes of a file that matter: all of a short one; of a preallocated one the used part and the copy.
    private func interesting(_ data: Data) -> [Int] {
        data.count < 4096 ? Array(0..<data.count) : Array(0..<1100) + Array((data.count - 256)..<data.count)
    }

    @Test("A flipped bit costs only the frame it hits") func flippedBitCostsFrame() throws {
        let (files, seen, frames) = try threeSegments()
        for (name, data) in files where name.hasSuffix(".segment") {
            // A quick run opens the journal for every fourth byte. The test of every bit below needs no open.
            for offset in interesting(data) where TestLength.isLong || offset % 4 == 0 {
                try directory.restore(files)
                var damaged = data
                damaged[offset] ^= 1 << UInt8(offset / 4 % 8)
                try damaged.write(to: URL(fileURLWithPath: directory.path + "/" + name))
                let journal = open()
                let found = journal.all()
                let hit = frames.first {
                    $0.segment == name && ($0.offset..<$0.offset + 32 + $0.payload.count).contains(offset)
                }
                let expected = seen.filter { $0.sequence != hit?.sequence }
                // The last frame is also in the ring.
                let isWhole = found.map(\.sequence) == seen.map(\.sequence)
                #expect(isWhole || found.map(\.sequence) == expected.map(\.sequence), "\(name) at \(offset)")
                for (one, other) in zip(found, isWhole ? seen : expected) {
                    #expect(one.payload == other.payload && one.mask == other.mask && one.stream == other.stream)
                    #expect(one.contextUnknown || one.context == other.context, "\(name) at \(offset)")
                    // Only a damaged context change may make a context unknown.
                    #expect(!one.contextUnknown || hit?.flags == .contextChange)
                }
            }
        }
    }

    /// The first segment may be gone because every output has passed it.
    @Test("The inspection reports a segment missing between others") func reportsMissingSegment() throws {
        for launch in 0..<4 {
            let journal = open(context: "context of launch \(launch)")
            for number in 0...launch { journal.log("record \(number)") }
            journal.sync()
            journal.close()
        }
        let files = try directory.snapshot()
        let segments = try JournalInspection(directory: directory.path).check().segments
        #expect(segments.count == 4)
        for (place, segment) in segments.enumerated() {
            try directory.restore(files)
            #expect(try JournalInspection(directory: directory.path).check().problems == [])
            try FileManager.default.removeItem(atPath: directory.path + "/" + segment.name)
            let report = try JournalInspection(directory: directory.path).check()
            let isBetween = (1...2).contains(place)
            #expect(report.isIntact == !isBetween)
            let range = "sequences \(segment.firstSequence) to \(segment.lastSequence) are missing"
            #expect(report.problems.map { $0.message.hasPrefix(range) } == (isBetween ? [true] : []))
        }
    }

    @Test("With any flipped bit the inspection misses at most the frame it hits") func inspectionSurvivesFlips() throws
    {
        let (files, _, frames) = try threeSegments()
        for (name, data) in files where name.hasSuffix(".segment") {
            try directory.restore(files)
            let path = directory.path + "/" + name
            let file = try #require(FileHandle(forUpdatingAtPath: path))
            for offset in interesting(data) {
                for bit in TestLength.isLong ? Array(0..<8) : [offset % 8] {
                    try file.seek(toOffset: UInt64(offset))
                    try file.write(contentsOf: Data([data[offset] ^ (1 << UInt8(bit))]))
                    var found: [UInt64] = []
                    try JournalInspection(directory: directory.path).dump {
                        found.append($0.sequence)
                        return true
                    }
                    let hit = frames.first {
                        $0.segment == name && ($0.offset..<$0.offset + 32 + $0.payload.count).contains(offset)
                    }
                    // The last frame is also in the ring.
                    let all = frames.map(\.sequence)
                    #expect(found == all || found == all.filter { $0 != hit?.sequence })
                }
                try file.seek(toOffset: UInt64(offset))
                try file.write(contentsOf: Data([data[offset]]))
            }
            try file.close()
        }
    }

    @Test("A truncated segment keeps the frames before the cut") func truncationKeepsPrefix() throws {
        let (files, seen, frames) = try threeSegments()
        for (name, data) in files where name.hasSuffix(".segment") {
            // Steps of three meet every offset within a line of 64 bytes.
            for length in interesting(data) where TestLength.isLong || length % 3 == 0 {
                try directory.restore(files)
                try data.prefix(length).write(to: URL(fileURLWithPath: directory.path + "/" + name))
                let found = open().all()
                let foundSequences = Set(found.map(\.sequence))
                for one in found { #expect(seen.contains { $0.sequence == one.sequence && $0.payload == one.payload }) }
                for frame in frames where frame.flags == .record && frame.segment != name {
                    #expect(foundSequences.contains(frame.sequence), "\(name) cut to \(length)")
                }
                // A cut file has lost the copy at its end, which takes up to four lines.
                for frame in frames where frame.flags == .record && frame.segment == name {
                    if frame.offset + 32 + frame.payload.count + 512 <= length {
                        #expect(foundSequences.contains(frame.sequence), "\(name) cut to \(length)")
                    }
                }
            }
        }
    }

    @Test("Damage counts as a loss only for outputs that still needed the frame") func damageLosesUndelivered() throws {
        let (files, _, frames) = try threeSegments()
        let frame = try #require(frames.first { $0.flags == .record && $0.segment != frames.last?.segment })
        for cursor in [frame.sequence - 1, frame.sequence] {
            try directory.restore(files)
            var data = try #require(files[frame.segment])
            data[frame.offset + 40] ^= 4
            try data.write(to: URL(fileURLWithPath: directory.path + "/" + frame.segment))
            let journal = open()
            journal.advance("a", to: cursor)
            _ = journal.all()
            #expect(journal.counters.corruptFrames == 1)
            let isLost = cursor < frame.sequence
            #expect(journal.counters.dropped(for: "a") == (isLost ? 1 : 0))
            let loss = JournalLoss(
                output: "a", reason: .corrupt, after: frame.sequence - 1, through: frame.sequence, count: 1)
            #expect(journal.takeLosses().losses == (isLost ? [loss] : []))
        }
    }

    @Test("Damage below the sync mark is counted as corruption once") func corruptionCountedOnce() throws {
        let (files, seen, frames) = try threeSegments()
        let frame = try #require(frames.first { $0.flags == .record && $0.segment != frames.last?.segment })
        try directory.restore(files)
        var data = try #require(files[frame.segment])
        data[frame.offset + 40] ^= 4
        try data.write(to: URL(fileURLWithPath: directory.path + "/" + frame.segment))
        let journal = open()
        #expect(journal.pending(of: "a") == 9)
        #expect(journal.all().count == seen.count - 1)
        #expect(journal.all().count == seen.count - 1)
        #expect(journal.counters.corruptFrames == 1)
        #expect(journal.counters.drops == [.corrupt: ["a": 1]])
        #expect(journal.pending(of: "a") == 8)
        let report = try JournalInspection(directory: directory.path).check()
        #expect(!report.isIntact)
        #expect(report.problems.contains { $0.file == frame.segment && $0.offset == frame.offset })
    }

    @Test("A hole above the sync mark is a loss and keeps what follows") func unsyncedHoleIsLoss() throws {
        let journal = open()
        for index in 0..<3 { journal.log("synced \(index)") }
        journal.sync()
        for index in 0..<4 { journal.log("not synced \(index)") }
        journal.writeLog()
        var files = try directory.snapshot()
        let name = try #require(directory.segments.first)
        var frames: [DumpedFrame] = []
        try JournalInspection(directory: directory.path).dump {
            frames.append($0)
            return true
        }
        let lost = try #require(frames.first { $0.payload == Array("not synced 1".utf8) })
        files[name]?.replaceSubrange(lost.offset..<lost.offset + 64, with: Data(count: 64))
        try directory.restore(files)
        let report = try JournalInspection(directory: directory.path).check()
        #expect(report.isIntact && report.problems.count == 1)
        let next = open()
        #expect(
            next.all().map(\.text)
                == ["synced 0", "synced 1", "synced 2", "not synced 0", "not synced 2", "not synced 3"])
        #expect(next.counters.lostFrames == 1 && next.counters.corruptFrames == 0)
    }

    @Test("A torn tail is cut off and counted") func cutsTornTail() throws {
        let writer = open()
        writer.log("whole")
        writer.writeLog()
        let name = try #require(directory.segments.first)
        var frames: [DumpedFrame] = []
        try JournalInspection(directory: directory.path).dump {
            frames.append($0)
            return true
        }
        let end = try #require(frames.last).offset + 64
        var files = try directory.snapshot()
        files[name]?.append(Data([90, 0, 0, 0] + [UInt8](repeating: 7, count: 60)))
        try directory.restore(files)
        #expect(files[name]?.count == end + 64)
        let journal = open()
        #expect(journal.counters.tornTails == 1)
        #expect(journal.all().map(\.text) == ["whole"])
        // It is sealed in the background, once synced.
        #expect(journal.sync())
        journal.housekeep()
        #expect(open().counters.tornTails == 0)
    }

    @Test("A lost context is reported as unknown until the next one is read") func laterHeaderHealsContext() throws {
        let journal = open(context: "one")
        journal.log("under one")
        journal.updateContext(Array("two".utf8))
        journal.log("under two")
        journal.updateContext(Array("three".utf8))
        journal.log("under three")
        // The launch's next segment has "three" in its header.
        journal.updateOutputs(["a", "b"])
        journal.log("also under three")
        journal.writeLog()
        var files = try directory.snapshot()
        let name = try #require(directory.segments.first)
        try JournalInspection(directory: directory.path).dump { frame in
            if frame.flags == .contextChange { files[name]?[frame.offset + 33] ^= 1 }
            return true
        }
        try directory.restore(files)
        let next = open()
        let all = next.all()
        #expect(all.map(\.contextText) == ["one", "", "three", "three"])
        #expect(all.map(\.contextUnknown) == [false, true, false, false])
        #expect(next.counters.contextUnknownFrames == 1)
    }

    @Test("An unreadable segment is set aside and the rest is kept") func setsAsideUnreadable() throws {
        let (files, _, frames) = try threeSegments()
        let name = try #require(frames.first?.segment)
        try directory.restore(files)
        try Data(repeating: 0x5a, count: 3000).write(to: URL(fileURLWithPath: directory.path + "/" + name))
        do {
            let journal = open()
            #expect(journal.counters.setAsideSegments == 1)
            #expect(journal.all().count == 6)
        }
        #expect(try JournalInspection(directory: directory.path).check().setAside.count == 1)
        // Only a bounded number of such bytes is kept.
        for round in 0..<200 {
            let bad = directory.path + "/" + String(repeating: "0", count: 12) + String(0xa000 + round, radix: 16)
            try Data(repeating: 1, count: 100_000).write(to: URL(fileURLWithPath: bad + ".segment"))
        }
        var options = smallOptions()
        options.setAsideBytes = 300_000
        let next = open(options: options)
        #expect(next.counters.setAsideSegments == 200)
        #expect(next.all().count == 6)
        #expect(try JournalInspection(directory: directory.path).check().setAside.count <= 3)
    }

    @Test("Stale frames in recycled blocks never reappear") func staleFramesStayGone() throws {
        var options = smallOptions(cap: 1 << 20)
        options.syncInterval = .seconds(3600)
        let journal = open(options: options)
        var expected: [String] = []
        for round in 0..<2000 {
            let text = "record \(round) " + String(repeating: "y", count: round % 200)
            journal.log(text)
            expected.append(text)
            if round % 50 == 0 {
                // Everything so far is delivered, so its segments are reused.
                journal.advance("a", to: journal.lastSequence)
                expected = []
                journal.housekeep()
            }
        }
        #expect(journal.counters.rotations > 3)
        let head = journal.cursor(of: "a")
        let files = try directory.snapshot()
        try directory.restore(files)
        #expect(open(options: options).all(after: head).map(\.text) == expected)

        // Blocks renamed for a new segment whose header and zeros never reached the disk.
        var stale = files
        let name = try #require(directory.segments.first)
        let later = "00000000000f0000.segment"
        stale[later] = files[name]
        try directory.restore(stale)
        let next = open(options: options)
        #expect(next.counters.setAsideSegments == 1)
        #expect(next.all(after: head).map(\.text) == expected)
    }

    @Test("Strange files do not prevent an open") func toleratesStrangeFiles() throws {
        open().log("kept")
        let names = [
            "ffffffffffffffff.segment", "0000000000000000.segment", "00000000000000AA.segment", ".segment", "x.segment",
            "00000000000000aa.segment", "journal.id", "cursors/a.cursor", "cursors/.cursor", "cursors/%.cursor",
            "spare-9.tmp", "lock", "set-aside",
        ]
        for (index, name) in names.enumerated() {
            let bytes = (0..<(index * 997 % 5000)).map { UInt8(truncatingIfNeeded: ($0 &* 2_654_435_761) >> 7) }
            try Data(bytes).write(to: URL(fileURLWithPath: directory.path + "/" + name))
        }
        let journal = open()
        #expect(journal.status == .mapped)
        #expect(journal.all(output: 0).map(\.text) == ["kept"])
        #expect(journal.cursor(of: "a") == 0)
        #expect(!journal.log("more").isDropped)
    }
}
