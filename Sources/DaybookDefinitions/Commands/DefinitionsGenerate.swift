import Foundation

/// What `daybook-definitions` does.
public enum DefinitionsGenerate {
    /// Reads, generates, and writes the output file in one step, so that no partial file can be seen.
    ///
    /// - Parameter arguments: The command line behind the program's name.
    public static func run(_ arguments: [String]) -> CommandOutcome {
        do {
            let arguments = try GenerateArguments(arguments)
            let project = try arguments.project.map { try ProjectFolder(file: $0) }
            let made =
                switch (arguments.product, project) {
                case (.swiftDictionary, let project?): try DefinitionsSwiftDictionary.run(project)
                default: try generate(arguments, project)
                }
            guard made.exitCode == 0 else { return made }
            let file = GeneratedFile(path: arguments.output, text: made.output)
            return arguments.isCheck ? file.check(warnings: made.errors) : file.write(warnings: made.errors)
        } catch let error as GenerateArguments.UsageError {
            return CommandOutcome(errors: "\(error)\n", exitCode: 2)
        } catch let error as ProjectFolder.InvalidError {
            return CommandOutcome(errors: "\(error)\n", exitCode: 2)
        } catch {
            return CommandOutcome(errors: "error: \(error)\n", exitCode: 2)
        }
    }

    /// What the inputs alone define; the rules run over all definitions of the project.
    private static func generate(_ arguments: GenerateArguments, _ folder: ProjectFolder?) throws -> CommandOutcome {
        let project = folder?.project ?? Project()
        let paths = try arguments.inputs.flatMap { try DefinitionsFolder.files(in: $0) }
        let all = try folder?.definitionFiles() ?? []
        let own = Set(canonical(paths))
        let others = zip(all, canonical(all)).filter { !own.contains($1) }.map(\.0)
        let (definitions, diagnostics) = Definitions.load(
            try DefinitionsFolder.read(paths + others),
            rules: arguments.product == .swift ? project.rules.forSwift : project.rules)
        guard !diagnostics.hasErrors else { return CommandOutcome(errors: diagnostics.lines, exitCode: 1) }
        let text: String
        if arguments.product == .swift {
            var options = project.swift
            if !arguments.imports.isEmpty { options.imports = arguments.imports }
            text = SwiftGenerator(options).generate(definitions, files: Set(paths))
        } else {
            text = DictionaryGenerator.generate(definitions.part(Set(paths)))
        }
        return CommandOutcome(output: text, errors: diagnostics.lines, exitCode: 0)
    }

    /// One spelling for each file: a build system gives absolute paths, a project file relative ones. Links are followed
    /// once for each folder, for asking the file system about thousands of files takes longer than reading them.
    private static func canonical(_ paths: [String]) -> [String] {
        var folders: [String: String] = [:]
        return paths.map { path in
            let folder = (path as NSString).deletingLastPathComponent
            let url = URL(fileURLWithPath: folder.isEmpty ? "." : folder)
            let known = folders[folder] ?? url.standardizedFileURL.resolvingSymlinksInPath().path
            folders[folder] = known
            return known + "/" + (path as NSString).lastPathComponent
        }
    }
}
