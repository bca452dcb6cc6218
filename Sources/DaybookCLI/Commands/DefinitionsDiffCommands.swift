import DaybookDefinitions

extension Command {
    static let definitionsDiff = Command(
        name: "definitions diff", summary: "Show what changed between two versions, and whom it breaks",
        options: [
            .value("format", "NAME", "text, markdown or json; text if left out"),
            .value(
                "fail-on", "LIST", "exit with 1 if one of these breaks: callers, warehouse, consumers; or any, none"),
        ],
        operands: ("VERSION", 2...2),
        details: """
            The old version, then the new one: a folder, or git:REVISION[:FOLDER]. Without --fail-on, every break ends \
            with exit status 1.
            """
    ) { arguments, console in
        let versions = try DefinitionsVersion.pair(arguments.operands[0], arguments.operands[1])
        return console.finish(
            DefinitionsDiffCommand.run(
                from: versions.old, to: versions.new, format: arguments["format"] ?? "text",
                failing: arguments["fail-on"] ?? "callers,warehouse,consumers"))
    }

    static let definitionsGenerateStrdef = Command(
        name: "definitions generate strdef", summary: "Write the wide table's columns as bricolage's strdef",
        options: [
            .value("diff", "FILE", "print only the columns that this strdef file lacks"),
            .value("output", "FOLDER", "write FOLDER/activity_log.strdef instead of printing it"),
        ],
        operands: ("DIR", 1...1)
    ) { arguments, console in
        let (definitions, diagnostics) = try DefinitionsFolder.load(arguments.operands[0])
        let outcome = try DefinitionsStrdef.run(definitions, diagnostics, comparedTo: arguments["diff"])
        return console.finish(outcome, into: arguments["output"], as: "activity_log.strdef")
    }

    static let definitionsGenerateJSON = Command(
        name: "definitions generate json", summary: "Write the dictionary of a folder's definitions",
        options: [.value("output", "FOLDER", "write FOLDER/dictionary.json instead of printing it")],
        operands: ("DIR", 1...1)
    ) { arguments, console in
        let (definitions, diagnostics) = try DefinitionsFolder.load(arguments.operands[0])
        return console.finish(
            DefinitionsDictionary.run(definitions, diagnostics), into: arguments["output"], as: "dictionary.json")
    }
}
