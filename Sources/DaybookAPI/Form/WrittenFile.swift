/// A team's file that was written, or one whose last change was undone.
package struct WrittenFile: Sendable {
    package var file: String
    /// Of its text, to undo or follow the change; `nil` if the file was deleted.
    package var version: String?

    package init(_ file: String, version: String?) { (self.file, self.version) = (file, version) }

    fileprivate static let form = Form<WrittenFile>.object(
        "WrittenFile", .init("file", .text, \.file), FormField("version", .text) { $0.version ?? "" }
    ) { WrittenFile($0, version: $1) }

    fileprivate static let undone = Form<WrittenFile>.object(
        "RevertedFile", .init("file", .text, \.file), .init("version", .optional(.text), \.version)
    ) { WrittenFile($0, version: $1) }
}

extension Endpoint<WrittenFile> {
    package static let boardBlock = Endpoint("POST", "boards/{id}/blocks", WrittenFile.form)
    package static let boardBlockUndo = Endpoint("POST", "boards/{id}/blocks/undo", WrittenFile.undone)
    package static let checklistItem = Endpoint("POST", "checklists/{id…}/items", WrittenFile.form)
    package static let checklistItemUndo = Endpoint("POST", "checklists/{id…}/items/undo", WrittenFile.undone)
}
