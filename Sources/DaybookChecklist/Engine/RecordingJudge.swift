import DaybookBase

/// Judges a recording that records of kind *run* cut into runs, each against its scenario; in one pass.
///
/// A run goes from its start to its finish, to the next start of the same installation, or to the end of the recording,
/// and is made of that installation's records. Records outside of any run are not judged. A recording without such a
/// record is one finished run of all chosen scenarios. A value type without locks: one thread at a time.
public struct RecordingJudge: Sendable {
    /// The most runs that are open at a time, one for each installation.
    static let openRunLimit = 10_000

    private struct OpenRun: Sendable {
        var run: ChecklistRun
        var label: RunLabel
    }

    private let checklist: Checklist
    private let names: [String]
    private let persona: PersonaTable.Persona?
    private let catalog: EventCatalog?
    /// The whole recording as one run, until a marker is seen; or why it cannot be one.
    private var whole: Result<ChecklistRun, ChecklistError>?
    private var open: [String: OpenRun] = [:]
    private var closed: [ScenarioVerdict] = []
    private var beforeMarkers = 0
    /// How many records stood outside of any run.
    public private(set) var outside = 0

    /// Prepares to judge; see ``ChecklistRun/init(_:scenarios:persona:catalog:)``.
    ///
    /// - Parameters:
    ///   - names: only runs of these scenarios are judged; empty means all.
    ///   - persona: who used the app, where the recording does not say.
    /// - Throws: if a scenario is unknown, or the definitions do not know an event or a column.
    public init(
        _ checklist: Checklist, scenarios names: [String] = [], persona: PersonaTable.Persona? = nil,
        catalog: EventCatalog? = nil
    ) throws(ChecklistError) {
        try checklist.checkNames(of: names)
        if let catalog {
            let problems = checklist.problems(with: catalog, scenarios: names.isEmpty ? nil : Set(names))
            guard problems.isEmpty else { throw ChecklistError(problems: problems) }
        }
        self.checklist = checklist
        self.names = names
        self.persona = persona
        self.catalog = catalog
        do throws(ChecklistError) {
            whole = .success(try ChecklistRun(checklist, scenarios: names, persona: persona, catalog: catalog))
        } catch {
            whole = .failure(error)
        }
    }

    /// Takes the next record that is no marker.
    public mutating func observe(_ record: some ChecklistRecord) {
        if case .success(var run)? = whole {
            // Taken out while it changes, so that it is not copied.
            whole = nil
            run.observe(record)
            whole = .success(run)
            beforeMarkers += 1
        } else if whole != nil {
            beforeMarkers += 1
        } else if open[Self.installation(of: record)]?.run.observe(record) == nil {
            outside += 1
        }
    }

    /// Takes the next record of kind *run*.
    ///
    /// - Throws: if it is no start and no finish, or names a scenario or a persona that the checklist does not have.
    public mutating func mark(_ record: some ChecklistRecord) throws(ChecklistError) {
        guard let marker = RunMarker(record) else {
            throw error(
                "#\(record.number): a record of kind run is tagged `run.start` or `run.finish`, not `\(record.tag)`")
        }
        if let title = marker.checklist, title != checklist.title { return }
        if whole != nil { outside = beforeMarkers }
        whole = nil
        let installation = Self.installation(of: record)
        close(installation, isFinished: true)
        guard marker.edge == .start else { return }
        var scenarios = names
        if let scenario = marker.scenario {
            try checklist.checkNames(of: [scenario])
            guard names.isEmpty || names.contains(scenario) else { return }
            scenarios = [scenario]
        }
        var persona = persona
        if let name = marker.persona {
            persona = try checklist.persona(named: name)
        }
        guard open.count < Self.openRunLimit else { throw error("more than \(Self.openRunLimit) runs at a time") }
        open[installation] = OpenRun(
            run: try ChecklistRun(checklist, scenarios: scenarios, persona: persona, catalog: catalog),
            label: RunLabel(persona: persona?.name, tester: marker.tester, build: marker.build))
    }

    /// The verdicts at the end of the recording, run after run.
    ///
    /// - Throws: if the recording has no runs and cannot be judged as one, because a `when` needs a persona.
    public mutating func finish() throws(ChecklistError) -> [ScenarioVerdict] {
        if let whole { return try whole.get().verdicts(finished: true) }
        for installation in open.keys.sorted() { close(installation, isFinished: false) }
        return closed
    }

    private mutating func close(_ installation: String, isFinished: Bool) {
        guard let run = open.removeValue(forKey: installation) else { return }
        closed += run.run.verdicts(finished: true).map { verdict in
            var verdict = verdict
            verdict.run = run.label
            verdict.run.isFinished = isFinished
            return verdict
        }
    }

    private static func installation(of record: some ChecklistRecord) -> String {
        if case .text(let text)? = record.value(of: "_installation") { text } else { "" }
    }

    private func error(_ message: String) -> ChecklistError {
        ChecklistError(problems: [
            ChecklistError.Problem(
                location: ChecklistLocation(file: checklist.file, line: 1, column: 1), message: message)
        ])
    }
}

extension Checklist {
    /// The persona of the table that has a name.
    ///
    /// - Throws: if none has, with the nearest name.
    public func persona(named name: String) throws(ChecklistError) -> PersonaTable.Persona {
        if let persona = personas?[name] { return persona }
        let known = personas?.personas.map(\.name) ?? []
        throw ChecklistError(problems: [
            ChecklistError.Problem(
                location: ChecklistLocation(file: file, line: 1, column: 1),
                message: "no persona is called `\(name)`",
                hint: NearestName.of(name, among: known).map { "did you mean `\($0)`?" }
                    ?? (known.isEmpty
                        ? "the checklist has no table of personas" : "there are: \(known.joined(separator: ", "))"))
        ])
    }
}

extension [ScenarioVerdict] {
    /// The verdicts with a failed one for each scenario that no recording has a run of.
    public func withMissing(of checklist: Checklist, scenarios names: [String]) -> [ScenarioVerdict] {
        let seen = Set(map(\.scenario.name))
        return self
            + checklist.scenarios.filter { names.isEmpty || names.contains($0.name) }
            .filter { !seen.contains($0.name) }
            .map { ScenarioVerdict(scenario: $0, problem: .neverRun, items: []) }
    }
}

/// A record of kind *run*: it marks where a run of a scenario starts or finishes.
///
/// Its tag ends in `start` or `finish`; its columns `checklist`, `scenario`, `persona`, `tester` and `build`, all optional
/// texts, say what is run.
struct RunMarker: Sendable {
    enum Edge: Sendable {
        case start, finish
    }

    var edge: Edge
    var checklist: String?
    var scenario: String?
    var persona: String?
    var tester: String?
    var build: String?

    /// Reads a marker; `nil` for a record whose tag says neither.
    init?(_ record: some ChecklistRecord) {
        switch record.tag.split(separator: ".").last {
        case "start": edge = .start
        case "finish": edge = .finish
        default: return nil
        }
        func text(_ column: String) -> String? {
            if case .text(let text)? = record.value(of: column), !text.isEmpty { text } else { nil }
        }
        checklist = text("checklist")
        scenario = text("scenario")
        persona = text("persona")
        tester = text("tester")
        build = text("build")
    }
}
