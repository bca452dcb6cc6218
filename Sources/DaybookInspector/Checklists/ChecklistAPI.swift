import DaybookAPI
import DaybookBase
import DaybookChecklist
import DaybookHTTP
import DaybookStore
import DaybookTools
import Foundation

/// Checklists with their current verdicts, reports, and adding items to their files.
struct ChecklistAPI: Sendable {
    let board: ChecklistBoard
    let runs: RunBook
    let desk: SignOffDesk
    let writes: Bool
    let notices: LiveNotices
    let files: ChecklistFile
    let audience: @Sendable (HTTPRequest.Head) -> VerdictAudience

    /// A checklist's id may contain slashes.
    var routes: [HTTPRoute] {
        [
            HTTPRoute(Endpoints.checklists) { request in
                try await ChecklistQuestion(request.query).answer(from: runs, for: audience(request.head)) {
                    writes && ChecklistFile.isWritable($0)
                }
            },
            HTTPRoute(Endpoints.checklistReport) {
                try await ChecklistQuestion($0.query).report(
                    on: $0.text("id"), from: runs, for: audience($0.head))
            },
            HTTPRoute(Endpoints.checklistSignOff, bodyLimit: 262_144) {
                try await desk.signOff($0.text("id"), $0.body)
            },
            HTTPRoute(Endpoints.checklistItem, bodyLimit: 4_096) { try await add($0.text("id"), $0.body) },
            HTTPRoute(Endpoints.checklistItemUndo, bodyLimit: 4_096) { try await undo($0.text("id"), $0.body) },
        ]
    }

    /// Appends an item to a scenario in the checklist's file, and judges all records again.
    func add(_ id: String, _ bytes: [UInt8]) async throws -> WrittenFile {
        guard writes else {
            throw Problem(.badRequest, "This inspector cannot write checklists; copy the item into the file.")
        }
        let body = try RequestBody.read(
            bytes, "The body is a JSON object: {\"scenario\": \"…\", \"item\": \"…\", \"version\": \"…\"}."
        ) {
            (
                scenario: $0.text("scenario", limit: nil), item: $0.text("item", limit: nil),
                version: $0.text(ifAny: "version")
            )
        }
        let file = try await board.named(id).checklist.file
        return try await answer(id, file) {
            try files.add(
                body.item, to: body.scenario, of: file, over: body.version.map { .version($0) } ?? .anything,
                catalog: board.catalog)
        }
    }

    func undo(_ id: String, _ bytes: [UInt8]) async throws -> WrittenFile {
        let version = try RequestBody.version(bytes)
        let file = try await board.named(id).checklist.file
        return try await answer(id, file) { try files.undo(file, over: version) }
    }

    /// Changes the file and judges all records again, even after a conflict with another writer's change.
    private func answer(
        _ id: String, _ file: String, _ change: () throws -> (checklist: Checklist?, version: String?)
    ) async throws -> WrittenFile {
        do {
            let (checklist, version) = try change()
            await board.replace(id, with: checklist)
            notices.notify(head: try await board.view().head)
            return WrittenFile(file, version: version)
        } catch let problem as OwnedFile.Problem where problem.kind == .conflict {
            if let text = try? ChecklistFile.read(file).markdown,
                let checklist = try? Checklist(markdown: text, file: file)
            {
                await board.replace(id, with: checklist)
                notices.notify(head: try await board.view().head)
            }
            throw problem
        }
    }
}
