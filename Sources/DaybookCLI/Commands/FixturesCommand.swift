import DaybookBase
import DaybookChecklist
import DaybookDefinitions

extension Command {
    static let fixturesImport = Command(
        name: "fixtures import", summary: "Turn a fixture of texts into typed NDJSON",
        options: [
            .value("definitions", "DIR", "the team's definitions: the full names and the types", required: true)
        ],
        operands: ("FILE.json", 1...1),
        details:
            "Reads {\"event\": [{\"column\": \"value\"}]} with full or bare event names and prints a record a line. "
            + "Matchers such as \"@any\" stay. The result is for `daybook verify --fixture`."
    ) { arguments, console in
        let path = arguments.operands[0]
        let fixture = try FixtureFile.read(path)
        let definitions = try DefinitionsSource(try arguments.required("definitions")).soundDefinitions()
        for expected in fixture.events {
            let (tag, columns) = try definitions.columns(ofEvent: expected.event, in: path)
            for record in expected.records {
                let typed = try record.sorted { $0.key < $1.key }.map { name, value in
                    guard let column = columns.first(where: { $0.name == name }) else {
                        let near = NearestName.of(name, among: columns.map(\.name))
                        throw InputError(
                            file: path,
                            message: "`\(tag)` has no column `\(name)`" + (near.map { "; did you mean `\($0)`?" } ?? "")
                        )
                    }
                    return (name, try column.typed(value, of: tag, in: path))
                }
                console.output(FixtureLine.text(tag: tag, columns: typed) + "\n")
            }
        }
        return .done
    }
}

extension Definitions {
    /// The tag and the columns of an event by its full or its bare name.
    func columns(ofEvent name: String, in path: String) throws -> (String, [Column]) {
        let known = categories.flatMap { category in
            category.events.map { ("\(category.name).\($0.name)", $0.columns + category.columns + common) }
        }
        let found = known.filter { $0.0 == name || (!name.contains(".") && $0.0.hasSuffix("." + name)) }
        if found.count == 1 { return found[0] }
        let problem =
            found.isEmpty
            ? "no event `\(name)` is defined"
                + (NearestName.of(name, among: known.map(\.0)).map { "; did you mean `\($0)`?" } ?? "")
            : "`\(name)` may be \(found.map(\.0).joined(separator: " or ")); write the full name"
        throw InputError(file: path, message: problem)
    }
}

extension Column {
    /// A fixture's value in the column's type; matchers and values that are typed already stay.
    fileprivate func typed(_ value: ChecklistValue, of tag: String, in path: String) throws -> ChecklistValue {
        guard case .text(let text) = value, !text.hasPrefix("@") else { return value }
        let result: ChecklistValue?
        switch type {
        case .smallint, .integer, .bigint: result = Int64(text).map { .integer($0) }
        case .real, .double: result = Double(text).map { .number($0) }
        case .boolean: result = ["true": true, "1": true, "false": false, "0": false][text].map { .boolean($0) }
        case .string, .date, .timestamp, .timestamptz, .custom: result = value
        }
        guard let result else {
            throw InputError(
                file: path, message: "`\(text)` is no value of `\(name)` of \(tag), which is \(type.source)")
        }
        return result
    }
}

extension Command {
    static let compare = Command(
        name: "compare", summary: "Show how two recordings of the same journeys differ, event by event",
        options: Masking.options,
        operands: ("OLD.ndjson NEW.ndjson", 2...2),
        details: "For moving from one log system to another: counts, missing columns, types and values. Exit status 1 "
            + "if they differ."
    ) { arguments, console in
        var comparison = RecordingComparison()
        var masking = try Masking.policy(arguments)
        let recordings = arguments.operands.map { Recording.file(RecordFile(path: $0)) }
        try await FixtureFile.forEach(recordings[0], learning: &masking) { comparison.add($0, .old) }
        try await FixtureFile.forEach(recordings[1], learning: &masking) { comparison.add($0, .new) }
        console.output(masking.map { $0.masked(reason: comparison.report()) } ?? comparison.report())
        return comparison.isEmpty ? .done : .no
    }
}
