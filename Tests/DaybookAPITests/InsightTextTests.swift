import DaybookAPI
import DaybookStore
import Testing

/// Insights as text, and their answers.
@Suite struct InsightTextTests {
    @Test(
        "An insight is written in one way, which reads back",
        arguments: [
            ("a.b -> a.c by day,version within 1h", "a.b -> a.c within 1h joining session by version, day"),
            ("count a.b by order", "count a.b joining session by order top 20"),
            ("count a.b top 3 by order, day", "count a.b joining session by order, day top 3"),
            ("path after a.b by order", "path after a.b top 10 joining session by order"),
            ("path after a.b by order top 3", "path after a.b top 3 joining session by order"),
            ("differ a.b from a.c by order", "differ a.b from a.c by order top 20"),
            ("retention a.b by order top 1000", "retention a.b for 8 joining installation by order, day top 1000"),
            ("measure n of a.b last 7d", "measure n of a.b last 7d"),
            ("measure n of a.b by version in buckets", "measure n of a.b in buckets by version"),
            (
                "a.b -> a.c by version in (\"2\") in any order",
                "a.b -> a.c in any order joining session by version in (\"2\")"
            ),
            ("a.b -> a.c by version in any order", "a.b -> a.c in any order joining session by version"),
        ])
    func isCanonical(_ text: String, _ expected: String) throws {
        let insight = try Insight(parsing: text)
        #expect(insight.description == expected)
        #expect(try Insight(parsing: expected) == insight)
    }

    @Test(
        "A mistake is told with its column",
        arguments: [
            ("count a.b top 3", 11, "`top` without a parameter"),
            ("a.b -> a.c by version top 3", 12, "`top` without a parameter"),
            ("count a.b by order top 1001", 24, "a whole number from 1 to 1000"),
            ("count a.b by order top 0", 24, "a whole number from 1 to 1000"),
            ("count a.b by order top 3 top 4", 26, "a second `top`"),
            ("count a.b for 3", 11, "`for` belongs to `retention`, not here"),
            ("count a.b steps 3", 11, "`steps` belongs to `path`, not here"),
            ("count a.b by order, price", 21, "`version`, `day`, `week` or one parameter"),
            ("a.b-> a.c", 5, "put a blank before `->`"), ("a.b", 4, "a funnel of one step"),
            ("differ a.b from a.c", 20, "a difference without `by`"),
            ("measure n of a.b joining user_id", 18, "`joining`"),
            ("count a.b in any order", 11, "`in any order` belongs to a funnel"),
            ("count a.b in buckets", 11, "`in buckets` belongs to `measure`"),
            ("a.b -> a.c in time", 15, "`any order` or `buckets`"),
        ])
    func mistakesAreTold(_ text: String, _ column: Int, _ message: String) {
        let error = #expect(throws: InsightError.self) { try Insight(parsing: text) }
        #expect(error?.column == column)
        #expect(error?.message.contains(message) == true, "\(text): \(error?.message ?? "")")
    }

    @Test("Numbers of a measure are counted from each bound to the next, with empty buckets between them")
    func bucketsAreWhole() throws {
        let insight = try Insight(parsing: "measure _duration of a.b in buckets")
        let answer = QueryResult(
            columns: ["least", "times"],
            rows: [[.real(50_000_000), .integer(1)], [.real(5_000_000), .integer(3)], [.null, .integer(4)]],
            isTruncated: false)
        let table = InsightTable(insight, answer, now: 0)
        #expect(table.columns == ["from", "below", "times", "share"])
        #expect(table.rows.first == [.none, .duration(-5_000_000_000_000_000), .count(4), .share(0.5)])
        #expect(
            Array(table.rows.suffix(4)) == [
                [.duration(5_000_000), .duration(10_000_000), .count(3), .share(0.375)],
                [.duration(10_000_000), .duration(20_000_000), .count(0), .share(0)],
                [.duration(20_000_000), .duration(50_000_000), .count(0), .share(0)],
                [.duration(50_000_000), .duration(100_000_000), .count(1), .share(0.125)],
            ])
        #expect(table.text(as: .text, of: insight, sql: "").contains("5 ms"))
        var whole = answer
        whole.rows = [[.real(5e15), .integer(1)]]
        #expect(
            InsightTable(insight, whole, now: 0).rows == [
                [.duration(5_000_000_000_000_000), .none, .count(1), .share(1)]
            ])
    }

    /// The statement's answer for two of five values.
    private static let result = QueryResult(
        columns: ["app_version", "app_value", "day", "times", "people", "all_values"],
        rows: [
            ["1.10", "z", "2026-11-02", 7, 2], ["1.9", "z", "2026-11-02", 5, 1], ["1.9", "a", "2026-11-01", 4, 4],
            ["1.9", "a", "2026-11-02", 1, 1],
        ].map { (cells: [any Sendable]) in
            cells.map { cell in
                if let text = cell as? String { .text(text) } else { .integer(Int64(cell as? Int ?? 0)) }
            } + [.integer(5)]
        }, isTruncated: false)

    @Test("Frequent values come first, and the others are told") func frequentValuesComeFirst() throws {
        let insight = try Insight(parsing: "count a.b by version, order, day top 2")
        let table = InsightTable(insight, Self.result, now: 0)
        #expect(table.columns == ["version", "order", "day", "times", "sessions"])
        #expect(
            table.rows.map { $0[1] } == [.text("a"), .text("z"), .text("a"), .text("z")],
            "by day, then by version, then by value")
        #expect(table.rows.map { $0[3] } == [.count(4), .count(5), .count(1), .count(7)])
        #expect(table.moreValues == 3)
        let told = "There are 3 more values of order: top N shows the N most frequent ones, at most 1000."
        #expect(table.text(as: .text, of: insight, sql: "").hasSuffix("\n\(told)\n"))
        let markdown = told.replacing("order", with: "`order`")
        #expect(table.text(as: .markdown, of: insight, sql: "").hasSuffix("|\n\n\(markdown)\n"))
        #expect(table.text(as: .json, of: insight, sql: "").contains("\"more_values\":3"))
        #expect(!table.text(as: .csv, of: insight, sql: "").contains("more"))
        var one = table
        one.moreValues = 1
        #expect(one.leftOut(of: insight)?.hasPrefix("There is 1 more value of order") == true)
        one.moreValues = 0
        #expect(one.leftOut(of: insight) == nil)
        #expect(!one.text(as: .json, of: insight, sql: "").contains("more_values"))
    }
}
