import DaybookChecklist
import DaybookStore

/// Follows a store by arrival number and judges every checklist over what arrives.
///
/// Records are read oldest first in pages of ``pageSize``, so that a large store is gone through in small steps while
/// requests are answered with what has been judged so far. A run starts at a record of the kind *run*, so that
/// it outlives the process: a new one judges the store again and finds the same runs.
actor ChecklistBoard {
    /// Records of one step: a few milliseconds.
    static let pageSize = 500
    /// Runs of installations that are judged at once; an older one is left to its records in the store.
    static let longestRuns = 50

    /// Everything at one moment.
    struct Snapshot: Sendable {
        /// All records up to this arrival number have been judged.
        var judged: Int64
        /// The largest arrival number.
        var head: Int64
        var checklists: [JudgedChecklist]
        /// Runs of installations that are under way, in the order of their starts.
        var runs: [InstallationRun]
    }

    private let store: any EventStore
    /// What the definitions say; `nil` where there are none.
    nonisolated let catalog: EventCatalog?
    private var checklists: [JudgedChecklist]
    private var runs: [InstallationRun] = []
    private var position: Int64 = 0
    /// The page that is being read and judged; whether records remained behind it.
    private var reading: Task<Bool, any Error>?
    private var isCatchingUp = false
    /// Counts the beginnings anew: a page that was asked for before one is none of what follows.
    private var generation = 0

    /// - Parameter catalog: what the definitions say; `nil` where there are none.
    init(store: any EventStore, checklists: [Checklist], catalog: EventCatalog? = nil) {
        self.store = store
        self.catalog = catalog
        self.checklists = Self.named(checklists, catalog)
    }

    /// An id is the file's name without folder and `.md`; the second of a name is `name-2`.
    private static func named(_ checklists: [Checklist], _ catalog: EventCatalog?) -> [JudgedChecklist] {
        var taken: Set<String> = []
        return checklists.map { checklist in
            let file = checklist.file.split(separator: "/").last.map(String.init) ?? checklist.title
            let name = file.hasSuffix(".md") ? String(file.dropLast(3)) : file
            var id = name
            var number = 1
            while !taken.insert(id).inserted {
                number += 1
                id = "\(name)-\(number)"
            }
            return JudgedChecklist(id: id, checklist: checklist, catalog: catalog)
        }
    }

    /// Judges what is there and then, at every notice, what has come; returns at the end of `notices`.
    func follow(_ notices: AsyncStream<Int64>) async {
        await catchUp()
        for await _ in notices { await catchUp() }
    }

    /// What has been judged so far, at least one page further than when the call came.
    /// - Throws: ``StoreError``.
    func snapshot() async throws -> Snapshot {
        let head = try await store.head()
        if try await advance(), !isCatchingUp { Task { await catchUp() } }
        return Snapshot(judged: position, head: max(head, position), checklists: checklists, runs: runs)
    }

    /// The checklist of an id, as it is judged so far.
    func checklist(_ id: String) -> JudgedChecklist? { checklists.first { $0.id == id } }

    /// Stores a marker of a run and follows it: a start begins a new run of its checklist, a finish signs the run off.
    /// One of an installation is followed when its turn comes among the records.
    /// - Returns: the marker's arrival number, or `nil` where no checklist has its id.
    /// - Throws: ``StoreError``.
    func mark(_ note: RunNote, uid: String, details: [String: String] = [:]) async throws -> Int64? {
        guard let index = checklists.firstIndex(where: { $0.owns(note) }) else { return nil }
        try await store.append(RecordBatch(rows: [note.row(uid: uid, details: details)]))
        guard let stored = try await store.record(uid: uid) else { return nil }
        guard note.installation == nil else { return stored.id }
        var note = note
        note.number = stored.id
        switch note.edge {
        case .start: checklists[index].begin(note)
        case .finish: checklists[index].observe(note)
        }
        return stored.id
    }

    /// Puts another text in a checklist's place. Everything is judged again, from the first record on.
    func replace(_ id: String, with checklist: Checklist) {
        position = 0
        generation += 1
        runs = []
        checklists = checklists.map { old in
            JudgedChecklist(id: old.id, checklist: old.id == id ? checklist : old.checklist, catalog: catalog)
        }
    }

    /// A store that fails ends it; the next notice or request tries again.
    private func catchUp() async {
        isCatchingUp = true
        defer { isCatchingUp = false }
        while (try? await advance()) == true {}
    }

    /// Judges a page that is read after this call, alone or together with other callers. Whether records remain.
    private func advance() async throws -> Bool {
        // This one may have been read before the caller's records were stored.
        if let reading { _ = await reading.result }
        if let reading { return try await reading.value }
        let page = Task { try await judgePage() }
        reading = page
        return try await page.value
    }

    private func judgePage() async throws -> Bool {
        defer { reading = nil }
        guard !checklists.isEmpty else { return false }
        let asked = generation
        let head = try await store.head()
        var query = RecordQuery()
        query.order = .oldestFirst
        query.after = position
        query.limit = Self.pageSize
        let page = try await store.page(query)
        guard asked == generation else { return true }
        for record in page {
            let seen = JSONChecklistRecord(record)
            // Records that cut a recording into runs are no part of what is judged.
            guard record.row.kind == .run else {
                for index in checklists.indices { checklists[index].observe(seen) }
                for index in runs.indices { runs[index].observe(seen, installation: record.row.installation) }
                continue
            }
            guard let note = RunNote(seen) else { continue }
            for index in checklists.indices where checklists[index].owns(note) { take(note, at: index) }
        }
        let isFull = page.count == Self.pageSize
        // The latest records may have been erased: behind a page that is not full there are none up to the head.
        position = max(position, page.last?.id ?? 0, isFull ? 0 : head)
        return isFull
    }

    private func take(_ note: RunNote, at index: Int) {
        let checklist = checklists[index]
        guard note.installation != nil else { return checklists[index].observe(note) }
        runs.removeAll { $0.checklist == checklist.id && $0.judged.label.map(note.ends) ?? false }
        switch note.edge {
        case .start:
            if let run = InstallationRun(note, of: checklist) { runs.append(run) }
            if runs.count > Self.longestRuns { runs.removeFirst() }
        case .finish: if note.tester != nil { checklists[index].remember(note) }
        }
    }
}

/// A run that is made of one installation's records, so that several go on side by side: a phone each, or a job each.
struct InstallationRun: Sendable {
    /// The checklist's id.
    let checklist: String
    let installation: String
    private(set) var judged: JudgedChecklist

    /// The number of the run's start.
    var id: Int64 { judged.startsAfter }

    /// The run that a marker starts; `nil` for a marker that names no installation.
    init?(_ note: RunNote, of checklist: JudgedChecklist) {
        guard note.edge == .start, let installation = note.installation else { return nil }
        self.checklist = checklist.id
        self.installation = installation
        judged = checklist.narrowed(to: note.scenario)
        judged.begin(note)
    }

    /// Takes a record, if it is the installation's.
    mutating func observe(_ record: JSONChecklistRecord, installation: String?) {
        if installation == self.installation { judged.observe(record) }
    }

    /// How many items stand how, by their state's name.
    var counts: [String: Int] { judged.counts }
}
