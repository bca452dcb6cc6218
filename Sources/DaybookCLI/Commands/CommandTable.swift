extension Command {
    /// Every subcommand, in the order in which `daybook --help` lists them.
    static let all: [Command] = [
        .serve,
        .definitionsCheck,
        .definitionsDump,
        .definitionsGenerateSQL,
        .verify,
        .query,
        .export,
        .journalCheck,
        .journalDump,
        .version,
    ]
}
