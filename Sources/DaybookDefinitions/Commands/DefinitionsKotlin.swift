/// `daybook definitions generate kotlin`.
public enum DefinitionsKotlin {
    /// The Kotlin file; with errors among the diagnostics nothing, and exit code 1.
    public static func run(
        _ definitions: Definitions, _ diagnostics: [Diagnostic], _ generator: KotlinGenerator
    ) -> CommandOutcome {
        guard !diagnostics.hasErrors else { return CommandOutcome(errors: diagnostics.lines, exitCode: 1) }
        return CommandOutcome(output: generator.generate(definitions), errors: diagnostics.lines, exitCode: 0)
    }
}
