import DaybookStore
import Testing

extension ConformanceCase {
    static let streams: [ConformanceCase] = [
        ConformanceCase(name: "A batch with more numbered rows than a commit takes is refused whole") {
            store async throws in
            await #expect(throws: AppendError.rejected(.numberedRows)) {
                try await store.append(.numbered("s", (0, 10_001), 1...10_001))
            }
            #expect(try await store.head() == 0)
            #expect(try await store.append(.numbered("s", (0, 10_001), 10_000...10_001)).stored == 2)
        },
        ConformanceCase(name: "A batch sent again counts as duplicates") { store async throws in
            let batch = RecordBatch.numbered("s", (0, 4), 1...4)
            #expect(try await store.append(batch) == AppendResult(stored: 4, duplicates: 0))
            #expect(try await store.append(batch) == AppendResult(stored: 0, duplicates: 4))
            #expect(try await store.head() == 4)
        },
        ConformanceCase(name: "A batch cut anew stores only its new records") { store async throws in
            try await store.append(.numbered("s", (0, 4), 1...4))
            #expect(
                try await store.append(.numbered("s", (2, 7), 3...7)) == AppendResult(stored: 3, duplicates: 2))
            #expect(try await store.uids { $0.order = .oldestFirst } == (1...7).map { "uid-\($0)" })
        },
        ConformanceCase(name: "Nothing is stored twice when a lost cursor resends everything in larger batches") {
            store async throws in
            for start in stride(from: UInt64(0), to: 30, by: 3) {
                try await store.append(.numbered("s", (start, start + 3), start + 1...start + 3))
            }
            #expect(
                try await store.append(.numbered("s", (0, 40), 1...40)) == AppendResult(stored: 10, duplicates: 30))
            #expect(try await store.head() == 40)
        },
        ConformanceCase(name: "Batches out of order are each stored once") { store async throws in
            for start: UInt64 in [20, 0, 30, 10, 20, 0] {
                try await store.append(.numbered("s", (start, start + 10), start + 1...start + 10))
            }
            #expect(try await store.head() == 40)
        },
        ConformanceCase(name: "An interval settles sequence numbers that its route left out") {
            store async throws in
            try await store.append(.numbered("s", (0, 10), [2, 5, 9]))
            #expect(
                try await store.append(.numbered("s", (0, 10), [2, 3])) == AppendResult(stored: 0, duplicates: 2))
        },
        ConformanceCase(name: "The same sequence number in another stream is another record") { store async throws in
            try await store.append(.numbered("s", (0, 2), 1...2))
            #expect(
                try await store.append(.numbered("t", (0, 2), 1...2)) == AppendResult(stored: 2, duplicates: 0))
        },
        ConformanceCase(name: "A sequence number repeated in a batch or outside its interval is stored once") {
            store async throws in
            #expect(
                try await store.append(.numbered("s", (0, 2), [1, 1, 9])) == AppendResult(stored: 2, duplicates: 1))
            #expect(
                try await store.append(.numbered("s", (5, 9), [9, 8])) == AppendResult(stored: 1, duplicates: 1))
        },
        ConformanceCase(name: "An import skips records already stored, whoever sent them") { store async throws in
            try await store.append(.numbered("s/o/logs", (0, 4), [1, 2, 4]))
            try await store.append(RecordBatch(rows: [.sample(9), .sample(10, tag: "a.b")]))
            let brought = [1, 2, 3, 4].map { RecordRow.sample($0, sequence: UInt64($0)) }
            let others: [RecordRow] = [
                .sample(9), .sample(10), .sample(9).with { $0.time += 1 }, .sample(9).with { $0.kind = .error },
            ]
            #expect(
                try await store.append(.file(.imported(of: "s", by: "o"), brought))
                    == AppendResult(stored: 1, duplicates: 3))
            #expect(try await store.append(.file(nil, others)) == AppendResult(stored: 3, duplicates: 1))
            #expect(
                try await store.append(.file(.imported(of: "s", by: "o"), brought))
                    == AppendResult(stored: 0, duplicates: 4))
            #expect(try await store.append(.file(nil, others)) == AppendResult(stored: 0, duplicates: 4))
            #expect(try await store.head() == 9)
        },
        ConformanceCase(name: "An import of many records with the same time stores each once") { store async throws in
            func rows(_ numbers: Range<Int>) -> [RecordRow] {
                numbers.map { number in
                    .sample(number).with { $0.time = number % 10 == 0 ? Int64(number) : 1_000 }
                }
            }
            try await store.append(RecordBatch(rows: rows(0..<150)))
            var stored = 0
            for start in stride(from: 0, to: 600, by: 100) {
                stored += try await store.append(.file(nil, rows(start..<start + 150))).stored
            }
            #expect(stored == 500)
            // Any other difference also makes another record.
            let others = rows(100..<300).map { row in row.with { $0.tag = "a.b" } }
            #expect(try await store.append(.file(nil, others)) == AppendResult(stored: 200, duplicates: 0))
            #expect(try await store.append(.file(nil, others)) == AppendResult(stored: 0, duplicates: 200))
            var filter = RecordFilter()
            filter.narrow(by: .tag("a.b"))
            #expect(try await store.erase(filter) == 200)
            // Erased records are no duplicates.
            #expect(try await store.append(.file(nil, others)) == AppendResult(stored: 200, duplicates: 0))
            #expect(try await store.append(.file(nil, rows(0..<650))) == AppendResult(stored: 0, duplicates: 650))
        },
        ConformanceCase(name: "A delivery skips records already imported") { store async throws in
            let brought = [2, 3, 90].map { RecordRow.sample($0, sequence: UInt64($0)) }
            #expect(try await store.append(.file(.imported(of: "s", by: "o"), brought)).stored == 3)
            for stream in ["s/o/logs", "t/o/logs"] {
                var batch = RecordBatch.numbered(stream, (0, 5), 1...5)
                batch.origin?.importStream = RecordBatch.Origin.importName(of: String(stream.prefix(1)), by: "o")
                let known = stream.hasPrefix("s") ? 2 : 0
                #expect(
                    try await store.append(batch) == AppendResult(stored: 5 - known, duplicates: known))
                #expect(try await store.append(batch) == AppendResult(stored: 0, duplicates: 5))
                let ledger = try await store.ledger(LedgerQuery(stream: stream)).ledgers.first
                #expect(ledger?.settled == [SequenceInterval(after: 0, through: 5)])
            }
        },
        ConformanceCase(name: "An import distinguishes records by their stream's owner") { store async throws in
            let owners = ["proof:1", "proof:2", "unproven:k", nil]
            func row(_ number: Int, _ owner: String?, _ start: String) -> RecordRow {
                // Contexts of every length, inline and shared.
                RecordRow.sample(number, sequence: owner == nil ? nil : UInt64(number)).with {
                    $0.context = owner.map { #"{\#(start)"daybook.owner":"\#($0)"}"# } ?? "{}"
                }
            }
            for start in ["", #""long":"\#(String(repeating: "x", count: 100))","#] {
                for (place, owner) in owners.enumerated() {
                    let rows = [1, 2, 3].map { row($0 + start.utf8.count, owner, start) }
                    for stored in [3, 0] {
                        let origin = owner.map { RecordBatch.Origin.imported(of: "s", by: $0) }
                        let result = try await store.append(.file(origin, rows))
                        #expect(result == AppendResult(stored: stored, duplicates: 3 - stored), "\(place) \(start)")
                    }
                }
            }
            #expect(try await store.head() == 24)
        },
        ConformanceCase(name: "Sequence numbers far apart and out of order settle individually") { store async throws in
            let numbers = (0..<400).map { UInt64(800 - 2 * $0) }
            for _ in 0..<2 { try await store.append(.numbered("s", (1, 1), numbers)) }
            #expect(
                try await store.append(.numbered("s", (1, 1), 1...800)) == AppendResult(stored: 400, duplicates: 400))
            #expect(try await store.ledger(LedgerQuery(stream: "s")).ledgers.first?.settled.count == 1)
        },
        ConformanceCase(name: "Rows without a sequence number or a stream are stored each time") { store async throws in
            let bare = RecordBatch(rows: [.sample(1)])
            let unnumbered = RecordBatch(origin: .init(stream: "s", after: 0, through: 1), rows: [.sample(2)])
            for _ in 0..<2 {
                #expect(try await store.append(bare).stored == 1)
                #expect(try await store.append(unnumbered).stored == 1)
            }
            #expect(try await store.head() == 4)
        },
        ConformanceCase(name: "The same batch from many tasks at once is stored once") { store async throws in
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
