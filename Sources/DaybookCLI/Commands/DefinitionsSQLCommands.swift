import DaybookDefinitions

extension Command {
    static let definitionsGenerateSQL = Command(
        name: "definitions generate sql", summary: "Write the tables and views of a folder's definitions",
        options: [.dialect, .shape, .value("output", "FOLDER", "write FOLDER/DIALECT.sql instead of printing it")],
        operands: ("DIR", 1...1), details: shapes
    ) { arguments, console in
        let dialect = try arguments.required("dialect")
        let (definitions, diagnostics) = try DefinitionsFolder.load(arguments.operands[0])
        let outcome = DefinitionsSQL.generate(definitions, diagnostics, dialect: dialect, shape: arguments["shape"])
        return console.finish(outcome, into: arguments["output"], as: "\(dialect).sql")
    }

    private static let shapes = """
        Shapes: `views`, a typed view per event and `activity_log` over a Daybook store's table `records`; `wide`, the
        table `activity_log` of a warehouse of your own, and a typed view per event over it; `tables`, a table per event.
        """
}

extension Option {
    static let dialect = Option.value("dialect", "NAME", "sqlite, postgresql, redshift or clickhouse", required: true)
    static let shape = Option.value("shape", "NAME", "views, wide or tables; views, and wide for redshift, if left out")
}
