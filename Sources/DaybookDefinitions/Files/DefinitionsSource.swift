import DaybookBase
import DaybookTools
import Foundation

/// A command's definitions: those on its command line, or else the current folder's project.
public struct DefinitionsSource: Sendable {
    public let definitions: Definitions
    /// Their diagnostics, by the project's rules.
    public let diagnostics: [Diagnostic]
    /// The project, if there is a project file.
    public let project: ProjectFolder?

    /// Loads definitions.
    ///
    /// - Parameters:
    ///   - path: A project file (`.json`), a folder with definitions, or a Markdown file. The nearest project file at
    ///     or above it sets the rules. `nil`: all definitions of the project of `folder`, or, without a project file,
    ///     the folder `LogDefinitions` in it or in the only target below `Sources` that has one.
    ///   - folder: The current folder.
    /// - Throws: ``DefinitionsFolder/ReadError`` or ``ProjectFolder/InvalidError``.
    public init(_ path: String?, in folder: String = FileManager.default.currentDirectoryPath) throws {
        if let path, !path.hasSuffix(".json") {
            project = try ProjectFolder.file(above: path).map { try ProjectFolder(file: $0) }
            let files = try DefinitionsFolder.read(DefinitionsFolder.files(in: path))
            let (definitions, found) = Definitions.load(files, rules: project?.project.rules ?? RuleSettings())
            (self.definitions, diagnostics) = (definitions, found + DefinitionsFolder.leftOut(in: path))
        } else if let file = path ?? ProjectFolder.file(above: folder).map(DefinitionsSource.shortened) {
            let project = try ProjectFolder(file: file)
            (definitions, diagnostics) = try project.load()
            self.project = project
        } else {
            (definitions, diagnostics) = try DefinitionsFolder.load(
                DefinitionsSource.shortened(try DefinitionsSource.onlyFolder(in: folder)))
            project = nil
        }
    }

    /// Where definitions are without a project file: the folder `LogDefinitions` of a folder, or else those of a
    /// package's targets. Empty if there is none.
    ///
    /// - Parameter folder: The current folder.
    public static func folders(in folder: String = FileManager.default.currentDirectoryPath) -> [String] {
        let files = FileManager.default
        let own = folder + "/LogDefinitions"
        if files.fileExists(atPath: own) { return [own] }
        return ((try? files.contentsOfDirectory(atPath: folder + "/Sources")) ?? []).sorted()
            .map { "\(folder)/Sources/\($0)/LogDefinitions" }.filter { files.fileExists(atPath: $0) }
    }

    private static func onlyFolder(in folder: String) throws -> String {
        let targets = folders(in: folder)
        if targets.count == 1 { return targets[0] }
        throw DefinitionsFolder.ReadError(
            path: folder,
            reason: targets.isEmpty
                ? "no project file \(Project.fileName) and no folder LogDefinitions is here or in a target of Sources; "
                    + "name a folder"
                : "there are several folders of definitions; name one, or list them in \(Project.fileName): "
                    + targets.map(shortened).joined(separator: ", "))
    }

    /// The definitions, if they have no errors.
    ///
    /// - Throws: ``ProjectFolder/InvalidError`` with the errors.
    public func soundDefinitions() throws -> Definitions {
        let errors = diagnostics.filter { $0.severity == .error }
        guard errors.isEmpty else { throw ProjectFolder.InvalidError(diagnostics: errors) }
        return definitions
    }

    private static func shortened(_ path: String) -> String {
        let prefix = URL(fileURLWithPath: FileManager.default.currentDirectoryPath).standardizedFileURL.path + "/"
        return path.hasPrefix(prefix) ? String(path.dropFirst(prefix.count)) : path
    }
}

/// Reads definition files from the disk.
public struct DefinitionsFolder {
    /// Why nothing could be read.
    public struct ReadError: Error, Sendable, CustomStringConvertible {
        /// The folder or file.
        public let path: String
        /// What happened, and what to do.
        public let reason: String

        public var description: String { "\(path): \(reason)".printable }
    }

    /// Reads and checks the definitions in a folder.
    ///
    /// - Parameter path: A folder, whose Markdown files except `README.md` are read (not those of folders inside it),
    ///   or a single file.
    /// - Throws: ``ReadError`` if there is no such folder, it contains no definitions, or a file cannot be read.
    public static func load(_ path: String) throws -> (Definitions, [Diagnostic]) {
        let (definitions, diagnostics) = Definitions.load(try read(files(in: path)))
        return (definitions, diagnostics + leftOut(in: path))
    }

    /// The definition files in a folder, ordered by name; for a file, the file itself.
    ///
    /// - Throws: ``ReadError``.
    public static func files(in path: String) throws -> [String] {
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
            throw ReadError(path: path, reason: "there is no such file or folder")
        }
        guard isFolder.boolValue else { return [path] }
        let names: [String]
        do { names = try FileManager.default.contentsOfDirectory(atPath: path) } catch {
            throw ReadError(path: path, reason: "the folder cannot be read: \(error.localizedDescription)")
        }
        let files = names.filter(isDefinition).sorted()
        guard !files.isEmpty else {
            let others = leftOut(in: path).map { " (\($0.location.file): \($0.message))" }
            throw ReadError(
                path: path,
                reason: "the folder has no definitions; a definition is a file `category.md`" + others.joined())
        }
        return files.map { (path as NSString).appendingPathComponent($0) }
    }

    static func isDefinition(_ path: String) -> Bool {
        MarkdownFile.isMarkdown(path) && !MarkdownFile.isReadme(path)
    }

    /// A warning per file skipped for its extension, although it may be meant.
    static func leftOut(in path: String) -> [Diagnostic] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        return names.sorted().compactMap { name in
            MarkdownFile.reasonLeftOut(name).map { reason in
                .warning(
                    SourceLocation(file: (path as NSString).appendingPathComponent(name), line: 1, column: 1), reason,
                    hint: "rename it to `\(MarkdownFile.stem(withoutEndings: name)).md`")
            }
        }
    }

    /// The most bytes of a file.
    static let longestFile = 16 << 20

    /// The bytes of files.
    ///
    /// - Throws: ``ReadError``.
    public static func read(_ paths: [String]) throws -> [(path: String, bytes: [UInt8])] {
        try paths.map { path in
            let bytes: [UInt8]
            do throws(RegularFile.Failure) {
                bytes = try RegularFile.bytes(of: path, limit: longestFile)
            } catch {
                throw ReadError(path: path, reason: "the file cannot be read: \(error)")
            }
            guard bytes.count <= longestFile else {
                throw ReadError(path: path, reason: "the file is over \(longestFile) bytes")
            }
            return (path, bytes)
        }
    }
}
