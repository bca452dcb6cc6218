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
    let opener: RunOpener
    let desk: SignOffDesk
    let writes: Bool
    let notices: LiveNotices
    let files: ChecklistFile
    let audience: @Sendable (HTTPRequest.Head) -> VerdictAudience

    /// A checklist's id may contain slashes.
    var routes: [HTTPRoute] {
        [
            HTTPRoute("GET", "/api/v1/checklists", parameters: Wish.names) {
                try await checklists($0.query, for: audience($0.head))
            },
            HTTPRoute("POST", "/api/v1/checklists/{id…}/signoff", bodyLimit: 262_144) {
                try await desk.signOff($0.text("id"), $0.body)
            },
            HTTPRoute(
                "GET", "/api/v1/checklists/{id…}/report", parameters: Wish.names.union(["format", "link"])
            ) { try await report($0.text("id"), $0.query, for: audience($0.head)) },
            HTTPRoute("POST", "/api/v1/checklists/{id…}/items", bodyLimit: 4_096) {
                try await add($0.text("id"), $0.body)
            },
            HTTPRoute("POST", "/api/v1/checklists/{id…}/items/undo", bodyLimit: 4_096) {
                try await undo($0.text("id"), $0.body)
            },
        ]
    }

    /// The requested records: of a run, or of an installation, session or version, as a persona.
    private struct Wish {
        static let names: Set = ["installation", "persona", "run", "session", "version"]

        var run: Int64?
        var choice = ChecklistBoard.Choice()
        var format = "markdown"
        var link: String?

        init(_ parameters: [(name: String, value: String)]) throws(Problem) {
            for (name, value) in parameters {
                guard name == "link" || value.utf8.count <= RequestBody.longestName else {
                    throw Problem(.badRequest, "\(name) is at most \(RequestBody.longestName) bytes.")
                }
                switch name {
                case "run": run = try FilterParameters.number(name, value, in: 1...Int64.max)
                case "installation": choice.scope.installation = value
                case "session": choice.scope.session = value
                case "version": choice.scope.version = value
                case "persona": choice.persona = value
                case "format":
                    guard ["markdown", "junit"].contains(value) else {
                        throw Problem(.badRequest, "format is markdown or junit, not “\(value)”.")
                    }
                    format = value
                default:
                    guard value.hasPrefix("https://") || value.hasPrefix("http://") else {
                        throw Problem(.badRequest, "link is an address that begins with https:// or http://.")
                    }
                    link = value
                }
            }
            guard run == nil || choice == .init() else {
                throw Problem(.badRequest, "A run has its own records and persona: leave out the others, or run.")
            }
        }
    }

    /// Every checklist, judged over the chosen records; the one of `run=ID` is judged over that run, or shown as signed
    /// off.
    func checklists(
        _ parameters: [(name: String, value: String)], for audience: VerdictAudience
    ) async throws -> HTTPResponse {
        let wish = try Wish(parameters)
        let view = try await board.view(of: wish.choice)
        var shown: [ShownChecklist] = []
        for judged in view.checklists {
            let known = await board.known(of: judged.id)
            shown.append(
                ShownChecklist(
                    judged, board: BoardEntry.all(known.runs, known.signOffs, live: known.live, for: audience),
                    for: audience, isWritable: writes && ChecklistFile.isWritable(judged.checklist)))
        }
        if let run = wish.run {
            let opened = try await opener.open(run, for: audience)
            for index in shown.indices where shown[index].id == opened.id { shown[index].show(opened) }
        }
        return Envelope.success {
            $0.object {
                $0.key("judged")
                $0.integer(view.judged)
                $0.key("head")
                $0.integer(view.head)
                $0.key("checklists")
                $0.array(of: shown) { $0.checklist($1) }
            }
        }
    }

    /// Appends an item to a scenario in the checklist's file, and judges all records again.
    func add(_ id: String, _ bytes: [UInt8]) async throws -> HTTPResponse {
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

    func undo(_ id: String, _ bytes: [UInt8]) async throws -> HTTPResponse {
        let version = try RequestBody.version(bytes)
        let file = try await board.named(id).checklist.file
        return try await answer(id, file) { try files.undo(file, over: version) }
    }

    /// Changes the file and judges all records again, also after a conflict with another writer's change.
    private func answer(
        _ id: String, _ file: String, _ change: () throws -> (checklist: Checklist?, version: String?)
    ) async throws -> HTTPResponse {
        do {
            let (checklist, version) = try change()
            await board.replace(id, with: checklist)
            notices.notify(head: try await board.view().head)
            return Envelope.success {
                $0.object {
                    $0.key("file")
                    $0.string(file)
                    $0.key("version")
                    $0.string(version)
                }
            }
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

    /// A run, or chosen records, as Markdown or JUnit XML: the output of `daybook verify`, with tester, time and build.
    func report(
        _ id: String, _ parameters: [(name: String, value: String)], for audience: VerdictAudience
    ) async throws -> HTTPResponse {
        let wish = try Wish(parameters)
        let named = try await board.named(id)
        let opened: RunOpener.Opened
        if let run = wish.run {
            opened = try await opener.open(run, for: audience)
            guard opened.id == id else { throw Problem(.notFound, "The run \(run) is not one of “\(id)”.") }
        } else {
            let view = try await board.view(of: wish.choice, for: id)
            guard let judged = view.checklists.first(where: { $0.id == named.id }) else {
                throw Problem(.notFound, "No checklist is called “\(id)”.")
            }
            opened = RunOpener.Opened(
                stored: nil, signOff: nil, id: id, checklist: judged.checklist, scope: judged.scope,
                persona: judged.persona, verdicts: judged.verdicts(finished: false, for: audience), seen: judged.seen,
                definitions: nil)
        }
        let header = RunHeader(opened, link: wish.link)
        let text =
            wish.format == "junit"
            ? opened.verdicts.junitReport(
                of: opened.checklist,
                properties: header.properties + (header.link.map { [("link", $0)] } ?? []))
            : opened.verdicts.markdownReport(of: opened.checklist, properties: header.properties, link: header.link)
        return Envelope.success {
            $0.object {
                $0.key(wish.format == "junit" ? "junit" : "markdown")
                $0.string(text)
            }
        }
    }
}

/// The head of a report: who tested what, when and on what.
struct RunHeader {
    /// Names and values in order; only known ones.
    let properties: [(name: String, value: String)]
    let link: String?

    init(_ opened: RunOpener.Opened, link: String?) {
        self.link = link
        func time(_ nanoseconds: Int64) -> String {
            Timestamp(nanoseconds: nanoseconds).rfc3339(fractionDigits: 0)
        }
        let start = opened.stored?.start
        let note = opened.signOff
        let state =
            note.map { "signed off by \($0.tester), \(time($0.time))" }
            ?? (opened.isFinished ? "finished" : "not finished")
        let devices = note?.device.map { [$0] } ?? opened.seen.devices
        let all: [(String, String?)] = [
            ("state", state), ("tester", start?.tester), ("build", note?.build ?? start?.build),
            ("persona", opened.persona), ("version", opened.scope.version ?? Self.list(opened.seen.versions)),
            ("device", Self.list(devices)), ("installation", opened.scope.installation),
            ("session", opened.scope.session), ("started", start.map { time($0.time) }),
            ("records", String(opened.seen.records)),
            ("waived", note?.counts["waived"].flatMap { $0 > 0 ? String($0) : nil }),
            ("definitions", opened.definitions), ("notes", note?.notes), ("run", String(opened.number)),
        ]
        properties = all.compactMap { name, value in
            guard let value, !value.isEmpty, name != "run" || opened.number > 0 else { return nil }
            return (name, value)
        }
    }

    private static func list(_ names: [String]) -> String? {
        names.isEmpty ? nil : names.prefix(3).joined(separator: ", ") + (names.count > 3 ? ", …" : "")
    }
}
