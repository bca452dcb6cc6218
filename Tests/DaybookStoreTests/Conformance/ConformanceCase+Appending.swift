import Daybook
import DaybookStore
import Testing

extension ConformanceCase {
    static let appending: [ConformanceCase] = [
        ConformanceCase(name: "An empty store has no records, no tags and head 0") { store async throws in
            #expect(try await store.head() == 0)
            #expect(try await store.page(RecordQuery()).isEmpty)
            #expect(try await store.tagSummaries(after: nil).summaries.isEmpty)
        },
        ConformanceCase(name: "Every column of a row reads back as stored") { store async throws in
            var row = RecordRow(
                uid: "u", time: 1_763_632_931_204_000_001, kind: .request, level: 17, tag: "net.api",
                attributes: #"{"a":1,"日本":"語"}"#, context: #"{"user":7}"#)
            row.message = "GET /recipes\nline two"
            row.module = "App"
            row.session = "s"
            row.installation = "i"
            row.traceID = String(repeating: "a", count: 32)
            row.spanID = String(repeating: "b", count: 16)
            row.parentSpanID = String(repeating: "c", count: 16)
            row.duration = 12_345
            row.file = "App/API.swift"
            row.function = "get(_:)"
            row.line = Int(Int32.max)
            let result = try await store.append(RecordBatch(rows: [row]))
            #expect(result == AppendResult(stored: 1, duplicates: 0))
            #expect(try await store.page(RecordQuery()) == [StoredRecord(id: 1, row: row)])
        },
        ConformanceCase(name: "Extreme JSON values read back as written") { store async throws in
            let hard: Attributes = [
                "infinite": .double(.infinity), "negative": .double(-.infinity), "nothing": .double(.nan),
                "tenth": 0.1, "whole": 1.0, "large": .double(1e300), "beyond": .int(9_007_199_254_740_993),
                "least": .int(.min), "quoted": "\"\\/", "control": "\u{1}\t\n\u{1F}\u{7F}", "lines": "\u{2028}\u{2029}",
                "astral": "🍳", "bytes": .bytes([0, 255]), "nested": ["list": [.null, true, .double(.nan)]],
            ]
            var row = RecordRow.sample(1, attributes: JSONWriter.text(hard))
            row.context = JSONWriter.text(hard)
            try await store.append(RecordBatch(rows: [row]))
            let stored = try await store.page(RecordQuery())[0].row
            // Compares values and not text: PostgreSQL reorders members and respells numbers.
            func members(_ text: String) throws -> [String: Value] {
                guard case .object(let read) = try JSONReader.value(of: Array(text.utf8)) else { return [:] }
                return Dictionary(read.elements.map { ($0.key, $0.value) }, uniquingKeysWith: { $1 })
            }
            let written = try members(row.attributes)
            #expect(written.count == hard.elements.count)
            #expect(written["infinite"] == "Infinity" && written["negative"] == "-Infinity")
            #expect(written["nothing"] == "NaN")
            #expect(try members(stored.attributes) == written)
            #expect(try members(stored.context) == written)
        },
        ConformanceCase(name: "A shared context is read with every record and goes with the last one") { store in
            func context(_ number: Int) -> String {
                #"{"number":\#(number),"service.version":"\#(number).0","text":"\#(String(repeating: "x", count: 500))"}"#
            }
            func rows(_ numbers: Range<Int>) -> [RecordRow] {
                numbers.map { number in .sample(number).with { $0.context = context(number % 3) } }
            }
            // In one commit and in two, adjacent and apart.
            try await store.append(RecordBatch(rows: rows(0..<9)))
            try await store.append(RecordBatch(rows: rows(9..<12)))
            func check(_ left: [Int]) async throws {
                let records = try await store.page { $0.order = .oldestFirst }
                #expect(records.map(\.row.uid) == left.map { "uid-\($0)" })
                #expect(records.map { ContextFields($0.row.context).version } == left.map { "\($0 % 3).0" })
                #expect(records.allSatisfy { $0.row.context.utf8.count == context(0).utf8.count })
                for version in 0..<3 {
                    let wanted = left.filter { $0 % 3 == version }.map { "uid-\($0)" }
                    #expect(
                        try await store.uids { query in
                            query.filter.narrow(by: .field(.version, "\(version).0"))
                            query.order = .oldestFirst
                        } == wanted)
                }
            }
            try await check(Array(0..<12))
            for (number, left) in [(0, 1..<12), (1, 2..<12)] {
                var filter = RecordFilter()
                filter.narrow(by: .field(.uid, "uid-\(number)"))
                #expect(try await store.erase(filter) == 1)
                try await check(Array(left))
            }
            var filter = RecordFilter()
            filter.narrow(by: .field(.version, "2.0"))
            #expect(try await store.erase(filter) == 4)
            try await check([3, 4, 6, 7, 9, 10])
            // Gone with its last use, back with the next.
            try await store.append(RecordBatch(rows: rows(12..<15)))
            try await check([3, 4, 6, 7, 9, 10, 12, 13, 14])
        },
        ConformanceCase(name: "Absent texts stay absent, and empty texts stay empty") { store async throws in
            var row = RecordRow.sample(1)
            row.message = ""
            try await store.append(RecordBatch(rows: [row]))
            let stored = try await store.page(RecordQuery())[0].row
            #expect(stored.message == "")
            #expect(stored.session == nil)
        },
        ConformanceCase(name: "Record numbers increase by one in the sender's order") { store async throws in
            for start in [0, 3] {
                try await store.append(RecordBatch(rows: (start..<start + 3).map { .sample($0) }))
            }
            let page = try await store.page { $0.order = .oldestFirst }
            #expect(page.map(\.id) == [1, 2, 3, 4, 5, 6])
            #expect(page.map(\.row.uid) == (0..<6).map { "uid-\($0)" })
            #expect(try await store.head() == 6)
        },
        ConformanceCase(name: "An empty batch stores nothing") { store async throws in
            #expect(try await store.append(RecordBatch(rows: [])) == AppendResult(stored: 0, duplicates: 0))
        },
        ConformanceCase(name: "Concurrent appends are all stored, each whole and in order") { store async throws in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for task in 0..<40 {
                    group.addTask {
                        let rows = (0..<25).map { RecordRow.sample(task * 1_000 + $0, tag: "task.\(task)") }
                        let result = try await store.append(RecordBatch(rows: rows))
                        #expect(result.stored == 25)
                    }
                }
                try await group.waitForAll()
            }
            #expect(try await store.head() == 1_000)
            for task in 0..<40 {
                let page = try await store.page { query in
                    query.narrow(by: .tag("task.\(task)"))
                    query.order = .oldestFirst
                }
                #expect(page.map(\.row.uid) == (0..<25).map { "uid-\(task * 1_000 + $0)" })
                #expect(page.last.map(\.id) == page.first.map { $0.id + 24 })
            }
        },
        ConformanceCase(name: "Tags are summarised by kind with first and last time, without spans") {
            store async throws in
            try await store.append(
                RecordBatch(rows: [
                    .sample(5, tag: "a"), .sample(3, tag: "a"), .sample(9, tag: "a", kind: .error),
                    .sample(1, tag: "b", kind: .message), .sample(1, tag: "c", kind: .span),
                ]))
            try await store.append(RecordBatch(rows: [.sample(8, tag: "a")]))
            #expect(
                try await store.tagSummaries(after: nil).summaries.sorted { ($0.tag, $0.kind) < ($1.tag, $1.kind) } == [
                    TagSummary(tag: "a", kind: "error", count: 1, firstTime: 9_000, lastTime: 9_000),
                    TagSummary(tag: "a", kind: "event", count: 3, firstTime: 3_000, lastTime: 8_000),
                    TagSummary(tag: "b", kind: "message", count: 1, firstTime: 1_000, lastTime: 1_000),
                ])
        },
    ]
}
