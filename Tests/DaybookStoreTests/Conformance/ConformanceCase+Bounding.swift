import DaybookStore
import Testing

/// Answers are bounded in bytes, whatever was stored, and say where to continue.
extension ConformanceCase {
    static let bounding: [ConformanceCase] = [
        ConformanceCase(name: "Pages of large records are bounded in bytes, and together have every record") {
            store async throws in
            try await store.append(RecordBatch(rows: (1...9).map { .large($0, bytes: 1_000_000) }))
            let odd = RecordPredicate(name: "odd") { $0.time / 1_000 % 2 == 1 }
            for (predicate, expected) in [(nil, Array(1...9)), (odd, [1, 3, 5, 7, 9])]
                as [(RecordPredicate?, [Int64])]
            {
                for order in [RecordQuery.Order.newestFirst, .oldestFirst] {
                    var query = RecordQuery()
                    query.filter.predicate = predicate
                    query.order = order
                    query.limit = 1_000
                    var ids: [Int64] = []
                    for _ in 0..<100 {
                        let slice = try await store.slice(query)
                        #expect(slice.records.reduce(0) { $0 + $1.row.bytes } < AnswerBounds.bytes + 1_100_000)
                        ids += slice.records.map(\.id)
                        guard let next = slice.next else { break }
                        if slice.records.count < 1_000 { #expect(slice.isPartial) }
                        query = query.resumed(at: next)
                    }
                    #expect(ids == (order == .newestFirst ? expected.reversed() : expected))
                }
            }
            // A record larger than a page gets a page to itself.
            var small = RecordQuery()
            small.bytes = 1
            #expect(try await store.slice(small).records.map(\.id) == [9])
            #expect(try await store.wholeSlice(small).records.map(\.id) == [9])
            #expect(try await store.record(id: 5)?.row.attributes.utf8.count ?? 0 > 1_000_000)
        },
        ConformanceCase(name: "Paging through the tags lists each once, with its versions") { store async throws in
            let long = String(repeating: "t", count: 600)
            let rows = (1...6_000).map { number in
                RecordRow.sample(number, tag: "\(long).\(number)").with {
                    $0.context = #"{"service.version":"\#(number % 2)"}"#
                }
            }
            try await store.append(RecordBatch(rows: rows))
            var found: [String] = []
            var pages = 0
            var page = try await store.tagSummaries(after: nil)
            while true {
                pages += 1
                found += page.summaries.map(\.tag)
                #expect(page.summaries.reduce(0) { $0 + $1.tag.utf8.count } < AnswerBounds.bytes + 2_000)
                guard let next = page.next, pages < 100 else { break }
                page = try await store.tagSummaries(after: next)
            }
            #expect(pages == 2)
            #expect(found.count == 6_000 && Set(found) == Set(rows.map(\.tag)))
        },
        ConformanceCase(name: "Stream accounts can be read from a given stream on, or for one stream") {
            store async throws in
            for stream in ["a/1/logs", "b/1/logs", "c/1/logs"] {
                _ = try await store.append(.numbered(stream, (0, 2), 1...2))
            }
            var query = LedgerQuery()
            #expect(try await store.ledger(query).ledgers.map(\.stream) == ["a/1/logs", "b/1/logs", "c/1/logs"])
            query.after = "a/1/logs"
            let rest = try await store.ledger(query)
            #expect(rest.ledgers.map(\.stream) == ["b/1/logs", "c/1/logs"] && rest.next == nil)
            let one = try await store.ledger(LedgerQuery(stream: "b/1/logs")).ledgers
            #expect(one.map(\.stream) == ["b/1/logs"] && one.first?.settled == [.init(after: 0, through: 2)])
        },
        ConformanceCase(name: "A stream's accounts are found by its name, for every owner") {
            store async throws in
            let owners = ["", "proof:d1/", "unproven:a%2Fb/", "unproven:/"]
            for stream in ["s_1", "sx1", "s_11"] {
                for owner in owners { _ = try await store.append(.numbered("\(owner)\(stream)/o/logs", (0, 2), 1...2)) }
            }
            var query = LedgerQuery()
            for (name, count) in [("s_1", 4), ("sx1", 4), ("S_1", 0), ("s", 0), ("o", 0), ("d1", 0), ("logs", 0)] {
                query.named = name
                let found = try await store.ledger(query).ledgers
                #expect(
                    found.count == count && found.allSatisfy { $0.settled == [.init(after: 0, through: 2)] }, "\(name)")
            }
            query.named = "sx1"
            query.after = "proof:d1/sx1/o/logs"
            #expect(try await store.ledger(query).ledgers.count == 3)
        },
        ConformanceCase(name: "Counts by value are bounded in bytes, and long values are truncated") {
            store async throws in
            let long = String(repeating: "m", count: 20_000)
            let rows = (1...300).map { number in
                RecordRow.sample(number).with {
                    $0.module = "\(number).\(long)"
                    $0.installation = "\(number).\(long)"
                }
            }
            try await store.append(RecordBatch(rows: rows))
            var query = FacetQuery(fields: [.module, .installation])
            query.limit = 1_000
            var modules: Set<String> = []
            for _ in 0..<1_000 {
                let facets = try await store.facets(query)
                modules.formUnion((facets.values[.module] ?? []).map(\.value))
                guard let next = facets.next else { break }
                query.before = next
            }
            #expect(modules.count == 300 && modules.allSatisfy { $0.utf8.count == AnswerBounds.nameBytes })
        },
    ]
}

extension RecordRow {
    fileprivate static func large(_ number: Int, bytes: Int) -> RecordRow {
        .sample(number, attributes: #"{"text":"\#(String(repeating: "z", count: bytes))"}"#)
    }
}

/// The bounds that every store's pages rely on.
struct AnswerBoundsTests {
    @Test("Limits a page of streams by count and by bytes") func boundsLedgerPages() {
        func account(_ stream: String, losses: Int = 0) -> StreamLedger {
            let settled = (UInt64(0)..<5_000).map { SequenceInterval(after: $0 * 2, through: $0 * 2 + 1) }
            let name = String(repeating: "r", count: 2_000)
            var counts: [String: Int64] = [:]
            for number in 0..<losses { counts["\(number)\(name)"] = 1 }
            return StreamLedger(
                stream: stream, installation: nil, version: nil, stored: 1, duplicates: 0, settled: settled,
                losses: counts)
        }
        var page = LedgerPage()
        var taken = 0
        while page.add(account("stream \(taken)", losses: 50)), taken < 10_000 { taken += 1 }
        #expect(taken == page.ledgers.count && taken > 10 && taken < LedgerPage.mostStreams)
        #expect(page.next == "stream \(taken - 1)")
        #expect(page.ledgers.allSatisfy { $0.settled.count == LedgerPage.mostIntervals })
        #expect(page.ledgers.allSatisfy { $0.losses.keys.allSatisfy { $0.utf8.count <= AnswerBounds.nameBytes } })
    }

    @Test("Paging past a truncated name skips every name with that prefix") func skipsTruncatedPrefix() {
        let long = String(repeating: "a", count: 5_000)
        let position = AnswerBounds.position(after: long.boundedName)
        #expect(long.utf8.lexicographicallyPrecedes(position.utf8))
        #expect(position.utf8.lexicographicallyPrecedes("b".utf8))
        #expect(AnswerBounds.position(after: "a.b") == "a.b")
        let mark = "a" + String(repeating: "\u{301}", count: 4_000)
        #expect((997...1_000).contains(mark.boundedName.utf8.count))
        #expect(mark.utf8.lexicographicallyPrecedes(AnswerBounds.position(after: mark.boundedName).utf8))
    }
}
