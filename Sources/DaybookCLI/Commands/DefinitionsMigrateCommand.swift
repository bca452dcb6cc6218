import DaybookDefinitions

extension Command {
    static let definitionsMigrate = Command(
        name: "definitions migrate", summary: "Write the SQL that takes a warehouse from old definitions to new ones",
        options: [
            .value(
                "from", "OLD", "what the warehouse was made from: a folder or git:REVISION[:FOLDER]", required: true),
            .value("to", "NEW", "what it is to be: a folder or git:REVISION[:FOLDER]", required: true),
            .dialect, .shape, .value("output", "FOLDER", "write FOLDER/migrate.DIALECT.sql instead of printing it"),
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
        return console.finish(outcome, into: arguments["output"], as: "migrate.\(dialect).sql")
    }
}
