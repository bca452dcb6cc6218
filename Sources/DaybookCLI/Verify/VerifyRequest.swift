import DaybookChecklist
import DaybookDefinitions
import DaybookInspector
import DaybookStore

/// What `daybook verify` was asked for, read and checked before a record is.
struct VerifyRequest {
    let checklist: Checklist
    /// The scenarios to judge; never empty but where a shard has none.
    let scenarios: [String]
    let persona: PersonaTable.Persona?
    let catalog: EventCatalog?
    let events: [String]

    /// - Throws: ``UsageError``, ``InputError``, or the located problems of the checklist or the definitions.
    init(_ arguments: Arguments) throws {
        let file = try arguments.required("checklist")
        var checklist = try Checklist(markdown: TextFile.read(file), file: file)
        let definitions = try arguments["definitions"].map(Definitions.checked)
        if let old = arguments["changed-since"] {
            guard let definitions else {
                throw UsageError(
                    message: "--changed-since wants --definitions", hint: "--definitions DIR, as they are now")
            }
            let changed = try definitions.changedEvents(since: Definitions.checked(old))
            checklist = checklist.concerning(changed)
        }
        let named = arguments.all("scenario")
        if named.isEmpty {
            scenarios = try Self.shard(of: checklist.scenarios.map(\.name), arguments["shard"])
        } else {
            guard arguments["shard"] == nil else {
                throw UsageError(message: "--shard and --scenario exclude each other")
            }
            scenarios = named
        }
        self.checklist = checklist
        persona = try Self.persona(arguments.all("persona"), of: checklist)
        catalog = definitions.map { EventCatalog($0) }
        events = arguments.all("events")
        if events.count(where: { $0 == "-" }) > 1 { throw UsageError(message: "--events - is given twice") }
    }

    /// Every N-th name, from the I-th: `I/N`.
    private static func shard(of names: [String], _ shard: String?) throws(UsageError) -> [String] {
        guard let shard else { return names }
        let parts = shard.split(separator: "/", omittingEmptySubsequences: false).map { Int($0) }
        guard parts.count == 2, let number = parts[0], let count = parts[1], count > 0, (1...count).contains(number)
        else { throw UsageError(message: "--shard takes I/N, such as 2/4: the second of four parts") }
        return names.enumerated().filter { $0.offset % count == number - 1 }.map(\.element)
    }

    /// A row of the table, single values, or a row with some values changed.
    private static func persona(
        _ words: [String], of checklist: Checklist
    ) throws -> PersonaTable.Persona? {
        guard !words.isEmpty else { return nil }
        let names = words.filter { !$0.contains("=") }
        guard names.count <= 1 else {
            throw UsageError(message: "--persona names two: \(names.joined(separator: ", "))")
        }
        var persona = try names.first.map { name throws(ChecklistError) in try checklist.persona(named: name) }
        for word in words where word.contains("=") {
            let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            guard !parts[0].isEmpty else {
                throw UsageError(message: "--persona takes NAME or COLUMN=VALUE, not `\(word)`")
            }
            var values = persona?.values ?? [:]
            values[parts[0]] = ChecklistValue(word: parts[1]) ?? .text(parts[1])
            persona = PersonaTable.Persona(name: persona?.name ?? word, values: values)
        }
        return persona
    }
}

extension VerifyRequest {
    /// Judges all recordings.
    ///
    /// - Throws: the first line that is no record, or a run of what the checklist does not have.
    func verdicts() async throws -> [ScenarioVerdict] {
        guard !scenarios.isEmpty else { return [] }
        var verdicts: [ScenarioVerdict] = []
        for file in events {
            var judge = try RecordingJudge(checklist, scenarios: scenarios, persona: persona, catalog: catalog)
            var version: String?
            try await RecordFile(path: file).forEachRecord { row, line in
                let number = row.sequence.map { Int64(clamping: $0) } ?? Int64(line)
                let record = try JudgedRecord(row, number: number)
                if version == nil, events.count > 1, case .text(let text)? = record.commonValue(of: "service.version") {
                    version = text
                }
                if row.kind == .run {
                    do throws(ChecklistError) {
                        try judge.mark(record)
                    } catch {
                        throw InputError(file: file, line: line, message: error.problems[0].reason)
                    }
                } else {
                    judge.observe(record)
                }
            }
            verdicts += try judge.finish().map { verdict in
                var verdict = verdict
                if events.count > 1 { verdict.run.build = verdict.run.build ?? version ?? file }
                return verdict
            }
        }
        return verdicts.withMissing(of: checklist, scenarios: scenarios)
    }
}

extension ChecklistError.Problem {
    /// Without the place.
    fileprivate var reason: String { message + (hint.map { " (\($0))" } ?? "") }
}
