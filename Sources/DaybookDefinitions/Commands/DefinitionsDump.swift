/// `daybook definitions dump`: the definitions as JSON, in the shape that daifuku's tool prints.
public enum DefinitionsDump {
    /// The outcome for what was loaded: the JSON on standard output and exit code 0, or, with errors among the
    /// diagnostics, nothing on standard output and exit code 1.
    public static func run(_ definitions: Definitions, _ diagnostics: [Diagnostic]) -> CommandOutcome {
        guard !diagnostics.hasErrors else { return CommandOutcome(errors: diagnostics.lines, exitCode: 1) }
        return CommandOutcome(
            output: DumpGenerator.generate(definitions), errors: diagnostics.lines, exitCode: 0)
    }
}
