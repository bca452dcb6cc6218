import DaybookAPI
import DaybookBase
import DaybookChecklist
import DaybookHTTP
import DaybookStore
import DaybookTools
import Foundation

/// Checklists as editable text: checked by the parser that judges, and written unless the file has changed meanwhile.
struct ChecklistEditAPI: Sendable {
    /// Largest checklist in bytes; thousands of items.
    static let longestText = 262_144
    /// Largest request in bytes; JSON may take six bytes for one.
    private static let bodyLimit = 2 * longestText
    /// Longest file name in bytes, without `.md`.
    private static let longestName = 100

    let board: ChecklistBoard
    let files: ChecklistFile
    /// Where to create checklists; `nil` for nowhere.
    let folder: String?
    let writes: Bool
    let notices: LiveNotices

    var routes: [HTTPRoute] {
        [
            HTTPRoute(Endpoints.checklistCheck, bodyLimit: Self.bodyLimit) { try check($0.body) },
            HTTPRoute(Endpoints.checklistSource) { try await source($0.text("id")) },
            HTTPRoute(Endpoints.checklistWrite, bodyLimit: Self.bodyLimit) { try await write($0.text("id"), $0.body) },
        ]
    }

    /// Problems of a text, and positions of its items; stores nothing.
    func check(_ bytes: [UInt8]) throws -> ChecklistCheck {
        let draft = try RequestBody.read(
            bytes, "The body is a JSON object with a file: {\"name\": \"release.md\", \"markdown\": \"# release…\"}."
        ) { (name: $0.text("name"), markdown: $0.text("markdown", limit: Self.longestText, mayBeEmpty: true)) }
        return ChecklistCheck(
            of: draft.markdown, named: draft.name, catalog: board.catalog, hasFolder: writes && folder != nil)
    }

    /// The file's text, and the version to send with a change.
    func source(_ id: String) async throws -> ChecklistSource {
        let checklist = try await board.named(id).checklist
        // In an app there is only the given text.
        let isFile = FileManager.default.fileExists(atPath: checklist.file)
        let (markdown, version) =
            isFile
            ? try ChecklistFile.read(checklist.file)
            : (checklist.source, OwnedFile.version(of: Array(checklist.source.utf8)))
        return ChecklistSource(
            file: checklist.file, markdown: markdown, version: version,
            isWritable: writes && isFile && ChecklistFile.isWritable(checklist))
    }

    /// Writes a checklist's text. Without a version, creates a checklist of this name.
    func write(_ id: String, _ bytes: [UInt8]) async throws -> WrittenChecklist {
        guard writes else {
            throw Problem(.badRequest, "This inspector cannot write checklists; save the text as a file.")
        }
        let body = try RequestBody.read(
            bytes, "The body is a JSON object: {\"markdown\": \"# release…\", \"version\": \"…\"}."
        ) {
            (
                markdown: $0.text("markdown", limit: Self.longestText, mayBeEmpty: true),
                version: $0.text(ifAny: "version")
            )
        }
        let file: String
        if let known = try? await board.named(id).checklist.file {
            file = known
        } else {
            file = try newFile(id)
        }
        let (checklist, version) = try files.write(body.markdown, to: file, over: body.version)
        await board.replace(id, with: checklist)
        notices.notify(head: try await board.view().head)
        return WrittenChecklist(id: id, file: file, version: version)
    }

    /// Directly in the folder, whatever the name.
    private func newFile(_ id: String) throws(Problem) -> String {
        guard let folder else {
            throw Problem(.badRequest, "There is no folder of checklists: start daybook with --checklists DIR.")
        }
        let isName = id.unicodeScalars.allSatisfy { scalar in
            scalar.properties.isAlphabetic || scalar.properties.numericType != nil
                || "_-. ".unicodeScalars.contains(scalar)
        }
        guard isName, !id.hasPrefix("."), !id.hasPrefix(" "), !id.hasSuffix(" "),
            (1...Self.longestName).contains(id.utf8.count)
        else {
            throw Problem(
                .badRequest,
                "A checklist's name has letters, digits, _, -, . and spaces, at most \(Self.longestName) bytes, not “\(id)”."
            )
        }
        return "\(folder)/\(id).md"
    }
}
