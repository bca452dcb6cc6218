import DaybookChecklist
import DaybookStore
import Foundation

/// The checklists of a folder.
enum ChecklistFolder {
    /// Every `.md` of a folder, by name.
    /// - Throws: The located errors of a checklist, or that the folder cannot be read.
    static func load(_ folder: String) throws -> [Checklist] {
        let names: [String]
        do {
            names = try FileManager.default.contentsOfDirectory(atPath: folder)
        } catch {
            throw InputError(file: folder, message: "cannot be read: \(error.fileReason)")
        }
        return try names.filter { $0.hasSuffix(".md") }.sorted().map { name in
            let path = folder + "/" + name
            return try Checklist(markdown: TextFile.read(path), file: path)
        }
    }
}
