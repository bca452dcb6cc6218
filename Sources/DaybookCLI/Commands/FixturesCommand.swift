import DaybookChecklist
import DaybookDefinitions

extension Command {
    static let fixturesImport = Command(
        name: "fixtures import", summary: "Convert fixtures and recorded requests into typed NDJSON",
        options: [
            .value("definitions", "DIR", "the team's definitions, for full names and types", required: true),
            .value("request-rules", "FILE", "rules that turn the requests in HAR files into records"),
            .value("output", "DIR", "write NAME.ndjson for each file there; required for more than one file"),
        ],
        operands: ("FILE|DIR", 1...Int.max),
        details: """
            Reads {"event": [{"column": "value"}]} with full or bare event names, NDJSON, and, with --request-rules, HAR
            files. Prints one record per line. Matchers such as "@any" are kept. The result is for `daybook verify
            --fixture`. Records that cannot be converted are reported with their file and line; the rest is written, and
            the exit status is 1. It is 2 if there is nothing to convert.
            """
    ) { arguments, console in
        var reading = FixtureImport(
            definitions: try DefinitionsSource(try arguments.required("definitions")).soundDefinitions(),
            rules: try arguments["request-rules"].map { try RequestRulesFile.read($0) })
        var output = try arguments["output"].map { try FixtureFolder($0) }
        let files = try FixtureImport.files(arguments.operands)
        guard output != nil || files.count == 1 else {
            throw UsageError(message: "\(files.count) files need a folder for the output", hint: "--output DIR")
        }
        for file in files {
            let lines = try reading.lines(of: file)
            guard !lines.isEmpty else { continue }
            let text = lines.joined(separator: "\n") + "\n"
            if output == nil {
                console.output(text)
            } else {
                try output?.write(text, for: file)
            }
        }
        for problem in reading.passedOver { console.errors("note: \(problem)\n") }
        for problem in reading.problems { console.errors("error: \(problem)\n") }
        if output != nil {
            console.errors(
                "\(reading.taken) records from \(files.count) files; not converted: \(reading.problems.count)\n")
        }
        guard reading.problems.isEmpty else { return .no }
        guard reading.taken > 0 else {
            console.errors("error: nothing was converted: there is no record\n")
            return .badInput
        }
        return .done
    }
}

extension Command {
    static let compare = Command(
        name: "compare", summary: "Show how two recordings of the same journeys differ",
        options: [.flag("all", "also compare levels, kinds, messages and contexts")] + Masking.options,
        operands: ("OLD.ndjson NEW.ndjson", 2...2),
        details: "For moving from one log system to another: compares counts, columns, types and values. Records that "
            + "differ only in level, kind, message or context are counted, and with --all differ. Times, sessions, "
            + "sources and traces are never compared. Exit status 1 if the recordings differ, 2 if neither has a record."
    ) { arguments, console in
        var comparison = RecordingComparison(comparesAll: arguments.has("all"))
        var masking = try Masking.policy(arguments)
        let warnings = Warnings(console)
        let recordings = arguments.operands.map { Recording.file(RecordFile(path: $0, warnings: warnings)) }
        for (recording, side) in zip(recordings, [RecordingComparison.Side.old, .new]) {
            try await FixtureFile.forEach(recording, learning: &masking) { comparison.add($0, with: $1, side) }
        }
        console.output(
            comparison.report(
                standIn: { masking?.standIn(forValuesOf: $0) }, masked: { masking?.masked(reason: $0) ?? $0 }))
        guard !comparison.isNothing else {
            console.errors("error: nothing was compared: neither recording has a record\n")
            return .badInput
        }
        return comparison.isEmpty ? .done : .no
    }
}
