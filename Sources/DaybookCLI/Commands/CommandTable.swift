extension Command {
    /// Every subcommand, in the order in which `daybook --help` lists them.
    static let all: [Command] = [
        .serve,
        .definitionsCheck,
        .definitionsDump,
        .verify,
        .fixturesImport,
        .compare,
        .query,
        .export,
        .journalCheck,
        .journalDump,
        .version,
    ]
}
