import DaybookBase
import DaybookTools

/// The verdict on an item.
public struct ItemVerdict: Sendable, Hashable {
    /// The status of an item.
    public enum Status: String, Sendable, Hashable, CaseIterable {
        /// Records are still missing; the run is not finished.
        case waiting
        /// Everything is as required.
        case ok
        /// Something is not as required, and later records cannot change that.
        case failed
        /// A step for a person.
        case manual
        /// The item's `when` does not hold for the persona.
        case notApplicable = "not_applicable"
        /// The item asks what nothing answers, or names something undefined; nothing passes with it. Only if such items
        /// are set aside: ``ChecklistRun/init(settingAsideIn:scenarios:persona:catalog:)``.
        case notJudged = "not_judged"

        /// Whether the item blocks a release until someone waives it.
        public var isOpen: Bool { self == .failed || self == .waiting || self == .notJudged }
    }

    public var item: ChecklistItem
    public var status: Status
    /// Whether records before the end of the run may still turn `ok` into `failed`.
    public var isProvisional: Bool
    /// One line: for `waiting` and `failed` what came instead, "got 2 (article_id = 123)"; for `notApplicable` why.
    public var reason: String? {
        get { why?.text }
        set { why = newValue.map(Reason.init(text:)) }
    }
    /// The reason as translatable phrases.
    package var why: Reason?
    /// The records that the reason is about; otherwise the first that counted.
    public var evidence: [Evidence]
    /// The number of records that counted.
    public var matches: Int
    /// Why someone released anyway; `nil` for an item that needed no waiver.
    public var waiver: String?
    /// For a manual step: whether the tester did it.
    public var isTicked = false
    /// Whether it waits because no record at all has come, so it is still undecided.
    package var isUnheard = false
    /// The columns compared by it, or by what decides its turn, in records that hide their values from readers.
    package var hiddenColumns: Set<String> = []

    /// Creates a verdict.
    public init(
        item: ChecklistItem, status: Status, isProvisional: Bool, reason: String?, evidence: [Evidence], matches: Int
    ) {
        self.init(
            item: item, status: status, isProvisional: isProvisional, because: reason.map(Reason.init(text:)),
            evidence: evidence, matches: matches)
    }

    package init(
        item: ChecklistItem, status: Status, isProvisional: Bool, because why: Reason?, evidence: [Evidence],
        matches: Int
    ) {
        self.item = item
        self.status = status
        self.isProvisional = isProvisional
        self.why = why
        self.evidence = evidence
        self.matches = matches
    }
}

/// A record that a verdict is based on.
public struct Evidence: Sendable, Hashable {
    public var number: Int64
    /// Nanoseconds since 1970-01-01T00:00:00Z.
    public var time: Int64
    public var tag: String
    /// The record's values in the columns that the item names, in the item's order.
    public var values: [Value]
    /// What is wrong with the record; `nil` if it is only context.
    public var note: String? {
        get { remark?.text }
        set { remark = newValue.map(Reason.init(text:)) }
    }
    /// The note as translatable phrases.
    package var remark: Reason?

    /// Creates evidence from a record.
    public init(number: Int64, time: Int64, tag: String, values: [Value], note: String? = nil) {
        self.number = number
        self.time = time
        self.tag = tag
        self.values = values
        remark = note.map(Reason.init(text:))
    }

    /// A column and the record's value in it; `nil` if it has none.
    public struct Value: Sendable, Hashable {
        public var column: String
        public var value: ChecklistValue?
    }
}

/// Why a scenario as a whole has not passed, whatever its items' verdicts.
public struct ScenarioProblem: Sendable, Hashable {
    /// One line.
    public var reason: String {
        get { why.text }
        set { why = Reason(text: newValue) }
    }
    /// The reason as translatable phrases.
    package var why: Reason
    public var evidence: [Evidence]
    /// Why someone released anyway.
    public var waiver: String?
    /// The columns it depends on in records that hide their values from readers.
    package var hiddenColumns: Set<String> = []

    /// Creates a problem with its reason and the records that it is about.
    public init(reason: String, evidence: [Evidence], waiver: String? = nil) {
        self.init(because: Reason(text: reason), evidence: evidence, waiver: waiver)
    }

    package init(because why: Reason, evidence: [Evidence], waiver: String? = nil) {
        self.why = why
        self.evidence = evidence
        self.waiver = waiver
    }

    static func wrongPersona(
        _ persona: String, column: String, expected: ChecklistValue, found: ChecklistValue,
        in record: some ChecklistRecord
    ) -> ScenarioProblem {
        ScenarioProblem(
            because: Reason([
                .init(
                    .wrongPersona,
                    [
                        "persona": .init(persona), "column": .init(column), "value": .init(found, of: column),
                        "record": .init(record.number), "expected": .init(expected.description),
                    ])
            ]),
            evidence: [
                Evidence(
                    number: record.number, time: record.time, tag: record.tag,
                    values: [Evidence.Value(column: column, value: found)])
            ])
    }

    /// Nothing in the whole checklist was judged.
    package static let nothingJudged = ScenarioProblem(because: Reason([.init(.nothingJudged)]), evidence: [])

    /// Whether it only says that nothing was judged.
    var isNothingJudged: Bool { why == Self.nothingJudged.why }

    /// No recording has a run of the scenario.
    static let neverRun = ScenarioProblem(because: Reason([.init(.neverRun)]), evidence: [])
}

/// Which run of a scenario was judged, if a recording has several.
public struct RunLabel: Sendable, Hashable {
    public var persona: String?
    public var tester: String?
    /// What was tested: a version, or the name of the recording.
    public var build: String?
    /// Whether the recording contains the run's end.
    public var isFinished: Bool

    /// Creates a label.
    public init(persona: String? = nil, tester: String? = nil, build: String? = nil, isFinished: Bool = true) {
        self.persona = persona
        self.tester = tester
        self.build = build
        self.isFinished = isFinished
    }

    /// ` (new free, 4.12.0, not finished)`; empty if there is nothing to say.
    public var suffix: String {
        let parts = [persona, build, tester, isFinished ? nil : "not finished"].compactMap { $0 }
        return parts.isEmpty ? "" : " (\(parts.joined(separator: ", ")))"
    }
}

/// The verdicts on the items of one scenario, in order.
public struct ScenarioVerdict: Sendable, Hashable {
    public var scenario: Checklist.Scenario
    /// Which run it was.
    public var run = RunLabel()
    /// What makes the scenario fail as a whole.
    public var problem: ScenarioProblem?
    public var items: [ItemVerdict]

    /// Creates a verdict.
    public init(
        scenario: Checklist.Scenario, run: RunLabel = RunLabel(), problem: ScenarioProblem? = nil, items: [ItemVerdict]
    ) {
        self.scenario = scenario
        self.run = run
        self.problem = problem
        self.items = items
    }

    /// The scenario's name, and which run it was.
    public var name: String { scenario.name + run.suffix }

    /// The number of items that records decide: neither manual steps nor items that could not be judged.
    public var judged: Int { items.count { [.ok, .failed, .waiting].contains($0.status) && !$0.isUnheard } }

    /// The combined result of the items and the scenario's problem.
    public var result: ChecklistResult { CollectionOfOne(self).result }

    /// Whether items were judged, and all of them are fulfilled, by the right persona's records.
    public var passed: Bool { result == .passed }

    /// The number of items with a status.
    public func count(_ status: ItemVerdict.Status) -> Int {
        items.count { $0.status == status }
    }
}

/// The combined result of verdicts.
public enum ChecklistResult: String, Sendable, Hashable, CaseIterable {
    /// Items were judged, and all are fulfilled.
    case passed
    case failed
    /// No item was judged, so that nothing can have passed.
    case nothingJudged = "nothing_judged"
}

extension Sequence<ScenarioVerdict> {
    /// The number of items that records decide.
    public var judged: Int { reduce(0) { $0 + $1.judged } }

    /// The combined result of all scenarios. A scenario with only manual steps does not affect it.
    public var result: ChecklistResult {
        if judged == 0 { return .nothingJudged }
        return contains { $0.problem != nil || $0.items.contains(where: \.status.isOpen) } ? .failed : .passed
    }

    /// Whether items were judged, and all are fulfilled.
    public var passed: Bool { result == .passed }
}

extension [ScenarioVerdict] {
    /// Adds a problem to each scenario if nothing was judged, so that every report says so.
    package var sayingWhatIsNotJudged: [ScenarioVerdict] {
        guard result == .nothingJudged else { return self }
        return map { verdict in
            var verdict = verdict
            verdict.problem = verdict.problem ?? .nothingJudged
            return verdict
        }
    }
}

/// A checklist with its verdicts, for reports.
public struct JudgedChecklist: Sendable, Hashable {
    public var checklist: Checklist
    public var verdicts: [ScenarioVerdict]

    /// Combines a checklist and its scenarios' verdicts.
    public init(checklist: Checklist, verdicts: [ScenarioVerdict]) {
        self.checklist = checklist
        self.verdicts = verdicts
    }
}

extension [JudgedChecklist] {
    /// The combined result of all checklists. One without chosen scenarios does not affect it.
    public var result: ChecklistResult {
        let results = filter { !$0.verdicts.isEmpty }.map(\.verdicts.result)
        if results.isEmpty { return .nothingJudged }
        return [.failed, .nothingJudged].first(where: results.contains) ?? .passed
    }
}

/// Collects a recording's undefined events. A value type: one thread at a time.
public struct UndefinedEvents: Sendable {
    /// The most that a verdict names.
    private static let limit = 20

    private let catalog: EventCatalog
    private var first: [String: Evidence] = [:]
    private var counts: [String: Int] = [:]

    /// Creates an empty collection.
    public init(_ catalog: EventCatalog) { self.catalog = catalog }

    /// Takes an event's record. The collector's own events need no definition.
    public mutating func observe(_ record: some ChecklistRecord) {
        guard catalog.events[record.tag] == nil, !OwnRecords.have(record.tag) else { return }
        counts[record.tag, default: 0] += 1
        if first[record.tag] == nil {
            let near = NearestName.of(record.tag, among: catalog.events.keys.sorted())
            var evidence = Evidence(number: record.number, time: record.time, tag: record.tag, values: [])
            evidence.remark = Reason(
                [.init(.notDefined)] + (near.map { [.init(.perhaps, ["name": .init($0)])] } ?? []))
            first[record.tag] = evidence
        }
    }

    /// A separate failed scenario called `definitions`; `nil` if all events are defined.
    public func verdict(file: String) -> ScenarioVerdict? {
        guard !first.isEmpty else { return nil }
        let evidence = first.values.sorted { $0.number < $1.number }
        let names = evidence.prefix(Self.limit).map { "`\($0.tag)` (\(counts[$0.tag] ?? 0))" }
        let rest = evidence.count - Self.limit
        return ScenarioVerdict(
            scenario: Checklist.Scenario(
                name: "definitions", prose: [], items: [], location: SourceLocation(file: file, line: 1, column: 1)),
            problem: ScenarioProblem(
                because: Reason(
                    [.init(.undefinedEvents, ["events": .init(names: names)])]
                        + (rest > 0 ? [.init(.more, ["count": .init(rest)])] : [])),
                evidence: Array(evidence.prefix(Self.limit))), items: [])
    }
}
