import DaybookAPI
import DaybookBase
import DaybookChecklist
import DaybookHTTP
import DaybookStore
import DaybookTools
import Foundation

/// Runs for people and test tools in any language: start, finish, list and judge them.
struct RunsAPI: Sendable {
    struct Start {
        var checklist: String
        var scenario: String?
        var persona: String?
        var tester: String?
        var build: String?
        var installation: String?
        var session: String?
        var version: String?
    }

    /// Most runs in a list.
    private static let listLimit = 100

    let store: any EventStore
    let board: ChecklistBoard
    let opener: RunOpener
    let notices: LiveNotices
    /// Nanoseconds since 1970.
    let now: @Sendable () -> Int64
    let audience: @Sendable (HTTPRequest.Head) -> VerdictAudience

    var routes: [HTTPRoute] {
        [
            HTTPRoute("GET", "/api/v1/runs", parameters: ["checklist"]) {
                try await list($0.query, for: audience($0.head))
            },
            HTTPRoute("POST", "/api/v1/runs/start", bodyLimit: 4_096) { try await start($0.body) },
            HTTPRoute("POST", "/api/v1/runs/{id}/finish") { try await finish($0.number("id")) },
            HTTPRoute("GET", "/api/v1/runs/{id}/verdict") {
                try await verdict($0.number("id"), for: audience($0.head))
            },
        ]
    }

    func start(_ bytes: [UInt8]) async throws -> HTTPResponse {
        let body = try RequestBody.read(
            bytes,
            "The body is a JSON object: {\"checklist\": \"…\", \"scenario\": \"…\", \"persona\": \"…\", "
                + "\"tester\": \"…\", \"build\": \"…\", \"installation\": \"…\", \"session\": \"…\", "
                + "\"version\": \"…\"}; only checklist is required."
        ) {
            Start(
                checklist: $0.text("checklist"), scenario: $0.text(ifAny: "scenario"),
                persona: $0.text(ifAny: "persona"), tester: $0.text(ifAny: "tester"), build: $0.text(ifAny: "build"),
                installation: $0.text(ifAny: "installation"), session: $0.text(ifAny: "session"),
                version: $0.text(ifAny: "version"))
        }
        // Reject what could not be judged at the end.
        try check(body, of: try await board.named(body.checklist).checklist)
        return try await answer(opener.stored(begin(body)))
    }

    /// Stores the start of a run; its number is the run's id.
    func begin(_ body: Start) async throws -> Int64 {
        let named = try await board.named(body.checklist)
        var marker = RunMarker(.start, of: named.checklist.title, time: now())
        marker.run = UUID().uuidString.lowercased()
        (marker.checklistID, marker.scenario) = (named.id, body.scenario)
        (marker.persona, marker.tester, marker.build) = (body.persona, body.tester, body.build)
        marker.scope = RunScope(installation: body.installation, session: body.session, version: body.version)
        let number = try await board.append(marker.row(uid: "run-\(marker.run ?? "")"))
        notices.notify(head: number)
        return number
    }

    /// Rejects unknown scenarios and personas, and unanswered conditions. An item about an undefined event does not
    /// prevent a run: it cannot pass, but others can be tested.
    private func check(_ body: Start, of checklist: Checklist) throws(Problem) {
        var problems: [ChecklistError.Problem] = []
        do throws(ChecklistError) {
            let scenarios = body.scenario.map { [$0] } ?? []
            try checklist.checkNames(of: scenarios)
            let persona = try body.persona.map { name throws(ChecklistError) in try checklist.persona(named: name) }
            // Conditions can only be answered by a persona, so they are checked only if there are any.
            if checklist.personas != nil {
                problems = checklist.unanswered(
                    in: Set(scenarios.isEmpty ? checklist.scenarios.map(\.name) : scenarios), persona: persona,
                    hasCatalog: true)
            }
        } catch {
            problems = error.problems
        }
        guard problems.isEmpty else {
            throw Problem(.badRequest, problems.map(\.reason.text).joined(separator: "; "))
        }
    }

    func finish(_ id: Int64) async throws -> HTTPResponse {
        try await answer(end(id))
    }

    /// Ends a run; a finished one is unchanged.
    func end(_ id: Int64) async throws -> StoredRun {
        let run = try await opener.stored(id)
        guard run.end == nil else { return run }
        var marker = RunMarker(.finish, of: run.start.checklist, time: now())
        marker.run = run.start.run ?? String(id)
        marker.checklistID = run.start.checklistID
        marker.scope = RunScope(installation: run.start.scope.installation)
        let number = try await board.append(marker.row(uid: "run-\(UUID().uuidString.lowercased())"))
        notices.notify(head: number)
        return try await opener.stored(id)
    }

    /// Runs, latest first; of one checklist if `checklist` is given.
    func list(
        _ parameters: [(name: String, value: String)], for audience: VerdictAudience
    ) async throws -> HTTPResponse {
        let named: NamedChecklist?
        if let id = parameters.first(where: { $0.name == "checklist" })?.value {
            named = try await board.named(id)
        } else {
            named = nil
        }
        var query = RecordQuery()
        query.narrow(by: .field(.kind, Kind.run.rawValue))
        query.limit = 1_000
        var runs: [StoredRun] = []
        for record in try await light(query).reversed() {
            for index in runs.indices { runs[index].observe(record) }
            if let run = StoredRun(record), named?.owns(run.start) ?? true { runs.append(run) }
        }
        return Envelope.success { writer in
            writer.object {
                $0.key("runs")
                $0.array(of: runs.reversed().prefix(Self.listLimit)) { $0.run($1.seen(by: audience)) }
            }
        }
    }

    /// The latest run records without sign-off snapshots, so that a thousand take little memory.
    private func light(_ query: RecordQuery) async throws -> [StoredRecord] {
        var rest = query
        var records: [StoredRecord] = []
        while records.count < query.limit {
            let slice = try await store.wholeSlice(rest)
            records += slice.records.map(\.withoutSnapshot)
            guard let next = slice.next else { break }
            rest = rest.resumed(at: next)
            rest.limit = query.limit - records.count
        }
        return records
    }

    /// A run's verdict: frozen when signed off, final when finished, otherwise provisional.
    func verdict(_ id: Int64, for audience: VerdictAudience) async throws -> HTTPResponse {
        let opened = try await opener.open(id, for: audience)
        guard let stored = opened.stored else { throw Problem(.notFound, "No run has the number \(id).") }
        return Envelope.success { writer in
            writer.object {
                $0.key("run")
                $0.run(stored)
                $0.result(of: opened.verdicts)
                $0.key("records")
                $0.integer(opened.seen.records)
                $0.key("scenarios")
                $0.array(of: opened.verdicts) { $0.scenario($1) }
            }
        }
    }

    /// Replaces `run=ID` in a records query by the run's bounds and scope.
    func narrowed(
        _ parameters: [(name: String, value: String)]
    ) async throws -> [(name: String, value: String)] {
        guard let text = parameters.first(where: { $0.name == "run" })?.value else { return parameters }
        guard let id = Int64(text) else { throw Problem(.badRequest, "run is the number of a run, not “\(text)”.") }
        let run = try await opener.stored(id)
        var narrowed = parameters.filter { $0.name != "run" }
        func bound(_ name: String, _ limit: Int64, _ choose: (Int64, Int64) -> Int64) throws(Problem) {
            let text = narrowed.first { $0.name == name }?.value
            let own = try text.map { text throws(Problem) in
                try FilterParameters.number(name, text, in: 0...Int64.max)
            }
            narrowed.removeAll { $0.name == name }
            narrowed.append((name, String(own.map { choose($0, limit) } ?? limit)))
        }
        // By time, `after` and `before` are positions.
        let isByTime = try RecordParameters.areByTime(parameters)
        try bound(isByTime ? "arrived_after" : "after", run.id, max)
        if let end = run.end { try bound(isByTime ? "arrived_before" : "before", end.number, min) }
        let scope = run.start.scope
        let own = [
            ("installation", scope.installation), ("session", scope.session), ("version", scope.version),
        ]
        for case (let name, let value?) in own {
            if let other = narrowed.first(where: { $0.name == name })?.value, other != value {
                throw Problem(.badRequest, "The run \(id) is of the \(name) \(value), not “\(other)”.")
            }
            narrowed.removeAll { $0.name == name }
            narrowed.append((name, value))
        }
        return narrowed
    }

    private func answer(_ run: StoredRun) -> HTTPResponse { Envelope.success { $0.run(run) } }
}

/// Opens a run by its number: as frozen by the sign-off, otherwise judged.
struct RunOpener: Sendable {
    /// Most records judged per run; no test has more.
    static let recordLimit = 500_000
    private static let pageSize = 1_000

    struct Opened: Sendable {
        /// The run; `nil` for a sign-off of chosen records.
        var stored: StoredRun?
        var signOff: SignOffNote?
        var id: String
        var checklist: Checklist
        var scope: RunScope
        var persona: String?
        var verdicts: [ScenarioVerdict]
        var seen: JudgedRun.Seen
        /// The definitions' digest at the sign-off.
        var definitions: String?

        /// Whether no more records can arrive.
        var isFinished: Bool { signOff != nil || stored?.end != nil }
        /// The number in addresses of page and API.
        var number: Int64 { stored?.id ?? signOff?.number ?? 0 }
    }

    let store: any EventStore
    let board: ChecklistBoard

    /// A run with its end and sign-off, if any.
    /// - Throws: ``StoreError``, or ``Problem`` if no run has the number.
    func stored(_ id: Int64) async throws -> StoredRun {
        guard id > 0, let record = try await store.record(id: id), var run = StoredRun(record) else {
            throw Problem(.notFound, "No run has the number \(id).")
        }
        var query = RecordQuery()
        query.narrow(by: .field(.kind, Kind.run.rawValue))
        query.order = .oldestFirst
        query.after = id
        query.limit = Self.pageSize
        while run.signOff == nil {
            let page = try await store.wholeSlice(query)
            for record in page.records { run.observe(record) }
            guard let next = page.next else { break }
            query.after = next
        }
        return run
    }

    /// A run with this number, or the run or records of a sign-off with this number.
    /// - Throws: ``StoreError``, or ``Problem`` if there is neither, or no checklist for it.
    func open(_ id: Int64, for audience: VerdictAudience) async throws -> Opened {
        if id > 0, let record = try await store.record(id: id), let note = SignOffNote(record) {
            return try frozen(note, record, of: nil, for: audience)
        }
        let stored = try await stored(id)
        if let note = stored.signOff, let record = try await store.record(id: note.number) {
            return try frozen(note, record, of: stored, for: audience)
        }
        let judged = try await judge(stored)
        return Opened(
            stored: stored, signOff: nil, id: judged.id, checklist: judged.checklist, scope: judged.scope,
            persona: judged.persona, verdicts: judged.verdicts(finished: stored.end != nil, for: audience),
            seen: judged.seen,
            definitions: nil)
    }

    private func frozen(
        _ note: SignOffNote, _ record: StoredRecord, of stored: StoredRun?, for audience: VerdictAudience
    ) throws(Problem) -> Opened {
        guard let snapshot = SignedSnapshot(record), let checklist = snapshot.checklist else {
            throw Problem(.storage, "The sign-off #\(record.id) has no snapshot that can be read.")
        }
        return Opened(
            stored: stored?.seen(by: audience), signOff: note.seen(by: audience),
            id: note.checklistID ?? note.checklist, checklist: checklist,
            scope: note.scope, persona: note.persona, verdicts: snapshot.verdicts(of: checklist).map(audience.seen),
            seen: snapshot.seen, definitions: snapshot.definitions)
    }

    func judge(_ stored: StoredRun) async throws -> JudgedRun {
        let named = try await board.named(by: stored.start)
        var judged = JudgedRun(named, startedBy: stored.start, catalog: board.catalog, masking: board.mask.policy)
        var query = RecordQuery()
        query.order = .oldestFirst
        query.limit = Self.pageSize
        query.after = stored.id
        query.before = stored.end?.number
        query.filter.narrow(to: stored.start.scope)
        var count = 0
        while true {
            let page = try await store.wholeSlice(query)
            for record in page.records where record.row.kind != .run {
                judged.observe(record, JSONChecklistRecord(record, mask: board.mask))
            }
            count += page.records.count
            guard count <= Self.recordLimit else {
                throw Problem(
                    .limit, "The run has more than \(Self.recordLimit) records; name its installation when it starts.")
            }
            guard let next = page.next else { return judged }
            query.after = next
        }
    }
}

extension JSONBuilder {
    mutating func run(_ run: StoredRun) {
        object {
            $0.key("id")
            $0.integer(run.id)
            $0.key("checklist")
            $0.string(run.start.checklistID ?? run.start.checklist)
            $0.key("scenario")
            $0.string(run.start.scenario)
            $0.key("persona")
            $0.string(run.start.persona)
            $0.key("tester")
            $0.string(run.start.tester)
            $0.key("build")
            $0.string(run.start.build)
            $0.key("device")
            $0.bool(run.start.isDevices)
            $0.scope(run.start.scope)
            $0.key("started")
            $0.decimal(run.start.time)
            $0.key("finished")
            $0.decimal(run.end?.time)
            $0.key("signed_off")
            $0.note(run.signOff)
        }
    }

    /// Writes the scope; null for all.
    mutating func scope(_ scope: RunScope) {
        let members = [("installation", scope.installation), ("session", scope.session), ("version", scope.version)]
        for (name, value) in members {
            key(name)
            string(value)
        }
    }
}
