import DaybookJournal
import DaybookJournalInspection
import DaybookTesting
import Foundation

/// A small journal of three segments with damaged files (promises J4, J5 and J7).
public enum DamageTrials {
    private static let options = smallOptions()

    private static func open(_ directory: TemporaryDirectory) -> Journal {
        Journal.open(
            directory: directory.path, outputs: ["a"], options: options,
            system: SteeredSystem().system(files: UnsyncedFileSystem()))
    }

    /// Two segments that were closed and one whose writer was killed.
    private static func make(_ directory: TemporaryDirectory) throws -> (files: [String: Data], frames: [DumpedFrame]) {
        for launch in 0..<3 {
            let journal = open(directory)
            for index in 0..<4 { journal.log("\(launch) \(index) " + String(repeating: "d", count: 70 * index)) }
            journal.advance("a", to: 2)
            if launch < 2 { journal.close() } else { journal.sync() }
        }
        var frames: [DumpedFrame] = []
        try JournalInspection(directory: directory.path).dump {
            frames.append($0)
            return true
        }
        return (try directory.snapshot(), frames)
    }

    /// Opens the directory and looks for everything that the damage could not have taken.
    private static func check(
        _ directory: TemporaryDirectory, _ frames: [DumpedFrame], without isHit: (DumpedFrame) -> Bool,
        _ what: @autoclosure () -> String, _ tally: inout TrialTally
    ) {
        tally.trials += 1
        let records = frames.filter { !$0.flags.isJournals }
        let journal = open(directory)
        tally.compare(
            journal.all().map(\.payload), required: records.filter { !isHit($0) }.map(\.payload),
            written: Set(records.map(\.payload)), what())
        tally.expect(journal.cursor(of: "a") <= journal.lastSequence, what() + ": the cursor is ahead")
        tally.expect(!journal.log("new").isDropped, what() + ": nothing can be logged")
    }

    /// Flips every bit of every file, one at a time, and cuts every file at every length; of an unclosed segment, only
    /// the used part.
    /// - Throws: What the file system throws.
    public static func bitFlips() throws -> TrialTally {
        var tally = TrialTally()
        let directory = TemporaryDirectory.inMemory()
        defer { directory.remove() }
        let (files, frames) = try make(directory)
        for (name, data) in files.sorted(by: { $0.key < $1.key }) where !data.isEmpty {
            let used = frames.filter { $0.segment == name }.map { $0.offset + 32 + $0.payload.count }.max()
            let length = min(data.count, (used ?? data.count) + 200)
            // Most space between the ring's two headers and its frames is empty.
            let places = name == "ring" ? [0..<512, 28_672..<29_184, 57_344..<max(length, 59_392)] : [0..<length]
            for offset in places.joined() {
                for bit in 0..<8 {
                    var damaged = data
                    damaged[offset] ^= 1 << UInt8(bit)
                    try directory.restore(files.merging([name: damaged]) { $1 })
                    check(
                        directory, frames,
                        without: {
                            $0.segment == name && ($0.offset..<$0.offset + 32 + $0.payload.count).contains(offset)
                        }, "\(name), bit \(bit) of byte \(offset)", &tally)
                }
                try directory.restore(files.merging([name: data.prefix(offset)]) { $1 })
                check(
                    directory, frames,
                    without: {
                        $0.segment == name && $0.offset + 32 + $0.payload.count > max(offset - headerBytes, 0) & ~63
                    },
                    "\(name) cut at \(offset)", &tally)
            }
        }
        return tally
    }

    /// A cut takes what follows it, and a frame that would reach into the place of the header's copy.
    private static let headerBytes = 192

    /// The journal's files and content, for damage of any kind.
    /// - Throws: What the file system throws.
    package static func sample() throws -> (files: [String: Data], written: Set<[UInt8]>) {
        let directory = TemporaryDirectory.inMemory()
        defer { directory.remove() }
        let (files, frames) = try make(directory)
        return (files, Set(frames.filter { !$0.flags.isJournals }.map(\.payload)))
    }

    /// Opens any files: nothing may crash, nothing unwritten may appear, and logging must work.
    /// - Throws: What the file system throws.
    package static func opening(_ files: [String: Data], written: Set<[UInt8]>) throws -> TrialTally {
        var tally = TrialTally()
        tally.trials = 1
        let directory = TemporaryDirectory.inMemory()
        defer { directory.remove() }
        try directory.restore(files)
        let journal = open(directory)
        tally.compare(journal.all().map(\.payload), required: [], written: written, "opened")
        tally.expect(journal.cursor(of: "a") <= journal.lastSequence, "the cursor is ahead")
        tally.expect(!journal.log("new").isDropped, "nothing can be logged")
        try? JournalInspection(directory: directory.path).dump { _ in true }
        return tally
    }
}
