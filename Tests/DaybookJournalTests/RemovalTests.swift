import DaybookTesting
import DaybookTrials
import Foundation
import Testing

@testable import DaybookJournal

/// Files that somebody removes while the journal has them open.
@Suite(.timeLimit(.minutes(5))) struct RemovalTests {
    private let directory = TestDirectory()
    private let steered = SteeredSystem()

    private func open(_ path: String, cap: Int = 8 << 20) -> Journal {
        Journal.open(
            directory: path, outputs: ["a"], context: [1], options: smallOptions(cap: cap), system: steered.system())
    }

    private func texts(_ range: Range<Int>) -> [String] {
        range.map { "\($0) " + String(repeating: "m", count: 200) }
    }

    /// What the next launch finds after a kill, in a directory that lives as long as it is looked at.
    private func afterKill<Answer>(_ look: (Journal) throws -> Answer) throws -> Answer {
        let copy = TestDirectory()
        try copy.restore(try directory.snapshot())
        return try withExtendedLifetime(copy) { try look(open(copy.path)) }
    }

    @Test(arguments: [true, false]) func whatWasStoredBeforeTheDirectoryWentIsThereAtTheNextLaunch(isKilled: Bool)
        throws
    {
        let journal = open(directory.path)
        let all = texts(0..<200)
        for text in all[..<100] { journal.log(text) }
        #expect(journal.sync())
        try FileManager.default.removeItem(atPath: directory.path)
        for text in all[100...] { journal.log(text) }
        #expect(journal.sync())
        #expect(journal.status == .mapped)
        #expect(journal.counters.replacedFiles > 0)
        #expect(journal.all(output: 0).map(\.text) == all)
        if isKilled {
            try afterKill { next in
                #expect(next.all(output: 0).map(\.text) == all)
                #expect(next.identity.journal == journal.identity.journal)
            }
        } else {
            journal.close()
            let next = open(directory.path)
            #expect(next.all(output: 0).map(\.text) == all)
            #expect(next.identity.journal == journal.identity.journal)
        }
    }

    /// A reader that cannot open a segment has the next housekeeping look for it, though nothing is to be synced.
    @Test func aSegmentThatIsGoneHoldsUpNoReader() throws {
        let journal = open(directory.path)
        for text in texts(0..<4_000) { journal.log(text) }
        #expect(journal.sync())
        journal.housekeep()
        let names = try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted()
        let first = try #require(names.first { $0.hasSuffix(".segment") })
        try FileManager.default.removeItem(atPath: "\(directory.path)/\(first)")
        _ = journal.read(after: 0, output: 0, limitFrames: 1_000) { _ in true }
        journal.housekeep()
        let found = journal.all(output: 0).count
        #expect(found < 4_000)
        #expect(UInt64(found) + journal.counters.dropped(for: "a") == 4_000)
        #expect(journal.counters.replacedFiles == 1)
    }

    /// Any of the files at any time, and moved away or replaced instead: every record is at the next launch, or counted.
    @Test(arguments: 0..<40) func recordsAreThereOrCountedWhateverIsRemoved(seed: Int) throws {
        var random = SeededGenerator(seed: UInt64(seed))
        let journal = open(directory.path)
        var logged: [String] = []
        var delivered = 0
        for step in 0..<30 {
            for text in texts(step * 100..<step * 100 + Int.random(in: 1...100, using: &random)) {
                journal.log(text)
                logged.append(text)
            }
            switch Int.random(in: 0..<6, using: &random) {
            case 0: journal.sync()
            case 1:
                steered.advance(2)
                journal.housekeep()
            case 2:
                journal.sync()
                let reached = journal.all(output: 0)
                if let some = reached.randomElement(using: &random) {
                    journal.advance("a", to: some.sequence)
                    delivered = max(delivered, logged.firstIndex(of: some.text).map { $0 + 1 } ?? 0)
                }
            case 3:
                try? FileManager.default.removeItem(atPath: directory.path)
            case 4:
                let names = ((try? FileManager.default.subpathsOfDirectory(atPath: directory.path)) ?? []).sorted()
                for name in names where Int.random(in: 0..<3, using: &random) == 0 {
                    try? FileManager.default.removeItem(atPath: "\(directory.path)/\(name)")
                }
            default:
                let names = ((try? FileManager.default.subpathsOfDirectory(atPath: directory.path)) ?? []).sorted()
                guard let name = names.randomElement(using: &random) else { break }
                let path = "\(directory.path)/\(name)"
                // Written to in place, a ring that is mapped would be shortened, which nobody survives.
                guard (try? FileManager.default.moveItem(atPath: path, toPath: "\(path).aside.tmp")) != nil else {
                    break
                }
                // A lock that is another file is another process's.
                if name != "lock", Bool.random(using: &random) {
                    try? Data("x".utf8).write(to: URL(fileURLWithPath: path))
                }
            }
            // A journal looks for its files when it syncs.
            if step % 3 == 2 { journal.sync() }
        }
        #expect(journal.sync(), "seed \(seed): \(journal.status)")
        let lost = journal.counters.dropped(for: "a")
        let waiting = Set(logged[delivered...])
        let found = journal.all(output: 0).map(\.text)
        #expect(Set(found).count == found.count, "seed \(seed)")
        #expect(UInt64(waiting.count) <= UInt64(Set(found).intersection(waiting).count) + lost, "seed \(seed)")
        let next = try afterKill { Set($0.all(output: 0).map(\.text)) }
        #expect(next.isSuperset(of: found), "seed \(seed)")
    }

    /// Another process may have the directory that was made anew: it is left to it, and what was removed is kept and told.
    @Test func aDirectoryThatAnotherHasTakenMeanwhileIsLeftToIt() throws {
        let journal = open(directory.path)
        journal.log("mine")
        #expect(journal.sync())
        try FileManager.default.removeItem(atPath: directory.path)
        let other = open(directory.path)
        other.log("theirs")
        #expect(other.sync())
        let files = try directory.snapshot()
        #expect(!journal.sync())
        #expect(journal.isTakenOver)
        guard case .waiting(let reason) = journal.status else {
            Issue.record("not told: \(journal.status)")
            return
        }
        #expect(reason.contains("lock"))
        journal.log("more")
        #expect(!journal.sync())
        steered.advance(120)
        journal.housekeep()
        #expect(journal.all(output: 0).map(\.text) == ["mine", "more"])
        #expect(try directory.snapshot() == files)
        #expect(other.all(output: 0).map(\.text) == ["theirs"])
        journal.close()
        #expect(try directory.snapshot() == files)
        other.close()
    }
}
