import DaybookTools
import Foundation

/// Definitions in a folder, or in a git revision.
public struct DefinitionsVersion: Sendable {
    /// The name that the user gave.
    public let label: String
    public let definitions: Definitions
    /// The diagnostics of the definitions.
    public let diagnostics: [Diagnostic]

    /// Reads two versions to compare.
    ///
    /// - Parameters: Folders or project files, or `git:REVISION:FOLDER`, with the folder relative to the current one.
    ///   Without `:FOLDER` it is the folder of the other version, or else all definitions of the project in that
    ///   revision: `daybook.json` in the current folder or above. Without that file it is `LogDefinitions`. The nearest
    ///   project file sets the rules.
    /// - Throws: ``DefinitionsFolder/ReadError`` if one of them cannot be read, ``ProjectFolder/InvalidError``.
    public static func pair(_ old: String, _ new: String) throws -> (old: DefinitionsVersion, new: DefinitionsVersion) {
        let (from, to) = (Place(old), Place(new))
        let folder = [from.folder, to.folder].compactMap(\.self).first { !$0.hasSuffix(".json") }
        return (try from.read(folder), try to.read(folder))
    }

    private struct Place {
        let label: String
        /// `nil` for files in the working tree.
        let revision: String?
        let folder: String?

        init(_ text: String) {
            label = text
            guard text.hasPrefix("git:") else {
                revision = nil
                folder = text
                return
            }
            let parts = text.dropFirst(4).split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            revision = String(parts[0])
            folder = parts.count == 2 && !parts[1].isEmpty ? String(parts[1]) : nil
        }

        /// - Parameter other: The other version's folder, if it names one.
        func read(_ other: String?) throws -> DefinitionsVersion {
            guard let revision else {
                if !label.contains("/"), !FileManager.default.fileExists(atPath: label) {
                    throw DefinitionsFolder.ReadError(
                        path: label, reason: "there is no such file or folder; a revision is written git:\(label)")
                }
                let source = try DefinitionsSource(folder)
                return DefinitionsVersion(
                    label: label, definitions: source.definitions, diagnostics: source.diagnostics)
            }
            let git = GitRevision(name: revision, label: label)
            let project = try git.project()
            let files =
                if let folder = folder ?? other {
                    try git.files(in: folder)
                } else if let project {
                    try git.files(of: project.project, in: project.folder)
                } else {
                    try git.files(in: "LogDefinitions")
                }
            let (definitions, diagnostics) = Definitions.load(files, rules: project?.project.rules ?? RuleSettings())
            return DefinitionsVersion(label: label, definitions: definitions, diagnostics: diagnostics)
        }
    }
}

/// A revision's definition files, read with the command `git`, without touching the working tree.
struct GitRevision {
    /// Any revision that git understands.
    let name: String
    /// As written by the user, for errors.
    let label: String
    /// Git's working directory, which folders are relative to.
    var directory = FileManager.default.currentDirectoryPath

    /// The definition files in a folder.
    ///
    /// - Throws: ``DefinitionsFolder/ReadError`` outside a repository, without git, or if the revision has no
    ///   definitions there.
    func files(in folder: String) throws -> [(path: String, bytes: [UInt8])] {
        let path = MarkdownFile.isMarkdown(folder) ? folder : folder + (folder.hasSuffix("/") ? "" : "/")
        let blobs = try blobs(["-l", "-z", try commit(), "--", path]).filter { DefinitionsFolder.isDefinition($0.path) }
        guard !blobs.isEmpty else { throw error("the revision has no definitions in \(folder)") }
        return try contents(of: blobs)
    }

    /// The project file in the current folder or the nearest one above it within the repository, if any.
    ///
    /// - Throws: ``DefinitionsFolder/ReadError``, and ``ProjectFolder/InvalidError`` if the file is invalid.
    func project() throws -> (folder: String, project: Project)? {
        let id = try commit()
        let prefix = String(decoding: try git(["rev-parse", "--show-prefix"]) { $0 }, as: UTF8.self)
            .trimmingCharacters(in: .newlines)
        var folders = [""]
        for name in prefix.split(separator: "/") { folders.append(folders[folders.count - 1] + name + "/") }
        let candidates = folders.map { $0 + Project.fileName }
        let found = try blobs(["-l", "-z", "--full-tree", id, "--"] + candidates)
        guard let nearest = found.max(by: { $0.path.utf8.count < $1.path.utf8.count }) else { return nil }
        let file = try contents(of: [nearest])[0]
        let (project, diagnostics) = Project.read(path: file.path, bytes: file.bytes)
        guard !diagnostics.hasErrors else { throw ProjectFolder.InvalidError(diagnostics: diagnostics) }
        return (String(nearest.path.dropLast(Project.fileName.count)), project)
    }

    /// The definition files of all folders of the revision's project.
    ///
    /// - Parameter folder: The project's, from the repository's root: empty, or ending with `/`.
    /// - Throws: ``DefinitionsFolder/ReadError`` also if a pattern matches no definitions.
    func files(of project: Project, in folder: String) throws -> [(path: String, bytes: [UInt8])] {
        let all = try blobs(["-r", "-l", "-z", "--full-tree", try commit(), "--"] + (folder.isEmpty ? [] : [folder]))
            .filter { DefinitionsFolder.isDefinition($0.path) }
        var wanted: Set<String> = []
        for pattern in project.definitions {
            let found = all.map(\.path).filter { path in
                let place = (String(path.dropFirst(folder.count)) as NSString).deletingLastPathComponent
                return Glob.matches(folder: place, pattern)
            }
            guard !found.isEmpty else {
                throw error("the revision has no definitions in `\(pattern)`, which \(Project.fileName) names")
            }
            wanted.formUnion(found)
        }
        return try contents(of: all.filter { wanted.contains($0.path) })
    }

    private func commit() throws -> String {
        guard !name.isEmpty, !name.hasPrefix("-") else { throw error("a revision is missing: git:REVISION[:FOLDER]") }
        let commit = try git(["rev-parse", "--verify", "--quiet", name + "^{commit}"]) { message in
            message.isEmpty ? "git knows no revision `\(name)`" : message
        }
        return String(decoding: commit, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    }

    private func blobs(_ arguments: [String]) throws -> [Blob] {
        try git(["ls-tree"] + arguments) { $0 }.split(separator: 0).compactMap(Blob.init)
    }

    private func contents(of blobs: [Blob]) throws -> [(path: String, bytes: [UInt8])] {
        var files: [(path: String, bytes: [UInt8])] = []
        // Batches keep within the limit of a command line.
        for start in stride(from: 0, to: blobs.count, by: 500) {
            let part = blobs[start..<min(start + 500, blobs.count)]
            var bytes = try git(["show"] + part.map(\.id)) { $0 }[...]
            for blob in part {
                guard bytes.count >= blob.size else { throw error("git gave less than it announced") }
                files.append((path: "\(label):\(blob.path)", bytes: Array(bytes.prefix(blob.size))))
                bytes = bytes.dropFirst(blob.size)
            }
        }
        return files
    }

    /// A line of `git ls-tree -l`: mode, type, id, size, a tab, and the path.
    private struct Blob {
        let id: String
        let size: Int
        let path: String

        init?(_ line: ArraySlice<UInt8>) {
            guard let tab = line.firstIndex(of: .tab) else { return nil }
            let words = line[..<tab].split(separator: .space).map { String(decoding: $0, as: UTF8.self) }
            guard words.count == 4, words[1] == "blob", let size = Int(words[3]) else { return nil }
            (id, self.size, path) = (words[2], size, String(decoding: line[(tab + 1)...], as: UTF8.self))
        }
    }

    private func error(_ reason: String) -> DefinitionsFolder.ReadError {
        DefinitionsFolder.ReadError(path: label, reason: reason)
    }

    #if os(macOS) || os(Linux)
        /// Runs git.
        ///
        /// - Parameter explain: Derives an error's reason from git's message.
        private func git(_ arguments: [String], explain: (String) -> String) throws -> [UInt8] {
            let process = Process()
            process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
            process.arguments = ["git"] + arguments
            let (output, errors) = (Pipe(), Pipe())
            process.currentDirectoryURL = URL(fileURLWithPath: directory, isDirectory: true)
            process.standardInput = FileHandle.nullDevice
            process.standardOutput = output
            process.standardError = errors
            do { try process.run() } catch { throw self.error("git cannot be run: \(error.localizedDescription)") }
            let bytes = [UInt8](output.fileHandleForReading.readDataToEndOfFile())
            // Git's error messages are short enough for the pipe's buffer.
            let message = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
            process.waitUntilExit()
            guard process.terminationStatus == 0 else {
                throw error(explain(message.trimmingCharacters(in: .whitespacesAndNewlines)))
            }
            return bytes
        }
    #else
        private func git(_ arguments: [String], explain: (String) -> String) throws -> [UInt8] {
            throw error("there is no git on this system")
        }
    #endif
}
