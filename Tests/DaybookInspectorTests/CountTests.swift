import DaybookAPI
import DaybookBase
import DaybookDefinitions
import DaybookHTTP
import DaybookStore
import DaybookTrials
import Foundation
import Testing

@testable import DaybookInspector

/// Every route gives the same number of records, part by part, while records arrive.
@Suite(.timeLimit(.minutes(5))) struct CountTests {
    private func log(_ bench: Bench, _ range: Range<Int>) async throws {
        let rows = range.map { number in
            var row = RecordRow.event(
                number % 3 == 0 ? "feed.show_article" : "feed.tap_article",
                number % 2 == 0 ? #"{"article_id":"\#(number)"}"# : #"{"article_id":1}"#,
                time: 1_795_166_531_000_000_000 + Int64(number) * 1_000_000_000)
            row.uid = "count-\(number)"
            return row
        }
        _ = try await bench.store.append(RecordBatch(rows: rows))
    }

    /// The sum of a number over all parts of an answer; calls `arrive` between parts.
    private func sum(
        _ bench: Bench, _ path: String, _ query: [(name: String, value: String)] = [],
        arrive: () async throws -> Void = {},
        of part: (Value) throws -> Int
    ) async throws -> (sum: Int, parts: Int) {
        var (sum, parts) = (0, 0)
        var query = query
        while true {
            let data = try await bench.send("GET", "/api/v1/\(path)", query: query).data()
            sum += try part(data)
            parts += 1
            guard let next = data["next"].int else { return (sum, parts) }
            query.removeAll { $0.name == "before" }
            query.append(("before", "\(next)"))
            if let start = data["start"].text, let width = data["width"].text {
                query.removeAll { ["start", "width", "buckets"].contains($0.name) }
                query += [("start", start), ("width", width), ("buckets", "\(data["buckets"].int ?? 1)")]
            }
            try await arrive()
        }
    }

    @Test("Violations, facets and histogram agree with the records") func countsMatchRecords() async throws {
        let bench = Bench(definitions: .sample)
        try await log(bench, 0..<2_500)
        let wrong = try await violating(bench)
        #expect(wrong > 1_000)

        var later = 2_500
        let counted = try await sum(
            bench, "violations",
            arrive: {
                // Records that arrive during a count are left out of it as a whole.
                try await log(bench, later..<later + 7)
                later += 7
            }
        ) { try #require($0["records"].int) }
        #expect(counted.sum == wrong)
        #expect(counted.parts > 1)
        let since = try await sum(bench, "violations", [("after", "2500")]) { try #require($0["records"].int) }
        let all = try await violating(bench)
        #expect(counted.sum + since.sum == all)

        let narrowed = [(name: "violations", value: "1")]
        let facets = try await sum(bench, "facets", narrowed + [("fields", "tag")]) { data in
            try #require(data["values"]["tag"].list).reduce(0) {
                $0 + ($1["count"].int ?? 0)
            }
        }
        #expect(facets.sum == all)
        let histogram = try await sum(bench, "histogram", narrowed) { data in
            try #require(data["counts"].members).values.flatMap { $0.list ?? [] }.reduce(0) { $0 + ($1.int ?? 0) }
        }
        #expect(histogram.sum == all)
    }

    @Test("Counts each cause of violations separately") func countsEachCause() async throws {
        let bench = Bench(definitions: .sample)
        try await log(bench, 0..<1_500)
        var groups: [String: Int] = [:]
        _ = try await sum(bench, "violations") { data in
            for group in try #require(data["violations"].list) {
                let cause = "\(group["kind"].text ?? ""):\(group["column"].text ?? "")"
                let name = "\(group["tag"].text ?? "") \(cause)"
                groups[name, default: 0] += group["count"].int ?? 0
            }
            return 0
        }
        #expect(groups["feed.show_article wrong_type:article_id"] == 250)
        for (name, count) in groups {
            let parts = name.split(separator: " ").map(String.init)
            let cause = parts[1].hasSuffix(":") ? String(parts[1].dropLast()) : parts[1]
            let query = [(name: "violations", value: cause), (name: "tag", value: parts[0])]
            let own = try await sum(bench, "violations", query) { try #require($0["records"].int) }
            #expect(own.sum == count, "\(name)")
        }
        let unknown = await bench.send("GET", "/api/v1/violations", query: [("violations", "wrong")])
        #expect(try unknown.code() == "bad_request")
        #expect(unknown.text.contains("wrong_type"))
    }

    /// The number of records with violations, counted record by record.
    private func violating(_ bench: Bench) async throws -> Int {
        let verdicts = DefinedEvents(.sample)
        var query = RecordQuery()
        query.order = .oldestFirst
        query.limit = 1_000
        var count = 0
        while true {
            let page = try await bench.store.page(query)
            count += page.count { !verdicts.violations($0.row).isEmpty }
            guard page.count == 1_000, let last = page.last else { return count }
            query.after = last.id
        }
    }
}
