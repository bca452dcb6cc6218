import DaybookBase
import DaybookChecklist
import DaybookCollector
import DaybookDefinitions
import DaybookInspector
import DaybookStore
import DaybookTools
import Foundation

/// A team's documents, which the inspector shows next to records: from the command line's folders, or the current
/// folder's project.
struct TeamFiles: Sendable {
    let definitions: Definitions
    let checklists: [Checklist]
    let checklistFolder: String?
    let links: InspectorLinks
    let coverage: CoverageFile?
    let alertFolder: String?
    /// `nil` without a project and a folder on the command line.
    let boards: BoardFolder?
    let start: Project.StartScreen
    /// A line per file skipped for its extension, although it may be meant.
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

    /// A project file's folders, by the settings that override them.
    static func folders(_ arguments: Arguments) throws -> [(name: String, path: String, file: String)] {
        guard let source = try source(arguments) else { return [] }
        guard let project = source.project else {
            // Found without a project file, and not on the command line.
            return arguments["definitions"] == nil ? DefinitionsSource.folders().map { ("definitions", $0, $0) } : []
        }
        let found: [(String, String?)] = [
            ("definitions", project.file), ("checklists", project.checklistFolder), ("alerts", project.alertFolder),
            ("boards", project.boardFolder),
        ]
        return found.compactMap { name, path in path.map { (name, $0, project.file) } }
    }

    /// The given definitions, or the current folder's.
    private static func source(_ arguments: Arguments) throws -> DefinitionsSource? {
        try SettingError.readingFile("definitions", arguments) { try source($0) } ?? source(nil)
    }

    /// The definitions of a folder, of the current folder's project, or of the current folder without a project file;
    /// `nil` if there are none.
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
    /// The tables of statements, from definitions on the command line, or the current folder's if they are valid.
    /// - Parameter store: `nil` if unknown.
    /// - Throws: the located errors of definitions on the command line.
    init(_ arguments: Arguments, of store: String?) throws {
        let named = try SettingError.readingFile("definitions", arguments) { try TeamFiles.source($0) }
        let definitions = (named ?? (try? TeamFiles.source(nil)))?.definitions
        let dialect = store.flatMap { SQLDialect(rawValue: StoreAddress.dialect(of: $0).rawValue) }
        self.init(dialect: dialect, definitions: definitions ?? Definitions())
    }
}

struct StatementJudge {
    let tables: StatementTables
    /// What they cannot see.
    let masking: MaskingPolicy?

    /// - Parameter store: `nil` if unknown or a collector's.
    /// - Throws: errors of given definitions, or of the store.
    init(_ arguments: Arguments, of store: String?) async throws {
        tables = try StatementTables(arguments, of: store)
        masking = try await Masking.ofStatements(arguments, for: store)
    }
}

enum MarkdownFolder {
    static let hasNone = "has no file that ends in .md"

    /// A folder's Markdown files, by name.
    /// - Throws: ``InputError`` if the folder is unreadable.
    static func files(in folder: String) throws(InputError) -> [String] {
        do {
            return try FileManager.default.contentsOfDirectory(atPath: folder).filter(MarkdownFile.isMarkdown).sorted()
                .map { folder + "/" + $0 }
        } catch {
            throw InputError(file: folder, message: "cannot be read: \(error.fileReason)")
        }
    }

    /// A line per file skipped for its extension, although it may be meant.
    /// - Parameter isDeep: whether to include subfolders. Default: no.
    static func leftOut(in folder: String, isDeep: Bool = false) -> [String] {
        let files = FileManager.default
        let names = try? isDeep ? files.subpathsOfDirectory(atPath: folder) : files.contentsOfDirectory(atPath: folder)
        return (names ?? []).sorted().compactMap { name in
            MarkdownFile.reasonLeftOut(name).map { "\(folder)/\(name): warning: \($0)".printable + "\n" }
        }
    }
}

enum ChecklistFolder {
    /// A folder's checklists, by name.
    /// - Throws: The located errors of a checklist, or that the folder is unreadable.
    static func load(_ folder: String) throws -> [Checklist] {
        try MarkdownFolder.files(in: folder).filter { !isReadme($0) }
            .map { try Checklist(markdown: TextFile.read($0), file: $0) }
    }

    /// Whether a file describes the checklists instead of being one: a `README.md` without a checkbox.
    static func isReadme(_ file: String) -> Bool {
        guard MarkdownFile.isReadme(file), let text = try? TextFile.read(file) else { return false }
        return !["[ ]", "[x]", "[X]"].contains(where: text.contains)
    }

    /// A line per such file.
    static func readmes(in folder: String) -> [String] {
        ((try? MarkdownFolder.files(in: folder)) ?? []).filter(isReadme).map(readme)
    }

    static func readme(_ file: String) -> String {
        "\(file): warning: this file is not read, because it has no item".printable + "\n"
    }
}

enum AlertFolder {
    /// A folder's alerts, by file name, with all problems.
    /// - Parameter secrets: for `${NAME}`; `nil` skips the check, on a machine without them.
    /// - Throws: ``InputError`` if a file is unreadable.
    static func read(
        _ folder: String, secrets: AlertSecrets?
    ) throws(InputError) -> (rules: [AlertRule], problems: [Diagnostic]) {
        var rules: [AlertRule] = []
        var problems: [Diagnostic] = []
        for path in try MarkdownFolder.files(in: folder) {
            let result = AlertParser.parse(try TextFile.read(path), file: path) { checklist in
                // Relative to the file that refers to it, like a Markdown link.
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

    /// - Throws: ``InputError`` if a folder has no alerts, so that nothing would be checked.
    static func check(_ rules: [AlertRule], in folder: String) throws(InputError) {
        guard rules.isEmpty else { return }
        let files = try MarkdownFolder.files(in: folder)
        throw InputError(
            file: folder,
            message: files.isEmpty ? MarkdownFolder.hasNone : "has no alert; one begins with its name, `# …`")
    }

    private static func problem(of rule: AlertRule, _ message: String) -> Diagnostic {
        .error(SourceLocation(file: rule.file, line: rule.line, column: 1), message)
    }

    /// A folder's alerts, for a collector; unusable targets are not an error here.
    /// - Throws: ``InputError`` if a file is unreadable, or ``Problems``.
    static func load(_ folder: String) throws -> [AlertRule] {
        let (rules, problems) = try read(folder, secrets: nil)
        guard problems.isEmpty else { throw Problems(all: problems) }
        return rules
    }

    struct Problems: Error, CustomStringConvertible {
        var all: [Diagnostic]

        /// One line per problem, after a command's `error: `.
        var description: String { texts.joined(separator: "\nerror: ") }
        var line: String { texts.joined(separator: "; ") }

        private var texts: [String] { all.map { "\($0.location): \($0.text)".printable } }
    }
}

/// A folder's alerts, reloaded when one of its files, or a checklist they refer to, changes.
struct AlertFolderWatch: Sendable {
    let folder: String
    /// As last read.
    private(set) var rules: [AlertRule]
    private var stamps: [String: FileStamp]

    /// Unset `${NAME}`s are not an error here: ``AlertRunner`` reports them, and the collector continues.
    /// - Throws: ``InputError`` or ``AlertFolder/Problems``.
    init(_ folder: String) throws {
        self.folder = folder
        rules = try AlertFolder.load(folder)
        stamps = Self.stamps(folder, rules)
    }

    /// Reloads changed files; if one has a problem, the rules stay.
    /// - Returns: whether they were reloaded.
    /// - Throws: ``InputError`` or ``AlertFolder/Problems``, once per change.
    mutating func readIfChanged() throws -> Bool {
        let now = Self.stamps(folder, rules)
        guard now != stamps else { return false }
        stamps = now
        rules = try AlertFolder.load(folder)
        // The rules may refer to other checklists now.
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

/// Distinguishes versions of a file's content.
struct FileStamp: Sendable, Equatable {
    private let modified: Date?
    private let size: Int?
    private let number: Int?

    init(of path: String) {
        // Resolve links: updating a mounted secret changes only the target of another link.
        let file = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
        let attributes = (try? FileManager.default.attributesOfItem(atPath: file)) ?? [:]
        modified = attributes[.modificationDate] as? Date
        size = (attributes[.size] as? NSNumber)?.intValue
        number = (attributes[.systemFileNumber] as? NSNumber)?.intValue
    }
}

extension SettingError {
    /// Reads the file or folder that a setting names, if any.
    /// - Throws: ``SettingError``, which adds the setting and its origin. Errors in definitions, checklists and alerts
    ///   have locations of their own, and pass unchanged.
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
