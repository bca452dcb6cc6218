import DaybookAPI
import DaybookBase
import DaybookChecklist
import DaybookHTTP
import DaybookStore
import DaybookTools
import Foundation

/// Signs off: requires a reason for each open item, and freezes all verdicts.
struct SignOffDesk: Sendable {
    private struct Body {
        /// A run's number; otherwise the records of an installation, session or version, as a persona.
        var run: Int64?
        var installation: String?
        var session: String?
        var version: String?
        var persona: String?
        var tester: String
        var build: String?
        var device: String?
        var notes: String?
        /// Completed manual steps, as `SCENARIO/NUMBER`.
        var ticked: [String]
        /// Reasons by item; number 0 is the scenario as a whole.
        var waivers: [(item: String, reason: String)]

        var choice: [String] {
            [("installation", installation), ("session", session), ("version", version), ("persona", persona)]
                .filter { $0.1 != nil }.map(\.0)
        }

        static func read(_ bytes: [UInt8]) throws(HTTPRoutingError) -> Body {
            try RequestBody.read(
                bytes,
                "The body is a JSON object: {\"tester\": \"…\", \"build\": \"…\", \"run\": 1, \"ticked\": [\"…\"], "
                    + "\"waivers\": [{\"item\": \"…\", \"reason\": \"…\"}]}; only tester is required."
            ) {
                Body(
                    run: $0.integer(ifAny: "run"), installation: $0.text(ifAny: "installation"),
                    session: $0.text(ifAny: "session"), version: $0.text(ifAny: "version"),
                    persona: $0.text(ifAny: "persona"), tester: $0.text("tester"), build: $0.text(ifAny: "build"),
                    device: $0.text(ifAny: "device"), notes: $0.text(ifAny: "notes", limit: SignOffDesk.longestNotes),
                    ticked: $0.texts(ifAny: "ticked", limit: nil) ?? [],
                    waivers: $0.objects(ifAny: "waivers") {
                        ($0.text("item", limit: nil), $0.text("reason"))
                    } ?? [])
            }
        }
    }

    private static let longestNotes = 4_000

    let board: ChecklistBoard
    let runs: RunBook
    /// A digest of the definitions; `nil` without any.
    let definitions: String?
    /// Nanoseconds since 1970.
    let now: @Sendable () -> Int64

    func signOff(_ id: String, _ bytes: [UInt8]) async throws -> SignedRun {
        let body = try Body.read(bytes)
        if let member = body.choice.first, body.run != nil {
            throw Problem(.badRequest, "“\(member)” is not taken beside “run”: a run has its own.")
        }
        let named = try await board.named(id)
        var note = SignOffNote(
            checklist: named.checklist.title, checklistID: named.id, tester: body.tester, time: now())
        (note.build, note.device, note.notes) = (body.build, body.device, body.notes)
        let judged: JudgedRun
        if let number = body.run {
            let stored = try await ended(number, of: named, body)
            judged = try await runs.judge(stored)
            note.run = stored.start.run ?? String(stored.id)
            note.build = note.build ?? stored.start.build
        } else {
            judged = try await chosen(named, body)
        }
        (note.scope, note.persona) = (judged.scope, judged.persona)
        note.device = note.device ?? (judged.seen.devices.count == 1 ? judged.seen.devices[0] : nil)
        let verdicts = try Self.answered(judged.verdicts(finished: true, for: .managers), body)
        let shown = verdicts.map(VerdictAudience.readers.seen)
        (note.counts, note.shownCounts) = (verdicts.counts, shown.counts)
        // Not before the run's end, which was stored meanwhile.
        note.time = now()
        let snapshot = SignedSnapshot(verdicts, of: judged, definitions: definitions)
        let number = try await board.append(
            note.row(
                uid: "run-\(UUID().uuidString.lowercased())", snapshot: try snapshot.json, isPrivate: shown != verdicts)
        )
        return SignedRun(id: number, run: body.run ?? number)
    }

    /// The finished run. Checked before it is finished, so that a tester who must give reasons can continue testing.
    private func ended(_ number: Int64, of named: NamedChecklist, _ body: Body) async throws -> StoredRun {
        let stored = try await runs.stored(number)
        guard named.owns(stored.start) else {
            throw Problem(.notFound, "The run \(number) is not one of “\(named.id)”.")
        }
        if let signed = stored.signOff {
            throw Problem(.badRequest, "The run \(number) was signed off by \(signed.tester); start another.")
        }
        guard stored.end == nil else { return stored }
        _ = try Self.answered(try await runs.judge(stored).verdicts(finished: true, for: .managers), body)
        return try await runs.end(number)
    }

    private func chosen(_ named: NamedChecklist, _ body: Body) async throws -> JudgedRun {
        let scope = RunScope(installation: body.installation, session: body.session, version: body.version)
        while true {
            let view = try await board.view(of: .init(scope: scope, persona: body.persona), for: named.id)
            guard let judged = view.checklists.first(where: { $0.id == named.id }) else {
                throw Problem(.notFound, "No checklist is called “\(named.id)”.")
            }
            if view.judged >= view.head { return judged }
            try Task.checkCancellation()
        }
    }

    /// The verdicts with the tester's ticks and reasons.
    /// - Throws: ``Problem`` that names open items without a reason, and ticks and reasons for unknown items.
    private static func answered(_ verdicts: [ScenarioVerdict], _ body: Body) throws(Problem) -> [ScenarioVerdict] {
        let ticked = Set(body.ticked)
        var waivers: [String: String] = [:]
        for (item, reason) in body.waivers where waivers.updateValue(reason, forKey: item) != nil {
            throw Problem(.badRequest, "\(item.printable) has two reasons; give one.")
        }
        try checkNames(of: verdicts, ticked, waivers)
        var verdicts = verdicts
        var open: [String] = []
        for scenario in verdicts.indices {
            let name = verdicts[scenario].scenario.name
            if let problem = verdicts[scenario].problem {
                verdicts[scenario].problem?.waiver = waivers["\(name)/0"]
                if waivers["\(name)/0"] == nil { open.append("\(name)/0 (\(problem.reason))") }
            }
            for index in verdicts[scenario].items.indices {
                let key = "\(name)/\(index + 1)"
                let item = verdicts[scenario].items[index]
                verdicts[scenario].items[index].isTicked = item.status == .manual && ticked.contains(key)
                guard item.status.isOpen || item.status == .manual && !ticked.contains(key) else { continue }
                verdicts[scenario].items[index].waiver = waivers[key]
                if waivers[key] == nil { open.append("\(key) (\(item.item.text))") }
            }
        }
        guard open.isEmpty else {
            throw Problem(
                .openItems, "Each of these needs a reason before it can be signed off: \(open.joined(separator: "; "))."
            )
        }
        return verdicts
    }

    /// Rejects ticks of items that are not manual, and unneeded reasons: probably mistakes.
    private static func checkNames(
        of verdicts: [ScenarioVerdict], _ ticked: Set<String>, _ waivers: [String: String]
    ) throws(Problem) {
        var items: [String: String] = [:]
        var (steps, open) = (Set<String>(), Set<String>())
        for verdict in verdicts {
            let name = verdict.scenario.name
            items["\(name)/0"] = "has no problem as a whole"
            if verdict.problem != nil { open.insert("\(name)/0") }
            for (index, item) in verdict.items.enumerated() {
                let key = "\(name)/\(index + 1)"
                items[key] = item.status == .manual ? "is ticked" : "is \(item.status.rawValue)"
                if item.status == .manual { steps.insert(key) }
                if item.status.isOpen || item.status == .manual && !ticked.contains(key) { open.insert(key) }
            }
        }
        let unknown = ticked.union(waivers.keys).filter { items[$0] == nil }.sorted().map { name in
            "\(name.printable) is no item"
                + (NearestName.of(name, among: items.keys.sorted()).map { " (did you mean \($0)?)" } ?? "")
        }
        let judged = ticked.subtracting(steps).filter { items[$0] != nil }.sorted().map {
            "\($0) is no manual step, so it cannot be ticked"
        }
        let idle = waivers.keys.filter { items[$0] != nil && !open.contains($0) }.sorted().map {
            "\($0) \(items[$0] ?? ""), so it needs no reason"
        }
        let problems = unknown + judged + idle
        guard problems.isEmpty else {
            throw Problem(.badRequest, problems.joined(separator: "; ") + ".")
        }
    }
}
