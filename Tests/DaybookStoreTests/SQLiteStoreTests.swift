import DaybookBase
import DaybookStore
import DaybookTestTraits
import DaybookTesting
import DaybookTools
import Foundation
import Testing

extension TemporaryDirectory {
    /// The files that contain a text. One that vanishes meanwhile, such as the mark of an erasure, contains none.
    static func files(of folder: String, holding text: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder).filter { name in
            do {
                return try Data(contentsOf: URL(filePath: folder + "/" + name)).range(of: Data(text.utf8)) != nil
            } catch CocoaError.fileReadNoSuchFile {
                return false
            }
        }
    }

    func files(holding text: String) throws -> [String] { try Self.files(of: path, holding: text) }
}

@Suite(.temporaryDirectory) struct SQLiteStoreTests {
    private let directory = TemporaryDirectory.current
    private var path: String { directory.file("store.sqlite") }

    @Test("The SQLite store passes every conformance case", arguments: ConformanceCase.all)
    func conforms(to conformance: ConformanceCase) async throws {
        try await conformance.check(SQLiteStore(path: path))
    }

    @Test("No SQLite statement reveals masked values") func statementsStayMasked() async throws {
        try await MaskedStatementCase.check(SQLiteStore(path: path))
    }

    @Test("The SQLite store key is created once and hidden from SQL") func storeKeyIsSecret() async throws {
        let path = path
        try await StoreKeyCase.check { try SQLiteStore(path: path) }
    }

    @Test("Only the owner can read the files of a store") func filesAreOwnerOnly() async throws {
        let store = try SQLiteStore(path: path)
        try await store.append(RecordBatch(rows: [RecordRow(uid: "a", time: 1, kind: .event, level: 9, tag: "a.b")]))
        try await store.backUp(to: directory.file("copy.sqlite"))
        let names = try FileManager.default.contentsOfDirectory(atPath: directory.path)
        #expect(names.contains("store.sqlite-wal") && names.contains("copy.sqlite"))
        for name in names {
            let mode = try FileManager.default.attributesOfItem(atPath: directory.file(name))[.posixPermissions] as? Int
            #expect(mode == 0o600, "\(name)")
        }
    }

    @Test("Upgrades a store file of the first version") func upgradesFirstVersion() async throws {
        let older = try SQLiteFile(path)
        try older.execute(
            """
            PRAGMA journal_mode = WAL;
            CREATE TABLE records(
                id INTEGER PRIMARY KEY, uid TEXT NOT NULL, time INTEGER NOT NULL, kind TEXT NOT NULL,
                level INTEGER NOT NULL, tag TEXT NOT NULL, message TEXT, module TEXT, attributes TEXT NOT NULL,
                context TEXT NOT NULL, session TEXT, installation TEXT, trace_id TEXT, span_id TEXT,
                parent_span_id TEXT, duration INTEGER, file TEXT, function TEXT, line INTEGER) STRICT;
            CREATE INDEX records_tag ON records(tag);
            CREATE INDEX records_session ON records(session) WHERE session IS NOT NULL;
            CREATE TABLE arrivals(last INTEGER NOT NULL) STRICT;
            CREATE TABLE tags(
                tag TEXT NOT NULL, kind TEXT NOT NULL, count INTEGER NOT NULL, first_time INTEGER NOT NULL,
                last_time INTEGER NOT NULL, PRIMARY KEY (tag, kind)) STRICT, WITHOUT ROWID;
            CREATE TABLE streams(
                stream TEXT NOT NULL, after INTEGER NOT NULL, through INTEGER NOT NULL,
                PRIMARY KEY (stream, after)) STRICT, WITHOUT ROWID;
            INSERT INTO records(id, uid, time, kind, level, tag, attributes, context)
                VALUES (1, 'u', 5, 'event', 9, 'a.b', '{}', '{}');
            INSERT INTO arrivals VALUES (1);
            INSERT INTO tags VALUES ('a.b', 'event', 1, 5, 5);
            INSERT INTO streams VALUES ('s', 0, 1);
            PRAGMA application_id = 1145133378; PRAGMA user_version = 1;
            """)
        #expect(throws: StoreError.self) { try SQLiteStore(path: path, access: .readOnly) }
        let store = try SQLiteStore(path: path)
        #expect(
            try await store.tagSummaries(after: nil).summaries == [
                TagSummary(tag: "a.b", kind: "event", count: 1, firstTime: 5, lastTime: 5)
            ])
        // The first record arrives some time after the upgrade.
        try SQLiteFile(path).execute("UPDATE arrival_times SET time = time - 3600000000000")
        #expect(try await store.append(.numbered("s", (0, 2), 1...2)) == AppendResult(stored: 1, duplicates: 1))
        #expect(try await store.page(RecordQuery()).map(\.id) == [2, 1])
        #expect(try await store.ledger(LedgerQuery()).ledgers.map(\.stream) == ["s"])
        let indexes = try await store.query(
            "SELECT name FROM sqlite_master WHERE type = 'index' AND name LIKE 'records%' ORDER BY name",
            limits: .init())
        #expect(indexes.rows == [[.text("records_tag")], [.text("records_time")]])
    }

    @Test(
        "SQLite errors suggest similar table and column names",
        arguments: [
            ("SELECT * FROM feed_show", "SQLite: no such table: feed_show. Did you mean feed__show_article?"),
            ("SELECT * FROM main.recrods", "SQLite: no such table: main.recrods. Did you mean records?"),
            ("SELECT r.tga FROM records AS r", "SQLite: no such column: r.tga. Did you mean tag?"),
            ("SELECT * FROM stored_record", "SQLite: no such table: stored_record."),
            ("SELECT * FROM records WHERE zucchini", "SQLite: no such column: zucchini."),
        ], [nil, MaskingPolicy()])
    func sqliteSuggestsNames(statement: (sql: String, message: String), masking: MaskingPolicy?) async throws {
        let store = try SQLiteStore(path: path)
        try SQLiteFile(path).execute(
            "CREATE VIEW feed__show_article AS SELECT id AS \"_id\", tag FROM records WHERE tag = 'feed.show_article'")
        var limits = QueryLimits()
        limits.masking = masking
        let error = await #expect(throws: StoreError.self) { try await store.query(statement.sql, limits: limits) }
        #expect(error?.message == statement.message)
    }

    @Test("Backs up the whole store while appends continue") func backsUpDuringAppends() async throws {
        let store = try SQLiteStore(path: path)
        try await store.append(.numbered("s", (0, 3), 1...3))
        let copy = directory.file("copy.sqlite")
        async let backup: Void = store.backUp(to: copy)
        async let appended = store.append(.numbered("s", (3, 6), 4...6))
        _ = try await (backup, appended)
        let head = try await SQLiteStore(path: copy).head()
        #expect(head == 3 || head == 6)
        let error = await #expect(throws: StoreError.self) { try await store.backUp(to: copy) }
        #expect(error?.message.contains("already") == true)
        #expect(try await SQLiteStore(path: copy).append(.numbered("s", (0, 3), 1...3)).duplicates == 3)
    }

    @Test("The next backup removes the remains of an interrupted one") func cleansInterruptedBackup() async throws {
        let store = try SQLiteStore(path: path)
        for name in ["copy.sqlite.partial", "copy.sqlite.partial-journal"] {
            try Data("left".utf8).write(to: URL(fileURLWithPath: directory.file(name)))
        }
        try await store.backUp(to: directory.file("copy.sqlite"))
        let names = try FileManager.default.contentsOfDirectory(atPath: directory.path)
        #expect(names.filter { $0.hasPrefix("copy") } == ["copy.sqlite"])
    }

    @Test("Explains why a store cannot be opened") func explainsOpenFailure() throws {
        func message(_ path: String, _ access: StoreAccess) -> String? {
            #expect(throws: StoreError.self) { try SQLiteStore(path: path, access: access) }?.message
        }
        #expect(message(path, .readOnly)?.hasPrefix("There is no store \(path). ") == true)
        let folder = directory.file("nowhere") + "/store.sqlite"
        #expect(message(folder, .readWrite)?.hasSuffix("No such file or directory. Make its folder first.") == true)
        #expect(message(directory.path, .readWrite)?.contains("Is a directory. Name a file in it.") == true)
        #if os(Linux)
            // Nobody, not even root, can create a file there.
            #expect(
                message("/sys/store.sqlite", .readWrite)?.hasSuffix(
                    "Permission denied. Check the owner and the mode of the file and its folder.") == true)
        #endif
    }

    @Test("Erased values remain in no file of the store") func erasedValuesLeaveFiles() async throws {
        let store = try SQLiteStore(path: path)
        // Long texts fill pages that become free; short ones share theirs with rows that stay.
        let rows = (1...400).map { number in
            RecordRow.sample(number, message: String(repeating: "secret", count: number % 2 == 0 ? 2_000 : 1)).with {
                $0.installation = number % 4 < 2 ? "gone" : "kept"
                if $0.installation == "kept" { $0.message = "open" }
            }
        }
        try await store.append(RecordBatch(rows: rows))
        #expect(try directory.files(holding: "secret") != [])
        var filter = RecordFilter()
        filter.narrow(by: .field(.installation, "gone"))
        #expect(try await store.erase(filter) == 200)
        #expect(try directory.files(holding: "secret") == [])
        #expect(try await store.query("SELECT count(*) FROM records", limits: .init()).rows == [[.integer(200)]])
    }

    @Test("A closed store is a single file") func closedStoreIsOneFile() async throws {
        let store = try SQLiteStore(path: path)
        try await store.append(.numbered("s", (0, 300), 1...300))
        await store.close()
        let copy = directory.file("alone.sqlite")
        try FileManager.default.copyItem(atPath: path, toPath: copy)
        #expect(try await SQLiteStore(path: copy, access: .readOnly).head() == 300)
    }

    @Test("SQL answers how complete the records are") func queriesCompleteness() async throws {
        let store = try SQLiteStore(path: path)
        var batch = RecordBatch.numbered("s/o/logs", (0, 4), 1...4)
        for index in batch.rows.indices {
            batch.rows[index].installation = "i"
            batch.rows[index].context = #"{"service.version":"1.2"}"#
        }
        batch.losses = LossReport(sender: "s/o", counts: ["disk_limit": 7, "rejected": 1])
        try await store.append(batch)
        try await store.append(batch)
        var traces = batch
        traces.origin = .init(stream: "s/o/traces", after: 9, through: 12)
        traces.rows = []
        try await store.append(traces)
        batch.origin = .init(stream: "s/o/logs", after: 6, through: 10)
        batch.rows = []
        try await store.append(batch)
        let answer = try await store.query(
            "SELECT installation, version, stored, duplicates, missing, lost FROM completeness WHERE stored > 0",
            limits: QueryLimits())
        #expect(answer.rows == [[.text("i"), .text("1.2"), .integer(4), .integer(4), .integer(2), .integer(8)]])
        let gaps = try await store.query(
            "SELECT stream, after, through, missing FROM stream_gaps", limits: QueryLimits())
        #expect(gaps.rows == [[.text("s/o/logs"), .integer(4), .integer(6), .integer(2)]])
    }

    @Test("Completeness copes with the largest claims of senders") func capsBoastfulClaims() async throws {
        let store = try SQLiteStore(path: path)
        for batch in RecordBatch.boastful { try await store.append(batch) }
        let answer = try await store.query(
            "SELECT sum(stored), missing, lost, missing + lost FROM completeness", limits: QueryLimits())
        let most: Int64 = 1_000_000_000_000
        #expect(answer.rows == [[.integer(3), .integer(most), .integer(most), .integer(2 * most)]])
    }

    @Test("Recreates a view of an older version") func recreatesOldViews() async throws {
        _ = try SQLiteStore(path: path)
        try SQLiteFile(path).execute(
            """
            \(Self.fourthVersion)
            DROP VIEW completeness; CREATE VIEW completeness AS SELECT 1 AS old; PRAGMA user_version = 3
            """)
        let store = try SQLiteStore(path: path)
        let answer = try await store.query("SELECT lost FROM completeness", limits: QueryLimits())
        #expect(answer.rows.isEmpty)
    }

    /// Turns an empty store's tables into those of version 4.
    private static let fourthVersion = """
        DROP VIEW records; ALTER TABLE stored_records RENAME TO records;
        DROP TABLE contexts; DROP TABLE context_uses; PRAGMA user_version = 4;
        """

    @Test("Reads and erases old rows with inline contexts beside new ones") func readsInlineContexts() async throws {
        let context = #"{"service.version":"1.0","long":"\#(String(repeating: "x", count: 1_000))"}"#
        _ = try SQLiteStore(path: path)
        try SQLiteFile(path).execute(
            """
            \(Self.fourthVersion)
            CREATE VIEW recipe__show AS SELECT id AS "_id", context FROM records WHERE tag = 'recipe.show';
            INSERT INTO records(id, uid, time, kind, level, tag, attributes, context)
                VALUES (1, 'old', 1, 'event', 9, 'recipe.show', '{}', '\(context)');
            UPDATE arrivals SET last = 1;
            """)
        let store = try SQLiteStore(path: path)
        try await store.append(
            RecordBatch(rows: (2...3).map { number in .sample(number).with { $0.context = context } }))
        #expect(try await store.page(RecordQuery()).map(\.row.context) == [context, context, context])
        let viewed = try await store.query("SELECT context FROM recipe__show ORDER BY _id", limits: .init())
        #expect(viewed.rows == [[.text(context)], [.text(context)], [.text(context)]])
        var query = RecordQuery()
        query.filter.narrow(by: .field(.version, "1.0"))
        #expect(try await store.page(query).map(\.id) == [3, 2, 1])
        #expect(
            try SQLiteFile(path).text("SELECT group_concat(length(context)) FROM stored_records")
                == "\(context.count),2,2")
        for (uid, left) in [("old", "1"), ("uid-2", "1"), ("uid-3", "0")] {
            var filter = RecordFilter()
            filter.narrow(by: .field(.uid, uid))
            #expect(try await store.erase(filter) == 1)
            #expect(try SQLiteFile(path).text("SELECT count(*) FROM contexts") == left)
        }
        #expect(try SQLiteFile(path).text("SELECT count(*) FROM context_uses") == "0")
    }

    @Test("SQLite stores a shared context once") func storesContextOnce() async throws {
        let store = try SQLiteStore(path: path)
        let context = #"{"long":"\#(String(repeating: "x", count: 256 << 10))"}"#
        let before = try #require(await store.diskUse()).files
        for start in stride(from: 0, to: 1_500, by: 500) {
            try await store.append(
                RecordBatch(rows: (start..<start + 500).map { number in .sample(number).with { $0.context = context } })
            )
        }
        // 375 MiB as sent.
        #expect(try #require(await store.diskUse()).files - before < 4 << 20)
        #expect(try await store.page(RecordQuery()).allSatisfy { $0.row.context == context })
    }

    @Test("A context that looks like a reference is kept as text") func contextIsNoReference() async throws {
        let store = try SQLiteStore(path: path)
        let rows = ["@1", "@", "@2", "{}"].enumerated().map { number, text in
            RecordRow.sample(number).with { $0.context = text }
        }
        try await store.append(RecordBatch(rows: rows))
        #expect(try await store.page { $0.order = .oldestFirst }.map(\.row) == rows)
    }

    @Test("Records, tags and streams survive closing the store") func closingKeepsState() async throws {
        do {
            let store = try SQLiteStore(path: path)
            try await store.append(.numbered("s", (0, 3), 1...3))
        }
        let store = try SQLiteStore(path: path)
        #expect(try await store.append(.numbered("s", (0, 4), 1...4)) == AppendResult(stored: 1, duplicates: 3))
        #expect(try await store.head() == 4)
        #expect(try await store.tagSummaries(after: nil).summaries.map(\.count) == [4])
    }

    @Test("A contiguous stream takes one row of settled intervals") func contiguousStreamIsOneRow() async throws {
        let store = try SQLiteStore(path: path)
        for start in stride(from: UInt64(0), to: 50, by: 5) {
            try await store.append(.numbered("s", (start, start + 5), start + 1...start + 5))
        }
        let result = try await store.query("SELECT stream, after, through FROM streams", limits: QueryLimits())
        #expect(result.rows == [[.text("s"), .integer(0), .integer(50)]])
    }

    @Test("Rejects sequence numbers that are too large and stores nothing") func refusesHugeSequences() async throws {
        let store = try SQLiteStore(path: path)
        await #expect(throws: AppendError.rejected(.sequences(stream: "s"))) {
            try await store.append(.numbered("s", (0, .max), [1, .max]))
        }
        #expect(try await store.head() == 0)
        #expect(try await store.append(.numbered("s", (0, 1), [1])).stored == 1)
    }

    @Test("A rejected batch does not fail those waiting with it") func isolatesRefusedBatch() async throws {
        let store = try SQLiteStore(path: path)
        let stored = await withTaskGroup(of: Int.self) { group in
            for number in 0..<40 {
                group.addTask {
                    let batch =
                        number % 2 == 0
                        ? RecordBatch(rows: [.sample(number)]) : RecordBatch.numbered("s", (0, .max), [1])
                    return (try? await store.append(batch).stored) ?? 0
                }
            }
            return await group.reduce(0, +)
        }
        #expect(stored == 20)
        #expect(try await store.head() == 20)
    }

    @Test("Refuses another program's database and leaves it unchanged") func refusesForeignDatabase() throws {
        let other = try SQLiteFile(path)
        try other.execute("CREATE TABLE theirs(x)")
        let error = #expect(throws: StoreError.self) { try SQLiteStore(path: path) }
        #expect(error?.code == .unavailable)
        #expect(error?.message.contains("another program") == true)
        #expect(try other.text("SELECT group_concat(name) FROM sqlite_master") == "theirs")
        #expect(try other.text("PRAGMA journal_mode") == "delete")
    }

    @Test("Refuses a store with a newer schema") func refusesNewerSchema() async throws {
        _ = try SQLiteStore(path: path)
        try SQLiteFile(path).execute("PRAGMA user_version = 99")
        for access in [StoreAccess.readWrite, .readOnly] {
            let error = #expect(throws: StoreError.self) { try SQLiteStore(path: path, access: access) }
            #expect(error?.code == .unavailable)
            #expect(error?.message.contains("99") == true)
        }
    }

    @Test("Refuses a file that is not a database") func refusesNonDatabase() throws {
        try Data(repeating: 0x41, count: 4_096).write(to: URL(filePath: path))
        #expect(throws: StoreError.self) { try SQLiteStore(path: path) }
    }

    @Test("The error for a missing folder gives its path") func namesMissingFolder() throws {
        let error = #expect(throws: StoreError.self) { try SQLiteStore(path: directory.file("no/such/store")) }
        #expect(error?.code == .unavailable)
        #expect(error?.message.contains("no/such/store") == true)
    }

    @Test("A read-only store reads beside a writer and rejects appends") func readsBesideWriter() async throws {
        let writing = try SQLiteStore(path: path)
        let reading = try SQLiteStore(path: path, access: .readOnly)
        try await writing.append(.numbered("s", (0, 2), 1...2))
        #expect(try await reading.head() == 2)
        await #expect(throws: AppendError.failed(.readOnly(path))) {
            try await reading.append(RecordBatch(rows: [.sample(1)]))
        }
    }

    @Test("A failed commit throws to all who wait and stores nothing") func failedCommitThrowsToAll() async throws {
        let store = try SQLiteStore(path: path)
        // Another program breaks the table, so that no insert can succeed.
        try SQLiteFile(path).execute("ALTER TABLE stored_records RENAME TO hidden")
        let failures = await withTaskGroup(of: Bool.self) { group in
            for number in 0..<8 {
                group.addTask { (try? await store.append(RecordBatch(rows: [.sample(number)]))) == nil }
            }
            return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(failures == 8)
        try SQLiteFile(path).execute("ALTER TABLE hidden RENAME TO stored_records")
        #expect(try await store.append(RecordBatch(rows: [.sample(1)])).stored == 1)
        #expect(try await store.page(RecordQuery()).map(\.id) == [1])
    }

    @Test("Never reuses the numbers of deleted records") func neverReusesNumbers() async throws {
        let store = try SQLiteStore(path: path)
        try await store.append(.numbered("s", (0, 3), 1...3))
        try SQLiteFile(path).execute("DELETE FROM stored_records")
        #expect(try await store.head() == 0)
        try await store.append(RecordBatch(rows: [.sample(4)]))
        #expect(try await store.head() == 4)
    }

    @Test("A record is in the write-ahead log when `append` returns") func commitsAreDurable() async throws {
        let store = try SQLiteStore(path: path)
        #expect(try SQLiteFile(path).text("PRAGMA journal_mode") == "wal")
        try await store.append(RecordBatch(rows: [.sample(1)]))
        // A copy of both files shows what a crash would leave.
        for suffix in ["", "-wal"] {
            try FileManager.default.copyItem(atPath: path + suffix, toPath: directory.file("copy.sqlite") + suffix)
        }
        #expect(try await SQLiteStore(path: directory.file("copy.sqlite")).head() == 1)
    }
}
