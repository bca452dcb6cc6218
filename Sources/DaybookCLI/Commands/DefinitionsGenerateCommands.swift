import DaybookDefinitions

extension Command {
    static let definitionsGenerateJSON = generate(
        "json", "Write the dictionary of a project or a folder"
    ) { source, _ in ("dictionary.json", DefinitionsDictionary.run(source.definitions, source.diagnostics)) }

    static let definitionsGenerateKotlin = generate(
        "kotlin", "Write the event types of a project or a folder for Kotlin, emitting OpenTelemetry calls",
        options: [
            .value("package", "NAME", "the package of the generated types", required: true),
            .value("import", "NAME", "import a type of the app's own", repeatable: true),
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
        "swift-dictionary", "Write a project's words as Swift, for the inspector in an app",
        details: "Definitions, checklists and links, for a target that only builds with the inspector link."
    ) { source, _ in
        guard let project = source.project else {
            throw UsageError(message: "a dictionary in Swift wants a project file: write `{}` to \(Project.fileName)")
        }
        return (DefinitionsSwiftDictionary.fileName, try DefinitionsSwiftDictionary.run(project))
    }

    /// A command that makes one file from definitions, which it prints, writes or checks.
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
                throw UsageError(message: "--check wants --output FOLDER")
            }
            let (file, outcome) = try make(try DefinitionsSource(arguments.operands.first), arguments)
            guard let folder = arguments["output"] else { return console.finish(outcome) }
            return console.finish(outcome.writing(into: folder, as: file, isCheck: arguments.has("check")))
        }
    }
}

extension Option {
    static let dialect = Option.value("dialect", "NAME", "sqlite, postgresql, redshift or clickhouse", required: true)
    static let shape = Option.value("shape", "NAME", "views, wide or tables; views, and wide for redshift, if left out")
}
