/// Judges a stream of records against a checklist, record by record, in one pass.
///
/// A value type without locks: one thread at a time. Memory grows with the distinct combinations of `per` columns that
/// are open, not with the records; see ``ItemJudge/combinationLimit``.
public struct ChecklistRun: Sendable {
    private let scenarios: [Checklist.Scenario]
    /// One for each judged item, `nil` for a manual one; scenario after scenario.
    private var judges: [ItemJudge?] = []
    /// The judge whose item comes before, in the order of a numbered list.
    private var predecessors: [Int?] = []
    /// Which judges a tag concerns, where an item names its events without wildcards.
    private var byTag: [String: [Int]] = [:]
    /// The judges that must see every record.
    private var byPattern: [Int] = []
    private var position = 0
    private var strangers = UnexpectedTags()

    /// Prepares a run.
    ///
    /// - Parameter scenarios: the names of those to judge; empty means all.
    /// - Throws: if a scenario is unknown, or an item has a clause that this version cannot judge.
    public init(_ checklist: Checklist, scenarios names: [String] = []) throws(ChecklistError) {
        let known = checklist.scenarios.map(\.name)
        let unknown = names.filter { !known.contains($0) }
        guard unknown.isEmpty else {
            throw ChecklistError(
                problems: unknown.map { name in
                    ChecklistError.Problem(
                        location: ChecklistLocation(file: checklist.file, line: 1, column: 1),
                        message: "no scenario is called `\(name)`",
                        hint: NearestName.of(name, among: known).map { "did you mean `\($0)`?" }
                            ?? "there are: \(known.joined(separator: ", "))")
                })
        }
        let chosen = Set(names.isEmpty ? known : names)
        let unjudged = checklist.unjudged(scenarios: chosen)
        guard unjudged.isEmpty else { throw ChecklistError(problems: unjudged) }
        scenarios = checklist.scenarios.filter { chosen.contains($0.name) }
        for scenario in scenarios { add(scenario) }
    }

    private mutating func add(_ scenario: Checklist.Scenario) {
        var lastOfList: [Int: Int] = [:]
        for item in scenario.items {
            guard case .expectation(let expectation) = item.content else {
                judges.append(nil)
                predecessors.append(nil)
                continue
            }
            let index = judges.count
            judges.append(ItemJudge(expectation, tests: item.tests))
            predecessors.append(item.numberedList.flatMap { lastOfList[$0] })
            if let list = item.numberedList { lastOfList[list] = index }
            let patterns = expectation.patterns
            let tags = patterns.compactMap(\.onlyTag)
            if tags.count == patterns.count {
                for tag in Set(tags) { byTag[tag, default: []].append(index) }
            } else {
                byPattern.append(index)
            }
        }
    }

    /// Takes the next record of the run.
    public mutating func observe(_ record: some ChecklistRecord) {
        position += 1
        let named = byTag[record.tag]
        if named == nil { strangers.add(record) }
        for index in named ?? [] { judge(record, by: index) }
        for index in byPattern { judge(record, by: index) }
    }

    private mutating func judge(_ record: some ChecklistRecord, by index: Int) {
        // An item's turn comes with the record behind the one that fulfilled the item before it.
        let isItsTurn = predecessors[index].map { (judges[$0]?.fulfilledAt ?? .max) < position } ?? true
        judges[index]?.observe(record, at: position, isItsTurn: isItsTurn)
    }

    /// How the items stand.
    ///
    /// - Parameter finished: whether no more records can come: what is missing then fails.
    public func verdicts(finished: Bool) -> [ScenarioVerdict] {
        var index = 0
        return scenarios.map { scenario in
            ScenarioVerdict(
                scenario: scenario,
                items: scenario.items.map { item in
                    defer { index += 1 }
                    return verdict(on: item, at: index, finished: finished)
                })
        }
    }

    private func verdict(on item: ChecklistItem, at index: Int, finished: Bool) -> ItemVerdict {
        guard let judge = judges[index] else {
            return ItemVerdict(
                item: item, status: .manual, isProvisional: false, reason: nil, evidence: [], matches: 0)
        }
        let outcome = judge.outcome(finished: finished)
        var verdict = ItemVerdict(
            item: item, status: outcome.status, isProvisional: !finished && outcome.isProvisional,
            reason: outcome.reason, evidence: outcome.evidence, matches: judge.matches)
        if judge.matches == 0, verdict.status == .failed || verdict.status == .waiting,
            let near = strangers.nearest(to: judge.expectation.pattern)
        {
            verdict.reason = (verdict.reason ?? "") + "; near miss #\(near.number) \(near.tag)"
        }
        return verdict
    }
}

extension ChecklistExpectation {
    /// The item's own pattern, and those of the events that its clauses name.
    fileprivate var patterns: [TagPattern] {
        [pattern]
            + clauses.compactMap { clause in
                switch clause.meaning {
                case .until(let event), .after(let event), .before(let event): event.pattern
                default: nil
                }
            }
    }
}
