import DaybookBase
import DaybookChecklist
import DaybookHTTP
import DaybookStore
import Foundation

/// Runs for test tools in any language: start one, finish it, ask for its records and its verdict.
struct RunsAPI: Sendable {
    struct Start: Decodable {
        var checklist: String
        var scenario: String?
        var persona: String?
        var tester: String?
        var build: String?
        var installation: String?
    }

    /// Records of one run that are judged; more are no test's.
    static let recordLimit = 500_000
    /// Runs of one list.
    private static let listLimit = 100
    private static let pageSize = 1_000

    let store: any EventStore
    let board: ChecklistBoard
    let notices: LiveNotices
    /// Nanoseconds since 1970.
    let now: @Sendable () -> Int64

    var routes: [HTTPRoute] {
        [
            HTTPRoute("GET", "/api/v1/runs") { _ in try await list() },
            HTTPRoute("POST", "/api/v1/runs/start", bodyLimit: 1_024) { try await start($0.body) },
            HTTPRoute("POST", "/api/v1/runs/{id}/finish") { try await finish($0.number("id")) },
            HTTPRoute("GET", "/api/v1/runs/{id}/verdict") { try await verdict($0.number("id")) },
        ]
    }

    /// Starts a run of a checklist.
    func start(_ bytes: [UInt8]) async throws -> HTTPResponse {
        let body = try RequestBody.read(
            Start.self, bytes,
            "The body is a JSON object: {\"checklist\": \"…\", \"scenario\": \"…\", \"persona\": \"…\", "
                + "\"tester\": \"…\", \"build\": \"…\", \"installation\": \"…\"}; only checklist is required.")
        let judged = try await checklist(body.checklist)
        // What cannot be judged at the end is refused at the start.
        _ = try run(judged.checklist, scenario: body.scenario, persona: body.persona)
        return try await answer(run(begin(body)))
    }

    /// Stores the start of a run, whose number is the run's id.
    func begin(_ body: Start) async throws -> Int64 {
        try RequestBody.checkLengths([body.scenario, body.persona, body.tester, body.build, body.installation])
        let judged = try await checklist(body.checklist)
        var note = RunNote(
            .start, of: judged.checklist.title, id: judged.id, persona: body.persona, tester: body.tester,
            build: body.build, time: now())
        (note.scenario, note.installation) = (body.scenario, body.installation)
        return try await mark(note)
    }

    /// Ends a run; one that has ended stays as it is.
    func finish(_ id: Int64) async throws -> HTTPResponse {
        let run = try await run(id)
        guard run.end == nil else { return answer(run) }
        var note = run.start
        (note.edge, note.time, note.number) = (.finish, now(), 0)
        // A name on a finish would be a sign-off.
        note.tester = nil
        (note.run, note.scenario) = (id, nil)
        _ = try await mark(note)
        return try await answer(self.run(id))
    }

    /// The latest runs first.
    func list() async throws -> HTTPResponse {
        var query = RecordQuery()
        query.kinds = ["run"]
        query.limit = 1_000
        var runs: [StoredRun] = []
        for record in try await store.page(query).reversed() {
            for index in runs.indices { runs[index].observe(record) }
            if let run = StoredRun(record) { runs.append(run) }
        }
        return Envelope.success { writer in
            writer.object {
                $0.key("runs")
                $0.array(of: runs.reversed().prefix(Self.listLimit)) { $0.run($1) }
            }
        }
    }

    /// The engine's verdict on a run: final once it is finished, provisional before.
    func verdict(_ id: Int64) async throws -> HTTPResponse {
        let stored = try await run(id)
        let judged = try await checklist(stored.start.id ?? stored.start.title)
        var run = try self.run(judged.checklist, scenario: stored.scenario, persona: stored.start.persona)
        var query = RecordQuery()
        query.order = .oldestFirst
        query.limit = Self.pageSize
        query.after = stored.id
        query.before = stored.end?.number
        query.installation = stored.installation
        var count = 0
        while true {
            let page = try await store.page(query)
            for record in page where record.row.kind != .run { run.observe(JSONChecklistRecord(record)) }
            count += page.count
            guard count <= Self.recordLimit else {
                throw Problem(
                    .limit, "The run has more than \(Self.recordLimit) records; name its installation when it starts.")
            }
            guard page.count == Self.pageSize, let last = page.last else { break }
            query.after = last.id
        }
        let verdicts = run.verdicts(finished: stored.end != nil)
        let records = Int64(count)
        return Envelope.success { writer in
            writer.object {
                $0.key("run")
                $0.run(stored)
                $0.key("passed")
                $0.bool(verdicts.passed)
                $0.key("records")
                $0.integer(records)
                $0.key("scenarios")
                $0.array(of: verdicts) { $0.scenario($1) }
            }
        }
    }

    /// The parameters of a records query with `run=ID` replaced by what it stands for.
    func narrowed(
        _ parameters: [(name: String, value: String)]
    ) async throws -> [(name: String, value: String)] {
        guard let text = parameters.last(where: { $0.name == "run" })?.value else { return parameters }
        guard let id = Int64(text) else { throw Problem(.badRequest, "run is the number of a run, not “\(text)”.") }
        let run = try await run(id)
        var narrowed = parameters.filter { $0.name != "run" }
        func bound(_ name: String, _ limit: Int64, _ choose: (Int64, Int64) -> Int64) {
            let own = narrowed.last { $0.name == name }.flatMap { Int64($0.value) }
            narrowed.removeAll { $0.name == name }
            narrowed.append((name, String(own.map { choose($0, limit) } ?? limit)))
        }
        bound("after", run.id, max)
        if let end = run.end { bound("before", end.number, min) }
        if let installation = run.installation {
            narrowed.removeAll { $0.name == "installation" }
            narrowed.append(("installation", installation))
        }
        return narrowed
    }

    private func answer(_ run: StoredRun) -> HTTPResponse { Envelope.success { $0.run(run) } }

    private func mark(_ note: RunNote) async throws -> Int64 {
        guard let number = try await board.mark(note, uid: "run-\(UUID().uuidString.lowercased())") else {
            throw Problem(.notFound, "No checklist is called “\(note.title)”.")
        }
        notices.notify(head: number)
        return number
    }

    private func checklist(_ id: String) async throws -> JudgedChecklist {
        guard let judged = await board.checklist(id) else {
            throw Problem(.notFound, "No checklist is called “\(id)”.")
        }
        return judged
    }

    /// A run with its end, if it has one.
    private func run(_ id: Int64) async throws -> StoredRun {
        guard id > 0, let record = try await store.record(id: id), var run = StoredRun(record) else {
            throw Problem(.notFound, "No run has the number \(id).")
        }
        var query = RecordQuery()
        query.kinds = ["run"]
        query.order = .oldestFirst
        query.after = id
        query.limit = Self.pageSize
        while run.end == nil {
            let page = try await store.page(query)
            for record in page { run.observe(record) }
            guard page.count == Self.pageSize, let last = page.last else { break }
            query.after = last.id
        }
        return run
    }

    private func run(_ checklist: Checklist, scenario: String?, persona: String?) throws(Problem) -> ChecklistRun {
        do throws(ChecklistError) {
            return try ChecklistRun(
                checklist, scenarios: scenario.map { [$0] } ?? [],
                persona: persona.map { name throws(ChecklistError) in try checklist.persona(named: name) },
                catalog: board.catalog)
        } catch {
            let reasons = error.problems.map { $0.message + ($0.hint.map { " (\($0))" } ?? "") }
            throw Problem(.badRequest, reasons.joined(separator: "; "))
        }
    }
}

extension JSONBuilder {
    mutating func run(_ run: StoredRun) {
        object {
            $0.key("id")
            $0.integer(run.id)
            $0.key("checklist")
            $0.string(run.start.id ?? run.start.title)
            $0.key("scenario")
            $0.string(run.scenario)
            $0.key("persona")
            $0.string(run.start.persona)
            $0.key("tester")
            $0.string(run.start.tester)
            $0.key("build")
            $0.string(run.start.build)
            $0.key("installation")
            $0.string(run.installation)
            $0.key("started")
            $0.decimal(run.start.time)
            $0.key("finished")
            $0.decimal(run.end?.time)
        }
    }

    fileprivate mutating func scenario(_ verdict: ScenarioVerdict) {
        object {
            $0.key("id")
            $0.string(verdict.scenario.name)
            $0.key("title")
            $0.string(verdict.scenario.name)
            $0.key("passed")
            $0.bool(verdict.passed)
            $0.key("problem")
            $0.string(verdict.problem?.reason)
            $0.key("items")
            $0.array(of: verdict.items.enumerated()) { $0.standing(ItemStanding($1.element), number: $1.offset + 1) }
        }
    }
}

/// A run as its records of the kind *run* tell of it: where it starts, and where it ends.
struct StoredRun: Sendable {
    /// The start, whose number is the run's id.
    var start: RunNote
    /// When and at which arrival number it ended; `nil` while it goes on.
    var end: (time: Int64, number: Int64)?

    var id: Int64 { start.number }
    var scenario: String? { start.scenario }
    /// Whose records the run is made of; `nil` for everyone's.
    var installation: String? { start.installation }

    /// The run that begins with a record; `nil` for one that begins none.
    init?(_ record: StoredRecord) {
        guard record.row.kind == .run, let note = RunNote(JSONChecklistRecord(record)), note.edge == .start else {
            return nil
        }
        start = note
    }

    /// Takes a later record of the kind *run*: a finish that names this run ends it, and so does a marker of the same
    /// checklist and installation that names none.
    mutating func observe(_ record: StoredRecord) {
        guard end == nil, record.id > id, let note = RunNote(JSONChecklistRecord(record)) else { return }
        if note.ends(start) { end = (record.row.time, record.id) }
    }
}
