import DaybookAPI
import DaybookBase
import DaybookChecklist
import DaybookTools
import Foundation

/// Writes to a checklist's file: replaces the text, or adds an item, which inserts only its own line. Never loses
/// changes by others.
final class ChecklistFile: Sendable {
    private static let longestItem = 1_000

    private let edits = OwnedFileEdits()

    static func isWritable(_ checklist: Checklist) -> Bool {
        FileManager.default.isWritableFile(atPath: checklist.file)
    }

    /// Appends an item to a scenario. Concurrent changes by others are kept.
    /// - Parameters:
    ///   - seen: The text that the item is added to.
    ///   - catalog: The known events; `nil` without definitions.
    /// - Returns: The checklist now in the file, and its version.
    /// - Throws: ``Problem`` or ``OwnedFile/Problem``; then the file is unchanged.
    func add(
        _ item: String, to scenario: String, of file: String, over seen: OwnedFile.Seen, catalog: EventCatalog?
    ) throws -> (checklist: Checklist, version: String) {
        guard item.utf8.count <= Self.longestItem else {
            throw Problem(.badRequest, "An item is at most \(Self.longestItem) bytes.")
        }
        let (longer, version) = try edits.edit(file, over: seen) { text in
            guard let text else { throw Problem(.storage, "\(file) cannot be read: it is gone") }
            do throws(ChecklistError) {
                let longer = try Checklist(markdown: text, file: file).adding(item, to: scenario, catalog: catalog)
                return (longer.source, longer)
            } catch {
                throw Problem(.badRequest, "The item cannot be added: \(error.description)")
            }
        }
        return (longer, version)
    }

    /// Replaces the text.
    /// - Parameter version: The edited text's ``OwnedFile/version(of:)``; `nil` for a new file.
    /// - Returns: The checklist now in the file, and its version.
    /// - Throws: ``Problem`` or ``OwnedFile/Problem`` if the text is invalid or the file has changed; then the file is
    ///   unchanged.
    func write(
        _ markdown: String, to file: String, over version: String?
    ) throws -> (checklist: Checklist, version: String) {
        let checklist: Checklist
        do throws(ChecklistError) {
            checklist = try Checklist(markdown: markdown, file: file)
        } catch {
            throw Problem(.badRequest, "The checklist is not written: \(error.description)")
        }
        let written = try edits.edit(file, over: .version(version)) { _ in (markdown, checklist) }
        return (written.answer, written.version)
    }

    /// A file's text and version.
    /// - Throws: ``OwnedFile/Problem``.
    static func read(_ file: String) throws(OwnedFile.Problem) -> (markdown: String, version: String) {
        guard let bytes = try OwnedFile.read(file) else { throw .init(.storage, "\(file) cannot be read: it is gone") }
        return (try OwnedFile.text(bytes, of: file), OwnedFile.version(of: bytes))
    }

    /// Undoes the last change: restores the file's bytes, or deletes a file that it created.
    /// - Parameter version: The change's version; `nil` for the last one, by anyone.
    /// - Returns: The checklist now in the file and its version; `nil` if deleted.
    /// - Throws: ``Problem`` or ``OwnedFile/Problem`` if nothing was changed, or the file has changed since.
    func undo(_ file: String, over version: String?) throws -> (checklist: Checklist?, version: String?) {
        let undone = try edits.undo(file, over: version) { text in
            do throws(ChecklistError) {
                return try text.map { text throws(ChecklistError) in try Checklist(markdown: text, file: file) }
            } catch {
                throw Problem(.badRequest, error.description)
            }
        }
        return (undone.answer, undone.version)
    }
}
