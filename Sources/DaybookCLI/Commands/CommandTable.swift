extension Command {
    /// Every subcommand, in the order in which `daybook --help` lists them.
    static let all: [Command] = [
        .serve,
        .definitionsCheck,
        .definitionsDump,
        .definitionsGenerateSwift,
        .definitionsValidate,
        .coverage,
        .verify,
        .query,
        .tail,
        .importRecords,
        .export,
        .erase,
        .backup,
        .alertsCheck,
        .alertsRun,
        .keysAdd,
        .keysList,
        .keysRevoke,
        .journalCheck,
        .journalDump,
        .version,
    ]
}
