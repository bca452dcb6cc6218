import DaybookChecklist

extension Command {
    static let verify = Command(
        name: "verify", summary: "Judge a recording against a checklist",
        options: [
            .value("checklist", "FILE", "the Markdown task list", required: true),
            .value("scenario", "NAME", "judge this scenario only; all by default", repeatable: true),
            .value("events", "FILE.ndjson", "the recording, one record a line; - reads standard input", required: true),
            .value("junit", "FILE", "also write the verdicts as JUnit XML"),
            .flag("markdown", "print the same checklist, ticked, with the failures nested"),
            .flag("json", "print the verdicts as JSON"),
        ],
        details: "The recording is judged as one finished run. Manual steps are reported and never fail."
    ) { arguments, console in
        if arguments.has("json"), arguments.has("markdown") {
            throw UsageError(message: "--json and --markdown exclude each other")
        }
        let file = try arguments.required("checklist")
        let checklist = try Checklist(markdown: TextFile.read(file), file: file)
        var run = try ChecklistRun(checklist, scenarios: arguments.all("scenario"))
        let events = try arguments.required("events")
        try await RecordFile(path: events).forEachRecord { row, line in
            guard row.kind != .run else {
                throw InputError(
                    file: events, line: line,
                    message: "Records of kind `run` are not judged yet. Cut the recording into a file per run.")
            }
            run.observe(try JudgedRecord(row, number: row.sequence.map { Int64(clamping: $0) } ?? Int64(line)))
        }
        let verdicts = run.verdicts(finished: true)
        if let junit = arguments["junit"] { try TextFile.write(verdicts.junitReport(of: checklist), to: junit) }
        if arguments.has("json") {
            console.output(verdicts.jsonReport(of: checklist))
        } else if arguments.has("markdown") {
            console.output(verdicts.markdownReport(of: checklist))
        } else {
            console.output(verdicts.textReport())
        }
        return verdicts.passed ? .done : .no
    }
}
