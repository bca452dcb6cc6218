import Foundation

/// Definitions as a folder has them, or as a revision in git had them.
public struct DefinitionsVersion: Sendable {
    /// What the user called it.
    public let label: String
    public let definitions: Definitions
    /// What there is to say about them.
    public let diagnostics: [Diagnostic]

    /// Reads two versions to compare.
    ///
    /// - Parameters: Folders or project files, or `git:REVISION:FOLDER`, the folder relative to the current one. Without
    ///   `:FOLDER` it is the folder of the other version, or else all definitions of the project as the revision has it:
    ///   `daybook.json` in the current folder or above. Without that file it is `LogDefinitions`. The nearest project file
    ///   gives the rules.
    /// - Throws: ``DefinitionsFolder/ReadError`` if one of them cannot be read, ``ProjectFolder/InvalidError``.
    public static func pair(_ old: String, _ new: String) throws -> (old: DefinitionsVersion, new: DefinitionsVersion) {
        let (from, to) = (Place(old), Place(new))
        let folder = [from.folder, to.folder].compactMap(\.self).first { !$0.hasSuffix(".json") }
        return (try from.read(folder), try to.read(folder))
    }

    private struct Place {
        let label: String
        /// `nil` for files as they are.
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

        /// - Parameter other: The folder of the other version, if it names one.
        func read(_ other: String?) throws -> DefinitionsVersion {
            guard let revision else {
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
