import DaybookBase
import DaybookTestTraits
import DaybookTesting
import Foundation
import Testing

@testable import DaybookStore

/// An open store's files are deleted, moved or replaced, so that commits would go to files without a name.
@Suite(.temporaryDirectory) struct FileWatchTests {
    private let directory = TemporaryDirectory.current
    private var path: String { directory.file("store.sqlite") }

    private func row(_ number: Int) -> RecordBatch {
        RecordBatch(rows: [RecordRow(uid: "u-\(number)", time: 1, kind: .event, level: 9, tag: "a.b")])
    }

    private func move(_ name: String, to other: String) throws {
        try FileManager.default.moveItem(atPath: directory.file(name), toPath: directory.file(other))
    }

    /// Append, head and erase all report what happened.
    private func expectRefusal(of store: SQLiteStore, naming name: String) async {
        var filter = RecordFilter()
        filter.narrow(by: .field(.uid, "u-1"))
        for ask in [
            { _ = try await store.append(row(2)) }, { _ = try await store.head() },
            { _ = try await store.erase(filter) },
        ] as [() async throws -> Void] {
            let error = await #expect(throws: (any Error).self) { try await ask() }
            let failure: StoreError? =
                if case .failed(let failure)? = error as? AppendError { failure } else { error as? StoreError }
            #expect(failure?.code == .storage)
            #expect(failure?.message.contains(name) == true)
        }
    }

    @Test("Refuses records when the store's file or log was deleted", arguments: ["store.sqlite", "store.sqlite-wal"])
    func refusesUnlinkedFiles(_ name: String) async throws {
        let store = try SQLiteStore(path: path)
        try await store.append(row(1))
        try FileManager.default.removeItem(atPath: directory.file(name))
        await expectRefusal(of: store, naming: name)
    }

    @Test("Accepts records again once the moved file is back") func acceptsRestoredFile() async throws {
        let store = try SQLiteStore(path: path)
        try await store.append(row(1))
        try move("store.sqlite", to: "away.sqlite")
        await expectRefusal(of: store, naming: "store.sqlite")
        try move("away.sqlite", to: "store.sqlite")
        try await store.append(row(2))
        await store.close()
        #expect(
            try await SQLiteStore(path: path, access: .readOnly).page(RecordQuery()).map(\.row.uid) == ["u-2", "u-1"])
    }

    @Test("Detects a backup put in the place of the store") func detectsSwappedBackup() async throws {
        let store = try SQLiteStore(path: path)
        try await store.append(row(1))
        try await store.backUp(to: directory.file("copy.sqlite"))
        try FileManager.default.removeItem(atPath: path)
        try move("copy.sqlite", to: "store.sqlite")
        await expectRefusal(of: store, naming: "store.sqlite")
    }

    /// How a store closes or empties its log after its file was replaced.
    enum End: CaseIterable { case closed, leftOpen, emptied }

    /// What rsync and a change of owner do: a copy takes the file's name while the log holds records.
    @Test("Replacing the file with a copy loses no logged records", arguments: End.allCases, [1, 60])
    func replacedFileKeepsLog(_ end: End, batches: Int) async throws {
        var bounds = WriteAheadLog.Bounds()
        if end == .emptied { bounds.bytes = 1 }
        do {
            let store = try SQLiteStore(path: path, access: .readWrite, reserve: 0, bounds: bounds, names: NameBound())
            for batch in 0..<batches {
                try await store.append(
                    RecordBatch(rows: (0..<20).map { row(batch * 20 + $0).rows[0] }))
            }
            try FileManager.default.copyItem(atPath: path, toPath: directory.file("copy.sqlite"))
            #expect(rename(directory.file("copy.sqlite"), path) == 0)
            await expectRefusal(of: store, naming: "store.sqlite")
            if end == .closed { await store.close() }
        }
        let store = try SQLiteStore(path: path)
        #expect(
            try await store.query("SELECT count(*) FROM records", limits: .init()).rows == [
                [.integer(Int64(batches * 20))]
            ])
    }

    /// Only the file was moved away: its log must not go to a new store.
    @Test("Keeps the log when its store file is missing or empty", arguments: [true, false]) func keepsOrphanedLog(
        isEmpty: Bool
    ) async throws {
        let store = try SQLiteStore(path: path)
        try await store.append(row(1))
        // As after a kill.
        let other = directory.file("other.sqlite")
        for name in ["", "-wal"] { try FileManager.default.copyItem(atPath: path + name, toPath: other + name) }
        try FileManager.default.moveItem(atPath: other, toPath: directory.file("away"))
        if isEmpty { _ = FileManager.default.createFile(atPath: other, contents: nil) }
        let error = #expect(throws: StoreError.self) { try SQLiteStore(path: other) }
        #expect(error?.code == .unavailable)
        #expect(error?.message.contains("\(other)-wal") == true)
        try? FileManager.default.removeItem(atPath: other)
        try FileManager.default.moveItem(atPath: directory.file("away"), toPath: other)
        #expect(try await SQLiteStore(path: other).page(RecordQuery()).map(\.row.uid) == ["u-1"])
    }

    /// Another program cuts the log; later commits would be lost with it.
    @Test("Refuses records after the write-ahead log was truncated", arguments: [0, 32, 5_000])
    func refusesTruncatedLog(bytes: Int) async throws {
        let store = try SQLiteStore(path: path)
        for number in 10..<40 { try await store.append(row(number)) }
        #expect(truncate(path + "-wal", off_t(bytes)) == 0)
        for number in [2, 3] {
            let error = await #expect(throws: AppendError.self) { try await store.append(row(number)) }
            #expect("\(error.map { "\($0)" } ?? "")".contains("-wal was cut"))
        }
    }

    /// What another of our processes does to the log is no truncation.
    @Test("Accepts records after another process checkpoints the log") func acceptsCheckpointedLog() async throws {
        let stores = try (0..<2).map { _ in try SQLiteStore(path: path) }
        for number in 10..<60 {
            try await stores[number % 2].append(row(number))
            if number % 7 == 0 { _ = try SQLiteFile(path).text("PRAGMA wal_checkpoint(TRUNCATE)") }
        }
        #expect(try await stores[0].query("SELECT count(*) FROM records", limits: .init()).rows == [[.integer(50)]])
    }
}
