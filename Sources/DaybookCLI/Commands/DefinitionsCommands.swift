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
        operands: ("DIR", 0...1), details: "The shape is daifuku's `dump`, with more keys. " + whichDefinitions
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
        details: "For teams that check generated code in; the build plugin needs no such file. " + whichDefinitions
    ) { arguments, console in
        if arguments.has("check"), arguments["output"] == nil {
            throw UsageError(message: "--check wants --output FOLDER")
        }
        return console.finish(
            DefinitionsGenerateSwift.run(
                try DefinitionsSource(arguments.operands.first), folder: arguments["output"],
                isCheck: arguments.has("check")))
    }

    static let whichDefinitions = """
        DIR is a folder of definitions or a project file; without it, the project of the current folder is taken \
        (daybook.json here or above), or the folder LogDefinitions.
        """
}

extension Console {
    /// Prints what a definitions command came to.
    func finish(_ outcome: CommandOutcome) -> ExitCode {
        if !outcome.output.isEmpty { output(outcome.output) }
        if !outcome.errors.isEmpty { errors(outcome.errors) }
        return ExitCode(rawValue: outcome.exitCode) ?? .badInput
    }
}
