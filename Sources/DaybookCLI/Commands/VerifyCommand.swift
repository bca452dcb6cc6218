import DaybookBase
import DaybookChecklist
import DaybookDefinitions
import DaybookInspector
import DaybookStore
import DaybookTools

extension Command {
    static let verify = Command(
        name: "verify", summary: "Check a recording against checklists or fixtures",
        options: [
            .value("checklist", "PATH", "a Markdown task list, or a folder of them", repeatable: true),
            .value(
                "fixture", "PATH",
                "instead of a checklist: the expected records, as JSON or NDJSON, or a folder of such files",
                repeatable: true),
            .flag("listed-only", "with --fixture: allow events that the fixtures do not list"),
            .value("scenario", "NAME", "check only this scenario; default: all", repeatable: true),
            .value("shard", "I/N", "check the I-th of N parts of the scenarios, for parallel CI jobs"),
            .value(
                "definitions", "DIR", "events and columns that are not defined here are errors, also in the recording"),
            .value("changed-since", "OLD-DIR", "check only items whose events were defined differently here"),
            .value("persona", "NAME | COLUMN=VALUE", "who used the app", repeatable: true),
            .value("junit", "FILE", "also write the verdicts as JUnit XML"),
            .flag("markdown", "print the checklist, ticked, with the failures nested"),
            .flag("json", "print the verdicts as JSON"),
            Masking.flag,
        ] + Recording.options,
        details: "Records of kind `run` divide a recording into runs; without them it is one finished run. Several "
            + "recordings are followed by a table of scenarios and builds. In a folder of recordings, the file with the name of the "
            + "checklist or fixture is used. Manual steps are reported and never fail; where nothing is judged, the exit "
            + "code is 2. "
            + "A collector masks private values: items that compare them are not judged without --show-private."
    ) { arguments, console in
        if arguments.has("json"), arguments.has("markdown") {
            throw UsageError(message: "--json and --markdown exclude each other")
        }
        switch (arguments["checklist"], arguments["fixture"]) {
        case (nil, nil):
            throw UsageError(message: "--checklist is missing", hint: "--checklist FILE, or --fixture FILE")
        case (_?, _?): throw UsageError(message: "--checklist and --fixture exclude each other")
        case (nil, _?): return try await verifyFixtures(arguments, console)
        case (_?, nil): break
        }
        let checklists = arguments.all("checklist")
        checklists.flatMap { MarkdownFolder.leftOut(in: $0, isDeep: true) }.forEach(console.errors)
        let all = try PathFolder.files(checklists, of: ".md", where: MarkdownFile.isMarkdown)
        let files = all.filter { checklists.contains($0) || !ChecklistFolder.isReadme($0) }
        Set(all).subtracting(files).sorted().map(ChecklistFolder.readme).forEach(console.errors)
        let masking = try await masking(arguments)
        let warnings = Warnings(console)
        var judged: [JudgedChecklist] = []
        for file in files {
            let request = try VerifyRequest(
                arguments, checklist: file, isOneOf: files.count, masking: masking, warnings: warnings)
            let verdicts = try await request.verdicts { console.errors("warning: \($0.printable) has no record\n") }
            judged.append(JudgedChecklist(checklist: request.checklist, verdicts: verdicts))
            for step in verdicts.flatMap(\.items) where step.status == .manual {
                if let reason = step.reason { console.errors("\(step.item.location): warning: \(reason)\n") }
            }
        }
        return try report(judged, arguments, console) { $0.verdicts.textReport() }
    }

    static func masking(_ arguments: Arguments) async throws -> MaskingPolicy? {
        guard let store = arguments["store"] else { return try Masking.policy(arguments) }
        return try await Masking.policy(arguments, ofStore: store)
    }

    /// - Parameter text: the plain form of a checklist.
    static func report(
        _ judged: [JudgedChecklist], _ arguments: Arguments, _ console: Console, text: (JudgedChecklist) -> String
    ) throws -> ExitCode {
        if let junit = arguments["junit"] { try TextFile.write(judged.junitReport(), to: junit) }
        if arguments.has("json") {
            console.output(judged.jsonReport())
        } else if arguments.has("markdown") {
            console.output(judged.map { $0.verdicts.markdownReport(of: $0.checklist) }.joined(separator: "\n"))
        } else {
            for one in judged {
                if judged.count > 1 { console.output("\(one.checklist.file.printable):\n") }
                console.output(text(one))
            }
        }
        for one in judged where !arguments.has("json") {
            let matrix = ScenarioMatrix(one.verdicts)
            if matrix.builds.count > 1 { console.output("\n" + matrix.markdown()) }
        }
        switch judged.result {
        case .passed: return .done
        case .failed: return .no
        case .nothingJudged:
            console.errors("error: nothing was judged: no record decides any of what was chosen\n")
            return .badInput
        }
    }
}

/// The arguments of `daybook verify`, validated before any record is read.
struct VerifyRequest {
    let checklist: Checklist
    /// Empty only if a shard has none.
    let scenarios: [String]
    let persona: PersonaTable.Persona?
    let catalog: EventCatalog?
    let recordings: [Recording]
    /// `nil` shows private values in reports.
    let masking: MaskingPolicy?

    /// - Parameters:
    ///   - file: the checklist to judge.
    ///   - count: the number of checklists judged against the recordings.
    ///   - masking: of reports.
    ///   - warnings: receives what recordings contain but is not read. Default: standard error.
    /// - Throws: ``UsageError``, ``InputError``, or the located problems of the checklist or the definitions.
    init(
        _ arguments: Arguments, checklist file: String, isOneOf count: Int, masking: MaskingPolicy?,
        warnings: Warnings = Warnings(.standard)
    ) throws {
        var checklist = try Checklist(markdown: TextFile.read(file), file: file)
        let definitions = try arguments["definitions"].map { try DefinitionsSource($0).soundDefinitions() }
        if let old = arguments["changed-since"] {
            guard let definitions else {
                throw UsageError(
                    message: "--changed-since needs --definitions", hint: "--definitions DIR, as they are now")
            }
            let changed = try definitions.changedEvents(since: DefinitionsSource(old).soundDefinitions())
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
        persona = try Self.persona(arguments.all("persona"), of: checklist, warnings)
        catalog = definitions.map { EventCatalog($0) }
        recordings = try Recording.all(arguments, for: file, isOneOf: count, warnings: warnings)
        self.masking = masking
    }

    /// Every N-th name, from the I-th: `I/N`.
    private static func shard(of names: [String], _ shard: String?) throws(UsageError) -> [String] {
        guard let shard else { return names }
        let parts = shard.split(separator: "/", omittingEmptySubsequences: false).map { Int($0) }
        guard parts.count == 2, let number = parts[0], let count = parts[1], count > 0, (1...count).contains(number)
        else { throw UsageError(message: "--shard takes I/N, such as 2/4: the second of four parts") }
        return names.enumerated().filter { $0.offset % count == number - 1 }.map(\.element)
    }

    /// A row of the table, single values, or a row with overrides.
    private static func persona(
        _ words: [String], of checklist: Checklist, _ warnings: Warnings
    ) throws -> PersonaTable.Persona? {
        guard !words.isEmpty else { return nil }
        let names = words.filter { !$0.contains("=") }
        guard names.count <= 1 else {
            throw UsageError(message: "--persona names two personas: \(names.joined(separator: ", "))")
        }
        var persona = try names.first.map { name throws(ChecklistError) in try checklist.persona(named: name) }
        for word in words where word.contains("=") {
            let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            guard !parts[0].isEmpty else {
                throw UsageError(message: "--persona takes NAME or COLUMN=VALUE, not `\(word)`")
            }
            var values = persona?.values ?? [:]
            let value = ChecklistValue(word: parts[1]) ?? .text(parts[1])
            if let doubt = checklist.doubt(about: parts[0], value) {
                let message = "--persona \(word): \(doubt.reason) in \(checklist.file)"
                if let meant = doubt.meant { throw UsageError(message: message, hint: "did you mean \(meant)?") }
                warnings.tell(message)
            }
            values[parts[0]] = value
            persona = PersonaTable.Persona(name: persona?.name ?? word, values: values)
        }
        return persona
    }
}

extension VerifyRequest {
    /// Judges all recordings.
    ///
    /// - Parameter empty: called for recordings without records.
    /// - Throws: the first invalid line, or a run of an unknown scenario.
    func verdicts(empty: (_ recording: String) -> Void) async throws -> [ScenarioVerdict] {
        guard !scenarios.isEmpty else { return [] }
        var verdicts: [ScenarioVerdict] = []
        var undefined: [ScenarioVerdict] = []
        var masking = masking
        for recording in recordings {
            var count = 0
            var unknown = catalog.map(UndefinedEvents.init)
            var judge = try RecordingJudge(checklist, scenarios: scenarios, persona: persona, catalog: catalog)
            var version: String?
            try await recording.forEachRecord { row, place in
                if !row.isOwn { count += 1 }
                let record = try JudgedRecord(row, number: place.number)
                if row.kind == .event { unknown?.observe(record) }
                masking?.learn(tag: row.tag, attributes: row.attributes, context: row.context)
                if version == nil, recordings.count > 1, !row.isOwn,
                    case .text(let text)? = record.commonValue(of: "service.version")
                {
                    version = text
                }
                if row.kind == .run {
                    do throws(ChecklistError) {
                        try judge.mark(record)
                    } catch {
                        throw InputError(file: recording.path, line: place.line, message: error.problems[0].reason.text)
                    }
                } else {
                    judge.observe(record)
                }
            }
            if count == 0 { empty(recording.name) }
            func ofBuild(_ verdict: ScenarioVerdict) -> ScenarioVerdict {
                var verdict = verdict
                if recordings.count > 1 { verdict.run.build = verdict.run.build ?? version ?? recording.path }
                return verdict
            }
            if let verdict = unknown?.verdict(file: recording.path) { undefined.append(ofBuild(verdict)) }
            verdicts += try judge.finish().map(ofBuild)
        }
        let all = (verdicts.map(\.ofWhatIsShown).withMissing(of: checklist, scenarios: scenarios) + undefined)
            .sayingWhatIsNotJudged
        return masking.map { policy in all.map { $0.masked(by: policy) } } ?? all
    }
}

extension Definitions {
    /// Tags of events that are new, or whose columns or common columns changed since `old`. Descriptions and locations
    /// do not count.
    func changedEvents(since old: Definitions) -> Set<String> {
        let before = old.shapes
        return Set(shapes.filter { before[$0.key] != $0.value }.keys)
    }

    private var shapes: [String: Set<String>] {
        var shapes: [String: Set<String>] = [:]
        for category in categories {
            for event in category.events {
                let columns = (event.columns + category.columns + common).map { column in
                    "\(column.name) \(column.type.source) \(column.isOptional) \(column.isObsolete) "
                        + "\(column.classification.rawValue) \(column.values.map(\.value))"
                }
                shapes["\(category.name).\(event.name)"] = Set(columns + ["obsolete: \(event.isObsolete)"])
            }
        }
        return shapes
    }
}
