/// `daybook definitions diff`.
public enum DefinitionsDiffCommand {
    /// Compares two versions.
    ///
    /// - Parameters:
    ///   - format: A name of ``DiffReport/Format``.
    ///   - failing: Names of ``DefinitionsChange/Audience`` separated by commas, or `any`, or `none`.
    /// - Returns: Exit code 1 if a change breaks one of those, or, with `any`, if anything changed; 2 for errors in the
    ///   definitions or for unknown names.
    public static func run(
        from old: DefinitionsVersion, to new: DefinitionsVersion, format: String, failing: String
    ) -> CommandOutcome {
        let diagnostics = old.diagnostics + new.diagnostics
        guard !diagnostics.hasErrors else { return CommandOutcome(errors: diagnostics.lines, exitCode: 2) }
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
