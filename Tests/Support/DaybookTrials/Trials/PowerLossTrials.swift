import DaybookJournal
import DaybookTesting
import Foundation

/// Power losses at any moment (promises J2 and J4): what was synced is there, and what is there beyond it is correct.
public enum PowerLossTrials {
    /// Opens `images` images of disks that lost power.
    public static func run(images: Int, seed: UInt64) -> TrialTally {
        var tally = TrialTally()
        var scenario = seed
        while tally.trials < images {
            tally += lifetime(seed: scenario, images: min(images - tally.trials, 60))
            scenario += 1
        }
        return tally
    }

    /// Takes one journal through random operations, and opens images of its disk after some of them.
    private static func lifetime(seed: UInt64, images: Int) -> TrialTally {
        var tally = TrialTally()
        var random = SeededGenerator(seed: seed)
        let directory = TemporaryDirectory.inMemory()
        defer { directory.remove() }
        let (disk, grave, place) = (
            directory.subdirectory("disk"), directory.subdirectory("grave"), directory.subdirectory("place")
        )
        try? FileManager.default.createDirectory(atPath: grave.path, withIntermediateDirectories: true)
        let files = VolatileDisk(root: disk.path, grave: grave.path)
        let steered = SteeredSystem(seed: seed)
        let options = smallOptions(cap: 64 << 20)
        func open() -> Journal {
            Journal.open(directory: disk.path, outputs: ["a"], options: options, system: steered.system(files: files))
        }
        var journal: Journal? = open()
        var written: [String] = []
        var synced = 0
        var delivered = 0
        while tally.trials < images {
            switch Int.random(in: 0..<10, using: &random) {
            case 0...4:
                for _ in 0..<Int.random(in: 1...120, using: &random) {
                    let text =
                        "\(written.count) " + String(repeating: "p", count: Int.random(in: 0...900, using: &random))
                    journal?.log(text)
                    written.append(text)
                }
            case 5:
                if journal?.sync() == true { synced = written.count }
            case 6:
                steered.advance(2)
                let before = journal?.counters.syncs
                journal?.housekeep()
                if journal?.counters.syncs != before { synced = written.count }
            case 7:
                // What an output has received may go.
                let count = Int.random(in: 0...200, using: &random)
                guard let open = journal else { continue }
                var passed = 0
                let progress = open.read(after: open.cursor(of: "a"), output: 0, limitFrames: count) { _ in
                    passed += 1
                    return true
                }
                open.advance("a", to: progress.through)
                // A frame beyond the limit is not visited.
                delivered += passed
            case 8:
                if Int.random(in: 0..<3, using: &random) > 0 { continue }
                if Bool.random(using: &random) {
                    journal?.close()
                    synced = written.count
                }
                journal = nil
                journal = open()
            default:
                break
            }
            for _ in 0..<min(2, images - tally.trials) {
                tally.trials += 1
                do {
                    try place.restore(files.image(&random))
                } catch {
                    tally.expect(false, "seed \(seed): the image could not be written: \(error)")
                    continue
                }
                let next = Journal.open(
                    directory: place.path, outputs: ["a"], options: options,
                    system: steered.system(files: UnsyncedFileSystem(), boot: 2))
                let found = next.all().map(\.text)
                let what = "seed \(seed), trial \(tally.trials), \(written.count) written, \(synced) synced"
                tally.compare(
                    found, required: written[min(delivered, synced)..<synced], written: Set(written), what)
                let numbers = found.compactMap { Int($0.prefix { $0 != " " }) }
                tally.expect(zip(numbers, numbers.dropFirst()).allSatisfy { $0 < $1 }, what + ": out of order")
                tally.expect(next.log("new").sequence == next.openedAt + 1, what + ": nothing can be logged")
                // Delivered records may be gone with their place, whatever the names say. Before that, nothing is damaged.
                if delivered == 0 {
                    tally.expect(
                        next.counters.corruptFrames == 0,
                        what + ": \(next.counters.corruptFrames) told as damaged")
                }
            }
        }
        return tally
    }
}
