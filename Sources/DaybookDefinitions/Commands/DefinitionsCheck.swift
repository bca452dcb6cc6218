import DaybookBase

/// `daybook definitions check`: checks whether definitions are valid.
public enum DefinitionsCheck {
    /// The outcome for the loaded definitions.
    ///
    /// - Parameter json: Print one JSON object with `ok`, counts and `diagnostics` to standard output, instead of
    ///   compiler lines to standard error and a summary.
    /// - Returns: Exit code 0 without errors (warnings allowed), 1 with errors.
    public static func run(_ definitions: Definitions, _ diagnostics: [Diagnostic], json: Bool) -> CommandOutcome {
        let exitCode: Int32 = diagnostics.hasErrors ? 1 : 0
        guard !json else {
            return CommandOutcome(
                output: JSONWriter.indentedText(report(definitions, diagnostics)).printableJSON, exitCode: exitCode)
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

    private static func report(_ definitions: Definitions, _ diagnostics: [Diagnostic]) -> Value {
        [
            "ok": .bool(!diagnostics.hasErrors),
            "hash": .string(DictionaryGenerator.hash(of: definitions)),
            "categories": Value(definitions.categories.count),
            "events": Value(definitions.categories.reduce(0) { $0 + $1.events.count }),
            "common_columns": Value(definitions.common.count),
            "diagnostics": .array(
                diagnostics.map {
                    [
                        "severity": .string($0.severity.rawValue), "file": .string($0.location.file),
                        "line": Value($0.location.line), "column": Value($0.location.column),
                        "message": .string($0.message), "hint": Value($0.hint), "rule": Value($0.rule?.rawValue),
                    ]
                }),
        ]
    }
}

/// `daybook definitions dump`: the definitions as JSON, in the shape that daifuku's tool prints.
public enum DefinitionsDump {
    /// The outcome for the loaded definitions: the JSON on standard output and exit code 0, or, with errors among the
    /// diagnostics, nothing on standard output and exit code 1.
    public static func run(_ definitions: Definitions, _ diagnostics: [Diagnostic]) -> CommandOutcome {
        diagnostics.unlessErrors(printing: { DumpGenerator.generate(definitions) })
    }
}

/// `daybook definitions diff`.
public enum DefinitionsDiffCommand {
    /// Compares two versions.
    ///
    /// - Parameters:
    ///   - format: A name of ``DiffReport/Format``.
    ///   - failing: Names of ``DefinitionsChange/Audience``, separated by commas, or `any`, or `none`.
    /// - Returns: Exit code 1 if a change breaks one of these audiences, or, with `any`, if anything changed; 2 for
    ///   errors in the definitions or unknown names.
    public static func run(
        from old: DefinitionsVersion, to new: DefinitionsVersion, format: String, failing: String
    ) -> CommandOutcome {
        let diagnostics = old.diagnostics + new.diagnostics
        return diagnostics.unlessErrors(exitCode: 2) {
            compare(old, new, diagnostics, format: format, failing: failing)
        }
    }

    private static func compare(
        _ old: DefinitionsVersion, _ new: DefinitionsVersion, _ diagnostics: [Diagnostic], format: String,
        failing: String
    ) -> CommandOutcome {
        guard let form = DiffReport.Format(rawValue: format) else {
            let known = DiffReport.Format.allCases.map(\.rawValue).joined(separator: ", ")
            return CommandOutcome(errors: "error: unknown format `\(format)` (one of \(known))\n", exitCode: 2)
        }
        let diff = DefinitionsDiff(from: old.definitions, to: new.definitions)
        var isBroken = false
        for word in failing.split(separator: ",") {
            switch (word, DefinitionsChange.Audience(rawValue: String(word))) {
            case ("none", _): break
            case ("any", _): isBroken = isBroken || !diff.changes.isEmpty
            case (_, let audience?): isBroken = isBroken || diff.count(breaking: audience) > 0
            case (_, nil):
                let known = (DefinitionsChange.Audience.allCases.map(\.rawValue) + ["any", "none"])
                return CommandOutcome(
                    errors: "error: unknown audience `\(word)` (one of \(known.joined(separator: ", ")))\n", exitCode: 2
                )
            }
        }
        let report = DiffReport(
            diff: diff, old: (old.label, DictionaryGenerator.hash(of: old.definitions)),
            new: (new.label, DictionaryGenerator.hash(of: new.definitions)))
        return CommandOutcome(
            output: report.written(as: form), errors: diagnostics.lines, exitCode: isBroken ? 1 : 0)
    }
}
