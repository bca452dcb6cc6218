import DaybookCollector
import DaybookDefinitions
import DaybookStore

extension Command {
    static let coverage = Command(
        name: "coverage", summary: "Show which events are defined, called, tested and seen",
        options: [
            .value("definitions", "DIR", "the definitions, instead of DIR"),
            .value("sources", "DIR", "look for calls in this folder; default: the project's", repeatable: true),
            .value("events", "FILE.ndjson", "a recorded test run; - reads standard input", repeatable: true),
            .value("store", "STORE", "a store that collects the app's records"),
        ] + CollectorAddress.options + [
            .value("require", "STAGE", "called, fired or seen; default: called", repeatable: true),
            .flag("json", "print the table as JSON"),
            .flag("markdown", "print it for a pull request"),
        ],
        operands: ("DIR", 0...1),
        details:
            "Exit status 1 if an event in use has not reached the required stage, 2 if no event is in use. A stage that "
            + "is required needs what shows it: `fired` --events, `seen` --store or --collector. " + whichDefinitions
    ) { arguments, console in
        if arguments.has("json"), arguments.has("markdown") {
            throw UsageError(message: "--json and --markdown exclude each other")
        }
        if arguments["definitions"] != nil, let folder = arguments.operands.first {
            throw UsageError(message: "--definitions and `\(folder)` exclude each other")
        }
        let source = try DefinitionsSource(arguments["definitions"] ?? arguments.operands.first)
        let definitions = try source.soundDefinitions()
        let required = try arguments.all("require").map { name in
            guard let stage = Coverage.Stage(rawValue: name) else {
                throw UsageError(message: "--require takes called, fired or seen, not `\(name)`")
            }
            return stage
        }
        let hasStore = arguments["store"] != nil || arguments["collector"] != nil
        if required.contains(.fired), arguments["events"] == nil {
            throw UsageError(message: "--require fired needs a recorded test run", hint: "--events FILE.ndjson")
        }
        if required.contains(.seen), !hasStore {
            throw UsageError(message: "--require seen needs a store", hint: "--store STORE, or --collector URL")
        }
        var calls = CallSites(definitions)
        let folders = arguments.all("sources")
        for folder in folders.isEmpty ? [source.project?.path ?? "."] : folders {
            let count = try SourceFiles.scan(folder, into: &calls)
            guard count > 0 || folders.isEmpty else {
                throw InputError(file: folder, message: "has no file of source code: \(SourceFiles.endings)")
            }
        }
        let files = arguments.all("events")
        let coverage = Coverage(
            definitions, calls: calls, fired: files.isEmpty ? nil : try await fired(in: files, Warnings(console)),
            seen: hasStore ? try await RecordSource.records(arguments, access: .readOnly).sightings() : nil)
        return console.finish(
            CoverageReport(coverage, required: required.isEmpty ? [.called] : required)
                .outcome(arguments.has("json") ? .json : arguments.has("markdown") ? .markdown : .text))
    }

    private static func fired(in files: [String], _ warnings: Warnings) async throws -> [String: Int64] {
        var counts: [String: Int64] = [:]
        for file in files {
            var isEmpty = true
            try await RecordFile(path: file, warnings: warnings).forEachRecord { row, _ in
                guard row.kind == .event, !row.isOwn else { return }
                counts[row.tag, default: 0] += 1
                isEmpty = false
            }
            if isEmpty { warnings.tell("\(file) has no event") }
        }
        return counts
    }
}
