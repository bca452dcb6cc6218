import DaybookJournal
import DaybookProcesses
import Foundation

/// A disk that is really full, where a store into a sparse mapping would kill the process (promises J6 and J8).
public enum FullDiskTrials {
    /// Whether this process can make a small disk.
    public static var isPossible: Bool { TinyDisk.isPossible }

    /// Fills and frees a small disk `cycles` times; `nil` if none can be made.
    public static func run(cycles: Int) -> TrialTally? {
        guard let disk = TinyDisk(kibibytes: 700) else { return nil }
        var tally = TrialTally()
        let steered = SteeredSystem()
        let journal = Journal.open(
            directory: disk.path + "/journal", outputs: ["a"], options: smallOptions(cap: 4 << 20),
            system: steered.system())
        var written: [String] = []
        var delivered: [String] = []
        var waits = 0
        for cycle in 0..<cycles {
            tally.trials += 1
            // Something else fills the disk; the journal continues in its ring.
            disk.fill()
            for _ in 0..<300 {
                let text = "\(written.count) " + String(repeating: "f", count: written.count % 700)
                let appended = journal.log(text)
                tally.expect(!appended.isDropped, "cycle \(cycle): a record was dropped")
                written.append(text)
            }
            journal.sync()
            if journal.status != .mapped { waits += 1 }
            // The disk is free again and gets what the ring kept.
            disk.free()
            steered.advance(200)
            journal.housekeep()
            tally.expect(journal.status == .mapped, "cycle \(cycle): the disk is not found again")
            delivered += journal.all(after: journal.cursor(of: "a"), output: 0).map(\.text)
            journal.advance("a", to: journal.lastSequence)
            journal.housekeep()
        }
        tally.compare(delivered, required: written, written: Set(written), "full disk")
        tally.expect(delivered == written, "out of order")
        tally.expect(waits > 0, "the disk was never full")
        tally.expect(journal.counters.drops.isEmpty, "drops: \(journal.counters.drops)")
        return tally
    }
}

/// A small file system in memory that can really be full. Only root may make one.
package final class TinyDisk: Sendable {
    package let path: String

    /// `nil` if this process may not mount.
    package init?(kibibytes: Int) {
        path = NSTemporaryDirectory() + "daybook-disk-" + UUID().uuidString
        guard geteuid() == 0, FileManager.default.isExecutableFile(atPath: "/bin/mount"),
            (try? FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)) != nil
        else { return nil }
        guard Self.run("/bin/mount", "-t", "tmpfs", "-o", "size=\(kibibytes)k", "tmpfs", path) else {
            try? FileManager.default.removeItem(atPath: path)
            return nil
        }
    }

    deinit {
        _ = Self.run("/bin/umount", "-l", path)
        rmdir(path)
    }

    private var filler: String { path + "/filler" }

    /// Fills the rest of the disk, to the last page.
    package func fill() {
        let handle = fopen(filler, "a")
        let block = [UInt8](repeating: 1, count: 4096)
        while fwrite(block, 1, block.count, handle) == block.count, fflush(handle) == 0 {}
        fclose(handle)
    }

    /// Removes what filled the disk.
    package func free() { unlink(filler) }

    /// Whether this process may mount.
    package static let isPossible = TinyDisk(kibibytes: 64) != nil

    private static func run(_ program: String, _ arguments: String...) -> Bool {
        let process = try? ChildProcess(URL(fileURLWithPath: program), arguments, errors: .null)
        return process?.wait() == .exited(status: 0)
    }
}
