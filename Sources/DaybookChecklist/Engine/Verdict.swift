import DaybookBase

/// How an item stands.
public struct ItemVerdict: Sendable, Hashable {
    /// How far an item is.
    public enum Status: String, Sendable, Hashable, CaseIterable {
        /// Records are still missing; the run is not finished.
        case waiting
        /// All is as demanded.
        case ok
        /// Something is not as demanded, and nothing can mend it.
        case failed
        /// A step for a person.
        case manual
        /// The item's `when` does not hold for the persona.
        case notApplicable = "not_applicable"
        /// Nobody has answered what the item asks, or it names what is not defined; nothing passes with it. Only where
        /// such items are set aside: ``ChecklistRun/init(settingAsideIn:scenarios:persona:catalog:)``.
        case notJudged = "not_judged"

        /// Whether a release waits for the item, or for somebody who takes it upon himself.
        public var isOpen: Bool { self == .failed || self == .waiting || self == .notJudged }
    }

    public var item: ChecklistItem
    public var status: Status
    /// Whether records that come before the run ends may still turn `ok` into `failed`.
    public var isProvisional: Bool
    /// One line: for `waiting` and `failed` what came instead, "got 2 (article_id = 123)"; for `notApplicable` why.
    public var reason: String?
    /// The records that the reason speaks of; otherwise the first that counted.
    public var evidence: [Evidence]
    /// How many records counted.
    public var matches: Int
    /// Why somebody released all the same; `nil` for an item that nobody had to answer for.
    public var waiver: String?
    /// For a manual step: whether the tester did it.
    public var isTicked = false

    /// A verdict.
    public init(
        item: ChecklistItem, status: Status, isProvisional: Bool, reason: String?, evidence: [Evidence], matches: Int
    ) {
        self.item = item
        self.status = status
        self.isProvisional = isProvisional
        self.reason = reason
        self.evidence = evidence
        self.matches = matches
    }
}

/// One record that a verdict rests on.
public struct Evidence: Sendable, Hashable {
    public var number: Int64
    /// Nanoseconds since 1970-01-01T00:00:00Z.
    public var time: Int64
    public var tag: String
    /// What the record has in the columns that the item speaks of, in the item's order.
    public var values: [Value]
    /// What is wrong with it; `nil` for a record that only is part of the story.
    public var note: String?

    /// A record.
    public init(number: Int64, time: Int64, tag: String, values: [Value], note: String? = nil) {
        self.number = number
        self.time = time
        self.tag = tag
        self.values = values
        self.note = note
    }

    /// A column and what the record has there; `nil` for nothing.
    public struct Value: Sendable, Hashable {
        public var column: String
        public var value: ChecklistValue?
    }
}

/// Why a scenario as a whole has not passed, whatever its items say.
public struct ScenarioProblem: Sendable, Hashable {
    /// One line.
    public var reason: String
    public var evidence: [Evidence]
    /// Why somebody released all the same.
    public var waiver: String?

    /// A reason, with the records that it speaks of.
    public init(reason: String, evidence: [Evidence], waiver: String? = nil) {
        self.reason = reason
        self.evidence = evidence
        self.waiver = waiver
    }

    /// A record that is not the chosen persona's.
    static func wrongPersona(
        _ persona: String, column: String, expected: ChecklistValue, found: ChecklistValue,
        in record: some ChecklistRecord
    ) -> ScenarioProblem {
        ScenarioProblem(
            reason: "the records are not of persona \"\(persona)\": \(column) is \(found) in #\(record.number), "
                + "not \(expected)",
            evidence: [
                Evidence(
                    number: record.number, time: record.time, tag: record.tag,
                    values: [Evidence.Value(column: column, value: found)])
            ])
    }

    /// No recording has a run of the scenario.
    static let neverRun = ScenarioProblem(reason: "no recording has a run of this scenario", evidence: [])
}

/// Which run of a scenario was judged, where a recording has several.
public struct RunLabel: Sendable, Hashable {
    public var persona: String?
    public var tester: String?
    /// What was tested: a version, or the name of the recording.
    public var build: String?
    /// Whether the recording has the run's end.
    public var isFinished: Bool

    /// A label.
    public init(persona: String? = nil, tester: String? = nil, build: String? = nil, isFinished: Bool = true) {
        self.persona = persona
        self.tester = tester
        self.build = build
        self.isFinished = isFinished
    }

    /// ` (new free, 4.12.0, not finished)`; empty where there is nothing to say.
    public var suffix: String {
        let parts = [persona, build, tester, isFinished ? nil : "not finished"].compactMap { $0 }
        return parts.isEmpty ? "" : " (\(parts.joined(separator: ", ")))"
    }
}

/// How the items of one scenario stand, in their order.
public struct ScenarioVerdict: Sendable, Hashable {
    public var scenario: Checklist.Scenario
    /// Which run it was.
    public var run = RunLabel()
    /// What makes the scenario fail as a whole.
    public var problem: ScenarioProblem?
    public var items: [ItemVerdict]

    /// A verdict.
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

    /// Whether every item that the engine judges is fulfilled, by records of the right persona.
    public var passed: Bool {
        problem == nil && !items.contains(where: \.status.isOpen)
    }

    /// The number of items with a status.
    public func count(_ status: ItemVerdict.Status) -> Int {
        items.count { $0.status == status }
    }
}

extension Sequence<ScenarioVerdict> {
    /// Whether every scenario has passed.
    public var passed: Bool { allSatisfy(\.passed) }
}

/// A checklist with what was found of it, as reports want it.
public struct JudgedChecklist: Sendable, Hashable {
    public var checklist: Checklist
    public var verdicts: [ScenarioVerdict]

    /// A checklist and the verdicts on its scenarios.
    public init(checklist: Checklist, verdicts: [ScenarioVerdict]) {
        self.checklist = checklist
        self.verdicts = verdicts
    }
}

/// Collects the events of a recording that the team has not defined. A value type: one thread at a time.
public struct UndefinedEvents: Sendable {
    /// The most that a verdict names.
    private static let limit = 20

    private let catalog: EventCatalog
    private var first: [String: Evidence] = [:]
    private var counts: [String: Int] = [:]

    /// Nothing yet.
    public init(_ catalog: EventCatalog) { self.catalog = catalog }

    /// Takes a record that is an event. The collector's own need no definition.
    public mutating func observe(_ record: some ChecklistRecord) {
        guard catalog.events[record.tag] == nil, !OwnRecords.have(record.tag) else { return }
        counts[record.tag, default: 0] += 1
        if first[record.tag] == nil {
            let near = NearestName.of(record.tag, among: catalog.events.keys.sorted())
            first[record.tag] = Evidence(
                number: record.number, time: record.time, tag: record.tag, values: [],
                note: "not defined" + (near.map { "; did you mean `\($0)`?" } ?? ""))
        }
    }

    /// A failed scenario of its own, called `definitions`; `nil` where all events are defined.
    public func verdict(file: String) -> ScenarioVerdict? {
        guard !first.isEmpty else { return nil }
        let evidence = first.values.sorted { $0.number < $1.number }
        let names = evidence.prefix(Self.limit).map { "`\($0.tag)` (\(counts[$0.tag] ?? 0))" }
        let rest = evidence.count > Self.limit ? " and \(evidence.count - Self.limit) more" : ""
        return ScenarioVerdict(
            scenario: Checklist.Scenario(
                name: "definitions", prose: [], items: [], location: ChecklistLocation(file: file, line: 1, column: 1)),
            problem: ScenarioProblem(
                reason: "the recording has events that are not defined: \(names.joined(separator: ", "))\(rest)",
                evidence: Array(evidence.prefix(Self.limit))), items: [])
    }
}
