import DaybookStore
import Testing

extension ConformanceCase {
    static let streams: [ConformanceCase] = [
        ConformanceCase(name: "a batch sent again is all duplicates") { store async throws in
            let batch = RecordBatch.numbered("s", (0, 4), 1...4)
            #expect(try await store.append(batch) == AppendResult(stored: 4, duplicates: 0))
            #expect(try await store.append(batch) == AppendResult(stored: 0, duplicates: 4))
            #expect(try await store.head() == 4)
        },
        ConformanceCase(name: "a recut batch stores only what is new") { store async throws in
            try await store.append(.numbered("s", (0, 4), 1...4))
            #expect(
                try await store.append(.numbered("s", (2, 7), 3...7)) == AppendResult(stored: 3, duplicates: 2))
            #expect(try await store.uids { $0.order = .oldestFirst } == (1...7).map { "uid-\($0)" })
        },
        ConformanceCase(name: "a lost cursor sends everything again in larger batches: nothing is stored twice") {
            store async throws in
            for start in stride(from: UInt64(0), to: 30, by: 3) {
                try await store.append(.numbered("s", (start, start + 3), start + 1...start + 3))
            }
            #expect(
                try await store.append(.numbered("s", (0, 40), 1...40)) == AppendResult(stored: 10, duplicates: 30))
            #expect(try await store.head() == 40)
        },
        ConformanceCase(name: "batches that come out of order are each stored once") { store async throws in
            for start: UInt64 in [20, 0, 30, 10, 20, 0] {
                try await store.append(.numbered("s", (start, start + 10), start + 1...start + 10))
            }
            #expect(try await store.head() == 40)
        },
        ConformanceCase(name: "an interval settles sequences that another output's route left out") {
            store async throws in
            try await store.append(.numbered("s", (0, 10), [2, 5, 9]))
            #expect(
                try await store.append(.numbered("s", (0, 10), [2, 3])) == AppendResult(stored: 0, duplicates: 2))
        },
        ConformanceCase(name: "the same sequence of another stream is another record") { store async throws in
            try await store.append(.numbered("s", (0, 2), 1...2))
            #expect(
                try await store.append(.numbered("t", (0, 2), 1...2)) == AppendResult(stored: 2, duplicates: 0))
        },
        ConformanceCase(name: "a sequence twice in one batch, or outside of its interval, is stored once") {
            store async throws in
            #expect(
                try await store.append(.numbered("s", (0, 2), [1, 1, 9])) == AppendResult(stored: 2, duplicates: 1))
            #expect(
                try await store.append(.numbered("s", (5, 9), [9, 8])) == AppendResult(stored: 1, duplicates: 1))
        },
        ConformanceCase(name: "rows without a sequence or a stream are stored each time") { store async throws in
            let bare = RecordBatch(rows: [.sample(1)])
            let unnumbered = RecordBatch(origin: .init(stream: "s", after: 0, through: 1), rows: [.sample(2)])
            for _ in 0..<2 {
                #expect(try await store.append(bare).stored == 1)
                #expect(try await store.append(unnumbered).stored == 1)
            }
            #expect(try await store.head() == 4)
        },
        ConformanceCase(name: "the same batch from many tasks at once is stored once") { store async throws in
            let stored = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<16 {
                    group.addTask { try await store.append(.numbered("s", (0, 50), 1...50)).stored }
                }
                return try await group.reduce(0, +)
            }
            #expect(stored == 50)
            #expect(try await store.head() == 50)
        },
    ]
}
