import DaybookJournal
import DaybookJournalInspection
import DaybookTestTraits
import DaybookTesting
import DaybookTrials
import Foundation
import Testing

@Suite(.temporaryDirectory) struct HousekeepingTests {
    private let directory = TemporaryDirectory.current.subdirectory("journal")
    private let steered = SteeredSystem()
    private let files = FaultyFileSystem()

    private func open(_ options: JournalOptions = smallOptions()) -> Journal {
        Journal.open(
            directory: directory.path, outputs: ["a"], options: options, system: steered.system(files: files))
    }

    @Test("Syncs after the interval, and only if there is something to sync") func syncsAfterInterval() {
        let journal = open()
        #expect(journal.housekeep() == .max)
        #expect(journal.log("one").attention.contains(.firstSinceSync))
        #expect(!journal.log("two").attention.contains(.firstSinceSync))
        #expect(journal.housekeep() == steered.now + 1_000_000_000)
        #expect(journal.counters.syncs == 0)
        steered.advance(0.5)
        #expect(journal.housekeep() == steered.now + 500_000_000)
        steered.advance(0.5)
        #expect(journal.housekeep() == .max)
        #expect(journal.counters.syncs == 1)
        steered.advance(10)
        #expect(journal.housekeep() == .max)
        #expect(journal.counters.syncs == 1)
        #expect(journal.log("three").attention.contains(.firstSinceSync))
    }

    @Test("A record that woke nobody counts as old as the wait") func unseenAgeCounts() {
        let journal = open()
        let start = steered.now
        steered.advance(0.25)
        journal.log("one")
        #expect(journal.housekeep(unseenSince: start) == start + 1_000_000_000)
        steered.advance(0.75)
        journal.log("two")
        #expect(journal.housekeep(unseenSince: steered.now) == .max)
        #expect(journal.counters.syncs == 1)
        steered.advance(1)
        journal.log("three")
        #expect(journal.housekeep(unseenSince: steered.now - 1_000_000_000) == .max)
        #expect(journal.counters.syncs == 2)
    }

    @Test("Enough bytes make a sync due at once") func bytesForceSync() {
        var options = smallOptions()
        options.syncBytes = 4096
        let journal = open(options)
        var count = 0
        while !journal.log("0123456789").attention.contains(.workDue) { count += 1 }
        #expect(count == 4096 / 64 - 1)
        journal.housekeep()
        #expect(journal.counters.syncs == 1)
        #expect(!journal.log("next").attention.contains(.workDue))
    }

    @Test("A sync mark records how far frames are synced") func marksSyncedRecords() throws {
        let journal = open()
        journal.log("one")
        journal.log("two")
        journal.sync()
        var mark: [UInt8] = []
        try JournalInspection(directory: directory.path).dump { frame in
            if frame.flags == .syncMark { mark = frame.payload }
            return true
        }
        #expect(mark == [2, 0, 0, 0, 0, 0, 0, 0])
        #expect(journal.all().map(\.text) == ["one", "two"])
    }

    @Test("Opens sealed segments without reading them whole") func opensSealedUnread() {
        do {
            let journal = open(smallOptions(cap: 4 << 20))
            for _ in 0..<3000 { journal.log(String(repeating: "r", count: 500)) }
            journal.close()
        }
        files.forgetCalls()
        let journal = open(smallOptions(cap: 4 << 20))
        #expect(journal.counters.recoveredFrames == 3000 && journal.counters.recoveredSegments > 20)
        #expect(journal.pending(of: "a") == 3000)
        // One read of the front of each, and no more.
        let reads = files.calls.filter { $0.operation == .read && $0.path.hasSuffix(".segment") }
        #expect(UInt64(reads.count) == journal.counters.recoveredSegments)
    }

    @Test("Refuses and counts a context that is too long") func refusesLongContext() {
        let journal = open()
        #expect(journal.updateContext([UInt8](repeating: 1, count: 4096)) == 2)
        #expect(journal.updateContext([UInt8](repeating: 1, count: 4097)) == 2)
        #expect(journal.updateContext([UInt8](repeating: 1, count: 4096)) == 2)
        #expect(journal.counters.refusedContexts == 1)
        journal.log("under the long one")
        #expect(journal.all().map(\.context.count) == [4096])
        for round in 0..<100 { journal.updateContext([UInt8](repeating: UInt8(round), count: 4000)) }
        journal.log("under the last one")
        #expect(journal.all().last?.context == [UInt8](repeating: 99, count: 4000))
    }
}
