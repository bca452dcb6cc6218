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
    /// - Parameters: Folders, or `git:REVISION:FOLDER`, the folder relative to the current one. Without `:FOLDER` it is
    ///   the other version's, or `LogDefinitions` if that has none either.
    /// - Throws: ``DefinitionsFolder/ReadError`` if one of them cannot be read.
    public static func pair(_ old: String, _ new: String) throws -> (old: DefinitionsVersion, new: DefinitionsVersion) {
        let (from, to) = (Place(old), Place(new))
        let folder = from.folder ?? to.folder ?? "LogDefinitions"
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

        func read(_ other: String) throws -> DefinitionsVersion {
            guard let revision else {
                let source = try DefinitionsSource(folder ?? other)
                return DefinitionsVersion(
                    label: label, definitions: source.definitions, diagnostics: source.diagnostics)
            }
            let files = try GitRevision(name: revision, label: label).files(in: folder ?? other)
            let (definitions, diagnostics) = Definitions.load(files)
            return DefinitionsVersion(label: label, definitions: definitions, diagnostics: diagnostics)
        }
    }
}
