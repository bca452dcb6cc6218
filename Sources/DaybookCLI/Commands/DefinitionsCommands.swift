import DaybookDefinitions

extension Command {
    static let definitionsCheck = Command(
        name: "definitions check", summary: "Check the definitions of a folder",
        options: [.flag("json", "print the findings as JSON")],
        operands: ("DIR", 1...1), details: "Exit status 1 if there is an error."
    ) { arguments, console in
        let (definitions, diagnostics) = try DefinitionsFolder.load(arguments.operands[0])
        return console.finish(DefinitionsCheck.run(definitions, diagnostics, json: arguments.has("json")))
    }

    static let definitionsDump = Command(
        name: "definitions dump", summary: "Print the definitions of a folder as JSON",
        operands: ("DIR", 1...1), details: "The shape is daifuku's `dump`, with more keys."
    ) { arguments, console in
        let (definitions, diagnostics) = try DefinitionsFolder.load(arguments.operands[0])
        return console.finish(DefinitionsDump.run(definitions, diagnostics))
    }
}

extension Console {
    /// Prints what a definitions command came to, or writes it into a folder, if one is given.
    func finish(_ outcome: CommandOutcome, into folder: String? = nil, as name: String = "") -> ExitCode {
        let outcome = folder.map { outcome.writing(into: $0, as: name) } ?? outcome
        if !outcome.output.isEmpty { output(outcome.output) }
        if !outcome.errors.isEmpty { errors(outcome.errors) }
        return ExitCode(rawValue: outcome.exitCode) ?? .badInput
    }
}
