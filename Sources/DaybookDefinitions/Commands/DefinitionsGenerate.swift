import Foundation

/// The program `daybook-definitions`.
public enum DefinitionsGenerate {
    /// Reads, generates, and writes the output file atomically.
    ///
    /// - Parameter arguments: The command line after the program's name.
    public static func run(_ arguments: [String]) -> CommandOutcome {
        do {
            let arguments = try GenerateArguments(arguments)
            let project = try arguments.project.map { try ProjectFolder(file: $0) }
            let made =
                switch (arguments.product, project) {
                case (.swiftDictionary, let project?): try DefinitionsSwiftDictionary.run(project)
                default: try generate(arguments, project)
                }
            return made.writing(to: arguments.output, isCheck: arguments.isCheck)
        } catch let error as GenerateArguments.UsageError {
            return CommandOutcome(errors: "\(error)\n", exitCode: 2)
        } catch let error as ProjectFolder.InvalidError {
            return CommandOutcome(errors: "\(error)\n", exitCode: 2)
        } catch {
            return CommandOutcome(errors: "error: \(error)\n", exitCode: 2)
        }
    }

    /// Generates only what the inputs define; the rules check all definitions of the project.
    private static func generate(_ arguments: GenerateArguments, _ folder: ProjectFolder?) throws -> CommandOutcome {
        let project = folder?.project ?? Project()
        let paths = try arguments.inputs.flatMap { try DefinitionsFolder.files(in: $0) }
        let all = try folder?.definitionFiles() ?? []
        let own = Set(canonical(paths))
        let others = zip(all, canonical(all)).filter { !own.contains($1) }.map(\.0)
        let (definitions, diagnostics) = Definitions.load(
            try DefinitionsFolder.read(paths + others),
            rules: arguments.product == .swift ? project.rules.forSwift : project.rules)
        return diagnostics.unlessErrors(printing: {
            guard arguments.product == .swift else { return DictionaryGenerator.generate(definitions.part(Set(paths))) }
            var options = project.swift
            if !arguments.imports.isEmpty { options.imports = arguments.imports }
            return SwiftGenerator(options).generate(
                definitions, files: Set(paths), locatesTypes: arguments.locatesTypes)
        })
    }

    /// Normalizes paths: build systems pass absolute ones, project files relative ones. Resolves links once per folder,
    /// because per file it takes longer than reading thousands of files.
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

/// The command line of `daybook-definitions`, which the build plugin runs.
public struct GenerateArguments: Sendable, Hashable {
    /// What to write.
    public enum Product: String, Sendable {
        /// The Swift types.
        case swift = "generate-swift"
        /// The dictionary's JSON.
        case dictionary = "generate-dictionary"
        /// The project's texts as Swift, for a target that only builds with the inspector link.
        case swiftDictionary = "generate-swift-dictionary"
    }

    /// Incorrect usage: what is wrong, then the usage.
    public struct UsageError: Error, Sendable, CustomStringConvertible {
        public let description: String
    }

    public var product: Product
    public var output: String
    public var imports: [String] = []
    /// The project file, which sets the options and rules.
    public var project: String?
    /// Whether to only compare the output with what would be written.
    public var isCheck = false
    /// Whether the compiler reports missing app types at their place in the Markdown: for generated code outside
    /// version control.
    public var locatesTypes = false
    /// The Markdown files or folders.
    public var inputs: [String] = []

    public static let usage = """
        usage: daybook-definitions generate-swift --output FILE [--project FILE] [--import MODULE]… [--locate-types]
                   [--check] INPUT…
               daybook-definitions generate-dictionary --output FILE [--project FILE] [--check] INPUT…
               daybook-definitions generate-swift-dictionary --output FILE --project FILE [--check]

        INPUT is a Markdown file or a folder of them. With a project file (daybook.json) its options apply, and its
        rules run over all definitions that it names. --locate-types lets the compiler report a type that the app
        lacks at its place in the Markdown, as the build plugin does. --check writes nothing and compares. Diagnostics
        go to standard error; with an error nothing is written. Exit code: 0 written, 1 errors in the definitions or
        an output that differs, 2 bad usage or a file that cannot be read.
        """

    /// Parses the arguments after the program's name.
    ///
    /// - Throws: ``UsageError``.
    public init(_ arguments: [String]) throws {
        guard let command = arguments.first, let product = Product(rawValue: command) else {
            throw GenerateArguments.error(
                "the first argument is generate-swift, generate-dictionary or generate-swift-dictionary")
        }
        self.product = product
        var output: String?
        var rest = arguments.dropFirst()
        while let argument = rest.popFirst() {
            switch argument {
            case "--output": output = try GenerateArguments.value(of: argument, from: &rest)
            case "--project": project = try GenerateArguments.value(of: argument, from: &rest)
            case "--check": isCheck = true
            case "--locate-types" where product == .swift: locatesTypes = true
            case "--import" where product == .swift:
                imports.append(try GenerateArguments.value(of: argument, from: &rest))
            case _ where argument.hasPrefix("--"): throw GenerateArguments.error("unknown option \(argument)")
            default: inputs.append(argument)
            }
        }
        guard let output else { throw GenerateArguments.error("--output FILE is missing") }
        if product == .swiftDictionary {
            guard project != nil else { throw GenerateArguments.error("--project FILE is missing") }
            guard inputs.isEmpty else { throw GenerateArguments.error("the project file names the inputs") }
        } else {
            guard !inputs.isEmpty else { throw GenerateArguments.error("no input is given") }
        }
        self.output = output
    }

    private static func value(of option: String, from rest: inout ArraySlice<String>) throws -> String {
        guard let value = rest.popFirst(), !value.hasPrefix("--") else { throw error("\(option) needs a value") }
        return value
    }

    private static func error(_ message: String) -> UsageError {
        UsageError(description: "error: \(message)\n\(usage)")
    }
}
