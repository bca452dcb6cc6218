import DaybookBase
import DaybookTools

/// Judges a stream of records against a checklist in one pass.
///
/// A value type without locks: one thread at a time. Memory grows with the open distinct combinations of `per` columns,
/// not with the records; see `ItemJudge.combinationLimit`.
public struct ChecklistRun: Sendable {
    /// An item's neighbours in its numbered list, as indices of judges.
    private struct Place: Sendable {
        var predecessor: Int?
        var successor: Int?
    }

    /// The judges interested in a tag.
    private struct Audience: Sendable {
        /// In order.
        var judges: [Int]
        /// Whether an item names the tag itself, rather than a pattern.
        var isNamed: Bool
    }

    private static let tagLimit = 10_000
    private let scenarios: [Checklist.Scenario]
    private let catalog: EventCatalog?
    private let persona: PersonaTable.Persona?
    /// Expected values of common columns, where records have them; sorted by name for a deterministic report.
    private let expectedColumns: [(column: String, value: ChecklistValue)]
    /// One per item, scenario by scenario; `nil` for items not judged by the engine.
    private var judges: [ItemJudge?] = []
    /// By item index.
    private var absences: [Int: Reason] = [:]
    /// By item index.
    private var refusals: [Int: Reason] = [:]
    private var places: [Place] = []
    /// The columns each item compares, and those of them that records hide from readers, by item index.
    private var compared: [Int: Set<String>] = [:]
    private var hidden: [Int: Set<String>] = [:]
    /// The persona's columns that records hide.
    private var hiddenOfPersona: Set<String> = []
    private var patterns: [(judge: Int, pattern: TagPattern)] = []
    /// A cache by tag, with at most ``tagLimit`` entries.
    private var audiences: [String: Audience] = [:]
    private var position = 0
    private var strangers = UnexpectedTags()
    private var named = NamedEvents()
    /// Defined events named by manual steps, by item index.
    private var mentions: [Int: String] = [:]
    /// Whether a record of the app has come.
    private var hasHeard = false
    private var problem: ScenarioProblem?
    /// Whether the records are part of a stream, in which a column may be rare.
    var isWindow = false

    /// Prepares a run.
    ///
    /// - Parameters:
    ///   - names: the scenarios to judge; empty means all.
    ///   - persona: who uses the app; decides each `when`, and is checked against the records' common columns. From the
    ///     checklist's table, or made of single values.
    ///   - catalog: the definitions; `nil` if there are none.
    /// - Throws: for an unknown scenario, or with a catalog an unknown event or column; if a `when` needs something
    ///   that the persona does not define; or if an `each` has neither a list nor declared values.
    public init(
        _ checklist: Checklist, scenarios names: [String] = [], persona: PersonaTable.Persona? = nil,
        catalog: EventCatalog? = nil
    ) throws(ChecklistError) {
        try checklist.checkNames(of: names)
        let problems = checklist.problems(judging: names, as: persona, with: catalog)
        guard problems.isEmpty else { throw ChecklistError(problems: problems) }
        self.init(checklist, names, persona, catalog, setAside: [])
    }

    /// Prepares a run of what can be judged: an item for which the other initializer throws is
    /// ``ItemVerdict/Status/notJudged``, with the reason, so that a screen can judge the others. Nothing passes with
    /// it.
    ///
    /// - Parameter names: the scenarios to judge; empty means all. Unknown names are ignored.
    public init(
        settingAsideIn checklist: Checklist, scenarios names: [String] = [], persona: PersonaTable.Persona? = nil,
        catalog: EventCatalog? = nil
    ) {
        let problems = checklist.problems(judging: names, as: persona, with: catalog)
        self.init(checklist, names, persona, catalog, setAside: problems)
    }

    private init(
        _ checklist: Checklist, _ names: [String], _ persona: PersonaTable.Persona?, _ catalog: EventCatalog?,
        setAside problems: [ChecklistError.Problem]
    ) {
        scenarios = checklist.scenarios.filter { names.isEmpty || names.contains($0.name) }
        self.persona = persona
        self.catalog = catalog
        expectedColumns = (persona?.values ?? [:]).sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
        for (index, item) in scenarios.flatMap(\.items).enumerated() {
            let own = problems.filter { item.location.line...item.lastLine ~= $0.diagnostic.location.line }
            guard !own.isEmpty else { continue }
            refusals[index] = Reason(
                text: own.map(\.reason.text).joined(separator: "; "), phrases: .joined(own.map(\.reason.phrases)))
        }
        for scenario in scenarios { add(scenario) }
    }

    private mutating func add(_ scenario: Checklist.Scenario) {
        var lastOfList: [Int: Int] = [:]
        var waiting: [Int: [Int]] = [:]
        for item in scenario.items {
            let index = judges.count
            places.append(Place())
            guard case .expectation(let expectation) = item.content, refusals[index] == nil else {
                judges.append(nil)
                if item.content == .manual { addStep(item.text, at: index) }
                continue
            }
            if let reason = expectation.absence(for: persona) {
                absences[index] = reason
                judges.append(nil)
                continue
            }
            let before = item.numberedList.flatMap { lastOfList[$0] }
            judges.append(
                ItemJudge(
                    expectation, tests: item.tests, catalog: catalog,
                    predecessor: before.flatMap { judges[$0]?.expectation.pattern }))
            if let list = item.numberedList {
                places[index].predecessor = before
                if expectation.holdsOthersBack {
                    for earlier in waiting.removeValue(forKey: list) ?? [] { places[earlier].successor = index }
                    lastOfList[list] = index
                } else {
                    waiting[list, default: []].append(index)
                }
            }
            let columns = expectation.comparedColumns.union(item.tests.filter(\.comparesValue).map(\.column))
            if !columns.isEmpty { compared[index] = columns }
            patterns += expectation.patterns.map { (index, $0) }
            for pattern in expectation.patterns where catalog?.knows(pattern) != true { named.add(pattern, at: index) }
        }
    }

    private mutating func addStep(_ text: String, at index: Int) {
        named.add(step: text, at: index)
        mentions[index] = catalog?.event(namedIn: text)
    }

    /// Judges the next record. Masked values in the record decide nothing for readers.
    public mutating func observe(_ record: some ChecklistRecord) {
        observe(record) { record.value(of: $0)?.isMasked ?? false }
    }

    /// Judges the next record.
    /// - Parameter hides: whether the record hides a column's value from readers; verdicts that compared it are then
    ///   withheld from them.
    package mutating func observe(_ record: some ChecklistRecord, hides: (_ column: String) -> Bool) {
        position += 1
        compare(record, hides: hides)
        for index in hear(record.tag, number: record.number).judges {
            for column in compared[index] ?? [] where hidden[index]?.contains(column) != true && hides(column) {
                hidden[index, default: []].insert(column)
            }
            judge(record, by: index)
        }
    }

    // MARK: Long histories

    // A run of which every record is observed is the same as one that hears of each tag, compares with the persona one
    // record of each kind, and observes what `judges(_:)` says, each in order of arrival.

    /// Whether an item judges the records of a tag.
    package func judges(_ tag: String) -> Bool {
        audiences[tag].map { !$0.judges.isEmpty } ?? patterns.contains { $0.pattern.judges(tag) }
    }

    /// Takes what counts of a tag whether or not an item judges it: its first record's number.
    package mutating func hear(of tag: String, number: Int64) { _ = hear(tag, number: number) }

    /// The most tags that ``hear(of:number:)`` is sure to tell apart; of more, every record is to be observed.
    package static let mostTags = tagLimit

    /// Common columns that any record's may contradict. Records whose values are equal, and equally hidden, are of one
    /// kind; records without any are of none.
    package var comparedCommonColumns: [String] { expectedColumns.map(\.column) }

    /// Compares a record with the persona.
    package mutating func compare(_ record: some ChecklistRecord, hides: (_ column: String) -> Bool) {
        let known = hiddenOfPersona
        hiddenOfPersona.formUnion(personaColumns(of: record) { !known.contains($0) && hides($0) })
        if let persona, problem == nil { check(record, against: persona) }
    }

    private mutating func hear(_ tag: String, number: Int64) -> Audience {
        if !hasHeard { hasHeard = !OwnRecords.have(tag) }
        let audience = audience(of: tag)
        if !audience.isNamed { strangers.add(tag, number) }
        return audience
    }

    private mutating func audience(of tag: String) -> Audience {
        if let known = audiences[tag] { return known }
        // The collector's own tags are never misspellings.
        var audience = Audience(judges: [], isNamed: OwnRecords.have(tag))
        for (judge, pattern) in patterns where pattern.judges(tag) {
            if audience.judges.last != judge { audience.judges.append(judge) }
            if pattern.onlyTag != nil { audience.isNamed = true }
        }
        if audiences.count < Self.tagLimit {
            audiences[tag] = audience
            named.observe(tag)
        }
        return audience
    }

    /// Whether a record may be the persona's: no common column contradicts it.
    package func isOfPersona(_ record: some ChecklistRecord) -> Bool {
        deviation(of: record) == nil
    }

    /// The persona's columns that a record has and hides: whether it is the persona's depends on them.
    package func personaColumns(of record: some ChecklistRecord, that hides: (_ column: String) -> Bool) -> Set<String>
    {
        guard !expectedColumns.isEmpty, !OwnRecords.have(record.tag) else { return [] }
        return Set(expectedColumns.map(\.column).filter { record.commonValue(of: $0) != nil && hides($0) })
    }

    private mutating func check(_ record: some ChecklistRecord, against persona: PersonaTable.Persona) {
        guard let (column, expected, found) = deviation(of: record) else { return }
        problem = .wrongPersona(persona.name, column: column, expected: expected, found: found, in: record)
    }

    /// The first common column that contradicts the persona; the collector's own records have no persona.
    private func deviation(
        of record: some ChecklistRecord
    ) -> (column: String, expected: ChecklistValue, found: ChecklistValue)? {
        guard !expectedColumns.isEmpty, !OwnRecords.have(record.tag) else { return nil }
        for (column, expected) in expectedColumns {
            guard let value = record.commonValue(of: column), !value.equals(expected) else { continue }
            return (column, expected, value)
        }
        return nil
    }

    private mutating func judge(_ record: some ChecklistRecord, by index: Int) {
        // An item's turn begins with the record after the one that fulfilled its predecessor. If it is optional, its
        // turn ends with the record that fulfils its successor.
        var turn = ItemJudge.Turn.now
        if let before = places[index].predecessor, (judges[before]?.fulfilledAt ?? .max) >= position { turn = .early }
        if let behind = places[index].successor, (judges[behind]?.fulfilledAt ?? .max) < position { turn = .past }
        judges[index]?.observe(record, at: position, turn: turn)
    }

    /// The current verdicts.
    ///
    /// - Parameter finished: whether no more records can come: then what is missing fails.
    public func verdicts(finished: Bool) -> [ScenarioVerdict] {
        var index = 0
        var problem = problem
        problem?.hiddenColumns = hiddenOfPersona
        return scenarios.map { scenario in
            let first = index
            return ScenarioVerdict(
                scenario: scenario, run: RunLabel(persona: persona?.name), problem: problem,
                items: scenario.items.map { item in
                    defer { index += 1 }
                    var verdict = verdict(on: item, at: index, finished: finished)
                    if judges[index] != nil {
                        verdict.hiddenColumns = hiddenColumns(of: item, in: scenario, from: first)
                    }
                    return verdict
                })
        }
    }

    /// Hidden columns that an item's verdict depends on: the persona's, its own, and those of items that decide its
    /// turn.
    private func hiddenColumns(of item: ChecklistItem, in scenario: Checklist.Scenario, from first: Int) -> Set<String>
    {
        guard !hidden.isEmpty else { return hiddenOfPersona }
        return scenario.items.enumerated().reduce(into: hiddenOfPersona) { columns, other in
            let isBeside = item.numberedList != nil && other.element.numberedList == item.numberedList
            if isBeside || other.element == item { columns.formUnion(hidden[first + other.offset] ?? []) }
        }
    }

    /// The verdicts on a recording; without any record, it says nothing, not even that something never occurred.
    ///
    /// - Parameter finished: whether no more records can come.
    package func verdictsUnlessSilent(finished: Bool) -> [ScenarioVerdict] {
        let verdicts = verdicts(finished: finished)
        guard !hasHeard else { return verdicts }
        return verdicts.map { verdict in
            var verdict = verdict
            for index in verdict.items.indices {
                let item = verdict.items[index]
                guard [.ok, .failed, .waiting].contains(item.status), item.matches == 0 else { continue }
                verdict.items[index].status = finished ? .notJudged : .waiting
                (verdict.items[index].isProvisional, verdict.items[index].isUnheard) = (!finished, !finished)
                if finished || item.why == nil { verdict.items[index].why = Reason([.init(.noRecords)]) }
            }
            return verdict
        }
    }

    private func verdict(unjudged item: ChecklistItem, at index: Int) -> ItemVerdict {
        var (status, reason): (ItemVerdict.Status, Reason?) = (.manual, nil)
        if let refusal = refusals[index] {
            (status, reason) = (.notJudged, refusal)
        } else if let absence = absences[index] {
            (status, reason) = (.notApplicable, absence)
        } else if let tag = named.subjects[index] {
            (status, reason) = (.notJudged, item.isStep(about: tag).reason)
        } else if let tag = mentions[index] {
            reason = Reason([.init(.namesEvent, ["event": .init(tag)])])
        }
        return ItemVerdict(
            item: item, status: status, isProvisional: false, because: reason, evidence: [], matches: 0)
    }

    private func verdict(on item: ChecklistItem, at index: Int, finished: Bool) -> ItemVerdict {
        guard let judge = judges[index] else { return verdict(unjudged: item, at: index) }
        var outcome = judge.outcome(finished: finished)
        if outcome.status == .ok, let likeness = named.likenesses[index] {
            outcome.status = .notJudged
            outcome.reason = [
                .init(.onlyAlike, ["event": .init(likeness.pattern), "tag": .init(likeness.tag)])
            ]
        } else if let doubt = judge.doubt(of: outcome.status, isWindow: isWindow) {
            outcome = ItemJudge.Outcome(status: .notJudged, isProvisional: false, reason: doubt)
        }
        let lacks = outcome.status == .failed || outcome.status == .waiting
        let reason = outcome.reason + (lacks ? nearMiss(of: judge) : [])
        return ItemVerdict(
            item: item, status: outcome.status, isProvisional: !finished && outcome.isProvisional,
            because: reason.isEmpty ? nil : Reason(reason), evidence: outcome.evidence, matches: judge.matches)
    }

    /// An unexpected tag that resembles one the item lacks.
    private func nearMiss(of judge: ItemJudge) -> [Reason.Phrase] {
        let lacking = judge.matches == 0 ? [judge.expectation.pattern] : judge.expectation.patterns.dropFirst()
        for pattern in lacking {
            guard let near = strangers.nearest(to: pattern) else { continue }
            let isUndefined = catalog.map { $0.events[near.tag] == nil } ?? false
            return [.init(.nearMiss, ["record": .init(near.number), "event": .init(near.tag)])]
                + (isUndefined ? [.init(.undefined)] : [])
        }
        return []
    }
}

extension ChecklistExpectation {
    /// The columns whose values decide which records count.
    fileprivate var comparedColumns: Set<String> {
        clauses.reduce(into: []) { columns, clause in
            switch clause.meaning {
            case .per(let names), .joining(let names): columns.formUnion(names)
            case .each(let column, _): columns.insert(column)
            case .until(let event), .after(let event), .before(let event):
                columns.formUnion(event.filter.filter(\.comparesValue).map(\.column))
            case .where(let tests): columns.formUnion(tests.filter(\.comparesValue).map(\.column))
            case .count, .within, .when: break
            }
        }
    }

    /// The patterns of the item and of its clauses' events; other records do not affect it.
    package var patterns: [TagPattern] {
        [pattern]
            + clauses.compactMap { clause in
                switch clause.meaning {
                case .until(let event), .after(let event), .before(let event): event.pattern
                default: nil
                }
            }
    }
}

/// Tags that no item names, for a report's near misses: the first record of each of the first 1,000.
struct UnexpectedTags: Sendable {
    struct Sighting: Sendable {
        var tag: String
        var number: Int64
    }

    private static let limit = 1_000
    private var numbers: [String: Int64] = [:]

    mutating func add(_ tag: String, _ number: Int64) {
        guard numbers.count < Self.limit, numbers[tag] == nil else { return }
        numbers[tag] = number
    }

    /// The sighting whose tag is probably a misspelling of the pattern's; `nil` for patterns with wildcards.
    func nearest(to pattern: TagPattern) -> Sighting? {
        guard let tag = pattern.onlyTag, let near = NearestName.of(tag, among: numbers.keys.sorted()),
            let number = numbers[near]
        else { return nil }
        return Sighting(tag: near, number: number)
    }
}
