import Foundation

/// What `daybook-definitions` does.
public enum DefinitionsGenerate {
    /// Generates from `files`: the text to write, or `nil` if there are errors.
    ///
    /// - Parameters:
    ///   - others: Files of other modules of the project: the rules run over all, the output has `files` alone.
    ///   - project: The project's options; those on the command line go before them.
    public static func text(
        for arguments: GenerateArguments, _ files: [(path: String, bytes: [UInt8])],
        others: [(path: String, bytes: [UInt8])] = [], project: Project = Project()
    ) -> (text: String?, diagnostics: [Diagnostic]) {
        let rules = arguments.product == .swift ? project.rules.forSwift : project.rules
        let (definitions, diagnostics) = Definitions.load(files + others, rules: rules)
        guard !diagnostics.hasErrors else { return (nil, diagnostics) }
        let own = Set(files.map(\.path))
        switch arguments.product {
        case .swift:
            var options = project.swift
            if !arguments.imports.isEmpty { options.imports = arguments.imports }
            return (SwiftGenerator(options).generate(definitions, files: own), diagnostics)
        case .dictionary:
            return (DictionaryGenerator.generate(definitions.part(own)), diagnostics)
        }
    }

    /// Reads, generates, and writes the output file in one step, so that no partial file can be seen.
    ///
    /// - Parameter arguments: The command line behind the program's name.
    public static func run(_ arguments: [String]) -> CommandOutcome {
        do {
            let arguments = try GenerateArguments(arguments)
            let paths = try arguments.inputs.flatMap { try DefinitionsFolder.files(in: $0) }
            let project = try arguments.project.map { try ProjectFolder(file: $0) }
            let own = Set(paths.map(canonical))
            let others = try project?.definitionFiles().filter { !own.contains(canonical($0)) } ?? []
            let (text, diagnostics) = text(
                for: arguments, try DefinitionsFolder.read(paths), others: try DefinitionsFolder.read(others),
                project: project?.project ?? Project())
            guard let text else { return CommandOutcome(errors: diagnostics.lines, exitCode: 1) }
            let file = GeneratedFile(path: arguments.output, text: text)
            return arguments.isCheck ? file.check(warnings: diagnostics.lines) : file.write(warnings: diagnostics.lines)
        } catch let error as GenerateArguments.UsageError {
            return CommandOutcome(errors: "\(error)\n", exitCode: 2)
        } catch let error as ProjectFolder.InvalidError {
            return CommandOutcome(errors: "\(error)\n", exitCode: 2)
        } catch {
            return CommandOutcome(errors: "error: \(error)\n", exitCode: 2)
        }
    }

    /// One spelling for each file: a build system gives absolute paths, a project file relative ones.
    private static func canonical(_ path: String) -> String {
        URL(fileURLWithPath: path).standardizedFileURL.resolvingSymlinksInPath().path
    }
}
