import DaybookChecklist
import DaybookDefinitions
import DaybookStore
import DaybookTools

/// Judges every checklist over a store's records, in order of arrival.
///
/// Reads in pages of ``pageSize``, oldest first, so that requests are answered in between. Runs are stored as records
/// of kind *run*, so that they survive a restart.
package actor ChecklistBoard {
    /// Records per page; a few milliseconds.
    static let pageSize = 500
    /// Most runs judged as records arrive; older ones are judged on request.
    static let longestRuns = 50
    /// Most known runs: more than a release has testers times personas.
    private static let mostKnown = 2_000
    /// Pages per request about chosen records.
    private static let stepsOfRequest = 60
    /// Most cached choices of records.
    private static let mostViews = 8

    package struct Choice: Hashable, Sendable {
        package var scope: RunScope
        /// The app's user; determines `when`.
        package var persona: String?

        package init(scope: RunScope = RunScope(), persona: String? = nil) {
            (self.scope, self.persona) = (scope, persona)
        }
    }

    package struct View: Sendable {
        /// Everything up to this arrival number has been judged.
        package var judged: Int64
        package var head: Int64
        package var checklists: [JudgedRun]
        fileprivate var use = 0
    }

    private let store: any EventStore
    private let notify: @Sendable (Int64) -> Void
    /// From the definitions; `nil` without any.
    package nonisolated let catalog: EventCatalog?
    /// Hides private values from readers.
    package nonisolated let mask: RecordMask
    package private(set) var checklists: [NamedChecklist]
    /// All records, without a persona.
    private var whole: View
    private var views: [Choice: View] = [:]
    private var uses = 0
    /// Unfinished runs, ordered by start.
    private var live: [JudgedRun] = []
    private var runs: [StoredRun] = []
    private var signOffs: [SignOffNote] = []
    /// The page being judged. Its result tells whether records remain.
    private var reading: Task<Bool, any Error>?
    private var isCatchingUp = false
    /// Increases with each restart; pages of earlier generations are discarded.
    private var generation = 0

    /// - Parameters:
    ///   - catalog: From the definitions; `nil` without any.
    ///   - masking: What to hide from readers. Default: what records themselves declare private.
    ///   - notify: Called with the arrival number of each record that the board stores. Default: nothing.
    package init(
        store: any EventStore, checklists: [Checklist], catalog: EventCatalog? = nil,
        masking: MaskingPolicy = MaskingPolicy(), notify: @escaping @Sendable (Int64) -> Void = { _ in }
    ) {
        (self.store, self.notify) = (store, notify)
        self.catalog = catalog
        mask = RecordMask(masking)
        self.checklists = NamedChecklist.all(checklists)
        whole = Self.fresh(self.checklists, Choice(), catalog, masking)
    }

    private static func fresh(
        _ checklists: [NamedChecklist], _ choice: Choice, _ catalog: EventCatalog?, _ masking: MaskingPolicy
    ) -> View {
        View(
            judged: 0, head: 0,
            checklists: checklists.map { named in
                // Other checklists may lack the persona.
                let persona = choice.persona.flatMap { named.checklist.personas?[$0]?.name }
                return JudgedRun(named, persona: persona, scope: choice.scope, catalog: catalog, masking: masking)
            })
    }

    /// Judges existing records, and new ones at each notice, until `notices` ends.
    package func follow(_ notices: AsyncStream<Int64>) async {
        await catchUp()
        for await _ in notices { await catchUp() }
    }

    /// All checklists over the chosen records, judged at least one page further than before the call.
    /// - Parameter id: The checklist that must have the persona; `nil` for any.
    /// - Throws: ``StoreError``, or ``Problem`` for an unknown persona.
    package func view(of choice: Choice = Choice(), for id: String? = nil) async throws -> View {
        try check(choice.persona, of: id)
        let head = try await store.head()
        if try await advance(), !isCatchingUp { WorkThreads.runBeside { [self] in await catchUp() } }
        guard choice != Choice() else {
            whole.head = max(head, whole.judged)
            return whole
        }
        return try await advance(choice)
    }

    private func check(_ persona: String?, of id: String?) throws(Problem) {
        guard let persona else { return }
        let asked = checklists.filter { id == nil || $0.id == id }
        let known = asked.flatMap { $0.checklist.personas?.personas.map(\.name) ?? [] }
        guard !known.contains(persona) else { return }
        let problem = ChecklistError.Problem.noPersona(persona, among: known, in: id ?? "")
        throw Problem(.badRequest, problem.reason.text)
    }

    /// The runs and sign-offs of a checklist, as far as ``view(of:)`` has judged.
    func known(of id: String) -> (runs: [StoredRun], signOffs: [SignOffNote], live: [JudgedRun]) {
        guard let named = checklists.first(where: { $0.id == id }) else { return ([], [], []) }
        return (
            runs.filter { named.owns($0.start) },
            signOffs.filter { $0.checklistID.map { $0 == id } ?? ($0.checklist == named.checklist.title) },
            live.filter { $0.id == id }
        )
    }

    package func named(_ id: String) throws(Problem) -> NamedChecklist {
        guard let named = checklists.first(where: { $0.id == id }) else {
            throw Problem(.notFound, "No checklist is called “\(id)”.")
        }
        return named
    }

    func named(by marker: RunMarker) throws(Problem) -> NamedChecklist {
        guard let named = checklists.first(where: { $0.owns(marker) }) else {
            throw Problem(.notFound, "No checklist is called “\(marker.checklist ?? "")”.")
        }
        return named
    }

    /// Stores a record of kind *run*, which takes effect in order of arrival.
    /// - Returns: Its arrival number.
    /// - Throws: ``StoreError``, or ``Problem`` if the store no longer has the record.
    package func append(_ row: RecordRow) async throws -> Int64 {
        try await store.append(RecordBatch(rows: [row]))
        guard let stored = try await store.record(uid: row.uid) else {
            throw Problem(.storage, "The run's record is not in the store.")
        }
        notify(stored.id)
        return stored.id
    }

    /// Replaces, removes (`nil`) or adds a checklist, and judges all records again.
    package func replace(_ id: String, with checklist: Checklist?) {
        generation += 1
        let index = checklists.firstIndex { $0.id == id }
        switch (index, checklist) {
        case (let index?, let checklist?): checklists[index].checklist = checklist
        case (let index?, nil): checklists.remove(at: index)
        case (nil, let checklist?): checklists.append(NamedChecklist(id: id, checklist: checklist))
        case (nil, nil): break
        }
        (live, runs, signOffs, views) = ([], [], [], [:])
        whole = Self.fresh(checklists, Choice(), catalog, mask.policy)
    }

    /// Stops at an error; the next notice or request retries.
    private func catchUp() async {
        isCatchingUp = true
        defer { isCatchingUp = false }
        while (try? await advance()) == true {}
    }

    /// Judges a page read after this call, possibly shared with other callers. Returns whether records remain.
    private func advance() async throws -> Bool {
        // The page being read may be older than the caller's records.
        if let reading { _ = await reading.result }
        if let reading { return try await reading.value }
        let page = WorkThreads.runBeside(answering: { [self] in try await judgePage() })
        reading = page
        return try await page.value
    }

    private func judgePage() async throws -> Bool {
        defer { reading = nil }
        guard !checklists.isEmpty else { return false }
        let asked = generation
        let head = try await store.head()
        let page = try await page(after: whole.judged, of: RunScope())
        guard asked == generation else { return true }
        for record in page.records {
            let seen = JSONChecklistRecord(record, mask: mask)
            // Records that delimit runs are not judged.
            guard record.row.kind == .run else {
                for index in whole.checklists.indices { whole.checklists[index].observe(record, seen) }
                for index in live.indices { live[index].observe(record, seen) }
                continue
            }
            take(record, RunMarker(seen))
        }
        return Self.pass(page, head: head, &whole)
    }

    /// Judges new records of a choice, up to a request's limit; `judged` tells how far.
    private func advance(_ choice: Choice) async throws -> View {
        let asked = generation
        var view = views[choice] ?? Self.fresh(checklists, choice, catalog, mask.policy)
        var steps = 0
        var remains = true
        while remains, steps < Self.stepsOfRequest {
            steps += 1
            let head = try await store.head()
            view.head = head
            let page = try await page(after: view.judged, of: choice.scope)
            for record in page.records where record.row.kind != .run {
                let seen = JSONChecklistRecord(record, mask: mask)
                for index in view.checklists.indices { view.checklists[index].observe(record, seen) }
            }
            remains = Self.pass(page, head: head, &view)
        }
        guard asked == generation else { return view }
        uses += 1
        view.use = uses
        if views[choice]?.judged ?? -1 <= view.judged { views[choice] = view }
        if views.count > Self.mostViews, let oldest = views.min(by: { $0.value.use < $1.value.use })?.key {
            views[oldest] = nil
        }
        return view
    }

    private func page(after position: Int64, of scope: RunScope) async throws -> RecordSlice {
        var query = RecordQuery()
        query.order = .oldestFirst
        query.after = position
        query.limit = Self.pageSize
        query.filter.narrow(to: scope)
        return try await store.wholeSlice(query)
    }

    /// Advances past a page; returns whether records remain.
    private static func pass(_ page: RecordSlice, head: Int64, _ view: inout View) -> Bool {
        // If the latest records were erased, the last page still ends at the head.
        view.judged = max(view.judged, page.records.last?.id ?? 0, page.next ?? head)
        view.head = max(head, view.judged)
        return page.next != nil
    }

    private func take(_ record: StoredRecord, _ marker: RunMarker?) {
        for index in runs.indices { runs[index].observe(record) }
        if let note = SignOffNote(record) { signOffs.append(note) }
        let ended = Set(runs.filter { $0.end != nil }.map(\.id))
        live.removeAll { ended.contains($0.startsAfter) }
        if let marker, let run = StoredRun(record), let named = checklists.first(where: { $0.owns(marker) }) {
            runs.append(run)
            live.append(JudgedRun(named, startedBy: marker, catalog: catalog, masking: mask.policy))
        }
        if live.count > Self.longestRuns { live.removeFirst() }
        if runs.count > Self.mostKnown { runs.removeFirst() }
        if signOffs.count > Self.mostKnown { signOffs.removeFirst() }
    }
}

extension RecordFilter {
    mutating func narrow(to scope: RunScope) {
        let fields: [(FilterField, String?)] = [
            (.installation, scope.installation), (.session, scope.session), (.version, scope.version),
        ]
        for case (let field, let text?) in fields { narrow(by: .field(field, text)) }
    }
}
