import DaybookTrials
import Testing

@testable import DaybookStore

@Suite struct IntervalSetTests {
    @Test("Agrees with a plain set of numbers", arguments: 0..<50)
    func matchesPlainSet(seed: Int) {
        var random = SeededGenerator(seed: UInt64(seed))
        var intervals = IntervalSet()
        var numbers: Set<UInt64> = []
        for _ in 0..<60 {
            let after = UInt64.random(in: 0...100, using: &random)
            let through = after + UInt64.random(in: 0...9, using: &random)
            intervals.insert(.init(after: after, through: through))
            if after < through { numbers.formUnion(after + 1...through) }
            for number in UInt64(0)...115 { #expect(intervals.contains(number) == numbers.contains(number)) }
            #expect(isCanonical(intervals))
        }
    }

    @Test("Does not depend on the order of insertion", arguments: 0..<20)
    func ignoresInsertionOrder(seed: Int) {
        var random = SeededGenerator(seed: UInt64(seed))
        let intervals = (0..<40).map { _ in
            let after = UInt64.random(in: 0...1_000, using: &random)
            return SequenceInterval(after: after, through: after + UInt64.random(in: 0...40, using: &random))
        }
        let set = IntervalSet(intervals)
        #expect(IntervalSet(intervals.shuffled(using: &random)) == set)
        #expect(IntervalSet(intervals + intervals) == set)
    }

    @Test("Merges adjacent intervals into one") func mergesAdjacentIntervals() {
        let set = IntervalSet([.init(after: 10, through: 20), .init(after: 0, through: 10)])
        #expect(set.intervals == [.init(after: 0, through: 20)])
    }

    @Test("Intervals exclude their lower bound and reach the largest number") func boundsAreHalfOpen() {
        let set = IntervalSet([.init(after: 5, through: 6), .init(after: .max - 1, through: .max)])
        #expect(!set.contains(5))
        #expect(set.contains(6))
        #expect(!set.contains(.max - 1))
        #expect(set.contains(.max))
    }

    @Test("Ignores empty and inverted intervals") func ignoresEmptyIntervals() {
        #expect(IntervalSet([.init(after: 5, through: 5), .init(after: 9, through: 2)]).intervals.isEmpty)
    }

    private func isCanonical(_ set: IntervalSet) -> Bool {
        let areNonempty = set.intervals.allSatisfy { $0.after < $0.through }
        let areApart = zip(set.intervals, set.intervals.dropFirst()).allSatisfy { $0.through < $1.after }
        return areNonempty && areApart
    }
}

@Suite struct CommitGroupTests {
    private let start = ContinuousClock.now

    @Test("A batch that waited during a commit waits only the remaining window") func waitsRestOfWindow() {
        var group = CommitGroup<Int>(rowLimit: 10)
        group.add(1, rows: 9, at: start)
        #expect(group.delay(window: .seconds(1), waited: .milliseconds(300)) == .milliseconds(700))
        #expect(group.delay(window: .seconds(1), waited: .seconds(2)) == .zero)
        group.add(2, rows: 1, at: start)
        #expect(group.delay(window: .seconds(1), waited: .zero) == .zero)
    }

    @Test("Commits small batches together in order") func groupsSmallBatches() {
        var group = CommitGroup<Int>(rowLimit: 4_096)
        for number in 0..<10 { group.add(number, rows: 100, at: start) }
        #expect(group.takeNext() == Array(0..<10))
        #expect(group.isEmpty)
        #expect(group.takeNext() == [])
    }

    @Test("Limits the rows of a commit") func boundsCommitRows() {
        var group = CommitGroup<Int>(rowLimit: 4_096)
        for number in 0..<10 { group.add(number, rows: 1_000, at: start) }
        #expect(group.takeNext() == [0, 1, 2, 3])
        #expect(group.takeNext() == [4, 5, 6, 7])
        #expect(group.takeNext() == [8, 9])
    }

    @Test("Commits a large batch by itself") func commitsLargeBatchAlone() {
        var group = CommitGroup<Int>(rowLimit: 4_096)
        group.add(0, rows: 1_000_000, at: start)
        group.add(1, rows: 1, at: start + .seconds(50))
        #expect(group.takeNext() == [0])
        #expect(group.takeNext() == [1])
    }

    @Test("A small batch overtakes large ones") func smallBatchOvertakes() {
        var group = CommitGroup<Int>(rowLimit: 4_096)
        for number in 0..<10 { group.add(number, rows: 4_096, at: start) }
        group.add(10, rows: 1, at: start + .milliseconds(200))
        #expect(group.takeNext() == [10])
        #expect(group.takeNext() == [0])
    }

    @Test("An endless run of small batches does not starve a large one") func largeBatchIsNotStarved() {
        var group = CommitGroup<Int>(rowLimit: 4_096)
        group.add(-1, rows: 4_096, at: start)
        // More arrives than is committed, so the queue grows.
        var overtaken = 0
        for number in 0..<10_000 {
            group.add(number, rows: 1_000, at: start + .milliseconds(number))
            guard number.isMultiple(of: 5) else { continue }
            let next = group.takeNext()
            if next.contains(-1) { break }
            overtaken += next.count
        }
        // Those of the 205 ms that its wait is worth, less the 50 ms of each small batch.
        #expect((100...160).contains(overtaken))
    }
}

@Suite struct BatchPartsTests {
    @Test("Splitting a batch keeps all rows and the senders' UIDs", arguments: [1, 3, 4, 10, 11])
    func partsKeepRowsAndUIDs(limit: Int) {
        var batch = RecordBatch(rows: (0..<10).map { .sample($0) }, arrived: 7)
        batch.isImport = true
        batch.identified = [0, 3, 4, 9].map { .init(place: $0, hasTime: $0 == 3) }
        let parts = batch.parts(of: limit)
        #expect(parts.allSatisfy { (1...limit).contains($0.rows.count) && $0.arrived == 7 && $0.isImport })
        #expect(parts.flatMap { $0.rows.map(\.uid) } == batch.rows.map(\.uid))
        let identified = parts.flatMap { part in
            part.identified.map { part.rows[$0.place].uid + ($0.hasTime ? " timed" : "") }
        }
        #expect(identified == ["uid-0", "uid-3 timed", "uid-4", "uid-9"])
    }

    @Test("Never splits a numbered batch") func keepsNumberedBatchWhole() {
        #expect(RecordBatch.numbered("s", (0, 10), 1...10).parts(of: 3).count == 1)
    }
}
