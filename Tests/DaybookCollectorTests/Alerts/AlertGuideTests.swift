import Daybook
import DaybookStore
import Foundation
import Testing

@testable import DaybookCollector

/// The examples of docs/formats/alerts.md, on SQLite.
@Suite(.timeLimit(.minutes(5))) struct AlertGuideTests {
    private let collector: Collector
    private let guide: [Substring]

    init() async throws {
        var root = URL(fileURLWithPath: #filePath)
        for _ in 0..<4 { root.deleteLastPathComponent() }
        guide = try String(contentsOf: root.appending(path: "docs/formats/alerts.md"), encoding: .utf8)
            .split(separator: "\n", omittingEmptySubsequences: false)
        collector = try Collector()
        var row = RecordRow(
            uid: "1", time: PipelineClock.system.wall(), kind: .event, level: 9, tag: "payment.failed",
            attributes: #"{"reason":"declined","amount":7}"#)
        row.context = #"{"service.version":"2.1.0"}"#
        try await collector.store.append(RecordBatch(rows: [row]))
    }

    @Test("The examples in the alert guide are valid alerts") func guideExamplesAreValid() async throws {
        let blocks = guide.split(separator: "````markdown").dropFirst().compactMap { $0.split(separator: "````").first }
        let checklist = """
            # Search

            | persona | plan |
            |---|---|
            | paid | premium |

            ## results
            - [ ] recipe_search.show_result
            """
        let results = blocks.map { block in
            AlertParser.parse(block.joined(separator: "\n"), file: "alerts.md") { path in
                #expect(path == "../LogChecklists/search.md")
                return (path, checklist)
            }
        }
        #expect(results.flatMap(\.problems).isEmpty)
        let rules = results.flatMap(\.rules)
        #expect(rules.map(\.name) == ["Payments fail", "Searching works", "Searching works"])
        let trials = await AlertTrial.run(
            try #require(rules.first), in: collector.store, at: PipelineClock.system.wall())
        #expect(trials.map(\.line) == ["quiet  Payments fail (2.1.0)  value 1.0"])
    }

    @Test("The chat guide shows a target for every service") func chatGuideCoversTargets() throws {
        var root = URL(fileURLWithPath: #filePath)
        for _ in 0..<4 { root.deleteLastPathComponent() }
        let text = try String(contentsOf: root.appending(path: "docs/guides/chats.md"), encoding: .utf8)
        let alert = try #require(text.split(separator: "````markdown").last?.split(separator: "````").first)
        #expect(AlertParser.parse(String(alert), file: "chats.md").problems.isEmpty)
        let shown = text.matches(of: /`- notify ([^`]+)`/).map { String($0.output.1) }
        let kinds = try shown.map { try AlertTarget($0).kind }
        #expect(Set(kinds) == Set(AlertTarget.Kind.allCases))
        let template = try #require(guide.firstIndex(of: "```template"))
        _ = try AlertTemplate(String(guide[template + 1]))
    }

    @Test(
        "The SQL expressions in the alert guide return values",
        arguments: ["in the last hour", "an attribute", "a number", "a key with a dot"])
    func guideExpressionsWork(row: String) async throws {
        let cells = try #require(guide.first { $0.hasPrefix("| \(row) |") }).split(separator: "|")
        let expression = cells[1].trimmingCharacters(in: CharacterSet(charactersIn: " `"))
        let answer = try await collector.store.query("SELECT \(expression) FROM records", limits: QueryLimits())
        #expect([.integer(1), .text("declined"), .text("2.1.0")].contains(answer.rows[0][0]))
    }
}
