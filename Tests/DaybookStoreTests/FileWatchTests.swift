import DaybookBase
import DaybookStore
import Foundation
import Testing

/// The files of an open store are deleted, moved away or replaced: what is then committed is in no file with a name.
@Suite struct FileWatchTests {
    private let directory: TemporaryDirectory
    private var path: String { directory.file("store.sqlite") }

    init() throws { directory = try TemporaryDirectory() }

    private func row(_ number: Int) -> RecordBatch {
        RecordBatch(rows: [RecordRow(uid: "u-\(number)", time: 1, kind: .event, level: 9, tag: "a.b")])
    }

    private func move(_ name: String, to other: String) throws {
        try FileManager.default.moveItem(atPath: directory.file(name), toPath: directory.file(other))
    }

    /// Appends, asks for the head and erases: all say what happened.
    private func expectRefusal(of store: SQLiteStore, naming name: String) async {
        var filter = RecordFilter()
        filter.uid = "u-1"
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

    @Test(arguments: ["store.sqlite", "store.sqlite-wal"])
    func nothingIsAcknowledgedIntoAFileWithoutAName(_ name: String) async throws {
        let store = try SQLiteStore(path: path)
        try await store.append(row(1))
        try FileManager.default.removeItem(atPath: directory.file(name))
        await expectRefusal(of: store, naming: name)
    }

    @Test func aFileThatIsPutBackTakesRecordsAgain() async throws {
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

    @Test func aBackupThatIsPutInItsPlaceIsNotTakenForIt() async throws {
        let store = try SQLiteStore(path: path)
        try await store.append(row(1))
        try await store.backUp(to: directory.file("copy.sqlite"))
        try FileManager.default.removeItem(atPath: path)
        try move("copy.sqlite", to: "store.sqlite")
        await expectRefusal(of: store, naming: "store.sqlite")
    }
}
