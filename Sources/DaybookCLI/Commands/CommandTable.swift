extension Command {
    /// Every subcommand, in the order in which `daybook --help` lists them.
    static let all: [Command] = [
        .serve,
        .inspect,
        .definitionsCheck,
        .definitionsDump,
        .definitionsGenerateSwift,
        .verify,
        .fixturesImport,
        .compare,
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
