import DaybookChecklist
import DaybookDefinitions
import DaybookStore

/// A checklist with the run that is judged against it.
///
/// The engine refuses a checklist in which it cannot judge an item; here such items are set aside, each with the
/// engine's reason, and the others are judged.
struct JudgedChecklist: Sendable {
    /// Runs that a checklist remembers: more than a release has testers times personas.
    private static let longestBoard = 200

    private struct Place: Hashable {
        var scenario: Int
        var item: Int
    }

    /// Unique among the inspector's checklists; part of the page's address.
    let id: String
    let checklist: Checklist
    private let catalog: EventCatalog?
    /// The run is made of the records that arrived after this number.
    private(set) var startsAfter: Int64 = 0
    /// Who runs it as whom, as far as someone said; `nil` before a run was started.
    private(set) var label: RunNote?
    /// Who signed the run off.
    private(set) var signature: RunNote?
    /// The latest run that each tester signed off as each persona, in the order of the sign-offs.
    private(set) var signedRuns: [RunNote] = []
    private var refusals: [Place: String] = [:]
    private var run: ChecklistRun?

    init(id: String, checklist: Checklist, catalog: EventCatalog? = nil) {
        self.id = id
        self.checklist = checklist
        self.catalog = catalog
        prepare(for: nil)
    }

    /// The checklist with one of its scenarios alone, before any run; all of them for `nil` or a name there is not.
    func narrowed(to scenario: String?) -> JudgedChecklist {
        var checklist = checklist
        let chosen = checklist.scenarios.filter { $0.name == scenario }
        if !chosen.isEmpty { checklist.scenarios = chosen }
        return JudgedChecklist(id: id, checklist: checklist, catalog: catalog)
    }

    /// A run that has seen nothing. Without a run at all where the engine refuses even what is left.
    private mutating func prepare(for persona: PersonaTable.Persona?) {
        do throws(ChecklistError) {
            run = try ChecklistRun(checklist, persona: persona, catalog: catalog)
            refusals = [:]
        } catch {
            let refused = Self.refusals(error.problems, of: checklist)
            run = try? ChecklistRun(
                Self.rest(of: checklist, without: refused), persona: persona, catalog: catalog)
            refusals = run == nil ? Self.all(of: checklist, for: error.problems) : refused
        }
    }

    /// Takes a record; one that arrived before the run's start is none of it.
    mutating func observe(_ record: JSONChecklistRecord) {
        if record.number > startsAfter { run?.observe(record) }
    }

    /// Whether a marker is about this checklist.
    func owns(_ note: RunNote) -> Bool { note.id.map { $0 == id } ?? (note.title == checklist.title) }

    /// Takes a marker of this checklist; one that arrived before the run's start is none of it.
    mutating func observe(_ note: RunNote) {
        guard note.number > startsAfter else { return }
        switch note.edge {
        case .start: begin(note)
        // The end of a tool's run has no name under it.
        case .finish: if note.tester != nil { sign(note) }
        }
    }

    private mutating func sign(_ note: RunNote) {
        signature = note
        remember(note)
    }

    /// Takes a sign-off, of this run or of one beside it, into the list of them.
    mutating func remember(_ note: RunNote) {
        signedRuns.removeAll { $0.persona == note.persona && $0.tester == note.tester }
        signedRuns.append(note)
        if signedRuns.count > Self.longestBoard { signedRuns.removeFirst() }
    }

    /// Begins a new run behind its marker.
    mutating func begin(_ note: RunNote) {
        startsAfter = note.number
        (label, signature) = (note, nil)
        prepare(for: note.persona.flatMap { checklist.personas?[$0] })
    }

    /// How many items stand how, by their state's name; only the states that a sign-off counts.
    var counts: [String: Int] {
        var counts = Dictionary(uniqueKeysWithValues: RunNote.counted.map { ($0, 0) })
        for item in standings().joined() { counts[item.state.rawValue]? += 1 }
        return counts
    }

    /// The verdicts so far.
    var verdicts: [ScenarioVerdict] { run?.verdicts(finished: false) ?? [] }

    /// How the items stand, scenario after scenario as in the checklist.
    func standings() -> [[ItemStanding]] {
        let verdicts = run?.verdicts(finished: false).map(\.items) ?? checklist.scenarios.map { _ in [] }
        return checklist.scenarios.indices.map { scenario in
            var judged = verdicts[scenario].makeIterator()
            return checklist.scenarios[scenario].items.enumerated().map { index, item in
                if let reason = refusals[Place(scenario: scenario, item: index)] {
                    return ItemStanding(item: item, state: .notJudged, reason: reason)
                }
                return judged.next().map(ItemStanding.init) ?? ItemStanding(item: item, state: .manual)
            }
        }
    }

    /// The items that problems speak of, by their lines.
    private static func refusals(_ problems: [ChecklistError.Problem], of checklist: Checklist) -> [Place: String] {
        var refusals: [Place: String] = [:]
        for problem in problems {
            guard
                let scenario = checklist.scenarios.lastIndex(where: { $0.location.line <= problem.location.line }),
                let item = checklist.scenarios[scenario].items.lastIndex(where: {
                    $0.location.line <= problem.location.line
                })
            else { continue }
            let place = Place(scenario: scenario, item: item)
            refusals[place] = (refusals[place].map { $0 + "; " } ?? "") + problem.reason
        }
        return refusals
    }

    /// All items that are not a person's.
    private static func all(of checklist: Checklist, for problems: [ChecklistError.Problem]) -> [Place: String] {
        var refusals: [Place: String] = [:]
        let reason = problems.map(\.reason).joined(separator: "; ")
        for (scenario, items) in checklist.scenarios.map(\.items).enumerated() {
            for (index, item) in items.enumerated() where item.content != .manual {
                refusals[Place(scenario: scenario, item: index)] = reason
            }
        }
        return refusals
    }

    private static func rest(of checklist: Checklist, without refused: [Place: String]) -> Checklist {
        var rest = checklist
        for scenario in rest.scenarios.indices {
            rest.scenarios[scenario].items = rest.scenarios[scenario].items.enumerated()
                .filter { refused[Place(scenario: scenario, item: $0.offset)] == nil }
                .map(\.element)
        }
        return rest
    }
}

extension ChecklistError.Problem {
    /// Without the place, for a reader who sees the item.
    fileprivate var reason: String { message + (hint.map { " (\($0))" } ?? "") }
}

/// How an item stands, those included that the engine does not judge.
struct ItemStanding: Sendable, Hashable {
    enum State: String, Sendable {
        case waiting, ok, failed, manual
        case notApplicable = "not_applicable"
        case notJudged = "not_judged"
    }

    var item: ChecklistItem
    var state: State
    /// Whether later records may still turn `ok` into `failed`.
    var isProvisional = false
    /// One line for `waiting`, `failed` and `notJudged`.
    var reason: String?
    /// Records that counted.
    var matches = 0
    /// The records that the verdict rests on.
    var evidence: [Evidence] = []

    init(item: ChecklistItem, state: State, reason: String? = nil) {
        self.item = item
        self.state = state
        self.reason = reason
    }

    init(_ verdict: ItemVerdict) {
        item = verdict.item
        state =
            switch verdict.status {
            case .waiting: .waiting
            case .ok: .ok
            case .failed: .failed
            case .manual: .manual
            case .notApplicable: .notApplicable
            }
        isProvisional = verdict.isProvisional
        reason = verdict.reason
        matches = verdict.matches
        evidence = verdict.evidence
    }

    /// The tags that the item speaks of, as a pattern; `nil` for a person's.
    var pattern: String? {
        if case .expectation(let expectation) = item.content { expectation.pattern.description } else { nil }
    }
}

extension EventCatalog {
    /// What a folder of definitions says of events and columns.
    package init(_ definitions: Definitions) {
        func columns(_ columns: [Column]) -> Columns {
            Columns(columns.map { ($0.name, $0.values.map { .text($0.value) }) }, uniquingKeysWith: { own, _ in own })
        }
        var events: [String: Columns] = [:]
        for category in definitions.categories {
            for event in category.events {
                events["\(category.name).\(event.name)"] = columns(event.columns + category.columns)
            }
        }
        self.init(events: events, common: columns(definitions.common))
    }
}

extension JSONChecklistRecord {
    /// A stored record, under its arrival number.
    convenience init(_ record: StoredRecord) {
        self.init(
            tag: record.row.tag, number: record.id, time: record.row.time, level: record.row.level,
            session: record.row.session, installation: record.row.installation, attributes: record.row.attributes,
            context: record.row.context)
    }
}
