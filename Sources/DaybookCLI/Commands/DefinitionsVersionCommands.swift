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

    static let definitionsMigrate = Command(
        name: "definitions migrate", summary: "Write the SQL that takes a warehouse from old definitions to new ones",
        options: [
            .value(
                "from", "OLD", "what the warehouse was made from: a folder or git:REVISION[:FOLDER]", required: true),
            .value("to", "NEW", "what it is to be: a folder or git:REVISION[:FOLDER]", required: true),
            .dialect, .shape,
        ],
        details: """
            The shape is the one with which `definitions generate sql` made the warehouse. Nothing is dropped: what the \
            new definitions no longer have stays, and a column that cannot change its type is kept as `NAME__was_TYPE`.
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
