import DaybookBase
import DaybookTools

/// `daybook definitions generate swift`: the Swift types, for teams that keep generated code under version control.
public enum DefinitionsGenerateSwift {
    /// The file's name in the output folder.
    public static let fileName = "LogDefinitions.swift"

    /// Writes `FOLDER/LogDefinitions.swift`, or prints it if there is no folder.
    ///
    /// - Parameter isCheck: Writes nothing; exit code 1 says that the file is missing or differs.
    public static func run(_ source: DefinitionsSource, folder: String?, isCheck: Bool) -> CommandOutcome {
        // Rules required by generated code are errors here, whatever the project's levels.
        let needed = RuleSettings().forSwift.findings(in: source.definitions).filter {
            $0.rule?.isNeededForSwift == true
        }
        let diagnostics = (source.diagnostics.filter { $0.rule?.isNeededForSwift != true } + needed).ordered()
        let outcome = diagnostics.unlessErrors(printing: {
            SwiftGenerator(source.project?.project.swift ?? SwiftOptions()).generate(source.definitions)
        })
        guard let folder else { return outcome }
        return outcome.writing(into: folder, as: fileName, isCheck: isCheck)
    }
}

/// `daybook definitions generate swift-dictionary`: what the inspector in an app shows, for a target of its own.
public enum DefinitionsSwiftDictionary {
    /// The file's name in the output folder.
    public static let fileName = "LogDictionary.swift"

    /// The Swift file with a project's texts; with errors in the definitions, nothing and exit code 1.
    ///
    /// - Throws: ``DefinitionsFolder/ReadError`` if a file of the project cannot be read.
    public static func run(_ project: ProjectFolder) throws -> CommandOutcome {
        let definitions = try DefinitionsFolder.read(project.definitionFiles())
        let (_, diagnostics) = Definitions.load(definitions, rules: project.project.rules)
        return try diagnostics.unlessErrors(printing: {
            let checklists = try DefinitionsFolder.read(project.checklistFiles())
            let generator = SwiftDictionaryGenerator(
                project: try DefinitionsFolder.read([project.file]).map(project.relative)[0],
                definitions: definitions.map(project.relative), checklists: checklists.map(project.relative))
            return generator.generate()
        })
    }
}

extension ProjectFolder {
    /// Relative to the project's folder, so that no program contains its build machine's paths.
    fileprivate func relative(_ file: (path: String, bytes: [UInt8])) -> SwiftDictionaryGenerator.File {
        let prefix = path + "/"
        return (file.path.hasPrefix(prefix) ? String(file.path.dropFirst(prefix.count)) : file.path, file.bytes)
    }
}

/// `daybook definitions generate kotlin`.
public enum DefinitionsKotlin {
    /// The Kotlin file; with errors among the diagnostics, nothing and exit code 1.
    public static func run(
        _ definitions: Definitions, _ diagnostics: [Diagnostic], _ generator: KotlinGenerator
    ) -> CommandOutcome {
        diagnostics.unlessErrors(printing: { generator.generate(definitions) })
    }
}

/// `daybook definitions generate sql` and `daybook definitions migrate`.
public enum DefinitionsSQL {
    /// The script that creates tables and views, on standard output; what it leaves out is reported as warnings.
    ///
    /// - Parameters:
    ///   - dialect: A name of ``SQLDialect``.
    ///   - shape: A name of ``SQLShape``, or `nil` for the dialect's default.
    /// - Returns: Exit code 1 with errors in the definitions, 2 for an unknown or impossible dialect or shape.
    public static func generate(
        _ definitions: Definitions, _ diagnostics: [Diagnostic], dialect: String, shape: String?
    ) -> CommandOutcome {
        outcome(diagnostics) { try generator(dialect, shape).generate(definitions) }
    }

    /// The script that migrates a warehouse from `old` to `new`, which the diagnostics are about.
    ///
    /// - Returns: As ``generate(_:_:dialect:shape:)``.
    public static func migrate(
        from old: Definitions, to new: Definitions, _ diagnostics: [Diagnostic], dialect: String, shape: String?
    ) -> CommandOutcome {
        outcome(diagnostics) { try SQLMigration(generator(dialect, shape)).generate(from: old, to: new) }
    }

    private static func outcome(
        _ diagnostics: [Diagnostic], _ make: () throws -> (text: String, omissions: [String])
    ) -> CommandOutcome {
        diagnostics.unlessErrors {
            do {
                let (text, omissions) = try make()
                let warnings = omissions.map { "warning: \($0)\n" }.joined()
                return CommandOutcome(output: text, errors: diagnostics.lines + warnings, exitCode: 0)
            } catch {
                return CommandOutcome(errors: "error: \(error)\n", exitCode: 2)
            }
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
        let nearest = NearestName.of(word, among: known).map { "did you mean `\($0)`? " } ?? ""
        return SQLGenerator.Refusal(
            description: "unknown \(what) `\(word)` (\(nearest)it is one of \(known.joined(separator: ", ")))")
    }
}

/// `daybook definitions generate strdef`.
public enum DefinitionsStrdef {
    /// The strdef, or, compared with a file of that format, the columns that the file lacks.
    ///
    /// - Throws: ``DefinitionsFolder/ReadError`` if the file cannot be read.
    public static func run(
        _ definitions: Definitions, _ diagnostics: [Diagnostic], comparedTo path: String?
    ) throws -> CommandOutcome {
        guard let path else { return diagnostics.unlessErrors(printing: { StrdefGenerator.generate(definitions) }) }
        return try diagnostics.unlessErrors {
            let current = String(decoding: try DefinitionsFolder.read([path])[0].bytes, as: UTF8.self)
            let (text, notes) = StrdefGenerator.difference(of: definitions, from: current)
            return CommandOutcome(
                output: text, errors: diagnostics.lines + notes.map { "note: \($0)\n" }.joined(), exitCode: 0)
        }
    }
}

/// `daybook definitions generate json`.
public enum DefinitionsDictionary {
    /// The dictionary's JSON; with errors among the diagnostics, nothing and exit code 1.
    public static func run(_ definitions: Definitions, _ diagnostics: [Diagnostic]) -> CommandOutcome {
        diagnostics.unlessErrors(printing: { DictionaryGenerator.generate(definitions) })
    }
}
