import DaybookChecklist
import DaybookHTTP
import Foundation

/// The checklists with the engine's verdicts so far; runs that start, and their end under someone's name.
struct ChecklistAPI: Sendable {
    private struct Body: Decodable {
        var persona: String?
        var tester: String?
        var build: String?
        /// Items of prose that were ticked.
        var ticked: [String]?
    }
    private static let longestText = 200

    let board: ChecklistBoard
    let notices: LiveNotices
    /// Nanoseconds since 1970.
    let now: @Sendable () -> Int64

    func checklists() async throws -> HTTPResponse {
        let snapshot = try await board.snapshot()
        return Envelope.success {
            $0.object {
                $0.key("judged")
                $0.integer(snapshot.judged)
                $0.key("head")
                $0.integer(snapshot.head)
                $0.key("checklists")
                $0.array(of: snapshot.checklists) { $0.checklist($1) }
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
        let judged = try await judged(id)
        body.persona = body.persona ?? judged.label?.persona
        let items = judged.standings().flatMap { $0 }
        var counts = Dictionary(uniqueKeysWithValues: RunNote.counted.map { ($0, 0) })
        for item in items { counts[item.state.rawValue]? += 1 }
        let ticked = body.ticked.map { ["ticked": $0.prefix(100).joined(separator: "\n")] } ?? [:]
        let number = try await mark(.finish, judged, body, counts: counts, details: ticked)
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
        guard let body = try? JSONDecoder().decode(Body.self, from: Data(bytes.isEmpty ? Array("{}".utf8) : bytes))
        else {
            throw Problem(
                .badRequest, "The body is a JSON object: {\"persona\": \"…\", \"tester\": \"…\", \"build\": \"…\"}.")
        }
        for text in [body.persona, body.tester, body.build] where (text?.utf8.count ?? 0) > Self.longestText {
            throw Problem(.badRequest, "persona, tester and build are at most \(Self.longestText) bytes each.")
        }
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
        guard let number = try await board.mark(note, uid: "run-\(UUID().uuidString.lowercased())", details: details)
        else {
            throw Problem(.notFound, "No checklist is called “\(judged.id)”.")
        }
        notices.notify(head: number)
        return number
    }
}

extension JSONWriter {
    fileprivate mutating func checklist(_ judged: JudgedChecklist) {
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
            $0.array(of: judged.signedRuns) { $0.note($1) }
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

    private mutating func note(_ note: RunNote?) {
        guard let note else { return null() }
        object {
            $0.key("persona")
            $0.string(note.persona)
            $0.key("tester")
            $0.string(note.tester)
            $0.key("build")
            $0.string(note.build)
            $0.key("time")
            $0.decimal(note.time)
            guard note.edge == .finish else { return }
            $0.key("id")
            $0.integer(note.number)
            for state in RunNote.counted {
                $0.key(state)
                $0.integer(Int64(note.counts[state] ?? 0))
            }
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

    private mutating func checklistValue(_ value: ChecklistValue?) {
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
