extension Command {
    /// Every subcommand, in the order in which `daybook --help` lists them.
    static let all: [Command] = [
        .serve,
        .definitionsCheck,
        .definitionsDump,
        .definitionsDiff,
        .definitionsGenerateJSON,
        .definitionsGenerateSQL,
        .definitionsGenerateStrdef,
        .definitionsMigrate,
        .verify,
        .query,
        .export,
        .journalCheck,
        .journalDump,
        .version,
    ]
}
