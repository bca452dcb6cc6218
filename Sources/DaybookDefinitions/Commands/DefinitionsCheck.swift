/// `daybook definitions check`: are these definitions sound?
public enum DefinitionsCheck {
    /// The outcome for what was loaded.
    ///
    /// - Parameter json: Print one JSON object with `ok`, counts and `diagnostics` on standard output, instead of
    ///   compiler lines on standard error and a summary.
    /// - Returns: Exit code 0 without errors (warnings allowed), 1 with errors.
    public static func run(_ definitions: Definitions, _ diagnostics: [Diagnostic], json: Bool) -> CommandOutcome {
        let exitCode: Int32 = diagnostics.hasErrors ? 1 : 0
        guard !json else {
            return CommandOutcome(output: report(definitions, diagnostics).text, exitCode: exitCode)
        }
        return CommandOutcome(
            output: diagnostics.hasErrors ? "" : summary(definitions, diagnostics) + "\n",
            errors: diagnostics.lines + (diagnostics.hasErrors ? summary(definitions, diagnostics) + "\n" : ""),
            exitCode: exitCode)
    }

    private static func summary(_ definitions: Definitions, _ diagnostics: [Diagnostic]) -> String {
        let errors = diagnostics.count { $0.severity == .error }
        let events = definitions.categories.reduce(0) { $0 + $1.events.count }
        let parts = [
            counted(definitions.categories.count, "category", "categories"), counted(events, "event", "events"),
            counted(definitions.common.count, "common column", "common columns"),
            counted(errors, "error", "errors"), counted(diagnostics.count - errors, "warning", "warnings"),
        ]
        return parts.joined(separator: ", ")
    }

    private static func counted(_ count: Int, _ one: String, _ many: String) -> String {
        "\(count) \(count == 1 ? one : many)"
    }

    private static func report(_ definitions: Definitions, _ diagnostics: [Diagnostic]) -> JSONText {
        .object([
            ("ok", .bool(!diagnostics.hasErrors)),
            ("hash", .string(DictionaryGenerator.hash(of: definitions))),
            ("categories", .number(definitions.categories.count)),
            ("events", .number(definitions.categories.reduce(0) { $0 + $1.events.count })),
            ("common_columns", .number(definitions.common.count)),
            (
                "diagnostics",
                .array(
                    diagnostics.map {
                        .object([
                            ("severity", .string($0.severity.rawValue)), ("file", .string($0.location.file)),
                            ("line", .number($0.location.line)), ("column", .number($0.location.column)),
                            ("message", .string($0.message)), ("hint", $0.hint.map(JSONText.string) ?? .null),
                            ("rule", ($0.rule?.rawValue).map(JSONText.string) ?? .null),
                        ])
                    })
            ),
        ])
    }
}
