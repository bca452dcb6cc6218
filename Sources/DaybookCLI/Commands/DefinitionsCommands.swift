import DaybookDefinitions

extension Command {
    static let definitionsCheck = Command(
        name: "definitions check", summary: "Check the definitions of a project or a folder",
        options: [.flag("json", "print the findings as JSON")],
        operands: ("DIR", 0...1), details: "Exit status 1 if there is an error. " + whichDefinitions
    ) { arguments, console in
        let source = try DefinitionsSource(arguments.operands.first)
        return console.finish(
            DefinitionsCheck.run(source.definitions, source.diagnostics, json: arguments.has("json")))
    }

    static let definitionsDump = Command(
        name: "definitions dump", summary: "Print the definitions of a project or a folder as JSON",
        operands: ("DIR", 0...1), details: "The format is that of daifuku's `dump`, with more keys. " + whichDefinitions
    ) { arguments, console in
        let source = try DefinitionsSource(arguments.operands.first)
        return console.finish(DefinitionsDump.run(source.definitions, source.diagnostics))
    }

    static let definitionsGenerateSwift = Command(
        name: "definitions generate swift", summary: "Write the event types of a project or a folder",
        options: [
            .value("output", "FOLDER", "write FOLDER/LogDefinitions.swift instead of printing it"),
            .flag("check", "write nothing; exit with 1 if the file in FOLDER is missing or differs"),
        ],
        operands: ("DIR", 0...1),
        details: "For teams that check in generated code; the build plugin needs no such file. " + whichDefinitions
    ) { arguments, console in
        if arguments.has("check"), arguments["output"] == nil {
            throw UsageError(message: "--check needs --output FOLDER")
        }
        return console.finish(
            DefinitionsGenerateSwift.run(
                try DefinitionsSource(arguments.operands.first), folder: arguments["output"],
                isCheck: arguments.has("check")))
    }

    static let whichDefinitions = """
        DIR is a folder of definitions or a project file; without it, the project of the current folder is used \
        (daybook.json here or above), or the folder LogDefinitions, here or in Sources/TARGET.
        """
}

extension Console {
    func finish(_ outcome: CommandOutcome) -> ExitCode {
        if !outcome.output.isEmpty { output(outcome.output) }
        if !outcome.errors.isEmpty { errors(outcome.errors.printableLines) }
        return ExitCode(rawValue: outcome.exitCode) ?? .badInput
    }
}

extension Command {
    static let definitionsGenerateJSON = generate(
        "json", "Write the dictionary of a project or a folder"
    ) { source, _ in ("dictionary.json", DefinitionsDictionary.run(source.definitions, source.diagnostics)) }

    static let definitionsGenerateKotlin = generate(
        "kotlin", "Write the event types as Kotlin, for OpenTelemetry",
        options: [
            .value("package", "NAME", "the package of the generated types", required: true),
            .value("import", "NAME", "import one of the app's types", repeatable: true),
        ]
    ) { source, arguments in
        let generator = KotlinGenerator(
            package: try arguments.required("package"), imports: arguments.all("import"),
            overflow: source.project?.project.swift.overflow ?? .truncate)
        return ("LogDefinitions.kt", DefinitionsKotlin.run(source.definitions, source.diagnostics, generator))
    }

    static let definitionsGenerateSQL = generate(
        "sql", "Write the tables and views of a project or a folder", options: [.dialect, .shape],
        details: """
            Shapes: `views`, a typed view per event and `activity_log` over a Daybook store's table `records`; `wide`, \
            the table `activity_log` of a warehouse of your own, and a typed view per event over it; `tables`, a table \
            per event.
            """
    ) { source, arguments in
        let dialect = try arguments.required("dialect")
        let outcome = DefinitionsSQL.generate(
            source.definitions, source.diagnostics, dialect: dialect, shape: arguments["shape"])
        return ("\(dialect).sql", outcome)
    }

    static let definitionsGenerateStrdef = generate(
        "strdef", "Write the wide table's columns as bricolage's strdef",
        options: [.value("diff", "FILE", "print only the columns that this strdef file lacks")]
    ) { source, arguments in
        let outcome = try DefinitionsStrdef.run(
            source.definitions, source.diagnostics, comparedTo: arguments["diff"])
        return ("activity_log.strdef", outcome)
    }

    static let definitionsGenerateSwiftDictionary = generate(
        "swift-dictionary", "Write a project's texts as Swift, for an app's inspector",
        details: "Definitions, checklists and links, for a target that only builds with the inspector link."
    ) { source, _ in
        guard let project = source.project else {
            throw UsageError(message: "a dictionary in Swift needs a project file: write `{}` to \(Project.fileName)")
        }
        return (DefinitionsSwiftDictionary.fileName, try DefinitionsSwiftDictionary.run(project))
    }

    /// Generates one file from definitions, and prints, writes or checks it.
    private static func generate(
        _ product: String, _ summary: String, options: [Option] = [], details: String = "",
        _ make: @escaping @Sendable (DefinitionsSource, Arguments) throws -> (file: String, outcome: CommandOutcome)
    ) -> Command {
        Command(
            name: "definitions generate \(product)", summary: summary,
            options: options + [
                .value("output", "FOLDER", "write a file into FOLDER instead of printing it"),
                .flag("check", "write nothing; exit with 1 if the file in FOLDER is missing or differs"),
            ],
            operands: ("DIR", 0...1), details: details.isEmpty ? whichDefinitions : details + "\n\n" + whichDefinitions
        ) { arguments, console in
            if arguments.has("check"), arguments["output"] == nil {
                throw UsageError(message: "--check needs --output FOLDER")
            }
            let (file, outcome) = try make(try DefinitionsSource(arguments.operands.first), arguments)
            guard let folder = arguments["output"] else { return console.finish(outcome) }
            return console.finish(outcome.writing(into: folder, as: file, isCheck: arguments.has("check")))
        }
    }
}

extension Option {
    static let dialect = Option.value("dialect", "NAME", "sqlite, postgresql, redshift or clickhouse", required: true)
    static let shape = Option.value("shape", "NAME", "views, wide or tables; default: views, and wide for redshift")
}

extension Command {
    static let definitionsValidate = Command(
        name: "definitions validate", summary: "Check the events of a recording against their definitions",
        options: [
            .value("events", "FILE.ndjson", "a recording, one record per line; - reads standard input", required: true),
            .flag("json", "print the findings as JSON"),
        ],
        operands: ("DIR", 0...1),
        details: "Exit status 1 if an event is not as defined, 2 if there is none. Records of other kinds are skipped. "
            + whichDefinitions
    ) { arguments, console in
        let definitions = try DefinitionsSource(arguments.operands.first).soundDefinitions()
        let events = try arguments.required("events")
        var report = ValidationReport(RecordValidator(definitions))
        var isEmpty = true
        try await RecordFile(path: events, warnings: Warnings(console)).forEachRecord { row, place in
            guard row.kind == .event, !row.isOwn else { return }
            isEmpty = false
            let isUnknown = row.attributes.contains("daybook.context.unknown")
            report.observe(
                line: place.line, tag: row.tag, attributes: row.attributes, context: isUnknown ? nil : row.context)
        }
        let code = console.finish(report.outcome(file: events, json: arguments.has("json")))
        guard !isEmpty else {
            console.errors("error: nothing was judged: \(events.printable) has no event\n")
            return .badInput
        }
        return code
    }
}

extension Command {
    static let definitionsDiff = Command(
        name: "definitions diff", summary: "Show what changed between two versions, and what it breaks",
        options: [
            .value("format", "NAME", "text (default), markdown or json"),
            .value(
                "fail-on", "LIST", "exit with 1 if one of these breaks: callers, warehouse, consumers; or any, none"),
        ],
        operands: ("VERSION", 2...2),
        details: """
            The old version, then the new one: a folder, or git:REVISION[:FOLDER]. Without --fail-on, any of the \
            three breaks gives exit status 1.
            """
    ) { arguments, console in
        let versions = try DefinitionsVersion.pair(arguments.operands[0], arguments.operands[1])
        return console.finish(
            DefinitionsDiffCommand.run(
                from: versions.old, to: versions.new, format: arguments["format"] ?? "text",
                failing: arguments["fail-on"] ?? "callers,warehouse,consumers"))
    }

    static let definitionsMigrate = Command(
        name: "definitions migrate", summary: "Print the SQL that migrates a warehouse to new definitions",
        options: [
            .value(
                "from", "OLD", "the warehouse's current definitions: a folder or git:REVISION[:FOLDER]", required: true),
            .value("to", "NEW", "the new definitions: a folder or git:REVISION[:FOLDER]", required: true),
            .dialect, .shape,
        ],
        details: """
            The shape is the one with which `definitions generate sql` made the warehouse. Nothing is dropped: columns \
            that the new definitions no longer have stay, and a column that cannot change its type is kept as \
            `NAME__was_TYPE`.
            """
    ) { arguments, console in
        let dialect = try arguments.required("dialect")
        let (old, new) = try DefinitionsVersion.pair(try arguments.required("from"), try arguments.required("to"))
        let outcome = DefinitionsSQL.migrate(
            from: old.definitions, to: new.definitions, old.diagnostics + new.diagnostics, dialect: dialect,
            shape: arguments["shape"])
        return console.finish(outcome)
    }
}
