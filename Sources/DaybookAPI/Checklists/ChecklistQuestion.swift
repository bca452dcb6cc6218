import DaybookBase
import DaybookChecklist
import DaybookHTTP
import DaybookTools

/// Whose records to judge: a run's, or those of an installation, session or version, as a persona.
package struct ChecklistQuestion: Sendable {
    package static let names: Set = ["installation", "persona", "run", "session", "version"]
    static let namesOfReport = names.union(["format", "link"])

    package private(set) var run: Int64?
    package private(set) var choice = ChecklistBoard.Choice()
    /// Whether reports are JUnit XML instead of Markdown.
    private var isJUnit = false
    private var link: String?

    /// - Throws: ``Problem`` that names the parameter and its valid values.
    package init(_ parameters: Parameters) throws(Problem) {
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
                isJUnit = value == "junit"
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

    /// Every checklist, judged over the chosen records. A run's checklist is judged over the run, or shown as signed
    /// off.
    /// - Parameter isWritable: Whether a checklist's file can be changed.
    package func answer(
        from runs: RunBook, for audience: VerdictAudience, isWritable: (Checklist) -> Bool
    ) async throws -> ChecklistsAnswer {
        let view = try await runs.board.view(of: choice)
        var shown: [ChecklistAnswer] = []
        for judged in view.checklists {
            let known = await runs.board.known(of: judged.id)
            shown.append(
                ChecklistAnswer(
                    judged, board: BoardEntry.all(known.runs, known.signOffs, live: known.live, for: audience),
                    for: audience, isWritable: isWritable(judged.checklist)))
        }
        if let run {
            let opened = try await runs.opened(run, for: audience)
            for index in shown.indices where shown[index].id == opened.id { shown[index].show(opened) }
        }
        return ChecklistsAnswer(judged: view.judged, head: view.head, checklists: shown)
    }

    /// A report on the run or the chosen records: the output of `daybook verify`, with tester, time and build.
    package func report(
        on id: String, from runs: RunBook, for audience: VerdictAudience
    ) async throws -> ChecklistReport {
        let named = try await runs.board.named(id)
        let opened: OpenedRun
        if let run {
            opened = try await runs.opened(run, for: audience)
            guard opened.id == id else { throw Problem(.notFound, "The run \(run) is not one of “\(id)”.") }
        } else {
            let view = try await runs.board.view(of: choice, for: id)
            guard let judged = view.checklists.first(where: { $0.id == named.id }) else {
                throw Problem(.notFound, "No checklist is called “\(id)”.")
            }
            opened = OpenedRun(
                stored: nil, signOff: nil, id: id, checklist: judged.checklist, scope: judged.scope,
                persona: judged.persona, verdicts: judged.verdicts(finished: false, for: audience), seen: judged.seen,
                definitions: nil)
        }
        let properties = opened.properties
        guard isJUnit else {
            return ChecklistReport(
                markdown: opened.verdicts.markdownReport(of: opened.checklist, properties: properties, link: link))
        }
        return ChecklistReport(
            junit: opened.verdicts.junitReport(
                of: opened.checklist, properties: properties + (link.map { [("link", $0)] } ?? [])))
    }
}

package struct ChecklistReport: Sendable {
    package var markdown: String?
    package var junit: String?

    static let form = Form<ChecklistReport>.object(
        "ChecklistReport", .init(ifAny: "markdown", .text, \.markdown), .init(ifAny: "junit", .text, \.junit),
        make: ChecklistReport.init)
}

extension OpenedRun {
    /// A report's head: who tested what, when and on what. Only known properties, in order.
    fileprivate var properties: [(name: String, value: String)] {
        func time(_ nanoseconds: Int64) -> String {
            Timestamp(nanoseconds: nanoseconds).rfc3339(fractionDigits: 0)
        }
        let (start, note) = (stored?.start, signOff)
        let state =
            note.map { "signed off by \($0.tester), \(time($0.time))" }
            ?? (isFinished ? "finished" : "not finished")
        let devices = note?.device.map { [$0] } ?? seen.devices
        let all: [(String, String?)] = [
            ("state", state), ("tester", start?.tester), ("build", note?.build ?? start?.build),
            ("persona", persona), ("version", scope.version ?? Self.list(seen.versions)),
            ("device", Self.list(devices)), ("installation", scope.installation),
            ("session", scope.session), ("started", start.map { time($0.time) }),
            ("records", String(seen.records)),
            ("waived", note?.counts["waived"].flatMap { $0 > 0 ? String($0) : nil }),
            ("definitions", definitions), ("notes", note?.notes), ("run", String(number)),
        ]
        return all.compactMap { name, value in
            guard let value, !value.isEmpty, name != "run" || number > 0 else { return nil }
            return (name, value)
        }
    }

    private static func list(_ names: [String]) -> String? {
        names.isEmpty ? nil : names.prefix(3).joined(separator: ", ") + (names.count > 3 ? ", …" : "")
    }
}
