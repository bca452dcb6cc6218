import DaybookBase
import DaybookChecklist
import DaybookStore
import DaybookTools
import Foundation

package struct RunStart: Sendable {
    package var checklist: String
    package var scenario: String?
    package var persona: String?
    package var tester: String?
    package var build: String?
    package var scope: RunScope

    package init(
        checklist: String, scenario: String? = nil, persona: String?, tester: String?, build: String?, scope: RunScope
    ) {
        (self.checklist, self.scenario, self.persona) = (checklist, scenario, persona)
        (self.tester, self.build, self.scope) = (tester, build, scope)
    }
}

/// A run or sign-off: as frozen by the sign-off, otherwise judged now.
package struct OpenedRun: Sendable {
    /// The run; `nil` for a sign-off of chosen records.
    package var stored: StoredRun?
    package var signOff: SignOffNote?
    package var id: String
    package var checklist: Checklist
    package var scope: RunScope
    package var persona: String?
    package var verdicts: [ScenarioVerdict]
    package var seen: JudgedRun.Seen
    /// The definitions' digest at the sign-off.
    package var definitions: String?

    /// Whether no more records can arrive.
    package var isFinished: Bool { signOff != nil || stored?.end != nil }
    /// The number in addresses of the page and the API.
    package var number: Int64 { stored?.id ?? signOff?.number ?? 0 }
}

package struct RunBook: Sendable {
    /// Most records read per run. Where the store has columns, those that no item judges are not read.
    private static let recordLimit = 500_000
    /// Most tags in a filter.
    private static let tagLimit = 100
    fileprivate static let pageSize = 1_000
    /// Most runs in a list.
    private static let listLimit = 100

    let store: any EventStore
    let board: ChecklistBoard
    /// Nanoseconds since 1970.
    let now: @Sendable () -> Int64
    /// Most records of a run that is not surveyed.
    var shortRun = 1_000

    package init(store: any EventStore, board: ChecklistBoard, now: @escaping @Sendable () -> Int64) {
        (self.store, self.board, self.now) = (store, board, now)
    }

    /// Begins a run, if it could be judged at its end.
    package func start(_ start: RunStart) async throws -> StoredRun {
        try check(start, of: try await board.named(start.checklist).checklist)
        return try await stored(begin(start))
    }

    /// Stores the start of a run. Returns its number, the run's id.
    package func begin(_ start: RunStart) async throws -> Int64 {
        let named = try await board.named(start.checklist)
        var marker = RunMarker(.start, of: named.checklist.title, time: now())
        marker.run = UUID().uuidString.lowercased()
        (marker.checklistID, marker.scenario, marker.scope) = (named.id, start.scenario, start.scope)
        (marker.persona, marker.tester, marker.build) = (start.persona, start.tester, start.build)
        return try await board.append(marker.row(uid: "run-\(marker.run ?? "")"))
    }

    /// Rejects unknown scenarios and personas, and unanswered conditions. Undefined events are allowed: their items
    /// cannot pass, but others can be tested.
    private func check(_ body: RunStart, of checklist: Checklist) throws(Problem) {
        var problems: [ChecklistError.Problem] = []
        do throws(ChecklistError) {
            let scenarios = body.scenario.map { [$0] } ?? []
            try checklist.checkNames(of: scenarios)
            let persona = try body.persona.map { name throws(ChecklistError) in try checklist.persona(named: name) }
            // Only personas can answer conditions.
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

    /// Ends a run; a finished one is unchanged.
    package func end(_ id: Int64) async throws -> StoredRun {
        let run = try await stored(id)
        guard run.end == nil else { return run }
        var marker = RunMarker(.finish, of: run.start.checklist, time: now())
        marker.run = run.start.run ?? String(id)
        marker.checklistID = run.start.checklistID
        marker.scope = RunScope(installation: run.start.scope.installation)
        _ = try await board.append(marker.row(uid: "run-\(UUID().uuidString.lowercased())"))
        return try await stored(id)
    }

    /// Runs, latest first.
    /// - Parameter checklist: Its id; `nil` for all.
    package func list(of checklist: String?, for audience: VerdictAudience) async throws -> RunsAnswer {
        var named: NamedChecklist?
        if let checklist { named = try await board.named(checklist) }
        var query = RecordQuery()
        query.narrow(by: .field(.kind, Kind.run.rawValue))
        query.limit = 1_000
        var runs: [StoredRun] = []
        for record in try await light(query).reversed() {
            for index in runs.indices { runs[index].observe(record) }
            if let run = StoredRun(record), named?.owns(run.start) ?? true { runs.append(run) }
        }
        return RunsAnswer(runs: runs.reversed().prefix(Self.listLimit).map { $0.seen(by: audience) })
    }

    /// The latest run records without sign-off snapshots, which are large.
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
    package func verdict(_ id: Int64, for audience: VerdictAudience) async throws -> RunVerdict {
        let opened = try await opened(id, for: audience)
        guard let stored = opened.stored else { throw Problem(.notFound, "No run has the number \(id).") }
        return RunVerdict(
            run: stored, outcome: ChecklistOutcome(opened.verdicts), records: opened.seen.records,
            scenarios: opened.verdicts.map { ScenarioAnswer($0) })
    }

    /// A run with its end and sign-off, if any.
    /// - Throws: ``StoreError``, or ``Problem`` if no run has the number.
    package func stored(_ id: Int64) async throws -> StoredRun { try await StoredRun(id, in: store) }

    /// The run with this number, or the run or records of the sign-off with this number.
    /// - Throws: ``StoreError``, or ``Problem`` if there is neither, or no checklist for it.
    package func opened(_ id: Int64, for audience: VerdictAudience) async throws -> OpenedRun {
        if id > 0, let record = try await store.record(id: id), let note = SignOffNote(record) {
            return try frozen(note, record, of: nil, for: audience)
        }
        let stored = try await stored(id)
        if let note = stored.signOff, let record = try await store.record(id: note.number) {
            return try frozen(note, record, of: stored, for: audience)
        }
        let judged = try await judge(stored)
        return OpenedRun(
            stored: stored, signOff: nil, id: judged.id, checklist: judged.checklist, scope: judged.scope,
            persona: judged.persona, verdicts: judged.verdicts(finished: stored.end != nil, for: audience),
            seen: judged.seen, definitions: nil)
    }

    private func frozen(
        _ note: SignOffNote, _ record: StoredRecord, of stored: StoredRun?, for audience: VerdictAudience
    ) throws(Problem) -> OpenedRun {
        guard let snapshot = SignedSnapshot(record), let checklist = snapshot.checklist else {
            throw Problem(.storage, "The sign-off #\(record.id) has no snapshot that can be read.")
        }
        return OpenedRun(
            stored: stored?.seen(by: audience), signOff: note.seen(by: audience),
            id: note.checklistID ?? note.checklist, checklist: checklist,
            scope: note.scope, persona: note.persona, verdicts: snapshot.verdicts(of: checklist).map(audience.seen),
            seen: snapshot.seen, definitions: snapshot.definitions)
    }

    package func judge(_ stored: StoredRun) async throws -> JudgedRun {
        let named = try await board.named(by: stored.start)
        let fresh = JudgedRun(named, startedBy: stored.start, catalog: board.catalog, masking: board.mask.policy)
        var query = RecordQuery()
        query.order = .oldestFirst
        query.limit = Self.pageSize
        query.after = stored.id
        query.before = stored.end?.number
        query.filter.narrow(to: stored.start.scope)
        let whole = query
        var (judged, count) = (fresh, 0)
        // Most runs are short: a survey would take longer.
        if try await observe(&query, &judged, &count, atMost: shortRun) { return judged }
        if let surveyed = try await survey(whole, fresh) {
            (judged, query, count) = (surveyed.judged, surveyed.rest, 0)
        }
        guard try await observe(&query, &judged, &count, atMost: Self.recordLimit) else {
            throw Problem(
                .limit,
                "The run has more than \(Self.recordLimit) records to judge; name its installation when it starts.")
        }
        return judged
    }

    /// Judges records page by page. Returns whether these were all, and no more than a limit.
    private func observe(
        _ query: inout RecordQuery, _ judged: inout JudgedRun, _ count: inout Int, atMost limit: Int
    ) async throws -> Bool {
        while count <= limit {
            let page = try await store.wholeSlice(query)
            for record in page.records where record.row.kind != .run {
                judged.observe(record, JSONChecklistRecord(record, mask: board.mask))
            }
            count += page.records.count
            guard let next = page.next else { return count <= limit }
            query.after = next
        }
        return false
    }

    /// Judges what columns can tell of a run. Returns the records that remain to be judged; `nil` if all do.
    private func survey(
        _ query: RecordQuery, _ fresh: JudgedRun
    ) async throws -> (judged: JudgedRun, rest: RecordQuery)? {
        var rest = query
        // Records that arrive meanwhile are left to the next verdict.
        rest.before = try await min(query.before ?? .max, store.head() + 1)
        let survey = try await RunSurvey.of(
            rest, in: store, scope: fresh.scope, comparing: fresh.comparedCommonColumns, masking: board.mask.policy)
        guard let survey else { return nil }
        var samples: [JSONChecklistRecord] = []
        for number in survey.samples {
            guard let record = try await store.record(id: number) else { continue }
            samples.append(JSONChecklistRecord(record, mask: board.mask))
        }
        var judged = fresh
        let tags = judged.take(survey, samples)
        if tags.count <= Self.tagLimit { rest.narrow(by: .any(tags.map { .field(.tag, $0) })) }
        return (judged, rest)
    }
}

extension StoredRun {
    /// With its end and sign-off, if any.
    /// - Throws: ``StoreError``, or ``Problem`` if no run has the number.
    init(_ id: Int64, in store: any EventStore) async throws {
        guard id > 0, let record = try await store.record(id: id), var run = StoredRun(record) else {
            throw Problem(.notFound, "No run has the number \(id).")
        }
        var query = RecordQuery()
        query.narrow(by: .field(.kind, Kind.run.rawValue))
        query.order = .oldestFirst
        query.after = id
        query.limit = RunBook.pageSize
        while run.signOff == nil {
            let page = try await store.wholeSlice(query)
            for record in page.records { run.observe(record) }
            guard let next = page.next else { break }
            query.after = next
        }
        self = run
    }
}

/// Runs, latest first.
package struct RunsAnswer: Sendable {
    package var runs: [StoredRun]

    static let form = Form<RunsAnswer>.object(
        "RunList", .init("runs", .list(StoredRun.form), \.runs), make: RunsAnswer.init)
}

package struct RunVerdict: Sendable {
    package var run: StoredRun
    package var outcome: ChecklistOutcome
    package var records: Int64
    package var scenarios: [ScenarioAnswer]

    static let form = Form<RunVerdict>.object(
        "RunVerdict", .init("run", StoredRun.form, \.run), .init(members: ChecklistOutcome.form, \.outcome),
        .init("records", .integer, \.records), .init("scenarios", .list(ScenarioAnswer.form), \.scenarios),
        make: RunVerdict.init)
}
