import DaybookBase
import DaybookChecklist
import DaybookHTTP
import DaybookStore
import Foundation

/// The checklists with the engine's verdicts so far; runs that start, and their end under someone's name.
struct ChecklistAPI: Sendable {
    private struct Body: Decodable {
        var persona: String?
        var tester: String?
        var build: String?
        /// Items of prose that were ticked.
        var ticked: [String]?
        /// The run of an installation that is signed off; none for the checklist's own.
        var run: Int64?
    }
    private struct NewItem: Decodable {
        var scenario: String
        var item: String
    }

    let board: ChecklistBoard
    /// Whether items may be written into the checklists' files.
    var writes = false
    let notices: LiveNotices
    /// Nanoseconds since 1970.
    let now: @Sendable () -> Int64

    /// A checklist's id may have slashes.
    var routes: [HTTPRoute] {
        [
            HTTPRoute("GET", "/api/v1/checklists") { try await checklists($0.query) },
            HTTPRoute("POST", "/api/v1/checklists/{id…}/restart", bodyLimit: 1_024) {
                try await restart($0.text("id"), $0.body)
            },
            HTTPRoute("POST", "/api/v1/checklists/{id…}/signoff", bodyLimit: 32_768) {
                try await signOff($0.text("id"), $0.body)
            },
            HTTPRoute("GET", "/api/v1/checklists/{id…}/report") { try await report($0.text("id")) },
            HTTPRoute("POST", "/api/v1/checklists/{id…}/items", bodyLimit: 4_096) {
                try await add($0.text("id"), $0.body)
            },
        ]
    }

    /// Every checklist; that of `run=ID`, the run of an installation, as it is judged over that run.
    func checklists(_ parameters: [(name: String, value: String)]) async throws -> HTTPResponse {
        var snapshot = try await board.snapshot()
        let views = try Self.views(of: &snapshot, run: parameters.last { $0.name == "run" }?.value)
        let files = writes
        return Envelope.success {
            $0.object {
                $0.key("judged")
                $0.integer(snapshot.judged)
                $0.key("head")
                $0.integer(snapshot.head)
                $0.key("checklists")
                $0.array(of: views) { writer, view in
                    writer.checklist(view, isWritable: files && ChecklistFile.isWritable(view.shown.checklist))
                }
            }
        }
    }

    private static func views(of snapshot: inout ChecklistBoard.Snapshot, run: String?) throws -> [ChecklistView] {
        let chosen = try run.map { text in
            guard let run = snapshot.runs.first(where: { String($0.id) == text }) else {
                throw Problem(.notFound, "No run of an installation with the number \(text) is under way.")
            }
            return run
        }
        return snapshot.checklists.map { ChecklistView($0, runs: snapshot.runs, chosen: chosen) }
    }

    /// Writes an item into the checklist's file, behind the last of a scenario; everything is then judged again.
    func add(_ id: String, _ bytes: [UInt8]) async throws -> HTTPResponse {
        guard writes else {
            throw Problem(.badRequest, "This inspector writes no checklists; copy the item into the file.")
        }
        let body = try RequestBody.read(
            NewItem.self, bytes, "The body is a JSON object: {\"scenario\": \"…\", \"item\": \"…\"}.")
        let longer = try ChecklistFile.add(body.item, to: body.scenario, of: try await judged(id).checklist)
        await board.replace(id, with: longer)
        notices.notify(head: try await board.snapshot().head)
        return Envelope.success {
            $0.object {
                $0.key("file")
                $0.string(longer.file)
            }
        }
    }

    /// Starts a new run, as one of the checklist's personas where one is named.
    func restart(_ id: String, _ body: [UInt8]) async throws -> HTTPResponse {
        let body = try read(body)
        let judged = try await judged(id)
        if let persona = body.persona, judged.checklist.personas?[persona] == nil {
            let names = judged.checklist.personas?.personas.map(\.name).joined(separator: ", ") ?? "none"
            throw Problem(.badRequest, "The checklist has no persona “\(persona)”; it has \(names).")
        }
        let number = try await mark(.start, judged, body)
        return Envelope.success {
            $0.object {
                $0.key("since")
                $0.integer(number)
            }
        }
    }

    /// Ends the run under the name of who looked at it.
    func signOff(_ id: String, _ body: [UInt8]) async throws -> HTTPResponse {
        var body = try read(body)
        guard body.tester?.isEmpty == false else {
            throw Problem(.badRequest, "A sign-off needs the tester's name: {\"tester\": \"…\", \"build\": \"…\"}.")
        }
        // What has been stored by now is part of what is signed.
        _ = try await board.snapshot()
        var judged = try await judged(id)
        if let number = body.run {
            guard let run = try await board.snapshot().runs.first(where: { $0.id == number && $0.checklist == id })
            else {
                throw Problem(.notFound, "No run of this checklist with the number \(number) is under way.")
            }
            judged = run.judged
        }
        body.persona = body.persona ?? judged.label?.persona
        let ticked = body.ticked.map { ["ticked": $0.prefix(100).joined(separator: "\n")] } ?? [:]
        let number = try await mark(.finish, judged, body, counts: judged.counts, details: ticked)
        return Envelope.success {
            $0.object {
                $0.key("id")
                $0.integer(number)
            }
        }
    }

    /// The checklist as Markdown, ticked, with the reasons nested: as `daybook verify --markdown` prints it.
    func report(_ id: String) async throws -> HTTPResponse {
        _ = try await board.snapshot()
        let judged = try await judged(id)
        let text = judged.verdicts.markdownReport(of: judged.checklist)
        return Envelope.success {
            $0.object {
                $0.key("markdown")
                $0.string(text)
            }
        }
    }

    private func judged(_ id: String) async throws -> JudgedChecklist {
        guard let judged = await board.checklist(id) else {
            throw Problem(.notFound, "No checklist is called “\(id)”.")
        }
        return judged
    }

    private func read(_ bytes: [UInt8]) throws -> Body {
        let body = try RequestBody.read(
            Body.self, bytes.isEmpty ? Array("{}".utf8) : bytes,
            "The body is a JSON object: {\"persona\": \"…\", \"tester\": \"…\", \"build\": \"…\"}.")
        try RequestBody.checkLengths([body.persona, body.tester, body.build])
        return body
    }

    private func mark(
        _ edge: RunNote.Edge, _ judged: JudgedChecklist, _ body: Body, counts: [String: Int] = [:],
        details: [String: String] = [:]
    ) async throws -> Int64 {
        var note = RunNote(
            edge, of: judged.checklist.title, id: judged.id, persona: body.persona, tester: body.tester,
            build: body.build, time: now())
        note.counts = counts
        if let run = body.run { (note.run, note.installation) = (run, judged.label?.installation) }
        guard let number = try await board.mark(note, uid: "run-\(UUID().uuidString.lowercased())", details: details)
        else {
            throw Problem(.notFound, "No checklist is called “\(judged.id)”.")
        }
        notices.notify(head: number)
        return number
    }
}

extension JSONBuilder {
    fileprivate mutating func checklist(_ view: ChecklistView, isWritable: Bool) {
        let judged = view.shown
        object {
            $0.key("id")
            $0.string(judged.id)
            $0.key("title")
            $0.string(judged.checklist.title)
            $0.key("since")
            $0.integer(judged.startsAfter)
            $0.key("personas")
            $0.array(of: judged.checklist.personas?.personas ?? []) { $0.string($1.name) }
            $0.key("run")
            $0.note(judged.label)
            $0.key("signed_off")
            $0.note(judged.signature)
            $0.key("board")
            $0.array(of: view.board) { $0.entry($1) }
            $0.key("writable")
            $0.bool(isWritable)
            $0.key("scenarios")
            $0.array(of: zip(judged.checklist.scenarios, judged.standings())) { writer, pair in
                let (scenario, standings) = pair
                writer.object {
                    $0.key("id")
                    $0.string(scenario.name)
                    $0.key("title")
                    $0.string(scenario.name)
                    $0.key("items")
                    $0.array(of: standings.enumerated()) { $0.standing($1.element, number: $1.offset + 1) }
                }
            }
        }
    }

    /// A run of the board: signed off, or under way.
    private mutating func entry(_ entry: ChecklistView.Entry) {
        object {
            $0.key("state")
            $0.string(entry.isUnderWay ? "under_way" : "signed_off")
            $0.key("installation")
            $0.string(entry.note.installation)
            $0.noteMembers(entry.note, counts: entry.counts)
        }
    }

    private mutating func note(_ note: RunNote?) {
        guard let note else { return null() }
        object { $0.noteMembers(note, counts: note.edge == .finish ? note.counts : nil) }
    }

    private mutating func noteMembers(_ note: RunNote, counts: [String: Int]?) {
        for (name, text) in [("persona", note.persona), ("tester", note.tester), ("build", note.build)] {
            key(name)
            string(text)
        }
        key("time")
        decimal(note.time)
        guard let counts else { return }
        key("id")
        integer(note.number)
        for state in RunNote.counted {
            key(state)
            integer(Int64(counts[state] ?? 0))
        }
    }

    mutating func standing(_ standing: ItemStanding, number: Int) {
        object {
            $0.key("id")
            $0.string(String(number))
            $0.key("text")
            $0.string(standing.item.text)
            $0.key("pattern")
            $0.string(standing.pattern)
            $0.key("tests")
            $0.array(of: standing.item.tests) { $0.string($1.text) }
            $0.key("notes")
            $0.array(of: standing.item.notes) { $0.string($1) }
            $0.key("state")
            $0.string(standing.state.rawValue)
            $0.key("provisional")
            $0.bool(standing.isProvisional)
            $0.key("reason")
            $0.string(standing.reason)
            $0.key("matches")
            $0.integer(Int64(standing.matches))
            $0.key("records")
            $0.array(of: standing.evidence) { $0.evidence($1) }
        }
    }

    private mutating func evidence(_ evidence: Evidence) {
        object {
            $0.key("id")
            $0.integer(evidence.number)
            $0.key("time")
            $0.decimal(evidence.time)
            $0.key("tag")
            $0.string(evidence.tag)
            $0.key("values")
            $0.array(of: evidence.values) { writer, value in
                writer.object {
                    $0.key("column")
                    $0.string(value.column)
                    $0.key("value")
                    $0.checklistValue(value.value)
                }
            }
            $0.key("note")
            $0.string(evidence.note)
        }
    }

    mutating func checklistValue(_ value: ChecklistValue?) {
        switch value {
        case nil: null()
        case .boolean(let value): bool(value)
        case .integer(let value): integer(value)
        case .number(let value): real(value)
        case .text(let text): string(text)
        case .structure(let json): spliced(json)
        }
    }
}

/// What is told of one checklist: a run of it in full, and the board of all its runs.
struct ChecklistView: Sendable {
    /// A run on the board.
    struct Entry: Sendable {
        var note: RunNote
        /// How many items stand how, by their state's name.
        var counts: [String: Int]
        var isUnderWay: Bool
    }

    /// The run that is shown.
    let shown: JudgedChecklist
    /// The runs that were signed off, the latest of each tester and persona, and then those under way.
    let board: [Entry]

    /// - Parameters:
    ///   - judged: the checklist with its own run.
    ///   - runs: those of installations, of all checklists.
    ///   - chosen: the one that is shown, if it is one of this checklist.
    init(_ judged: JudgedChecklist, runs: [InstallationRun], chosen: InstallationRun? = nil) {
        shown = chosen.flatMap { $0.checklist == judged.id ? $0.judged : nil } ?? judged
        let signed = judged.signedRuns.map { Entry(note: $0, counts: $0.counts, isUnderWay: false) }
        var underWay = runs.filter { $0.checklist == judged.id }.map(\.judged)
        // A run of nobody as no one has no place on the board.
        let hasName = judged.label?.persona != nil || judged.label?.tester != nil
        if judged.signature == nil, hasName { underWay.append(judged) }
        board =
            signed
            + underWay.compactMap { run in
                run.label.map { Entry(note: $0, counts: run.counts, isUnderWay: true) }
            }
    }
}

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
