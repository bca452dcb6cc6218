import DaybookTrials
import Testing

@testable import DaybookChecklist

/// Random items over random recordings. The engine sees a record once, the model sees all.
@Suite struct NaiveModelTests {
    private static let trials = TestLength.trials(400, long: 3_000)
    private static let tags = ["a.x", "a.y", "b.x"]
    private static let tests = [
        "c = 1", "c != 2", "d > 1", "c in (1, 2)", "d exists", "d absent", "c <= 1", "c matches /^[12]$/",
    ]

    private static func item(_ random: inout SeededGenerator) -> String {
        let event = random.pick(tags + ["a.*", "**"])
        func reference(_ random: inout SeededGenerator) -> String {
            random.pick(tags) + (random.chance(30) ? "(\(random.pick(tests)))" : "")
        }
        let isNever = random.chance(20)
        var clauses: [String] = []
        if random.chance(35) { clauses.append("where " + random.pick(tests)) }
        if isNever {
            if random.chance(70) {
                let both = random.chance(25)
                let first = random.pick(["after ", "before "])
                clauses.append(first + reference(&random))
                if both { clauses.append((first == "after " ? "before " : "after ") + reference(&random)) }
                if random.chance(40) { clauses.append("within \(Int.random(in: 1...4, using: &random))s") }
                if random.chance(40) { clauses.append(random.pick(["joining c", "joining c, d"])) }
            }
            return (["never \(event)"] + clauses).joined(separator: " ")
        }
        if random.chance(60) {
            clauses.append(
                random.pick(["exactly", "at least", "at most"]) + " \(Int.random(in: 1...3, using: &random))")
        }
        let hasEach = random.chance(30)
        if hasEach { clauses.append("each c in (1, 2)") }
        if random.chance(40) { clauses.append(random.pick(hasEach ? ["per d"] : ["per c", "per c, d"])) }
        if random.chance(30) { clauses.append("until " + reference(&random)) }
        if random.chance(35) {
            clauses.append(random.pick(["after ", "before "]) + reference(&random))
            if random.chance(50) { clauses.append("within \(Int.random(in: 1...4, using: &random))s") }
            if random.chance(40) { clauses.append(random.pick(["joining c", "joining c, d"])) }
        }
        clauses.shuffle(using: &random)
        let nested = random.chance(20) ? "\n    - \(random.pick(tests))" : ""
        return ([event] + clauses).joined(separator: " ") + nested
    }

    private static func records(_ random: inout SeededGenerator) -> [TestRecord] {
        var time: Int64 = 0
        return (0..<Int.random(in: 0...12, using: &random)).map { index in
            time += Int64.random(in: 0...2, using: &random) * 1_000_000_000
            var columns: [String: ChecklistValue] = [:]
            for column in ["c", "d"] where random.chance(80) {
                columns[column] = random.pick([.integer(1), .integer(2), .number(1), .number(2.5)])
            }
            return TestRecord(tag: random.pick(tags), number: Int64(index + 1), time: time, columns: columns)
        }
    }

    @Test("The engine agrees with a naive model on random items", arguments: [1, 2, 3, 4] as [UInt64])
    func engineMatchesModel(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var tally: [ItemVerdict.Status: Int] = [:]
        for _ in 0..<Self.trials {
            let markdown = "- [ ] " + Self.item(&random)
            let records = Self.records(&random)
            let verdict = try judge(markdown, records)[0].items[0]
            tally[verdict.status, default: 0] += 1
            let isOK = NaiveModel.isFulfilled(verdict.item, by: records)
            let isJudged = NaiveModel.isJudged(verdict.item, by: records)
            let expected: ItemVerdict.Status = !isOK ? .failed : isJudged ? .ok : .notJudged
            #expect(verdict.status == expected, "\(markdown)\n\(records.map(\.description).joined(separator: "\n"))")
            if verdict.status != expected { return }
        }
        // The trials are worth something only if both answers are common.
        #expect(tally[.ok, default: 0] > Self.trials / 10)
        #expect(tally[.failed, default: 0] > Self.trials / 10)
    }

    @Test("DefinedEvents settled before the end never change") func earlyVerdictsHold() throws {
        var random = SeededGenerator(seed: 99)
        for _ in 0..<Self.trials {
            let markdown = "- [ ] " + Self.item(&random)
            var run = try ChecklistRun(Checklist(markdown: markdown, file: "test.md"))
            var failed = false
            var settled = false
            for record in Self.records(&random) {
                run.observe(record)
                let verdict = run.verdicts(finished: false)[0].items[0]
                #expect(!failed || verdict.status == .failed, "\(markdown)")
                #expect(!settled || verdict.status == .ok, "\(markdown)")
                failed = verdict.status == .failed
                settled = verdict.status == .ok && !verdict.isProvisional
            }
            let last = run.verdicts(finished: true)[0].items[0].status
            #expect(!failed || last == .failed, "\(markdown)")
            #expect(!settled || last == .ok, "\(markdown)")
        }
    }

    /// Their order is judged too.
    @Test("The engine agrees with a naive model of numbered lists", arguments: [5, 6] as [UInt64])
    func orderMatchesModel(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var tally: [ItemVerdict.Status: Int] = [:]
        for _ in 0..<Self.trials {
            let items = (1...Int.random(in: 2...4, using: &random)).map { number in
                let event = random.pick(Self.tags + ["a.*"])
                let selection = random.chance(25) ? " where " + random.pick(Self.tests) : ""
                if random.chance(20) { return "\(number). [ ] never \(event)\(selection)" }
                let bound = random.pick(["", "", "at least 2", "exactly 1", "exactly 2", "at most 1"])
                return "\(number). [ ] \(event) \(bound)\(selection)"
            }
            let records = Self.records(&random)
            let verdicts = try judge(items.joined(separator: "\n"), records)[0].items
            let expected = NaiveModel.areFulfilled(verdicts.map(\.item), by: records)
            for verdict in verdicts { tally[verdict.status, default: 0] += 1 }
            let isSame =
                verdicts.map { $0.status == .ok }
                == zip(verdicts, expected).map { $1 && NaiveModel.isJudged($0.item, by: records) }
            #expect(isSame, "\(items.joined(separator: "\n"))\n\(records.map(\.description).joined(separator: "\n"))")
            if !isSame { return }
        }
        #expect(tally[.ok, default: 0] > Self.trials / 10)
        #expect(tally[.failed, default: 0] > Self.trials / 10)
    }
}

extension SeededGenerator {
    fileprivate mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &self) < percent }

    fileprivate mutating func pick<T>(_ options: [T]) -> T { options[Int.random(in: options.indices, using: &self)] }
}
