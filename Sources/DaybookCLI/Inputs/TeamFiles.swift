import DaybookBase
import DaybookChecklist
import DaybookCollector
import DaybookDefinitions
import DaybookInspector
import DaybookStore
import DaybookTools
import Foundation

/// What a team has written down, and the inspector shows beside the records: from the command line's folders, or else from
/// the project of the current folder.
struct TeamFiles: Sendable {
    let definitions: Definitions
    let checklists: [Checklist]
    /// Their folder.
    let checklistFolder: String?
    let links: InspectorLinks
    let coverage: CoverageFile?
    /// The folder of the project's alerts.
    let alertFolder: String?
    /// `nil` where there is neither a project nor a folder on the command line.
    let boards: BoardFolder?
    /// What the inspector shows first.
    let start: Project.StartScreen
    /// A line for each file that is not read because of its ending, though somebody may have meant it.
    let leftOut: [String]

    /// Reads `--definitions`, `--checklists`, `--boards` and `--coverage`.
    /// - Throws: The located errors of definitions, project file, a checklist or the report.
    init(_ arguments: Arguments) throws {
        let source = try Self.source(arguments)
        let project = source?.project
        definitions = source?.definitions ?? Definitions()
        checklistFolder = arguments["checklists"] ?? project?.checklistFolder
        checklists =
            try SettingError.readingFile("checklists", arguments, ChecklistFolder.load)
            ?? project?.checklistFolder.map(ChecklistFolder.load) ?? []
        links = project.map { InspectorLinks($0.project.links) } ?? InspectorLinks()
        coverage = try SettingError.readingFile("coverage", arguments) { try CoverageFile(path: $0) }
        alertFolder = project?.alertFolder
        _ = try SettingError.readingFile("boards", arguments) { try MarkdownFolder.files(in: $0) }
        boards = (arguments["boards"] ?? project?.boardFolder).map(BoardFolder.init)
        start = project?.project.start ?? .history
        let files = definitions.categories.map(\.location.file)
        let folders = Set(files.map { ($0 as NSString).deletingLastPathComponent }).sorted()
        let others = [checklistFolder, arguments["alerts"] ?? alertFolder, boards?.path].compactMap(\.self)
        leftOut =
            (folders + others).flatMap { MarkdownFolder.leftOut(in: $0) }
            + (checklistFolder.map(ChecklistFolder.readmes) ?? [])
    }

    /// The folders that a project file names, by the settings that could name others.
    static func folders(_ arguments: Arguments) throws -> [(name: String, path: String, file: String)] {
        guard let source = try source(arguments) else { return [] }
        guard let project = source.project else {
            // Found without a project file, and not named on the command line.
            return arguments["definitions"] == nil ? DefinitionsSource.folders().map { ("definitions", $0, $0) } : []
        }
        let found: [(String, String?)] = [
            ("definitions", project.file), ("checklists", project.checklistFolder), ("alerts", project.alertFolder),
            ("boards", project.boardFolder),
        ]
        return found.compactMap { name, path in path.map { (name, $0, project.file) } }
    }

    /// The definitions that are asked for, or else those of the current folder.
    private static func source(_ arguments: Arguments) throws -> DefinitionsSource? {
        try SettingError.readingFile("definitions", arguments) { try source($0) } ?? source(nil)
    }

    /// The definitions of a folder, or of the project of the current folder, or those that the current folder has without
    /// a project file; `nil` where there are none.
    static func source(_ path: String?) throws -> DefinitionsSource? {
        let current = FileManager.default.currentDirectoryPath
        guard
            path != nil || ProjectFolder.file(above: current) != nil || !DefinitionsSource.folders(in: current).isEmpty
        else { return nil }
        let source = try DefinitionsSource(path)
        _ = try source.soundDefinitions()
        return source
    }
}

extension StatementTables {
    /// What statements for a store may name, by the definitions that the command line names or, as far as there are any
    /// without errors, those of the current folder.
    /// - Parameter store: `nil` where it is not known.
    /// - Throws: the located errors of definitions that the command line names.
    init(_ arguments: Arguments, of store: String?) throws {
        let named = try SettingError.readingFile("definitions", arguments) { try TeamFiles.source($0) }
        let definitions = (named ?? (try? TeamFiles.source(nil)))?.definitions
        let dialect = store.flatMap { SQLDialect(rawValue: StoreAddress.dialect(of: $0).rawValue) }
        self.init(dialect: dialect, definitions: definitions ?? Definitions())
    }
}

/// What a command warns of in statements.
struct StatementJudge {
    let tables: StatementTables
    /// What they do not see.
    let masking: MaskingPolicy?

    /// - Parameter store: that they are for; `nil` where it is not known, or a collector's.
    /// - Throws: what is wrong with definitions that are named, or with the store.
    init(_ arguments: Arguments, of store: String?) async throws {
        tables = try StatementTables(arguments, of: store)
        masking = try await Masking.ofStatements(arguments, for: store)
    }
}

/// A folder of Markdown.
enum MarkdownFolder {
    /// What is said of a folder in which nothing is to be read.
    static let hasNone = "has no file that ends in .md"

    /// Every Markdown file of a folder, by name.
    /// - Throws: ``InputError`` where the folder cannot be read.
    static func files(in folder: String) throws(InputError) -> [String] {
        do {
            return try FileManager.default.contentsOfDirectory(atPath: folder).filter(MarkdownFile.isMarkdown).sorted()
                .map { folder + "/" + $0 }
        } catch {
            throw InputError(file: folder, message: "cannot be read: \(error.fileReason)")
        }
    }

    /// A line for each file of a folder that is not read because of its ending, though somebody may have meant it.
    /// - Parameter isDeep: whether folders in the folder are read too. Default: they are not.
    static func leftOut(in folder: String, isDeep: Bool = false) -> [String] {
        let files = FileManager.default
        let names = try? isDeep ? files.subpathsOfDirectory(atPath: folder) : files.contentsOfDirectory(atPath: folder)
        return (names ?? []).sorted().compactMap { name in
            MarkdownFile.reasonLeftOut(name).map { "\(folder)/\(name): warning: \($0)".printable + "\n" }
        }
    }
}

/// The checklists of a folder.
enum ChecklistFolder {
    /// Every Markdown file of a folder, by name.
    /// - Throws: The located errors of a checklist, or that the folder cannot be read.
    static func load(_ folder: String) throws -> [Checklist] {
        try MarkdownFolder.files(in: folder).filter { !isReadme($0) }
            .map { try Checklist(markdown: TextFile.read($0), file: $0) }
    }

    /// Whether a file of a folder is no checklist, but words about the others: a `README.md` without a box.
    static func isReadme(_ file: String) -> Bool {
        guard MarkdownFile.isReadme(file), let text = try? TextFile.read(file) else { return false }
        return !["[ ]", "[x]", "[X]"].contains(where: text.contains)
    }

    /// A line for each such file, which is not read.
    static func readmes(in folder: String) -> [String] {
        ((try? MarkdownFolder.files(in: folder)) ?? []).filter(isReadme).map(readme)
    }

    /// The line for one.
    static func readme(_ file: String) -> String {
        "\(file): warning: this file is not read, because it has no item".printable + "\n"
    }
}

/// The alerts of a folder.
enum AlertFolder {
    /// Every Markdown file of a folder, by name, with every problem.
    /// - Parameter secrets: for `${NAME}`; `nil` leaves the names alone, for a machine that does not have them.
    /// - Throws: ``InputError`` where a file cannot be read.
    static func read(
        _ folder: String, secrets: AlertSecrets?
    ) throws(InputError) -> (rules: [AlertRule], problems: [AlertProblem]) {
        var rules: [AlertRule] = []
        var problems: [AlertProblem] = []
        for path in try MarkdownFolder.files(in: folder) {
            let result = AlertParser.parse(try TextFile.read(path), file: path) { checklist in
                // As a link in Markdown is: from the folder of the file that has it.
                let folder = path.lastIndex(of: "/").map { path[...$0] } ?? ""
                let whole = checklist.hasPrefix("/") ? checklist : folder + checklist
                return (whole, try TextFile.read(whole))
            }
            problems += result.problems
            for rule in result.rules {
                if let first = rules.first(where: { $0.name == rule.name }) {
                    problems.append(
                        problem(of: rule, "the name `\(rule.name)` is taken by \(first.file):\(first.line)"))
                }
                for target in rule.targets {
                    guard let secrets, let failure = AlertTarget.problem(of: target, secrets: secrets)
                    else { continue }
                    problems.append(problem(of: rule, "\(failure)"))
                }
                rules.append(rule)
            }
        }
        return (rules, problems)
    }

    /// - Throws: ``InputError`` where a folder has no alert, so that nothing would be checked.
    static func check(_ rules: [AlertRule], in folder: String) throws(InputError) {
        guard rules.isEmpty else { return }
        let files = try MarkdownFolder.files(in: folder)
        throw InputError(
            file: folder,
            message: files.isEmpty ? MarkdownFolder.hasNone : "has no alert; one begins with its name, `# …`")
    }

    private static func problem(of rule: AlertRule, _ message: String) -> AlertProblem {
        AlertProblem(file: rule.file, line: rule.line, column: 1, message: message)
    }

    /// The alerts of a folder that a collector can run; a target that cannot be told is no mistake here.
    /// - Throws: ``InputError`` where a file cannot be read, or ``Problems``.
    static func load(_ folder: String) throws -> [AlertRule] {
        let (rules, problems) = try read(folder, secrets: nil)
        guard problems.isEmpty else { throw Problems(all: problems) }
        return rules
    }

    /// What is wrong in the files of a folder.
    struct Problems: Error, CustomStringConvertible {
        var all: [AlertProblem]

        /// Behind the `error: ` of a command; each problem is a line.
        var description: String { texts.joined(separator: "\nerror: ") }
        /// In one line.
        var line: String { texts.joined(separator: "; ") }

        private var texts: [String] { all.map { "\($0.file):\($0.line):\($0.column): \($0.message)".printable } }
    }
}

/// The alerts of a folder, which are read again when one of its files changes, or a checklist that they name.
struct AlertFolderWatch: Sendable {
    let folder: String
    /// As they were read last.
    private(set) var rules: [AlertRule]
    private var stamps: [String: FileStamp]

    /// A target whose `${NAME}` is not set is no problem here: ``AlertRunner`` says so, and the collector goes on.
    /// - Throws: ``InputError`` or ``AlertFolder/Problems``.
    init(_ folder: String) throws {
        self.folder = folder
        rules = try AlertFolder.load(folder)
        stamps = Self.stamps(folder, rules)
    }

    /// Reads the files where one has changed; the rules stay as they are where one has a problem.
    /// - Returns: whether they were read.
    /// - Throws: ``InputError`` or ``AlertFolder/Problems``, once for each change.
    mutating func readIfChanged() throws -> Bool {
        let now = Self.stamps(folder, rules)
        guard now != stamps else { return false }
        stamps = now
        rules = try AlertFolder.load(folder)
        // They may name other checklists now.
        stamps = Self.stamps(folder, rules)
        return true
    }

    private static func stamps(_ folder: String, _ rules: [AlertRule]) -> [String: FileStamp] {
        let checklists = rules.compactMap { rule in
            if case .watch(let watch) = rule.question, watch.file != nil {
                watch.checklist.file
            } else {
                nil as String?
            }
        }
        let files = ((try? MarkdownFolder.files(in: folder)) ?? []) + checklists
        return Dictionary(files.map { ($0, FileStamp(of: $0)) }, uniquingKeysWith: { $1 })
    }
}

/// What tells one content of a file from the next.
struct FileStamp: Sendable, Equatable {
    private let modified: Date?
    private let size: Int?
    private let number: Int?

    init(of path: String) {
        // Of the file itself where the path is a link: a mounted secret is changed by another link's new end.
        let file = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
        let attributes = (try? FileManager.default.attributesOfItem(atPath: file)) ?? [:]
        modified = attributes[.modificationDate] as? Date
        size = (attributes[.size] as? NSNumber)?.intValue
        number = (attributes[.systemFileNumber] as? NSNumber)?.intValue
    }
}

extension SettingError {
    /// Reads the file or the folder that a setting names; `nil` where it names none.
    /// - Throws: ``SettingError``, so that whoever sees it learns which setting and where it is. What is written wrongly in
    ///   definitions, checklists and alerts has a place of its own, and is thrown as it is.
    static func readingFile<Value>(
        _ name: String, _ arguments: Arguments, _ read: (String) throws -> Value
    ) throws -> Value? {
        guard let path = arguments[name] else { return nil }
        do {
            return try read(path)
        } catch let error as ProjectFolder.InvalidError {
            throw error
        } catch let error as ChecklistError {
            throw error
        } catch let error as AlertFolder.Problems {
            throw error
        } catch {
            throw SettingError(name: name, value: path, reason: UsageError(message: "--\(name): \(error)"))
        }
    }
}
