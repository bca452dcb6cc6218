import DaybookBase
import DaybookJournal
import DaybookTesting
import Foundation

/// Clocks that jump by ten years, other boots, and a second process in the same directory (promises J9, J10, J12).
public enum ClockTrials {
    /// Runs `trials` journals, each with some launches.
    public static func run(trials: Int, seed: UInt64) -> TrialTally {
        var tally = TrialTally()
        var random = SeededGenerator(seed: seed)
        for trial in 0..<trials {
            tally.trials += 1
            one("seed \(seed), trial \(trial)", &random, &tally)
        }
        return tally
    }

    private final class Clocks: Sendable {
        let state = Mutex((wall: UInt64(1_700_000_000_000_000_000), monotonic: UInt64(1_000_000_000)))
        let random: Mutex<SeededGenerator>

        init(seed: UInt64) { random = Mutex(SeededGenerator(seed: seed)) }

        func system(boot: UInt64) -> JournalSystem {
            JournalSystem(
                files: UnsyncedFileSystem(), monotonicNanoseconds: { self.state.withLock { $0.monotonic } },
                wallNanoseconds: { self.state.withLock { $0.wall } },
                random: { self.random.withLock { $0.next() } }, boot: JournalID(high: 0, low: boot))
        }
    }

    private static func one(_ what: String, _ random: inout SeededGenerator, _ tally: inout TrialTally) {
        let decade: Int64 = 10 * 365 * 86_400 * 1_000_000_000
        let directory = TemporaryDirectory.inMemory()
        defer { directory.remove() }
        let clocks = Clocks(seed: random.next())
        var written: [String] = []
        var names: Set<FrameOrigin> = []
        var boot: UInt64 = 1
        var options = smallOptions(cap: 64 << 20)
        options.syncInterval = .milliseconds(10)
        for launch in 0..<5 {
            if Bool.random(using: &random) {
                boot += 1
                clocks.state.withLock { $0.monotonic = UInt64.random(in: 1...1_000_000_000_000, using: &random) }
            }
            let system = clocks.system(boot: boot)
            func open() -> Journal {
                Journal.open(directory: directory.path, outputs: ["a"], options: options, system: system)
            }
            let journal = open()
            let second = Bool.random(using: &random) ? open() : nil
            tally.expect(second?.directory != journal.directory, what + ": two writers in one directory")
            for index in 0..<Int.random(in: 1...120, using: &random) {
                clocks.state.withLock { state in
                    let jump = Int64.random(in: -decade...decade, using: &random)
                    state.wall = UInt64(1_700_000_000_000_000_000 + jump)
                    state.monotonic += UInt64.random(in: 0...20_000_000, using: &random)
                }
                let writer = index % 3 == 0 ? second ?? journal : journal
                let text = "\(launch) \(index) " + String(repeating: "c", count: index * 13 % 400)
                let appended = writer.log(text)
                tally.expect(!appended.isDropped, what + ": a record was dropped")
                let isNew = names.insert(FrameOrigin(stream: writer.identity, sequence: appended.sequence)).inserted
                tally.expect(isNew, what + ": two records have one name")
                written.append(text)
                if index % 10 == 0 { journal.housekeep() }
            }
            if Bool.random(using: &random) { second?.close() }
            if Bool.random(using: &random) { journal.close() }
        }
        let last = Journal.open(
            directory: directory.path, outputs: ["a"], options: options, system: clocks.system(boot: boot))
        for _ in 0..<100 where last.housekeep() <= clocks.state.withLock({ $0.monotonic }) {}
        var found: [String] = []
        var order: [JournalStream: UInt64] = [:]
        last.read(after: 0) { frame in
            found.append(String(decoding: frame.payload, as: UTF8.self))
            let name = frame.origin ?? FrameOrigin(stream: frame.stream, sequence: frame.sequence)
            tally.expect(name.sequence > order[name.stream] ?? 0, what + ": out of order")
            order[name.stream] = name.sequence
            tally.expect(names.contains(name), what + ": a name that was not given")
            return true
        }
        tally.compare(found, required: written, written: Set(written), what)
    }
}
