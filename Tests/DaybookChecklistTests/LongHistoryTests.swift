import DaybookBase
import DaybookTools
import DaybookTrials
import Testing

@testable import DaybookChecklist

/// A run that observes only the records which an item judges, after what counts of the others.
@Suite struct LongHistoryTests {
    private static let trials = TestLength.trials(50, long: 3_000)
    private static let tags = [
        "a.x", "a.y", "b.x", "A.X", "a.xx", "login", "Login", "other.1", "other.2", "other.3", "daybook.alert",
        "daybook",
    ]
    private static let items = [
        "a.x exactly 1 per c", "never a.y", "a.*", "a.x after b.x joining c", "never a.x before login", "b.x until a.y",
        "daybook.alert", "a.xxx", "other.9", "\"A.X\" where c = 1", "a.y each c in (1, 2)",
        "never b.x where d > 1", "a.x when plan = \"free\"", "iOS: login", "no other.2", "never \"`login`\"", "**",
        "a.x where plan = 1",
    ]

    private static func checklist(_ random: inout SeededGenerator) -> String {
        func one<Element>(_ elements: [Element]) -> Element { elements.randomElement(using: &random) ?? elements[0] }
        var lines = ["# t", "", "| persona | plan | tier |", "|---|---|---|", "| free | free | 1 |", ""]
        for scenario in 0..<Int.random(in: 1...2, using: &random) {
            lines += ["## s\(scenario)", ""]
            let isNumbered = Bool.random(using: &random)
            for number in 1...Int.random(in: 1...4, using: &random) {
                let item = one(items)
                lines.append("\(isNumbered ? "\(number)." : "-") [ ] \(item)")
                let isTestable = !item.hasPrefix("never ") && !item.hasPrefix("iOS:") && !item.hasPrefix("no ")
                if isTestable, one([0, 0, 1]) == 1 { lines.append("    - c > 0") }
            }
            lines.append("")
        }
        return lines.joined(separator: "\n")
    }

    private static func records(_ random: inout SeededGenerator) -> [TestRecord] {
        func one<Element>(_ elements: [Element]) -> Element { elements.randomElement(using: &random) ?? elements[0] }
        var number: Int64 = 0
        let deviates = one([false, false, true])
        return (0..<Int.random(in: 0...25, using: &random)).map { _ in
            number += Int64.random(in: 1...3, using: &random)
            var record = TestRecord(
                tag: one(tags), number: number, time: Int64.random(in: 0...20, using: &random) * 1_000_000_000,
                columns: [:])
            for column in ["c", "d"] where one([true, true, false]) {
                record.columns[column] = one([.integer(1), .integer(2), .text(Record.mask)])
            }
            if one([0, 1, 2]) > 0 { record.common["plan"] = .text(deviates ? one(["free", "paid"]) : "free") }
            if one([0, 1, 2]) == 0 { record.common["tier"] = one([.integer(1), .text(Record.mask)]) }
            return record
        }
    }

    /// What tells kinds of records apart.
    private struct PersonaValues: Hashable {
        var values: [ChecklistValue?]
        var hides: [Bool]
    }

    @Test("Only the records that items judge need to be observed", arguments: [1, 2, 3, 4] as [UInt64])
    func observesFewer(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var tally: [ItemVerdict.Status: Int] = [:]
        for _ in 0..<Self.trials {
            for verdict in try compare(&random) { tally[verdict.status, default: 0] += 1 }
        }
        // The trials are worth something only if all answers are common.
        for status in [ItemVerdict.Status.ok, .failed, .notJudged] {
            #expect(tally[status, default: 0] > Self.trials / 10)
        }
    }

    private func compare(_ random: inout SeededGenerator) throws -> [ItemVerdict] {
        let checklist = try Checklist(markdown: Self.checklist(&random), file: "t.md")
        let persona = Bool.random(using: &random) ? try checklist.persona(named: "free") : nil
        let catalog = EventCatalog(
            events: ["a.x": ["c": [], "d": []], "a.y": ["c": []], "login": [:]], common: ["plan": []])
        let fresh = ChecklistRun(
            settingAsideIn: checklist, persona: persona, catalog: Bool.random(using: &random) ? catalog : nil)
        let records = Self.records(&random)
        let secret = ["c", "plan"].filter { _ in Bool.random(using: &random) }
        func hides(_ record: TestRecord, _ column: String) -> Bool {
            record.value(of: column)?.isMasked == true || secret.contains(column) && record.number % 2 == 0
        }
        var (whole, part) = (fresh, fresh)
        for record in records { whole.observe(record) { hides(record, $0) } }

        var tags: Set<String> = []
        for record in records where tags.insert(record.tag).inserted {
            part.hear(of: record.tag, number: record.number)
        }
        var kinds: Set<PersonaValues> = []
        let names = fresh.comparedCommonColumns
        for record in records where !OwnRecords.have(record.tag) {
            let kind = PersonaValues(values: names.map(record.commonValue), hides: names.map { hides(record, $0) })
            if kinds.insert(kind).inserted { part.compare(record) { hides(record, $0) } }
        }
        for record in records where fresh.judges(record.tag) { part.observe(record) { hides(record, $0) } }
        for finished in [true, false] {
            #expect(
                whole.verdictsUnlessSilent(finished: finished) == part.verdictsUnlessSilent(finished: finished),
                "\(checklist.scenarios.flatMap(\.items).map(\.text))\n\(records)")
        }
        return whole.verdictsUnlessSilent(finished: true).flatMap(\.items)
    }

    @Test("A record that no item judges counts by its tag, and by what contradicts the persona") func countsOfOthers()
        throws
    {
        let checklist = try Checklist(
            markdown: """
                # t

                | persona | plan |
                |---|---|
                | free | free |

                - [ ] login.done
                - [ ] iOS: start
                """, file: "t.md")
        var run = ChecklistRun(settingAsideIn: checklist, persona: try checklist.persona(named: "free"))
        #expect(run.judges("login.done") && !run.judges("login.don") && !run.judges("start"))
        #expect(run.comparedCommonColumns == ["plan"])
        run.hear(of: "login.don", number: 3)
        run.hear(of: "start", number: 4)
        var paid = TestRecord(tag: "start", number: 4, time: 0, columns: [:])
        paid.common["plan"] = .text("paid")
        run.compare(paid) { _ in false }
        let verdict = try #require(run.verdictsUnlessSilent(finished: true).first)
        #expect(verdict.items[0].reason?.contains("login.don") == true)
        #expect(verdict.items[1].status == .notJudged)
        #expect(verdict.problem?.evidence.map(\.number) == [4])
    }
}
