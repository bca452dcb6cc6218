/// A team's file that was written, and the version of its text to undo or follow it.
package struct WrittenFile: Sendable {
    /// Of a checklist.
    package var id: String?
    package var file: String
    /// `nil` if the file was deleted.
    package var version: String?

    package init(id: String? = nil, _ file: String, version: String?) {
        (self.id, self.file, self.version) = (id, file, version)
    }

    fileprivate static let form = Form<WrittenFile>.object(
        "WrittenFile", .init(ifAny: "id", .text, \.id), .init("file", .text, \.file),
        .init("version", .optional(.text), \.version)
    ) { WrittenFile(id: $0, $1, version: $2) }
}

extension Endpoint<WrittenFile> {
    package static let boardBlock = Endpoint("POST", "boards/{id}/blocks", WrittenFile.form)
    package static let boardBlockUndo = Endpoint("POST", "boards/{id}/blocks/undo", WrittenFile.form)
    package static let checklistItem = Endpoint("POST", "checklists/{id…}/items", WrittenFile.form)
    package static let checklistItemUndo = Endpoint("POST", "checklists/{id…}/items/undo", WrittenFile.form)
    package static let checklistWrite = Endpoint("POST", "checklists/{id…}/source", WrittenFile.form)
}
