/// `daybook definitions generate sql` and `daybook definitions migrate`.
public enum DefinitionsSQL {
    /// The script that makes tables and views: on standard output; what it leaves out is told as warnings.
    ///
    /// - Parameters:
    ///   - dialect: A name of ``SQLDialect``.
    ///   - shape: A name of ``SQLShape``, or `nil` for the dialect's usual one.
    /// - Returns: Exit code 1 with errors in the definitions, 2 for a dialect or a shape that cannot be.
    public static func generate(
        _ definitions: Definitions, _ diagnostics: [Diagnostic], dialect: String, shape: String?
    ) -> CommandOutcome {
        guard !diagnostics.hasErrors else { return CommandOutcome(errors: diagnostics.lines, exitCode: 1) }
        return outcome(diagnostics) { try generator(dialect, shape).generate(definitions) }
    }

    /// The script that takes a warehouse from `old` to `new`, which the diagnostics are about.
    ///
    /// - Returns: As ``generate(_:_:dialect:shape:)``.
    public static func migrate(
        from old: Definitions, to new: Definitions, _ diagnostics: [Diagnostic], dialect: String, shape: String?
    ) -> CommandOutcome {
        guard !diagnostics.hasErrors else { return CommandOutcome(errors: diagnostics.lines, exitCode: 1) }
        return outcome(diagnostics) { try SQLMigration(generator(dialect, shape)).generate(from: old, to: new) }
    }

    private static func outcome(
        _ diagnostics: [Diagnostic], _ make: () throws -> (text: String, omissions: [String])
    ) -> CommandOutcome {
        do {
            let (text, omissions) = try make()
            let warnings = omissions.map { "warning: \($0)\n" }.joined()
            return CommandOutcome(output: text, errors: diagnostics.lines + warnings, exitCode: 0)
        } catch {
            return CommandOutcome(errors: "error: \(error)\n", exitCode: 2)
        }
    }

    private static func generator(_ dialect: String, _ shape: String?) throws(SQLGenerator.Refusal) -> SQLGenerator {
        guard let known = SQLDialect(rawValue: dialect) else {
            throw unknown("dialect", dialect, SQLDialect.allCases.map(\.rawValue))
        }
        guard let shape else { return try SQLGenerator(dialect: known) }
        guard let form = SQLShape(rawValue: shape) else {
            throw unknown("shape", shape, SQLShape.allCases.map(\.rawValue))
        }
        return try SQLGenerator(dialect: known, shape: form)
    }

    private static func unknown(_ what: String, _ word: String, _ known: [String]) -> SQLGenerator.Refusal {
        let nearest = Suggestion.nearest(to: word, in: known).map { "did you mean `\($0)`? " } ?? ""
        return SQLGenerator.Refusal(
            description: "unknown \(what) `\(word)` (\(nearest)it is one of \(known.joined(separator: ", ")))")
    }
}
