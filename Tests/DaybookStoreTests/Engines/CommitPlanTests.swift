import DaybookStore
import Testing

@testable import DaybookCollector
@testable import DaybookDatabases

@Suite struct CommitPlanTests {
    /// Records 1 to 10 of a stream, with arrival numbers 101 to 110.
    private func plan(known: [String: IntervalSet] = [:]) -> CommitPlan {
        var plan = CommitPlan([.numbered("s", (0, 10), 1...10)], known: known)
        plan.number(from: 101)
        return plan
    }

    private func settled(_ after: UInt64, _ through: UInt64) -> [String: IntervalSet] {
        ["s": IntervalSet([.init(after: after, through: through)])]
    }

    @Test("Numbers new rows consecutively and skips duplicates") func numbersOnlyNewRows() {
        var plan = CommitPlan(
            [
                .numbered("s", (0, 4), 1...4), RecordBatch(rows: [.sample(9)]), .numbered("s", (2, 6), 3...6),
                .numbered("s", (0, 4), 1...4),
            ], known: ["s": IntervalSet([.init(after: 0, through: 1)])])
        plan.number(from: 11)
        #expect(plan.rowCount == 6)
        #expect(plan.parts.map(\.firstID) == [11, 14, 15, 0])
        #expect(plan.parts.map(\.lastID) == [13, 14, 16, 0])
        #expect(plan.parts.map(\.sequences) == [[2, 3, 4], [0], [5, 6], []])
        #expect(plan.results.map(\.duplicates) == [1, 0, 2, 4])
    }

    @Test("A commit without rivals stores its rows") func storesWithoutRivals() {
        #expect(plan().decision(on: OtherClaims(), commit: "own") == .store([]))
    }

    @Test("Yields when its numbers or higher ones are taken", arguments: [Int64(101), 110, 900])
    func yieldsTakenNumbers(newest: Int64) {
        #expect(plan().decision(on: OtherClaims(newest: newest), commit: "own") == .giveWay)
    }

    @Test("Yields to a settled record and plans again without it") func yieldsToSettledRecords() {
        let others = OtherClaims(settled: settled(9, 12))
        #expect(plan().decision(on: others, commit: "own") == .giveWay)
        let next = plan(known: others.settled)
        #expect(next.rowCount == 9)
        #expect(next.results == [AppendResult(stored: 9, duplicates: 1)])
        #expect(next.decision(on: others, commit: "next") == .store([]))
    }

    @Test("Ignores settled sequences outside its records or in other streams") func ignoresUnrelatedSettled() {
        #expect(plan().decision(on: OtherClaims(settled: settled(10, 12)), commit: "own") == .store([]))
        let other = ["t": IntervalSet([.init(after: 0, through: 10)])]
        #expect(plan().decision(on: OtherClaims(settled: other), commit: "own") == .store([]))
    }

    @Test("Contests its own rows and those of its rival before storing") func contestsRivalRows() throws {
        let rival = OtherClaims.Rival(commit: "other", firstID: 50, sequences: [9, 10, 11])
        let decision = plan().decision(on: OtherClaims(rivals: ["s": [rival]]), commit: "own")
        guard case .store(let contests) = decision else {
            Issue.record("it gave way to a commit that may never end")
            return
        }
        let found = Set(contests.map { "\($0.sequence) \($0.uid) \($0.id) \($0.commit)" })
        #expect(found == ["9 uid-9 109 own", "9 uid-9 50 other", "10 uid-10 110 own", "10 uid-10 51 other"])
    }

    @Test("Looks for rivals only in the range of new records") func narrowsRivalSearch() {
        var plan = CommitPlan(
            [.numbered("s", (0, 4), 1...4), .numbered("t", (0, 4), 1...4)],
            known: ["t": IntervalSet([.init(after: 0, through: 2)])])
        plan.number(from: 1)
        #expect(plan.newHulls == ["s": .init(after: 0, through: 4), "t": .init(after: 2, through: 4)])
    }
}
