import DaybookBase
import DaybookChecklist
import DaybookDefinitions
import DaybookInspector
import DaybookTools
import Foundation

extension Command {
    /// The part of `daybook verify` that compares with fixtures.
    static func verifyFixtures(_ arguments: Arguments, _ console: Console) async throws -> ExitCode {
        for option in ["scenario", "shard", "changed-since", "persona"] where arguments[option] != nil {
            throw UsageError(message: "--\(option) belongs to --checklist, not to --fixture")
        }
        let files = try PathFolder.files(arguments.all("fixture"), of: ".json, .ndjson or .jsonl") { file in
            FixtureFile.endings.contains(where: file.hasSuffix)
        }
        let located = try files.map { (file: $0, fixture: try FixtureFile.read($0)) }
        for (file, fixture) in located {
            if let note = FixtureFile.note(on: fixture, in: file) { console.errors("note: \(note)\n") }
        }
        let definitions = try arguments["definitions"].map { try DefinitionsSource($0).soundDefinitions() }
        if let definitions {
            for (file, fixture) in located { try definitions.check(fixture, in: file) }
        }
        let fixtures = located.map { (file: $0.file, fixture: $0.fixture.fixture) }
        let listedOnly = arguments.has("listed-only")
        var judged: [JudgedChecklist] = []
        var texts: [String: String] = [:]
        let policy = try await masking(arguments)
        let warnings = Warnings(console)
        for (index, (file, fixture)) in fixtures.enumerated() {
            let names = arguments.all("events")
            let recordings = try Recording.all(arguments, for: file, isOneOf: files.count, warnings: warnings)
            // Fixtures that share a recording share expectations; what none expects is reported with the last.
            let others =
                names.isEmpty || recordings.map(\.path) == names
                ? fixtures.filter { $0.file != file }.map(\.fixture) : []
            var masking = policy
            var records: [FixtureRecord] = []
            var count = 0
            var undefined: [ScenarioVerdict] = []
            for recording in recordings {
                var unknown = definitions.map { UndefinedEvents(EventCatalog($0)) }
                try await recording.forEachRecord { row, place in
                    guard row.kind != .run else { return }
                    if !row.isOwn { count += 1 }
                    masking?.learn(tag: row.tag, attributes: row.attributes, context: row.context)
                    let record = try JudgedRecord(row, number: place.number)
                    if row.kind == .event { unknown?.observe(record) }
                    let isAnothers = others.contains { $0.expects(row.tag) }
                    if fixture.expects(row.tag) || !isAnothers && (others.isEmpty || index == fixtures.count - 1) {
                        records.append(record.fixtureRecord)
                    }
                }
                if let verdict = unknown?.verdict(file: recording.path) { undefined.append(verdict) }
            }
            var difference = fixture.difference(to: records, listedOnly: listedOnly)
            if let masking { difference = difference.masked(by: masking) }
            var one = try fixture.judged(
                by: difference, name: PathFolder.name(of: file), file: file, listedOnly: listedOnly,
                records: count, lines: located[index].fixture.eventLines)
            one.verdicts += undefined
            judged.append(one)
            guard one.verdicts.result != .nothingJudged else {
                texts[file] = one.verdicts.textReport()
                continue
            }
            let compared = records.count { fixture.expects($0.tag) || !listedOnly && !OwnRecords.have($0.tag) }
            let asExpected =
                switch compared {
                case 0: "✓ no record came, as expected\n"
                case 1: "✓ 1 record is as expected\n"
                default: "✓ \(compared) records are as expected\n"
                }
            let text = difference.isEmpty ? asExpected : difference.description
            texts[file] = text + (undefined.isEmpty ? "" : undefined.textReport())
        }
        return try report(judged, arguments, console) { texts[$0.checklist.file] ?? "" }
    }
}

extension Definitions {
    /// - Throws: ``InputError`` for an undefined event or column, or an ambiguous bare name.
    fileprivate func check(_ fixture: LocatedFixture, in path: String) throws {
        for (expected, lines) in zip(fixture.fixture.events, fixture.lines) {
            let event = try DefinedColumns(of: expected.event, in: self, at: .init(file: path, line: lines.first))
            for (record, line) in zip(expected.records, lines) {
                for name in record.keys.sorted() { _ = try event.column(name, at: .init(file: path, line: line)) }
            }
        }
    }
}

/// Expands paths that may be folders, so that new files are judged without being listed.
enum PathFolder {
    /// The given files, and those of folders, recursively, by name.
    /// - Throws: ``InputError`` if a folder has none.
    static func files(
        _ paths: [String], of ending: String, where isWanted: (String) -> Bool
    ) throws(InputError) -> [String] {
        var files: [String] = []
        for path in paths {
            guard isFolder(path) else {
                files.append(path)
                continue
            }
            let found = ((try? FileManager.default.subpathsOfDirectory(atPath: path)) ?? []).sorted().filter(isWanted)
            guard !found.isEmpty else {
                throw InputError(file: path, message: "has no file that ends in \(ending)")
            }
            files += found.map { path + (path.hasSuffix("/") ? "" : "/") + $0 }
        }
        return files
    }

    /// The recordings for a file: those given, and from a folder the one of the same name.
    /// - Parameter warnings: receives other files in the folder that could be meant.
    /// - Throws: ``InputError`` if a folder has no such recording, or standard input would be read twice.
    static func recordings(
        _ paths: [String], for file: String, isOneOf count: Int, warnings: Warnings
    ) throws -> [String] {
        try paths.map { path in
            if count > 1, path == "-" {
                throw UsageError(
                    message: "standard input can be checked by one file only", hint: "write the recording to a file")
            }
            guard isFolder(path) else { return path }
            let folder = path + (path.hasSuffix("/") ? "" : "/")
            let found = candidates(for: file, in: folder)
            guard let first = found.first else {
                throw InputError(
                    file: file, message: "has no recording: \(folder)\(name(of: file)).ndjson does not exist")
            }
            for other in found.dropFirst() { warnings.tell("\(other) is not read: the recording is \(first)") }
            return first
        }
    }

    /// Files in a folder that have a file's name and may be recordings, likeliest first; not the file itself.
    private static func candidates(for file: String, in folder: String) -> [String] {
        let names = ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).sorted()
        let own = URL(fileURLWithPath: file).resolvingSymlinksInPath().path
        return (RecordFile.endings + [".json", ".json.gz"]).flatMap { ending in
            names.filter { $0.lowercased().hasSuffix(ending) && $0.dropLast(ending.count) == name(of: file)[...] }
                .map { folder + $0 }
        }.filter { URL(fileURLWithPath: $0).resolvingSymlinksInPath().path != own }
    }

    static func isFolder(_ path: String) -> Bool {
        var isFolder: ObjCBool = false
        return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && isFolder.boolValue
    }

    static func name(of file: String) -> String {
        withoutEnding(file.split(separator: "/").last.map(String.init) ?? file)
    }

    /// The path without its extension, including `.gz`.
    static func withoutEnding(_ path: String) -> String {
        let path = path.hasSuffix(".gz") ? String(path.dropLast(3)) : path
        guard let dot = path.lastIndex(of: "."), !path[dot...].contains("/") else { return path }
        return String(path[..<dot])
    }
}
