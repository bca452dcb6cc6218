import CSQLite
import DaybookBase
import DaybookStore
import DaybookTrials
import Foundation

/// Files on disk that may be damaged or written by others: journals with their cursors, and stores.
extension FuzzTarget {
    static let files: [FuzzTarget] = [journal, cursors, storeFile]

    /// A journal with damaged files; each input is all of them.
    private static let journal = journals("journal", quickCount: 60) { _, _ in true }
    /// The same, with damage only to files that change as an output advances.
    private static let cursors = journals("cursors", quickCount: 60) { name, changing in changing.contains(name) }

    private static func journals(
        _ name: String, quickCount: Int, isDamaged: @escaping @Sendable (String, Set<String>) -> Bool
    ) -> FuzzTarget {
        let sample = try? DamageTrials.sample()
        let files = (sample?.files ?? [:]).mapValues { Array($0) }
        let written = sample?.written ?? []
        // Whatever is no segment: cursors, the lock, the identity.
        let changing = Set(files.filter { !$0.key.hasSuffix(".segment") && !$0.value.isEmpty }.keys)
        let names = files.filter { !$0.value.isEmpty && isDamaged($0.key, changing) }.keys.sorted()
        return FuzzTarget(name, corpus: [FileBundle.encode(files)], quickCount: quickCount) { input, random in
            var damaged = FileBundle.decode(input)
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                guard let name = names.randomElement(using: &random), let bytes = damaged[name] else { continue }
                // An unclosed segment is mostly empty: the damage goes to its used part.
                var part = Array(bytes.prefix(1_600))
                Mutation.mutate(&part, fragments: [], others: names.compactMap { files[$0] }, &random)
                let isTemporary = Int.random(in: 0..<20, using: &random) == 0
                damaged[isTemporary ? "\(name).tmp" : name] = part + bytes.dropFirst(1_600)
            }
            input = FileBundle.encode(damaged)
        } open: {
            guard sample != nil else { throw Unprepared() }
            return Subject { input in
                let tally = try DamageTrials.opening(
                    FileBundle.decode(input).mapValues { Data($0) }, written: written)
                return tally.isClean ? nil : "\(tally)"
            }
        }
    }

    private struct Unprepared: Error {}

    private static let storeFile = FuzzTarget(
        "store-file", corpus: [sampleStore], quickCount: 15, open: { Subject { try await reading(storeOf: $0) } })

    /// The bytes of a store with records, tags, streams and losses.
    private static let sampleStore: [UInt8] = {
        let folder = FileManager.default.temporaryDirectory.appending(path: "daybook-fuzz-\(UUID().uuidString)")
        try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let (done, path) = (DispatchSemaphore(value: 0), folder.appending(path: "records.sqlite").path)
        Task.detached {
            let store = try? SQLiteStore(path: path)
            for stream in 0..<3 {
                let rows = (1...20).map { number in
                    var row = RecordRow(
                        uid: "u\(stream)-\(number)", time: Int64(number) * 60_000_000_000, kind: .event, level: 9,
                        tag: "feed.show\(number % 4)", attributes: #"{"a":\#(number)}"#,
                        context: #"{"service.version":"1"}"#)
                    (row.sequence, row.session, row.installation) = (UInt64(number), "s\(number % 3)", "i\(stream)")
                    return row
                }
                _ = try? await store?.append(
                    RecordBatch(
                        origin: .init(stream: "j\(stream)/o/logs", after: 0, through: 30),
                        losses: LossReport(sender: "j\(stream)/o", counts: ["disk_limit": 3]), rows: rows))
            }
            await store?.settleIndex()
            await store?.close()
            done.signal()
        }
        done.wait()
        // A store's name is random, but a seed must give the same input again. The index contains the name, so it is
        // left out and rebuilt.
        change(
            path, ["UPDATE identity SET store = '0123456789abcdef0123456789abcdef'", "PRAGMA wal_checkpoint(TRUNCATE)"])
        return FileBundle.encode([
            "records.sqlite": (try? Data(contentsOf: URL(fileURLWithPath: path))).map(Array.init) ?? []
        ])
    }()

    /// Opens a store, queries everything, then appends. Each step may be refused.
    private static func reading(storeOf input: [UInt8]) async throws -> String? {
        let folder = FileManager.default.temporaryDirectory.appending(path: "daybook-fuzz-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        for (name, bytes) in FileBundle.decode(input) where !name.contains("/") {
            try Data(bytes).write(to: folder.appending(path: name))
        }
        let path = folder.appending(path: "records.sqlite").path
        for access in [StoreAccess.readOnly, .readWrite] {
            guard let store = try? SQLiteStore(path: path, access: access) else { continue }
            await ask(store)
            if access == .readWrite {
                let row = RecordRow(uid: "new", time: 1, kind: .event, level: 9, tag: "a.b")
                _ = try? await store.append(RecordBatch(rows: [row]))
                var filter = RecordFilter()
                filter.narrow(by: .field(.session, "s1"))
                _ = try? await store.erase(filter)
            }
            await store.close()
        }
        return nil
    }

    private static func ask(_ store: SQLiteStore) async {
        var query = RecordQuery()
        _ = try? await store.slice(query)
        query.order = .oldestFirst
        query.narrow(by: .tag("feed.*"))
        query.narrow(by: .text("1"))
        _ = try? await store.slice(query)
        _ = try? await store.head()
        _ = try? await store.timeBounds(within: nil)
        _ = try? await store.histogram(HistogramQuery(start: 0, width: 60_000_000_000, count: 20))
        _ = try? await store.facets(FacetQuery())
        _ = try? await store.sessions(SessionQuery())
        _ = try? await store.tagSummaries(after: nil).summaries.mergingVersions()
        _ = try? await store.ledger(LedgerQuery()).ledgers.map(\.gaps)
        _ = try? await store.query("SELECT * FROM completeness", limits: QueryLimits())
    }

    private static func change(_ path: String, _ statements: [String]) {
        guard !statements.isEmpty else { return }
        var handle: OpaquePointer?
        guard sqlite3_open(path, &handle) == SQLITE_OK else { return }
        for statement in statements { sqlite3_exec(handle, statement, nil, nil, nil) }
        sqlite3_close_v2(handle)
    }
}

extension FuzzTarget {
    package static let all: [FuzzTarget] = wire + texts + files + values
}
