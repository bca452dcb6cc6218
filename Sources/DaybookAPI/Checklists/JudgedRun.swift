import DaybookBase
import DaybookChecklist
import DaybookDefinitions
import DaybookStore
import DaybookTools

/// A checklist with its id in addresses.
package struct NamedChecklist: Sendable {
    package let id: String
    package var checklist: Checklist

    /// The id is the file's name without folder and extension; a second file of that name gets `name-2`.
    package static func all(_ checklists: [Checklist]) -> [NamedChecklist] {
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

    package func owns(_ marker: RunMarker) -> Bool {
        marker.checklistID.map { $0 == id } ?? marker.checklist.map { $0 == checklist.title } ?? true
    }
}

/// Who sees a verdict. Only managers see those that depend on private values.
package enum VerdictAudience: Sendable {
    case managers
    case readers

    package func seen(_ verdict: ScenarioVerdict) -> ScenarioVerdict {
        self == .managers ? verdict : verdict.ofWhatIsShown
    }
}

/// A checklist judged over the records of a run, or over chosen ones. Items that cannot be judged are set aside with
/// reasons.
package struct JudgedRun: Sendable {
    /// Whose records were judged. Each list has the first ``limit`` values.
    package struct Seen: Sendable, Hashable {
        package static let limit = 50

        package var records: Int64 = 0
        package var first: Int64?
        package var last: Int64?
        package var sessions: [String] = []
        package var installations: [String] = []
        package var versions: [String] = []
        package var devices: [String] = []

        static let form = Form<Seen>.object(
            "SeenRecords", .init("records", .integer, \.records), .init("first", .optional(.integer), \.first),
            .init("last", .optional(.integer), \.last), .init("sessions", .list(.text), \.sessions),
            .init("installations", .list(.text), \.installations), .init("versions", .list(.text), \.versions),
            .init("devices", .list(.text), \.devices), make: Seen.init)

        fileprivate mutating func add(_ record: StoredRecord, _ context: ContextFields) {
            add(record.id)
            Self.add(record.row.session, to: &sessions)
            Self.add(record.row.installation, to: &installations)
            Self.add(context.version, to: &versions)
            Self.add(context.device, to: &devices)
        }

        mutating func add(_ number: Int64) {
            records += 1
            first = first ?? number
            last = number
        }

        static func add(_ name: String?, to names: inout [String]) {
            // The latest first, since records of a session arrive together.
            guard let name = name?.boundedName, names.last != name, names.count < limit, !names.contains(name) else {
                return
            }
            names.append(name)
        }
    }

    package let id: String
    package let checklist: Checklist
    package let scenario: String?
    package let persona: String?
    package let scope: RunScope
    /// Only records after this arrival number are judged.
    package let startsAfter: Int64
    package private(set) var seen = Seen()
    private var run: ChecklistRun
    /// Why nothing can be judged: an external marker names an unknown scenario or persona.
    private let refusal: Reason?
    /// Whether a survey has told whose the records are, and of which tags.
    private var isSurveyed = false
    private var contexts = ContextFieldsCache()
    private let masking: MaskingPolicy

    /// - Parameter masking: What to hide from readers.
    package init(
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

    package init(_ named: NamedChecklist, startedBy marker: RunMarker, catalog: EventCatalog?, masking: MaskingPolicy) {
        self.init(
            named, scenario: marker.scenario, persona: marker.persona, scope: marker.scope, after: marker.number,
            catalog: catalog, masking: masking)
    }

    /// Judges a record if it is in scope.
    /// - Parameter judged: The same record, as the engine sees it.
    package mutating func observe(_ record: StoredRecord, _ judged: JSONChecklistRecord) {
        if isSurveyed, !run.judges(record.row.tag) { return }
        guard record.id > startsAfter, scope.covers(judged) else { return }
        if !isSurveyed, !record.row.isOwn { seen.add(record, contexts.fields(of: record.row.context)) }
        run.observe(judged, hides: judged.hides)
    }

    /// Common columns that any record's may contradict.
    var comparedCommonColumns: [String] { run.comparedCommonColumns }

    /// Takes what counts of all records; from then on only those of the returned tags need to be observed.
    /// - Parameter samples: The survey's.
    mutating func take(_ survey: RunSurvey, _ samples: [JSONChecklistRecord]) -> [String] {
        (seen, isSurveyed) = (survey.seen, true)
        for tag in survey.tags { run.hear(of: tag.name, number: tag.number) }
        for sample in samples where scope.covers(sample) { run.compare(sample, hides: sample.hides) }
        return survey.tags.map(\.name).filter(run.judges)
    }

    /// The verdicts by scenario, with private values masked.
    /// - Parameters:
    ///   - finished: Whether no more records can arrive.
    ///   - audience: For readers, items that compared a private value are not judged.
    package func verdicts(finished: Bool, for audience: VerdictAudience) -> [ScenarioVerdict] {
        guard let refusal else {
            let verdicts = run.verdictsUnlessSilent(finished: finished).map(audience.seen)
            // Before its first record, a checklist has no problem.
            let isUnheard = verdicts.contains { $0.items.contains(where: \.isUnheard) }
            return (isUnheard ? verdicts : verdicts.sayingWhatIsNotJudged).map { $0.masked(by: masking) }
        }
        return checklist.scenarios.map {
            ScenarioVerdict(scenario: $0, problem: ScenarioProblem(because: refusal, evidence: []), items: [])
        }
    }
}

extension [ScenarioVerdict] {
    /// Items by state, for the states that a board shows.
    package var counts: [String: Int] {
        let items = flatMap(\.items)
        var counts = Dictionary(uniqueKeysWithValues: SignOffNote.counted.map { ($0, 0) })
        for item in items {
            if item.waiver != nil { counts["waived", default: 0] += 1 }
            switch item.status {
            // An item that could not be judged has not passed.
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
    /// `nil` for a custom type, which allows any value.
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
