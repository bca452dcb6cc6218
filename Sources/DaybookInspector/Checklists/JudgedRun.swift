import DaybookBase
import DaybookChecklist
import DaybookDefinitions
import DaybookStore
import DaybookTools

/// A checklist of the inspector, under the id that is part of the page's address.
struct NamedChecklist: Sendable {
    let id: String
    var checklist: Checklist

    /// An id is the file's name without folder and ending; the second of a name is `name-2`.
    static func all(_ checklists: [Checklist]) -> [NamedChecklist] {
        var taken: Set<String> = []
        return checklists.map { checklist in
            let stem = MarkdownFile.stem(checklist.file)
            let name = stem.isEmpty ? checklist.title : stem
            var id = name
            var number = 1
            while !taken.insert(id).inserted {
                number += 1
                id = "\(name)-\(number)"
            }
            return NamedChecklist(id: id, checklist: checklist)
        }
    }

    /// Whether a marker is about this checklist.
    func owns(_ marker: RunMarker) -> Bool {
        marker.checklistID.map { $0 == id } ?? marker.checklist.map { $0 == checklist.title } ?? true
    }
}

/// Who is told a verdict: what was judged by private values is not for those who may not ask for them.
enum VerdictAudience: Sendable {
    case managers
    case readers

    func seen(_ verdict: ScenarioVerdict) -> ScenarioVerdict {
        self == .managers ? verdict : verdict.ofWhatIsShown
    }
}

/// A checklist that is judged over some records: over those of a run, or over those that somebody chose. Items that the
/// engine cannot judge are set aside with their reasons, and the others are judged.
struct JudgedRun: Sendable {
    /// Whose records were judged, as far as the records say; each at most ``limit``, the first that came.
    struct Seen: Sendable, Hashable {
        static let limit = 50

        var records: Int64 = 0
        var first: Int64?
        var last: Int64?
        var sessions: [String] = []
        var installations: [String] = []
        var versions: [String] = []
        var devices: [String] = []

        fileprivate mutating func add(_ record: StoredRecord, _ context: ContextFields) {
            records += 1
            first = first ?? record.id
            last = record.id
            Self.add(record.row.session, to: &sessions)
            Self.add(record.row.installation, to: &installations)
            Self.add(context.version, to: &versions)
            Self.add(context.device, to: &devices)
        }

        private static func add(_ name: String?, to names: inout [String]) {
            // The latest is the likeliest: records of a session come together.
            guard let name = name?.boundedName, names.last != name, names.count < limit, !names.contains(name) else {
                return
            }
            names.append(name)
        }
    }

    /// The checklist's id.
    let id: String
    let checklist: Checklist
    let scenario: String?
    let persona: String?
    let scope: RunScope
    /// Records that arrived after this number are judged.
    let startsAfter: Int64
    private(set) var seen = Seen()
    private var run: ChecklistRun
    /// Why nothing can be judged: what a marker from elsewhere named is not there.
    private let refusal: Reason?
    private var contexts = ContextFieldsCache()
    private let masking: MaskingPolicy

    /// A checklist that has seen nothing.
    /// - Parameter masking: what readers do not see.
    init(
        _ named: NamedChecklist, scenario: String? = nil, persona: String? = nil, scope: RunScope = RunScope(),
        after start: Int64 = 0, catalog: EventCatalog?, masking: MaskingPolicy
    ) {
        (id, checklist, self.scenario, self.persona) = (named.id, named.checklist, scenario, persona)
        (self.scope, startsAfter) = (scope, start)
        self.masking = masking
        var refusal: Reason?
        if let scenario, !named.checklist.scenarios.contains(where: { $0.name == scenario }) {
            refusal = Reason([.init(.noScenario, ["scenario": .init(scenario)])])
        }
        let chosen = persona.flatMap { named.checklist.personas?[$0] }
        if let persona, chosen == nil { refusal = Reason([.init(.noPersona, ["persona": .init(persona)])]) }
        self.refusal = refusal
        run = ChecklistRun(
            settingAsideIn: named.checklist, scenarios: scenario.map { [$0] } ?? [], persona: chosen, catalog: catalog)
    }

    /// The run that a marker starts.
    init(_ named: NamedChecklist, startedBy marker: RunMarker, catalog: EventCatalog?, masking: MaskingPolicy) {
        self.init(
            named, scenario: marker.scenario, persona: marker.persona, scope: marker.scope, after: marker.number,
            catalog: catalog, masking: masking)
    }

    /// Takes a record if it is one of those that are judged.
    /// - Parameter seen: the same record, as the engine sees it.
    mutating func observe(_ record: StoredRecord, _ judged: JSONChecklistRecord) {
        guard record.id > startsAfter, scope.covers(judged) else { return }
        if !record.row.isOwn { seen.add(record, contexts.fields(of: record.row.context)) }
        run.observe(judged, hides: judged.hides)
    }

    /// How the items stand, scenario after scenario, as people may see it: what is private is masked.
    /// - Parameters:
    ///   - finished: whether no more records can come.
    ///   - audience: for readers, what compared a private value is not judged.
    func verdicts(finished: Bool, for audience: VerdictAudience) -> [ScenarioVerdict] {
        guard let refusal else {
            let verdicts = run.verdictsUnlessSilent(finished: finished).map(audience.seen)
            // What waits for its first record has no problem yet.
            let isUnheard = verdicts.contains { $0.items.contains(where: \.isUnheard) }
            return (isUnheard ? verdicts : verdicts.sayingWhatIsNotJudged).map { $0.masked(by: masking) }
        }
        return checklist.scenarios.map {
            ScenarioVerdict(scenario: $0, problem: ScenarioProblem(because: refusal, evidence: []), items: [])
        }
    }
}

extension [ScenarioVerdict] {
    /// How many items stand how, by their state's name; only those that a board shows.
    var counts: [String: Int] {
        let items = flatMap(\.items)
        var counts = Dictionary(uniqueKeysWithValues: SignOffNote.counted.map { ($0, 0) })
        for item in items {
            if item.waiver != nil { counts["waived", default: 0] += 1 }
            switch item.status {
            // What nobody could judge has not passed either.
            case .failed, .notJudged: counts["failed", default: 0] += 1
            case .ok, .waiting: counts[item.status.rawValue, default: 0] += 1
            case .manual, .notApplicable: break
            }
        }
        for problem in compactMap(\.problem) {
            counts[problem.waiver == nil ? "failed" : "waived", default: 0] += 1
        }
        return counts
    }
}

extension EventCatalog {
    /// What a folder of definitions says of events and columns.
    package init(_ definitions: Definitions) {
        func columns(_ columns: [Column]) -> Columns {
            Columns(columns.map { ($0.name, $0.values.map { .text($0.value) }) }, uniquingKeysWith: { own, _ in own })
        }
        var events: [String: Columns] = [:]
        var types: [String: [String: ColumnType]] = [:]
        for category in definitions.categories {
            for event in category.events {
                let tag = "\(category.name).\(event.name)"
                events[tag] = columns(event.columns + category.columns)
                types[tag] = Dictionary(
                    (event.columns + category.columns + definitions.common).compactMap { column in
                        ColumnType(column.type).map { (column.name, $0) }
                    }, uniquingKeysWith: { own, _ in own })
            }
        }
        self.init(events: events, common: columns(definitions.common))
        self.types = types
        masking = MaskingPolicy(definitions)
    }
}

extension EventCatalog.ColumnType {
    /// `nil` for a team's own type, whose values may be any.
    fileprivate init?(_ type: DaybookDefinitions.ColumnType) {
        let kind: Kind
        switch type {
        case .smallint, .integer, .bigint, .real, .double: kind = .number
        case .boolean: kind = .boolean
        case .string, .date, .timestamp, .timestamptz: kind = .text
        case .custom: return nil
        }
        self.init(name: type.source, kind: kind)
    }
}
