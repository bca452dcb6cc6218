import DaybookBase
import DaybookTools

/// Judges a recording whose records of kind *run* divide it into runs, each against its scenario, in one pass.
///
/// A run lasts from its start to the finish that names it, and consists of the records that its start selects: of an
/// installation, a session, a version, or all. Any number of runs may overlap. A run without a name ends with the next
/// marker of the same installation. Records outside any run are not judged. A recording without markers is one finished
/// run of all chosen scenarios. A value type without locks: one thread at a time.
public struct RecordingJudge: Sendable {
    static let openRunLimit = 10_000

    private struct OpenRun: Sendable {
        var start: RunMarker
        /// How many started earlier.
        var order: Int
        var run: ChecklistRun
        var label: RunLabel
    }

    private let checklist: Checklist
    private let names: [String]
    private let persona: PersonaTable.Persona?
    private let catalog: EventCatalog?
    /// The whole recording as one run, until a marker comes; or why it cannot be one.
    private var whole: Result<ChecklistRun, ChecklistError>?
    /// In starting order; by installation, or under `nil` without one, so that a record is compared only with runs that
    /// may contain it.
    private var open: [String?: [OpenRun]] = [:]
    private var closed: [ScenarioVerdict] = []
    private var started = 0
    private var beforeMarkers = 0
    /// The number of the app's records outside any run.
    public private(set) var outside = 0

    /// Prepares to judge; see ``ChecklistRun/init(_:scenarios:persona:catalog:)``.
    ///
    /// - Parameters:
    ///   - names: only runs of these scenarios are judged; empty means all.
    ///   - persona: who used the app, if the recording does not say.
    /// - Throws: for an unknown scenario, or an undefined event or column.
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

    /// Judges the next record that is not a marker.
    public mutating func observe(_ record: some ChecklistRecord) {
        let weight = OwnRecords.have(record.tag) ? 0 : 1
        if case .success(var run)? = whole {
            // Moved out to change it in place without a copy.
            whole = nil
            run.observe(record)
            whole = .success(run)
            beforeMarkers += weight
        } else if whole != nil {
            beforeMarkers += weight
        } else {
            var isInside = observe(record, in: nil)
            if let installation = Self.installation(of: record) {
                isInside = observe(record, in: installation) || isInside
            }
            if !isInside { outside += weight }
        }
    }

    /// Passes a record to the runs of an installation, or of none; returns whether one contains it.
    private mutating func observe(_ record: some ChecklistRecord, in installation: String?) -> Bool {
        guard let indices = open[installation]?.indices else { return false }
        var isInside = false
        for index in indices where open[installation]?[index].start.scope.covers(record) == true {
            open[installation]?[index].run.observe(record)
            isInside = true
        }
        return isInside
    }

    /// Processes the next record of kind *run*.
    ///
    /// - Throws: if it is neither start nor finish, or names an unknown scenario or persona.
    public mutating func mark(_ record: some ChecklistRecord) throws(ChecklistError) {
        if record.tag.split(separator: ".").last == RunMarker.signOff[...] { return }
        guard let marker = RunMarker(record) else {
            throw error(
                "#\(record.number): a record of kind run is tagged `run.start` or `run.finish`, not `\(record.tag)`")
        }
        if whole != nil { outside = beforeMarkers }
        whole = nil
        if let title = marker.checklist, title != checklist.title { return }
        for installation in Set([marker.scope.installation, nil]) {
            for run in open[installation] ?? [] where marker.ends(run.start) { close(run, isFinished: true) }
            open[installation]?.removeAll { marker.ends($0.start) }
        }
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
        guard open.values.lazy.map(\.count).reduce(0, +) < Self.openRunLimit else {
            throw error("more than \(Self.openRunLimit) runs at a time")
        }
        let installation = marker.scope.installation
        defer { started += 1 }
        open[installation, default: []].append(
            OpenRun(
                start: marker, order: started,
                run: try ChecklistRun(checklist, scenarios: scenarios, persona: persona, catalog: catalog),
                label: RunLabel(persona: persona?.name, tester: marker.tester, build: marker.build)))
    }

    /// Returns the verdicts at the end of the recording, run by run.
    ///
    /// - Throws: if the recording has no runs and cannot be judged as one, because a `when` needs a persona.
    public mutating func finish() throws(ChecklistError) -> [ScenarioVerdict] {
        if let whole { return try whole.get().verdictsUnlessSilent(finished: true) }
        for run in open.values.joined().sorted(by: { $0.order < $1.order }) { close(run, isFinished: false) }
        open = [:]
        return closed
    }

    private mutating func close(_ run: OpenRun, isFinished: Bool) {
        closed += run.run.verdictsUnlessSilent(finished: true).map { verdict in
            var verdict = verdict
            verdict.run = run.label
            verdict.run.isFinished = isFinished
            return verdict
        }
    }

    private static func installation(of record: some ChecklistRecord) -> String? {
        if case .text(let text)? = record.value(of: "_installation") { text } else { nil }
    }

    private func error(_ message: String) -> ChecklistError {
        ChecklistError(problems: [
            ChecklistError.Problem(
                location: SourceLocation(file: checklist.file, line: 1, column: 1), message: message)
        ])
    }
}

extension Checklist {
    /// The table's persona with a name.
    ///
    /// - Throws: if there is none, with the nearest name.
    public func persona(named name: String) throws(ChecklistError) -> PersonaTable.Persona {
        if let persona = personas?[name] { return persona }
        throw ChecklistError(problems: [.noPersona(name, among: personas?.personas.map(\.name) ?? [], in: file)])
    }
}

extension ChecklistError.Problem {
    /// The problem of an unknown persona, with the nearest name.
    package static func noPersona(_ name: String, among known: [String], in file: String) -> Self {
        Self(
            location: SourceLocation(file: file, line: 1, column: 1), message: "no persona is called `\(name)`",
            hint: NearestName.of(name, among: known).map { "did you mean `\($0)`?" }
                ?? (known.isEmpty
                    ? "the checklist has no table of personas" : "there are: \(known.joined(separator: ", "))"))
    }
}

extension [ScenarioVerdict] {
    /// Adds a failed verdict for each scenario of which no recording has a run.
    public func withMissing(of checklist: Checklist, scenarios names: [String]) -> [ScenarioVerdict] {
        let seen = Set(map(\.scenario.name))
        return self
            + checklist.scenarios.filter { names.isEmpty || names.contains($0.name) }
            .filter { !seen.contains($0.name) }
            .map { ScenarioVerdict(scenario: $0, problem: .neverRun, items: []) }
    }
}
