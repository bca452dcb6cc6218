import Foundation

/// What `daybook-definitions` does.
public enum DefinitionsGenerate {
    /// Generates from `files`: the text to write, or `nil` if there are errors.
    public static func text(
        for arguments: GenerateArguments, _ files: [(path: String, bytes: [UInt8])]
    ) -> (text: String?, diagnostics: [Diagnostic]) {
        let (definitions, diagnostics) = Definitions.load(files)
        guard !diagnostics.hasErrors else { return (nil, diagnostics) }
        let text =
            switch arguments.product {
            case .swift: SwiftGenerator(imports: arguments.imports).generate(definitions)
            case .dictionary: DictionaryGenerator.generate(definitions)
            }
        return (text, diagnostics)
    }

    /// Reads, generates, and writes the output file in one step, so that no partial file can be seen.
    ///
    /// - Parameter arguments: The command line behind the program's name.
    public static func run(_ arguments: [String]) -> CommandOutcome {
        do {
            let arguments = try GenerateArguments(arguments)
            let paths = try arguments.inputs.flatMap { try DefinitionsFolder.files(in: $0) }
            let (text, diagnostics) = text(for: arguments, try DefinitionsFolder.read(paths))
            guard let text else { return CommandOutcome(errors: diagnostics.lines, exitCode: 1) }
            try Data(text.utf8).write(to: URL(fileURLWithPath: arguments.output), options: .atomic)
            return CommandOutcome(errors: diagnostics.lines, exitCode: 0)
        } catch let error as GenerateArguments.UsageError {
            return CommandOutcome(errors: "\(error)\n", exitCode: 2)
        } catch let error as DefinitionsFolder.ReadError {
            return CommandOutcome(errors: "error: \(error)\n", exitCode: 2)
        } catch {
            return CommandOutcome(
                errors: "error: the output cannot be written: \(error.localizedDescription)\n", exitCode: 2)
        }
    }
}
