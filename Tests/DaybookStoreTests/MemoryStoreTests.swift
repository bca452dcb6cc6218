import DaybookStore
import Testing

@Suite struct MemoryStoreTests {
    @Test("The memory store passes the basic conformance cases", arguments: ConformanceCase.basic)
    func conforms(to conformance: ConformanceCase) async throws {
        try await conformance.check(MemoryStore())
    }

    @Test("The memory store conforms when it answers in parts", arguments: ConformanceCase.inParts)
    func conformsInParts(to conformance: ConformanceCase) async throws {
        try await conformance.check(MemoryStore(recordsPerSlice: 5))
    }

    @Test("A partial answer resumes where it ended") func resumesPartialAnswers() async throws {
        let store = MemoryStore(recordsPerSlice: 4)
        try await store.append(RecordBatch(rows: (1...10).map { .sample($0, tag: $0 == 2 ? "rare" : "usual") }))
        var query = RecordQuery()
        query.narrow(by: .tag("rare"))
        let first = try await store.slice(query)
        #expect(first.records.isEmpty && first.isPartial && first.next == 7)
        #expect(first.progress == SearchProgress(done: 4, total: 10))
        let second = try await store.slice(query.resumed(at: 7))
        #expect(second.isPartial && second.next == 3)
        let third = try await store.slice(query.resumed(at: 3))
        #expect(third.records.map(\.id) == [2] && !third.isPartial && third.next == nil)
    }

    @Test("The memory store does not support SQL") func memoryStoreHasNoSQL() async throws {
        let error = await #expect(throws: StoreError.self) {
            try await MemoryStore().query("SELECT 1", limits: QueryLimits())
        }
        #expect(error?.code == .unavailable)
    }
}
