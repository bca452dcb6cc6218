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

    @Test("Counts violations by event, column and version") func countsViolations() async throws {
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

    /// The violation says something about the value, and its example says whose it is.
    @Test("Does not count violations of private values") func skipsPrivateViolations() async throws {
        let types = [
            "string? 4", "smallint?", "integer?", "boolean?", "date?", "real?", "timestamp?", "Plan?",
        ]
        let columns = types.enumerated().flatMap { place, type in
            let values = type == "Plan?" ? "\n    - `free`\n    - `paid`" : ""
            let mark = type == "Plan?" ? "" : "!"
            return ["- p\(place): \(mark)\(type) [private]\(values)", "- o\(place): \(mark)\(type)\(values)"]
        }
        let definitions = Definitions.load([
            (
                path: "user.md",
                bytes: Array("# user\n\n## sign_up\n\n\(columns.joined(separator: "\n"))\n".utf8)
            )
        ]).0
        let collector = try Collector(violationsOf: definitions)
        let values = [#""longer text""#, "99999999999", "-1.5", "true", #"{"a":1}"#, "[1]", #""x""#, #""2026-11-20""#]
        var lines: [String] = []
        for value in values {
            for (place, _) in types.enumerated() {
                lines.append(#"{"tag":"user.sign_up","attributes":{"p\#(place)":\#(value),"o\#(place)":\#(value)}}"#)
            }
        }
        #expect(await post(lines, to: collector) == 200)
        let found = try await counts(collector)
        #expect(found.count > types.count)
        let rows = try await collector.rows()
        for row in found {
            #expect(row[2] != .null)
            if case .text(let column) = row[2] { #expect(column.hasPrefix("o")) }
            // The example is a record's UID in the store.
            #expect(rows.contains { row[6] == .text($0.uid) })
        }
    }

    /// As the store, which accepts whole numbers as versions.
    @Test("A violation's version may be a whole number") func readsNumericVersion() async throws {
        let collector = try Collector(violationsOf: ViolationLogTests.definitions)
        let contexts = [#"{"service.version":7}"#, #"{"service.version":true}"#]
        let lines = contexts.map { #"{"tag":"search.run","attributes":{"keyword":"cucumber"},"context":\#($0)}"# }
        #expect(await post(lines, to: collector) == 200)
        let versions = try await counts(collector).map { $0[3] }
        #expect(versions == [.null, .text("7")])
    }

    @Test("Valid records add no violations") func validRecordsAddNothing() async throws {
        let collector = try Collector(violationsOf: ViolationLogTests.definitions)
        #expect(await post([#"{"tag":"search.run","attributes":{"keyword":"egg","page":3}}"#], to: collector) == 200)
        #expect(try await collector.rows().count == 1)
    }

    @Test("Bounds the rows that broken records add") func boundsViolationRows() async throws {
        let collector = try Collector(violationsOf: ViolationLogTests.definitions)
        let lines = (0..<2_000).map { #"{"tag":"search.run_\#($0)","attributes":{}}"# }
        #expect(await post(lines, to: collector) == 200)
        #expect(try await counts(collector).count == ViolationLog.greatestCount)
    }
}
