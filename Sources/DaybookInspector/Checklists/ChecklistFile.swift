import DaybookBase
import DaybookChecklist
import DaybookStore
import DaybookTools
import Foundation

/// A checklist's file, as a place to write into: an item more, of which only the item's own line is written, or a text that
/// somebody has edited. What others have written meanwhile is never lost.
final class ChecklistFile: Sendable {
    private static let longestItem = 1_000

    /// What the last change of a file made of it, so that it can be taken back.
    private struct Change {
        /// `nil` where there was no file.
        var before: [UInt8]?
        var after: [UInt8]
    }

    private let changes = Mutex<[String: Change]>([:])

    /// Whether the file is there and may be written.
    static func isWritable(_ checklist: Checklist) -> Bool {
        FileManager.default.isWritableFile(atPath: checklist.file)
    }

    /// Writes an item behind the last of a scenario. What others have written into the file meanwhile stays.
    /// - Parameter catalog: what the item may name; `nil` where there are no definitions.
    /// - Returns: the checklist as it is now in the file.
    /// - Throws: ``Problem``, and then the file is as it was.
    func add(
        _ item: String, to scenario: String, of checklist: Checklist, catalog: EventCatalog?
    ) throws(Problem) -> Checklist {
        guard item.utf8.count <= Self.longestItem else {
            throw Problem(.badRequest, "An item is at most \(Self.longestItem) bytes.")
        }
        let before = try Self.bytes(of: checklist.file)
        let longer: Checklist
        do throws(ChecklistError) {
            longer = try Self.checklist(before, checklist.file).adding(item, to: scenario, catalog: catalog)
        } catch {
            throw Problem(.badRequest, "The item cannot be added: \(error.description)")
        }
        let after = Array(longer.source.utf8)
        try Self.write(after, to: checklist.file)
        changes.withLock { $0[checklist.file] = Change(before: before, after: after) }
        return longer
    }

    /// Writes a whole text.
    /// - Parameter version: of the text that was edited, as ``version(of:)`` tells it; `nil` for a file that is not there yet.
    /// - Returns: the checklist as it is now in the file.
    /// - Throws: ``Problem``, and then the file is as it was: where the text does not parse, or the file is another one by now.
    func write(_ markdown: String, to file: String, over version: String?) throws(Problem) -> Checklist {
        let after = Array(markdown.utf8)
        let checklist: Checklist
        do throws(ChecklistError) {
            checklist = try Self.checklist(after, file)
        } catch {
            throw Problem(.badRequest, "The checklist is not written: \(error.description)")
        }
        try changes.withLock { changes throws(Problem) in
            let before = FileManager.default.fileExists(atPath: file) ? try Self.bytes(of: file) : nil
            guard before.map(Self.version) == version else {
                throw Problem(
                    .conflict,
                    before == nil
                        ? "\(file) is gone. Nothing was written."
                        : version == nil
                            ? "\(file) already exists. Nothing was written: choose another name."
                            : "\(file) was changed by somebody else meanwhile. Nothing was written.")
            }
            try Self.write(after, to: file)
            changes[file] = Change(before: before, after: after)
        }
        return checklist
    }

    /// A file's text, and what tells it from a later one.
    /// - Throws: ``Problem``.
    static func read(_ file: String) throws(Problem) -> (markdown: String, version: String) {
        let bytes = try bytes(of: file)
        return (String(decoding: bytes, as: UTF8.self), version(of: bytes))
    }

    static func version(of bytes: [UInt8]) -> String { Digest.text(of: bytes, seed: 0) }

    /// Takes the last change back: the file has the bytes that it had before, or is gone where there was none.
    /// - Returns: the checklist as it is now in the file; `nil` where there is none.
    /// - Throws: ``Problem`` where nothing was changed, or somebody else has changed the file since.
    func undo(_ file: String) throws(Problem) -> Checklist? {
        try changes.withLock { changes throws(Problem) in
            guard let change = changes[file] else {
                throw Problem(.notFound, "Nothing was changed in \(file) that could be reverted.")
            }
            guard try Self.bytes(of: file) == change.after else {
                throw Problem(.badRequest, "\(file) has been changed since; change it back by hand.")
            }
            var checklist: Checklist?
            if let before = change.before {
                do throws(ChecklistError) {
                    checklist = try Self.checklist(before, file)
                } catch {
                    throw Problem(.badRequest, error.description)
                }
                try Self.write(before, to: file)
            } else {
                try Self.remove(file)
            }
            changes[file] = nil
            return checklist
        }
    }

    private static func remove(_ file: String) throws(Problem) {
        do {
            try FileManager.default.removeItem(atPath: file)
        } catch {
            throw Problem(.storage, "\(file) is not removed: \(error.fileReason)")
        }
    }

    private static func checklist(_ bytes: [UInt8], _ file: String) throws(ChecklistError) -> Checklist {
        try Checklist(markdown: String(decoding: bytes, as: UTF8.self), file: file)
    }

    private static func bytes(of file: String) throws(Problem) -> [UInt8] {
        let bytes: [UInt8]
        do throws(RegularFile.Failure) {
            bytes = try RegularFile.bytes(of: file, limit: ChecklistEditAPI.longestText)
        } catch {
            throw Problem(.storage, "\(file) cannot be read: \(error)")
        }
        guard bytes.count <= ChecklistEditAPI.longestText else {
            throw Problem(.storage, "\(file) is over \(ChecklistEditAPI.longestText) bytes; make two of it.")
        }
        guard String(decoding: bytes, as: UTF8.self).utf8.elementsEqual(bytes) else {
            throw Problem(.storage, "\(file) is not UTF-8; save it as UTF-8 first.")
        }
        return bytes
    }

    private static func write(_ bytes: [UInt8], to file: String) throws(Problem) {
        do {
            try Data(bytes).write(to: URL(fileURLWithPath: file), options: .atomic)
        } catch {
            throw Problem(.storage, "\(file) is not written: \(error.fileReason)")
        }
    }
}
