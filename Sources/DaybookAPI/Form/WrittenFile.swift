/// A team's file that was written, or one whose last change was undone.
package struct WrittenFile: Sendable {
    package var file: String
    /// The text's version, to undo or follow the change; `nil` if the file was deleted.
    package var version: String?

    package init(_ file: String, version: String?) { (self.file, self.version) = (file, version) }

    static let form = Form<WrittenFile>.object(
        "WrittenFile", .init("file", .text, \.file), FormField("version", .text) { $0.version ?? "" }
    ) { WrittenFile($0, version: $1) }

    static let undone = Form<WrittenFile>.object(
        "RevertedFile", .init("file", .text, \.file), .init("version", .optional(.text), \.version)
    ) { WrittenFile($0, version: $1) }
}
