/// `daybook definitions generate swift-dictionary`: what the inspector in an app shows, for a target of its own.
public enum DefinitionsSwiftDictionary {
    /// The file's name in the output folder.
    public static let fileName = "LogDictionary.swift"

    /// The Swift file of a project's words; with errors in the definitions nothing, and exit code 1.
    ///
    /// - Throws: ``DefinitionsFolder/ReadError`` if a file of the project cannot be read.
    public static func run(_ project: ProjectFolder) throws -> CommandOutcome {
        let definitions = try DefinitionsFolder.read(project.definitionFiles())
        let (_, diagnostics) = Definitions.load(definitions, rules: project.project.rules)
        guard !diagnostics.hasErrors else { return CommandOutcome(errors: diagnostics.lines, exitCode: 1) }
        let checklists = try DefinitionsFolder.read(project.checklistFiles())
        let generator = SwiftDictionaryGenerator(
            project: try DefinitionsFolder.read([project.file]).map(project.relative)[0],
            definitions: definitions.map(project.relative), checklists: checklists.map(project.relative))
        return CommandOutcome(output: generator.generate(), errors: diagnostics.lines, exitCode: 0)
    }
}

extension ProjectFolder {
    /// A file by its path from the project's folder, so that no program carries the paths of the machine it was built on.
    fileprivate func relative(_ file: (path: String, bytes: [UInt8])) -> SwiftDictionaryGenerator.File {
        let prefix = path + "/"
        return (file.path.hasPrefix(prefix) ? String(file.path.dropFirst(prefix.count)) : file.path, file.bytes)
    }
}
