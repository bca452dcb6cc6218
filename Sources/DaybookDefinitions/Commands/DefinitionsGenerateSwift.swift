/// `daybook definitions generate swift`: the Swift types, for teams that check generated code in.
public enum DefinitionsGenerateSwift {
    /// The file's name in the output folder.
    public static let fileName = "LogDefinitions.swift"

    /// Writes `FOLDER/LogDefinitions.swift`, or prints it without a folder.
    ///
    /// - Parameter isCheck: Write nothing; say with exit code 1 that the file is missing or differs.
    public static func run(_ source: DefinitionsSource, folder: String?, isCheck: Bool) -> CommandOutcome {
        // The rules that code needs are errors here, however the project has set them.
        let needed = RuleSettings().forSwift.findings(in: source.definitions).filter {
            $0.rule?.isNeededForSwift == true
        }
        let diagnostics = (source.diagnostics.filter { $0.rule?.isNeededForSwift != true } + needed).ordered()
        guard !diagnostics.hasErrors else { return CommandOutcome(errors: diagnostics.lines, exitCode: 1) }
        let text = SwiftGenerator(source.project?.project.swift ?? SwiftOptions()).generate(source.definitions)
        guard let folder else { return CommandOutcome(output: text, errors: diagnostics.lines, exitCode: 0) }
        let file = GeneratedFile(path: "\(folder)/\(fileName)", text: text)
        return isCheck ? file.check(warnings: diagnostics.lines) : file.write(warnings: diagnostics.lines)
    }
}
