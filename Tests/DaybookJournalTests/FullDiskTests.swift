import DaybookJournal
import Foundation
import Testing

/// A disk that is really full, where a store into a sparse mapping would kill the process.
struct FullDiskTests {
    @Test(.enabled(if: TinyDisk.isPossible, "making a small disk needs root"))
    func fillingAndFreeingARealDiskLosesNothing() throws {
        let disk = try #require(TinyDisk(kibibytes: 700))
        let steered = SteeredSystem()
        let journal = Journal.open(
            directory: disk.path + "/journal", outputs: ["a"], options: smallOptions(cap: 4 << 20, spares: 2),
            system: steered.system())
        var written = 0
        var inMemory = 0
        var delivered = 0
        for _ in 0..<20 {
            // Something else takes the disk; the journal goes on in memory.
            let filler = disk.path + "/filler"
            let handle = fopen(filler, "w")
            let block = [UInt8](repeating: 1, count: 4096)
            while fwrite(block, 1, block.count, handle) == block.count, fflush(handle) == 0 {}
            fclose(handle)
            for _ in 0..<300 {
                let appended = journal.log("\(written) " + String(repeating: "f", count: written % 700))
                #expect(!appended.isDropped)
                if appended.attention.contains(.inMemory) { inMemory += 1 }
                written += 1
            }
            journal.housekeep()
            // The disk is free again, and what was kept in memory goes there.
            unlink(filler)
            steered.advance(200)
            journal.housekeep()
            #expect(journal.status == .mapped)
            var isInOrder = true
            while true {
                let progress = journal.read(after: journal.cursor(of: "a"), output: 0, limitFrames: 500) { frame in
                    let text = String(decoding: frame.payload, as: UTF8.self)
                    isInOrder = isInOrder && text.hasPrefix("\(delivered) ")
                    delivered += 1
                    return true
                }
                // A frame beyond the limit is not visited, so every visit counts.
                journal.advance("a", to: progress.through)
                if progress.reachedEnd { break }
            }
            #expect(isInOrder && delivered == written)
            journal.housekeep()
        }
        #expect(inMemory > 0)
        #expect(journal.counters.drops.isEmpty)
    }
}
