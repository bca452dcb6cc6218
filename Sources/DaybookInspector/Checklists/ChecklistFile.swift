import DaybookBase
import DaybookChecklist
import Foundation

/// A checklist's file, as a place to write into. Only the item's own line is written: everything else keeps its bytes.
final class ChecklistFile: Sendable {
    private static let longestItem = 1_000

    /// What the last addition to a file made of it, so that it can be taken back.
    private struct Addition {
        var before: [UInt8]
        var after: [UInt8]
    }

    private let additions = Mutex<[String: Addition]>([:])

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
        additions.withLock { $0[checklist.file] = Addition(before: before, after: after) }
        return longer
    }

    /// Takes the last addition back: the file has the bytes that it had before.
    /// - Returns: the checklist as it is now in the file.
    /// - Throws: ``Problem`` where nothing was added, or somebody has changed the file since.
    func undo(_ checklist: Checklist) throws(Problem) -> Checklist {
        guard let addition = additions.withLock({ $0[checklist.file] }) else {
            throw Problem(.notFound, "Nothing was added to \(checklist.file) that could be taken back.")
        }
        guard try Self.bytes(of: checklist.file) == addition.after else {
            throw Problem(.badRequest, "\(checklist.file) has been changed since; take the item out by hand.")
        }
        let shorter: Checklist
        do throws(ChecklistError) {
            shorter = try Self.checklist(addition.before, checklist.file)
        } catch {
            throw Problem(.badRequest, error.description)
        }
        try Self.write(addition.before, to: checklist.file)
        additions.withLock { $0[checklist.file] = nil }
        return shorter
    }

    private static func checklist(_ bytes: [UInt8], _ file: String) throws(ChecklistError) -> Checklist {
        try Checklist(markdown: String(decoding: bytes, as: UTF8.self), file: file)
    }

    private static func bytes(of file: String) throws(Problem) -> [UInt8] {
        let bytes: [UInt8]
        do {
            bytes = Array(try Data(contentsOf: URL(fileURLWithPath: file)))
        } catch {
            throw Problem(.storage, "\(file) cannot be read: \(error.fileReason)")
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
