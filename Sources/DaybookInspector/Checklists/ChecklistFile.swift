import DaybookChecklist
import DaybookStore
import Foundation

/// A checklist's file, as a place to write into.
enum ChecklistFile {
    private static let longestItem = 1_000

    /// Whether the file is there and may be written.
    static func isWritable(_ checklist: Checklist) -> Bool {
        FileManager.default.isWritableFile(atPath: checklist.file)
    }

    /// Writes an item behind the last of a scenario. What others have written into the file meanwhile stays.
    /// - Returns: the checklist as it is now in the file.
    /// - Throws: ``Problem``, and then the file is as it was.
    static func add(_ item: String, to scenario: String, of checklist: Checklist) throws(Problem) -> Checklist {
        guard item.utf8.count <= longestItem else {
            throw Problem(.badRequest, "An item is at most \(longestItem) bytes.")
        }
        let text: String
        do {
            text = try String(contentsOfFile: checklist.file, encoding: .utf8)
        } catch {
            throw Problem(.storage, "\(checklist.file) cannot be read: \(error.fileReason)")
        }
        let longer: Checklist
        do throws(ChecklistError) {
            longer = try Checklist(markdown: text, file: checklist.file).adding(item, to: scenario)
        } catch {
            throw Problem(.badRequest, "The item cannot be added: \(error.description)")
        }
        do {
            try Data(longer.source.utf8).write(to: URL(fileURLWithPath: checklist.file), options: .atomic)
        } catch {
            throw Problem(.storage, "\(checklist.file) is not written: \(error.fileReason)")
        }
        return longer
    }
}
