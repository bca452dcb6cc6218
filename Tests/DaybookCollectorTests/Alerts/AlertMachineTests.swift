import DaybookStore
import DaybookTools
import Testing

@testable import DaybookCollector

@Suite struct AlertMachineTests {
    private func rule(duration: Int64 = 0, noData: Bool = false) -> AlertRule {
        AlertRule(
            name: "A", prose: "", question: .sql(""), every: 60, condition: .init(comparison: .above, bound: 0),
            firesWithoutData: noData, duration: duration, targets: [], file: "a.md", line: 1)
    }

    private func seconds(_ count: Int64) -> Int64 { count * 1_000_000_000 }

    private func take(
        _ machine: inout AlertMachine, _ values: [String: Double?], _ rule: AlertRule, at second: Int64
    ) -> [String] {
        machine.take(AlertAnswer(values: values), of: rule, at: seconds(second)).map { "\($0.status) \($0.label)" }
    }

    @Test("Without `for`, an alert fires at once and resolves once") func firesOnceWithoutFor() {
        var machine = AlertMachine()
        #expect(take(&machine, ["": 0], rule(), at: 0) == [])
        #expect(take(&machine, ["": 1], rule(), at: 60) == ["firing "])
        #expect(take(&machine, ["": 2], rule(), at: 120) == [])
        #expect(machine.standings[""]?.since == seconds(60))
        #expect(machine.shownState == .firing)
        #expect(take(&machine, ["": 0], rule(), at: 180) == ["resolved "])
        #expect(take(&machine, ["": 0], rule(), at: 240) == [])
        #expect(machine.shownState == .inactive)
    }

    @Test("`for` delays firing and restarts when the condition stops") func forWaitsAndRestarts() {
        let rule = rule(duration: 120)
        var machine = AlertMachine()
        #expect(take(&machine, ["": 1], rule, at: 0) == [])
        #expect(machine.shownState == .pending)
        #expect(take(&machine, ["": 1], rule, at: 60) == [])
        #expect(take(&machine, ["": 0], rule, at: 90) == [])
        #expect(take(&machine, ["": 1], rule, at: 120) == [])
        #expect(take(&machine, ["": 1], rule, at: 239) == [])
        #expect(take(&machine, ["": 1], rule, at: 240) == ["firing "])
    }

    @Test("Each label fires separately and resolves when it disappears") func tracksLabelsSeparately() {
        var machine = AlertMachine()
        #expect(take(&machine, ["ios": 1, "android": 0], rule(), at: 0) == ["firing ios"])
        #expect(take(&machine, ["ios": 1, "android": 3], rule(), at: 60) == ["firing android"])
        #expect(take(&machine, ["android": 3], rule(), at: 120) == ["resolved ios"])
        #expect(take(&machine, [:], rule(), at: 180) == ["resolved android"])
        #expect(machine.shownState == .noData)
    }

    @Test("Missing data fires only alerts that ask for it") func noDataFiresOnRequest() {
        var machine = AlertMachine()
        #expect(take(&machine, [:], rule(), at: 0) == [])
        #expect(take(&machine, ["": nil as Double?], rule(), at: 60) == [])
        #expect(machine.shownState == .noData)
        #expect(take(&machine, [:], rule(noData: true), at: 120) == ["firing "])
        #expect(take(&machine, ["": 0], rule(noData: true), at: 180) == ["resolved "])
    }

    @Test("A failed evaluation changes no alert's state") func failureKeepsAlertState() {
        var machine = AlertMachine()
        #expect(take(&machine, ["": 1], rule(), at: 0) == ["firing "])
        machine.fail("the store is away")
        #expect(machine.shownState == .failed)
        #expect(machine.standings[""]?.phase == .firing)
        #expect(take(&machine, ["": 1], rule(), at: 60) == [])
        #expect(machine.shownState == .firing)
    }

    @Test("After a long pause, pending alerts wait again and firing ones continue") func pauseRestartsPending() {
        let rule = rule(duration: 120)
        var machine = AlertMachine()
        #expect(take(&machine, ["a": 1], rule, at: 0) == [])
        #expect(take(&machine, ["a": 1], rule, at: 120) == ["firing a"])
        #expect(take(&machine, ["a": 1, "b": 1], rule, at: 180) == [])
        #expect(take(&machine, ["a": 1, "b": 1], rule, at: 3_600) == [])
        #expect(machine.standings["b"]?.since == seconds(3_600))
        #expect(take(&machine, ["a": 0, "b": 1], rule, at: 3_720) == ["resolved a", "firing b"])
    }

    @Test("A clock set back does not delay an alert forever") func survivesClockSetBack() {
        let rule = rule(duration: 60)
        var machine = AlertMachine()
        #expect(take(&machine, ["": 1], rule, at: 10_000) == [])
        #expect(take(&machine, ["": 1], rule, at: 100) == [])
        #expect(take(&machine, ["": 1], rule, at: 160) == ["firing "])
    }

    @Test(
        "Each comparison operator holds for the right values",
        arguments: [
            (">", 1.0, [false, false, true]), (">=", 1, [false, true, true]), ("<", 1, [true, false, false]),
            ("<=", 1, [true, true, false]), ("=", 1, [false, true, false]), ("!=", 1, [true, false, true]),
        ]) func comparisonsHold(word: String, bound: Double, expected: [Bool]) throws
    {
        let comparison = try #require(AlertRule.Condition.Comparison(rawValue: word))
        let condition = AlertRule.Condition(comparison: comparison, bound: bound)
        #expect([0, 1, 2].map(condition.holds) == expected)
    }

    @Test("Reads values and labels from the columns of the result") func readsResultByColumns() throws {
        func read(_ columns: [String], _ rows: [[QueryResult.Cell]]) throws -> [String: Double?] {
            try AlertAnswer(
                QueryResult(columns: columns, rows: rows, isTruncated: false), AlertLabels(pseudonyms: Pseudonyms())
            ).values
        }
        #expect(try read(["count(*)"], [[.integer(3)], [.integer(4)]]) == ["": 3])
        #expect(try read(["label", "n"], [[.text("a"), .real(0.5)], [.text("b"), .null]]) == ["a": 0.5, "b": nil])
        #expect(try read(["n", "label"], [[.text("7"), .integer(1)]]) == ["1": 7])
        #expect(try read(["n"], []) == [:])
        #expect(throws: AlertAnswer.Problem.self) { try read(["label"], [[.text("a")]]) }
        #expect(throws: AlertAnswer.Problem.self) { try read(["n"], [[.text("many")]]) }
        #expect(
            try read(["label", "n"], [[.text("a"), .integer(1)], [.text("a"), .integer(2)]]) == ["a": 1, "a (2)": 2])
    }
}
