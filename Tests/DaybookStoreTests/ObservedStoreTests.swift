import DaybookBase
import DaybookStore
import DaybookTestTraits
import DaybookTesting
import DaybookTrials
import Foundation
import Testing

@Suite(.temporaryDirectory) struct ObservedStoreTests {
    private let directory = TemporaryDirectory.current

    @Test("Reports new records only while someone is watching") func notifiesOnlyObservers() async throws {
        let told = Mutex<[Int64]>([])
        let isWatched = Atomic(false)
        let store = ObservedStore(MemoryStore()) {
            isWatched.load(ordering: .relaxed)
        } onAppend: { head in
            told.withLock { $0.append(head) }
        }
        _ = try await store.append(RecordBatch(rows: [.sample(1)]))
        #expect(told.withLock { $0 } == [])
        isWatched.store(true, ordering: .relaxed)
        _ = try await store.append(RecordBatch(rows: [.sample(2)]))
        try await eventually("the head is told") { told.withLock { $0 } == [2] }
    }

    @Test("Closing an observed store closes the wrapped one") func closesWrappedStore() async throws {
        let path = directory.file("store.sqlite")
        let store = ObservedStore(try SQLiteStore(path: path)) { _ in }
        _ = try await store.append(RecordBatch(rows: [.sample(1)]))
        await store.close()
        let copy = directory.file("alone.sqlite")
        try FileManager.default.copyItem(atPath: path, toPath: copy)
        #expect(try await SQLiteStore(path: copy, access: .readOnly).head() == 1)
    }
}
