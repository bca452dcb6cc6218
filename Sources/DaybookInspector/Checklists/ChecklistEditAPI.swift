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
    /// Largest request in bytes; JSON may use six bytes for one.
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
            HTTPRoute("POST", "/api/v1/checklists/check", bodyLimit: Self.bodyLimit) { try check($0.body) },
            HTTPRoute("GET", "/api/v1/checklists/{id…}/source") { try await source($0.text("id")) },
            HTTPRoute("POST", "/api/v1/checklists/{id…}/source", bodyLimit: Self.bodyLimit) {
                try await write($0.text("id"), $0.body)
            },
        ]
    }

    /// The problems of a text, and the positions of its items; nothing is stored.
    func check(_ bytes: [UInt8]) throws -> HTTPResponse {
        let draft = try RequestBody.read(
            bytes, "The body is a JSON object with a file: {\"name\": \"release.md\", \"markdown\": \"# release…\"}."
        ) { (name: $0.text("name"), markdown: $0.text("markdown", limit: Self.longestText, mayBeEmpty: true)) }
        var checklist: Checklist?
        var problems: [(severity: String, problem: ChecklistError.Problem)] = []
        do throws(ChecklistError) {
            let sound = try Checklist(markdown: draft.markdown, file: draft.name)
            checklist = sound
            // Items about undefined events are not judged; the others are.
            problems = board.catalog.map { sound.problems(with: $0) }?.map { ("warning", $0) } ?? []
        } catch {
            problems = error.problems.map { ("error", $0) }
        }
        return Envelope.success {
            $0.object {
                $0.key("diagnostics")
                $0.array(of: problems) { $0.problem($1.problem, severity: $1.severity) }
                $0.key("title")
                $0.string(checklist?.title)
                $0.key("scenarios")
                $0.array(of: checklist?.scenarios ?? []) { $0.outline($1) }
                $0.key("folder")
                $0.bool(writes && folder != nil)
            }
        }
    }

    /// The file's text, and the version to send with a change.
    func source(_ id: String) async throws -> HTTPResponse {
        let checklist = try await board.named(id).checklist
        // In an app there is no file, only the given text.
        let isFile = FileManager.default.fileExists(atPath: checklist.file)
        let (markdown, version) =
            isFile
            ? try ChecklistFile.read(checklist.file)
            : (checklist.source, OwnedFile.version(of: Array(checklist.source.utf8)))
        return Envelope.success {
            $0.object {
                $0.key("file")
                $0.string(checklist.file)
                $0.key("markdown")
                $0.string(markdown)
                $0.key("version")
                $0.string(version)
                $0.key("writable")
                $0.bool(writes && isFile && ChecklistFile.isWritable(checklist))
            }
        }
    }

    /// Writes a checklist's text; without a version, creates a checklist of this name.
    func write(_ id: String, _ bytes: [UInt8]) async throws -> HTTPResponse {
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
        return Envelope.success {
            $0.object {
                $0.key("id")
                $0.string(id)
                $0.key("file")
                $0.string(file)
                $0.key("version")
                $0.string(version)
            }
        }
    }

    /// The path of a new checklist, directly in the folder whatever its name.
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

extension JSONBuilder {
    fileprivate mutating func problem(_ problem: ChecklistError.Problem, severity: String) {
        object {
            $0.key("severity")
            $0.string(severity)
            $0.key("line")
            $0.integer(Int64(problem.diagnostic.location.line))
            $0.key("column")
            $0.integer(Int64(problem.diagnostic.location.column))
            $0.key("message")
            $0.string(problem.diagnostic.message)
            $0.key("hint")
            $0.string(problem.diagnostic.hint)
        }
    }

    /// A scenario's items with their lines, from 1.
    fileprivate mutating func outline(_ scenario: Checklist.Scenario) {
        object {
            $0.key("name")
            $0.string(scenario.name)
            $0.key("line")
            $0.integer(Int64(scenario.location.line))
            $0.key("items")
            $0.array(of: scenario.items) { writer, item in
                writer.object {
                    $0.key("text")
                    $0.string(item.text)
                    $0.key("line")
                    $0.integer(Int64(item.location.line))
                    $0.key("end")
                    $0.integer(Int64(item.lastLine))
                    $0.key("manual")
                    $0.bool(item.content == .manual)
                }
            }
        }
    }
}
