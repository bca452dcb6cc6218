import DaybookBase
import DaybookJournal
import DaybookJournalInspection
import DaybookTestTraits
import DaybookTesting
import DaybookTrials
import Foundation
import Testing

private final class Progress: Sendable {
    let running: Atomic<Int>
    /// By thread, the last frame whose append returned.
    let returned = Mutex<[Int]>([-1, -1])

    init(running: Int) {
        self.running = Atomic(running)
    }
}

@Suite(.temporaryDirectory) struct SharingTests {
    private let directory = TemporaryDirectory.current.subdirectory("journal")

    private func open(_ options: JournalOptions = smallOptions()) -> Journal {
        Journal.open(directory: directory.path, outputs: ["a"], options: options)
    }

    @Test("A second process that opens the directory gets its own journal") func secondOpenerGetsOwn() throws {
        let first = open()
        let second = open()
        #expect(first.directory == directory.path && second.directory == directory.path + "/writer-2")
        #expect(first.identity.journal != second.identity.journal)
        first.log("one")
        second.log("two")
        #expect(first.all().map(\.text) == ["one"] && second.all().map(\.text) == ["two"])
        #expect(try JournalInspection(directory: directory.path).check().writers == ["writer-2"])
        first.close()
        #expect(open().all().map(\.text) == ["one"])
        // While another process holds the directory, the second journal and its content go to the next second opener.
        second.close()
        let third = open()
        let fourth = open()
        #expect(third.directory == directory.path)
        #expect(fourth.directory == directory.path + "/writer-2" && fourth.all().map(\.text) == ["two"])
        #expect(fourth.identity.journal == second.identity.journal)
    }

    @Test("Threads can append while a reader reads") func appendsDuringRead() async {
        let options = smallOptions(cap: 16 << 20)
        let journal = open(options)
        let perThread = 3000
        let threads = Progress(running: 4)
        let received = await withTaskGroup(of: [Seen].self) { group in
            for thread in 0..<4 {
                group.addTask {
                    for index in 0..<perThread { journal.log("\(thread) \(index)") }
                    if thread == 0 { journal.updateContext([7]) }
                    threads.running.subtract(1, ordering: .sequentiallyConsistent)
                    return []
                }
            }
            group.addTask {
                var seen: [Seen] = []
                var position: UInt64 = 0
                while true {
                    let isLast = threads.running.load(ordering: .acquiring) == 0
                    let progress = journal.read(after: position, output: 0, limitFrames: 100) { frame in
                        seen.append(
                            Seen(
                                sequence: frame.sequence, mask: frame.mask, payload: Array(frame.payload),
                                context: frame.context.bytes, contextUnknown: frame.contextUnknown,
                                stream: frame.stream))
                        return true
                    }
                    if seen.last.map({ $0.sequence > progress.through }) == true { seen.removeLast() }
                    position = progress.through
                    journal.advance("a", to: position)
                    journal.housekeep()
                    if isLast && progress.reachedEnd { return seen }
                }
            }
            return await group.reduce(into: []) { $0 += $1 }
        }
        #expect(received.count == 4 * perThread)
        #expect(zip(received, received.dropFirst()).allSatisfy { $0.sequence < $1.sequence })
        for thread in 0..<4 {
            let own = received.map(\.text).filter { $0.hasPrefix("\(thread) ") }
            #expect(own == (0..<perThread).map { "\(thread) \($0)" })
        }
        #expect(journal.counters.corruptFrames == 0 && journal.counters.drops.isEmpty)
    }

    /// Each copy taken while threads append is what a kill at that moment leaves.
    @Test("A copy of the files holds every frame whose append had returned") func snapshotHoldsReturned() async throws {
        let journal = open(smallOptions(cap: 16 << 20))
        let threads = Progress(running: 1)
        let directory = directory
        await withTaskGroup(of: Void.self) { group in
            for thread in 0..<2 {
                group.addTask {
                    var index = 0
                    while threads.running.load(ordering: .relaxed) > 0, index < 20_000 {
                        journal.log("\(thread) \(index) " + String(repeating: "k", count: index % 90))
                        threads.returned.withLock { $0[thread] = index }
                        index += 1
                    }
                }
            }
            group.addTask {
                for number in 0..<20 {
                    let before = threads.returned.withLock { $0 }
                    let copy = TemporaryDirectory.current.subdirectory("copy-\(number)")
                    // A segment may be named between the listing and the copying; that moment is skipped.
                    guard let files = try? directory.snapshot(), (try? copy.restore(files)) != nil else { continue }
                    let next = Journal.open(directory: copy.path, outputs: ["a"], options: smallOptions(cap: 16 << 20))
                    let texts = next.all().map(\.text)
                    for thread in 0..<2 {
                        let own = texts.filter { $0.hasPrefix("\(thread) ") }
                        #expect(own.count > before[thread])
                        #expect(own.enumerated().allSatisfy { $1.hasPrefix("\(thread) \($0) ") })
                    }
                    #expect(next.counters.corruptFrames == 0)
                }
                threads.running.store(0, ordering: .relaxed)
            }
        }
    }
}
