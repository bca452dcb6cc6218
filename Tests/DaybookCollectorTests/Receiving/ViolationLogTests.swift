import Daybook
import DaybookCollector
import DaybookDefinitions
import DaybookStore
import Testing

struct ViolationLogTests {
    private static let definitions = Definitions.load([
        (path: "search.md", bytes: Array("# search\n\n## run\n\n- keyword: !string 6\n- page: !smallint?\n".utf8))
    ]).0

    private func post(_ lines: [String], to collector: Collector) async -> Int {
        let body = Array(lines.joined(separator: "\n").utf8)
        return await collector.post("/v1/events", body, type: "application/x-ndjson").status
    }

    private func counts(_ collector: Collector) async throws -> [[QueryResult.Cell]] {
        try await collector.store.createViews(of: Definitions())
        return try await collector.store.query(
            """
            SELECT event, violation, "column", _version, sum(count), min(message), min(example) FROM violations
            GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4
            """, limits: QueryLimits()
        ).rows
    }

    @Test func violationsAreCountedByEventColumnAndVersion() async throws {
        let collector = try Collector(violationsOf: ViolationLogTests.definitions)
        let status = await post(
            [
                #"{"uid":"a","tag":"search.run","attributes":{"keyword":"egg"}}"#,
                #"{"uid":"b","tag":"search.run","attributes":{"keyword":"eggplant"},"context":{"service.version":"2"}}"#,
                #"{"uid":"c","tag":"search.run","attributes":{"keyword":"cucumber"},"context":{"service.version":"2"}}"#,
                #"{"uid":"d","tag":"search.run","attributes":{"keyword":"cucumber"},"context":{"service.version":"3"}}"#,
                #"{"uid":"e","tag":"search.rum","attributes":{}}"#,
                #"{"uid":"f","tag":"free.text","kind":"message","message":"no definition is needed"}"#,
            ], to: collector)
        #expect(status == 200)
        #expect(
            try await counts(collector) == [
                [
                    .text("search.rum"), .text("undefined_event"), .null, .null, .integer(1),
                    .text("no definition has the event `search.rum`; did you mean `search.run`?"), .text("e"),
                ],
                [
                    .text("search.run"), .text("too_long"), .text("keyword"), .text("2"), .integer(2),
                    .text("`keyword` has 8 bytes; at most 6 are allowed"), .text("b"),
                ],
                [
                    .text("search.run"), .text("too_long"), .text("keyword"), .text("3"), .integer(1),
                    .text("`keyword` has 8 bytes; at most 6 are allowed"), .text("d"),
                ],
            ])
    }

    /// A version is what the store takes for it: a whole number is one too.
    @Test func versionIsReadAsTheStoreReadsIt() async throws {
        let collector = try Collector(violationsOf: ViolationLogTests.definitions)
        let contexts = [#"{"service.version":7}"#, #"{"service.version":true}"#]
        let lines = contexts.map { #"{"tag":"search.run","attributes":{"keyword":"cucumber"},"context":\#($0)}"# }
        #expect(await post(lines, to: collector) == 200)
        let versions = try await counts(collector).map { $0[3] }
        #expect(versions == [.null, .text("7")])
    }

    @Test func soundRecordsAddNothing() async throws {
        let collector = try Collector(violationsOf: ViolationLogTests.definitions)
        #expect(await post([#"{"tag":"search.run","attributes":{"keyword":"egg","page":3}}"#], to: collector) == 200)
        #expect(try await collector.rows().count == 1)
    }

    @Test func manyBrokenRecordsAddFewRows() async throws {
        let collector = try Collector(violationsOf: ViolationLogTests.definitions)
        let lines = (0..<2_000).map { #"{"tag":"search.run_\#($0)","attributes":{}}"# }
        #expect(await post(lines, to: collector) == 200)
        #expect(try await counts(collector).count == ViolationLog.greatestCount)
    }
}
