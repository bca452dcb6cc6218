/// `daybook definitions generate strdef`.
public enum DefinitionsStrdef {
    /// The strdef, or, compared to a file of that format, the columns that it lacks.
    ///
    /// - Throws: ``DefinitionsFolder/ReadError`` if the file cannot be read.
    public static func run(
        _ definitions: Definitions, _ diagnostics: [Diagnostic], comparedTo path: String?
    ) throws -> CommandOutcome {
        guard !diagnostics.hasErrors else { return CommandOutcome(errors: diagnostics.lines, exitCode: 1) }
        guard let path else {
            return CommandOutcome(
                output: StrdefGenerator.generate(definitions), errors: diagnostics.lines, exitCode: 0)
        }
        let current = String(decoding: try DefinitionsFolder.read([path])[0].bytes, as: UTF8.self)
        let (text, notes) = StrdefGenerator.difference(of: definitions, from: current)
        return CommandOutcome(
            output: text, errors: diagnostics.lines + notes.map { "note: \($0)\n" }.joined(), exitCode: 0)
    }
}

/// `daybook definitions generate json`.
public enum DefinitionsDictionary {
    /// The dictionary's JSON; with errors among the diagnostics nothing, and exit code 1.
    public static func run(_ definitions: Definitions, _ diagnostics: [Diagnostic]) -> CommandOutcome {
        guard !diagnostics.hasErrors else { return CommandOutcome(errors: diagnostics.lines, exitCode: 1) }
        return CommandOutcome(
            output: DictionaryGenerator.generate(definitions), errors: diagnostics.lines, exitCode: 0)
    }
}
