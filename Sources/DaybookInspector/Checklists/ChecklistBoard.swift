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

    /// Everything at one moment.
    struct Snapshot: Sendable {
        /// All records up to this arrival number have been judged.
        var judged: Int64
        /// The largest arrival number.
        var head: Int64
        var checklists: [JudgedChecklist]
    }

    private let store: any EventStore
    private var checklists: [JudgedChecklist]
    private var position: Int64 = 0
    /// The page that is being read and judged; whether records remained behind it.
    private var reading: Task<Bool, any Error>?
    private var isCatchingUp = false

    /// - Parameter catalog: what the definitions say; `nil` where there are none.
    init(store: any EventStore, checklists: [Checklist], catalog: EventCatalog? = nil) {
        self.store = store
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
        return Snapshot(judged: position, head: max(head, position), checklists: checklists)
    }

    /// The checklist of an id, as it is judged so far.
    func checklist(_ id: String) -> JudgedChecklist? { checklists.first { $0.id == id } }

    /// Stores a marker of a run and follows it: a start begins a new run of its checklist, a finish signs the run off.
    /// - Returns: the marker's arrival number, or `nil` where no checklist has its id.
    /// - Throws: ``StoreError``.
    func mark(
        _ note: RunNote, uid: String, details: [String: String] = [:], installation: String? = nil
    ) async throws -> Int64? {
        guard let index = checklists.firstIndex(where: { $0.owns(note) }) else { return nil }
        try await store.append(RecordBatch(rows: [note.row(uid: uid, details: details, installation: installation)]))
        guard let stored = try await store.record(uid: uid) else { return nil }
        var note = note
        note.number = stored.id
        switch note.edge {
        case .start: checklists[index].begin(note)
        case .finish: checklists[index].observe(note)
        }
        return stored.id
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
        guard let start = checklists.map(\.startsAfter).min() else { return false }
        let head = try await store.head()
        var query = RecordQuery()
        query.order = .oldestFirst
        query.after = max(position, start)
        query.limit = Self.pageSize
        let page = try await store.page(query)
        for record in page {
            let seen = StoredChecklistRecord(record)
            // Records that cut a recording into runs are no part of what is judged.
            guard record.row.kind == .run else {
                for index in checklists.indices { checklists[index].observe(seen) }
                continue
            }
            guard let note = RunNote(seen) else { continue }
            for index in checklists.indices where checklists[index].owns(note) {
                checklists[index].observe(note)
            }
        }
        let isFull = page.count == Self.pageSize
        // The latest records may have been erased: behind a page that is not full there are none up to the head.
        position = max(position, start, page.last?.id ?? 0, isFull ? 0 : head)
        return isFull
    }
}
