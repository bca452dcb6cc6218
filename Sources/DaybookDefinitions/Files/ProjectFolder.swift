import DaybookTools
import Foundation

/// A project file on the disk, with the folders it names.
public struct ProjectFolder: Sendable {
    /// Why a project cannot be used: errors with their locations in its file, one per line.
    public struct InvalidError: Error, Sendable, CustomStringConvertible {
        public let diagnostics: [Diagnostic]
        public var description: String { diagnostics.map(\.description).joined(separator: "\n") }
    }

    /// At most this many entries below the project are searched.
    static let greatestSearch = 100_000

    /// The project file.
    public let file: String
    /// The folder that all paths of the project are relative to.
    public let path: String
    public let project: Project

    /// Reads a project file.
    ///
    /// - Throws: ``DefinitionsFolder/ReadError`` if the file cannot be read, ``InvalidError`` if it has errors.
    public init(file: String) throws {
        let (project, diagnostics) = Project.read(
            path: file, bytes: try DefinitionsFolder.read([file]).first?.bytes ?? [])
        guard !diagnostics.hasErrors else { throw InvalidError(diagnostics: diagnostics) }
        self.project = project
        self.file = file
        let folder = (file as NSString).deletingLastPathComponent
        path = folder.isEmpty ? "." : folder
    }

    /// The project file in `folder` or in the nearest folder above it; the search ends at a repository's root. `nil` if
    /// there is none.
    public static func file(above folder: String) -> String? {
        var url = URL(fileURLWithPath: folder).standardizedFileURL
        for _ in 0..<64 {
            let file = url.appendingPathComponent(Project.fileName).path
            if FileManager.default.fileExists(atPath: file) { return file }
            if FileManager.default.fileExists(atPath: url.appendingPathComponent(".git").path) { return nil }
            let parent = url.deletingLastPathComponent().standardizedFileURL
            if parent.path == url.path { return nil }
            url = parent
        }
        return nil
    }

    /// The definition files of all folders, ordered by path.
    ///
    /// - Throws: ``DefinitionsFolder/ReadError`` if a pattern matches no folder, or a folder contains no definitions.
    public func definitionFiles() throws -> [String] {
        Set(try definitionFolders().flatMap { try DefinitionsFolder.files(in: $0) }).sorted()
    }

    private func definitionFolders() throws -> Set<String> {
        var all: Set<String> = []
        for pattern in project.definitions {
            let folders = folders(matching: pattern)
            guard !folders.isEmpty else {
                throw DefinitionsFolder.ReadError(
                    path: path, reason: "no folder matches `\(pattern)`, which \(Project.fileName) names")
            }
            all.formUnion(folders)
        }
        return all
    }

    /// Reads and checks the definitions of all folders together, by the project's rules.
    ///
    /// - Throws: As ``definitionFiles()``.
    public func load() throws -> (Definitions, [Diagnostic]) {
        let (definitions, diagnostics) = Definitions.load(
            try DefinitionsFolder.read(definitionFiles()), rules: project.rules)
        return (definitions, diagnostics + (try definitionFolders().sorted().flatMap(DefinitionsFolder.leftOut)))
    }

    /// The files of the checklists, ordered by name; none if the project names no folder.
    ///
    /// - Throws: ``DefinitionsFolder/ReadError`` if the folder cannot be read.
    public func checklistFiles() throws -> [String] {
        guard let folder = checklistFolder else { return [] }
        do {
            return try FileManager.default.contentsOfDirectory(atPath: folder).filter(MarkdownFile.isMarkdown).sorted()
                .map { "\(folder)/\($0)" }
        } catch {
            throw DefinitionsFolder.ReadError(
                path: folder, reason: "the folder cannot be read: \(error.localizedDescription)")
        }
    }

    /// The path of the checklists' folder; `nil` if the project names none.
    public var checklistFolder: String? { project.checklists.map(resolve) }

    /// The path of the alerts' folder; `nil` if the project names none.
    public var alertFolder: String? { project.alerts.map(resolve) }

    /// The path of the boards' folder, which need not exist yet: `LogBoards` unless the project names another.
    public var boardFolder: String { resolve(project.boards ?? "LogBoards") }

    /// The path of a folder that the project names.
    public func resolve(_ folder: String) -> String { path == "." ? folder : "\(path)/\(folder)" }

    /// Hidden and build folders are skipped.
    private func folders(matching pattern: String) -> [String] {
        var found: [String] = [""]
        var budget = ProjectFolder.greatestSearch
        for component in pattern.split(separator: "/") where component != "." {
            switch component {
            case "**": found = found.flatMap { [$0] + below($0, &budget) }
            case _ where component.contains("*"):
                found = found.flatMap { folder in
                    children(folder, &budget).filter { Glob.matches(($0 as NSString).lastPathComponent, component) }
                }
            default: found = found.map { joined($0, String(component)) }.filter(isFolder)
            }
        }
        return Set(found).map { $0.isEmpty ? path : resolve($0) }.sorted()
    }

    private func below(_ folder: String, _ budget: inout Int) -> [String] {
        var all: [String] = []
        var open = [folder]
        while let next = open.popLast() {
            let inside = children(next, &budget)
            all += inside
            open += inside
        }
        return all
    }

    private func children(_ folder: String, _ budget: inout Int) -> [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: resolve(folder.isEmpty ? "." : folder))) ?? []
        budget -= names.count
        guard budget > 0 else { return [] }
        return names.filter(Glob.isLookedInto)
            .map { joined(folder, $0) }.filter(isFolder)
    }

    private func joined(_ folder: String, _ name: String) -> String { folder.isEmpty ? name : "\(folder)/\(name)" }

    private func isFolder(_ folder: String) -> Bool {
        var isFolder: ObjCBool = false
        return FileManager.default.fileExists(atPath: resolve(folder), isDirectory: &isFolder) && isFolder.boolValue
    }
}

/// Matches names with `*`.
enum Glob {
    /// Whether `name` matches `pattern`, in which each `*` matches any characters. Linear except for repeats.
    static func matches(_ name: String, _ pattern: Substring) -> Bool {
        let parts = pattern.split(separator: "*", omittingEmptySubsequences: false)
        guard let first = parts.first, let last = parts.last, parts.count > 1 else { return name == pattern }
        guard name.hasPrefix(first), name.hasSuffix(last), name.count >= first.count + last.count else { return false }
        var rest = name.dropFirst(first.count).dropLast(last.count)
        for part in parts.dropFirst().dropLast() where !part.isEmpty {
            guard let range = rest.firstRange(of: part) else { return false }
            rest = rest[range.upperBound...]
        }
        return true
    }

    /// Whether a folder, relative to the project's, matches `pattern`: `*` matches any part of a name, `**` any number
    /// of folders.
    static func matches(folder: String, _ pattern: String) -> Bool {
        let names = folder.split(separator: "/")[...]
        return matches(names, pattern.split(separator: "/").filter { $0 != "." }[...])
    }

    private static func matches(_ names: ArraySlice<Substring>, _ patterns: ArraySlice<Substring>) -> Bool {
        guard let pattern = patterns.first else { return names.isEmpty }
        if pattern == "**", matches(names, patterns.dropFirst()) { return true }
        guard let name = names.first else { return false }
        guard pattern.contains("*") else {
            return name == pattern && matches(names.dropFirst(), patterns.dropFirst())
        }
        guard isLookedInto(name) else { return false }
        if pattern == "**" { return matches(names.dropFirst(), patterns) }
        return matches(String(name), pattern) && matches(names.dropFirst(), patterns.dropFirst())
    }

    /// Whether `*` matches a folder of this name: not hidden and build folders.
    static func isLookedInto(_ name: some StringProtocol) -> Bool {
        !name.hasPrefix(".") && name != "node_modules" && name != "DerivedData"
    }
}
