import DaybookAPI
import DaybookBase
import DaybookChecklist
import DaybookTools
import Foundation

/// A checklist's file, as a place to write into: an item more, of which only the item's own line is written, or a text that
/// somebody has edited. What others have written meanwhile is never lost.
final class ChecklistFile: Sendable {
    private static let longestItem = 1_000

    private let edits = OwnedFileEdits()

    /// Whether the file is there and may be written.
    static func isWritable(_ checklist: Checklist) -> Bool {
        FileManager.default.isWritableFile(atPath: checklist.file)
    }

    /// Writes an item behind the last of a scenario. What others have written into the file meanwhile stays.
    /// - Parameters:
    ///   - seen: what the item is added to.
    ///   - catalog: what the item may name; `nil` where there are no definitions.
    /// - Returns: the checklist as it is now in the file, and its version.
    /// - Throws: ``Problem`` or ``OwnedFile/Problem``, and then the file is as it was.
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

    /// Writes a whole text.
    /// - Parameter version: of the text that was edited, as ``OwnedFile/version(of:)`` tells it; `nil` for a file that is not
    ///   there yet.
    /// - Returns: the checklist as it is now in the file, and its version.
    /// - Throws: ``Problem`` or ``OwnedFile/Problem``, and then the file is as it was: where the text does not parse, or the
    ///   file is another one by now.
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

    /// A file's text, and what tells it from a later one.
    /// - Throws: ``OwnedFile/Problem``.
    static func read(_ file: String) throws(OwnedFile.Problem) -> (markdown: String, version: String) {
        guard let bytes = try OwnedFile.read(file) else { throw .init(.storage, "\(file) cannot be read: it is gone") }
        return (try OwnedFile.text(bytes, of: file), OwnedFile.version(of: bytes))
    }

    /// Takes the last change back: the file has the bytes that it had before, or is gone where there was none.
    /// - Parameter version: that the change made; `nil` for the last one, whoever made it.
    /// - Returns: the checklist as it is now in the file and its version; `nil` where there is none.
    /// - Throws: ``Problem`` or ``OwnedFile/Problem`` where nothing was changed, or somebody else has changed the file since.
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
