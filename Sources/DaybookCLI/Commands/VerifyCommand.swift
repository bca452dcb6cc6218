import DaybookChecklist
import DaybookTesting

extension Command {
    static let verify = Command(
        name: "verify", summary: "Judge a recording against a checklist or a fixture",
        options: [
            .value("checklist", "FILE", "the Markdown task list"),
            .value("fixture", "FILE", "instead: the records that are expected, as JSON or NDJSON"),
            .flag("listed-only", "with --fixture: other events than the fixture's are allowed"),
            .value("scenario", "NAME", "judge this scenario only; all by default", repeatable: true),
            .value("shard", "I/N", "judge the I-th of N parts of the scenarios, for CI jobs side by side"),
            .value(
                "events", "FILE.ndjson", "a recording, one record a line; - reads standard input", required: true,
                repeatable: true),
            .value("definitions", "DIR", "events and columns that are not defined here are errors"),
            .value("changed-since", "OLD-DIR", "judge only items of events that these definitions have otherwise"),
            .value("persona", "NAME | COLUMN=VALUE", "who used the app", repeatable: true),
            .value("junit", "FILE", "also write the verdicts as JUnit XML"),
            .flag("markdown", "print the same checklist, ticked, with the failures nested"),
            .flag("json", "print the verdicts as JSON"),
        ],
        details: "Records of kind `run` cut a recording into runs; without them it is one finished run. Of several "
            + "recordings a table of scenarios and builds follows. Manual steps are reported and never fail."
    ) { arguments, console in
        if arguments.has("json"), arguments.has("markdown") {
            throw UsageError(message: "--json and --markdown exclude each other")
        }
        switch (arguments["checklist"], arguments["fixture"]) {
        case (nil, nil):
            throw UsageError(message: "--checklist is missing", hint: "--checklist FILE, or --fixture FILE")
        case (_?, _?): throw UsageError(message: "--checklist and --fixture exclude each other")
        case (nil, let fixture?): return try await verify(fixture: fixture, arguments, console)
        case (_?, nil): break
        }
        let request = try VerifyRequest(arguments)
        let verdicts = try await request.verdicts()
        let checklist = request.checklist
        if let junit = arguments["junit"] { try TextFile.write(verdicts.junitReport(of: checklist), to: junit) }
        if arguments.has("json") {
            console.output(verdicts.jsonReport(of: checklist))
        } else if arguments.has("markdown") {
            console.output(verdicts.markdownReport(of: checklist))
        } else {
            console.output(verdicts.textReport())
        }
        let matrix = ScenarioMatrix(verdicts)
        if !arguments.has("json"), matrix.builds.count > 1 { console.output("\n" + matrix.markdown()) }
        return verdicts.passed ? .done : .no
    }

    private static func verify(fixture path: String, _ arguments: Arguments, _ console: Console) async throws
        -> ExitCode
    {
        for option in ["scenario", "shard", "definitions", "changed-since", "persona", "junit"]
        where arguments[option] != nil {
            throw UsageError(message: "--\(option) belongs to --checklist, not to --fixture")
        }
        if arguments.has("json") || arguments.has("markdown") {
            throw UsageError(message: "--json and --markdown belong to --checklist, not to --fixture")
        }
        let fixture = try FixtureFile.read(path)
        var records: [FixtureRecord] = []
        for file in arguments.all("events") { records += try await FixtureFile.records(file) }
        let difference = fixture.difference(to: records, listedOnly: arguments.has("listed-only"))
        console.output(
            difference.isEmpty
                ? "✓ \(records.count) records are as expected\n" : difference.description)
        return difference.isEmpty ? .done : .no
    }
}
