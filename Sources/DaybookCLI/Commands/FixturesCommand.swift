import DaybookChecklist
import DaybookDefinitions

extension Command {
    static let fixturesImport = Command(
        name: "fixtures import", summary: "Turn fixtures of texts and recorded requests into typed NDJSON",
        options: [
            .value("definitions", "DIR", "the team's definitions: the full names and the types", required: true),
            .value("request-rules", "FILE", "what makes records of the requests in HAR files"),
            .value("output", "DIR", "write NAME.ndjson for each file there; needed for more than one file"),
        ],
        operands: ("FILE|DIR", 1...Int.max),
        details: """
            Reads {"event": [{"column": "value"}]} with full or bare event names, NDJSON, and HAR files by --request-rules,
            and prints a record a line. Matchers such as "@any" stay. The result is for `daybook verify --fixture`.
            What is not taken is told with its file and line, and the status is then 1; the rest is written.
            """
    ) { arguments, console in
        var reading = FixtureImport(
            definitions: try DefinitionsSource(try arguments.required("definitions")).soundDefinitions(),
            rules: try arguments["request-rules"].map { try RequestRulesFile.read($0) })
        var output = try arguments["output"].map { try FixtureFolder($0) }
        let files = try FixtureImport.files(arguments.operands)
        guard output != nil || files.count == 1 else {
            throw UsageError(message: "\(files.count) files need a folder of their own", hint: "--output DIR")
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
            console.errors("\(reading.taken) records of \(files.count) files; not taken: \(reading.problems.count)\n")
        }
        return reading.problems.isEmpty ? .done : .no
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
