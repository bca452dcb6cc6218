import DaybookDefinitions

extension Command {
    static let definitionsValidate = Command(
        name: "definitions validate", summary: "Judge the events of a recording by their definitions",
        options: [
            .value("events", "FILE.ndjson", "the recording, one record a line; - reads standard input", required: true),
            .flag("json", "print the findings as JSON"),
        ],
        operands: ("DIR", 0...1),
        details: "Exit status 1 if an event is not as defined. Records of other kinds are passed over. "
            + whichDefinitions
    ) { arguments, console in
        let definitions = try DefinitionsSource(arguments.operands.first).soundDefinitions()
        let events = try arguments.required("events")
        var report = ValidationReport(RecordValidator(definitions))
        try await RecordFile(path: events).forEachRecord { row, line in
            guard row.kind == .event else { return }
            let isUnknown = row.attributes.contains("daybook.context.unknown")
            report.observe(
                line: line, tag: row.tag, attributes: row.attributes, context: isUnknown ? nil : row.context)
        }
        return console.finish(report.outcome(file: events, json: arguments.has("json")))
    }
}
