import DaybookTrials
import Testing

@testable import DaybookCollector

@Suite struct AlertParserTests {
    private let whole = """
        Text before the first heading is for people.

        # Payment errors

        Somebody cannot pay. Look at the runbook.

        ## What to do
        - [ ] an item of people's own is no setting

        ```sql
        SELECT count(*) FROM records -- # no heading
        WHERE tag = 'payment.failed'
        ```

        - every 5m
        - when value >= 1.5
        - for 15m
        - notify ${WEBHOOK_URL}
        - notify https://chat.example/hook?x=1

        # No news

        ~~~ SQL
        SELECT max(time) FROM records
        ~~~
        * every 1h
        * when no data
        """

    @Test("Reports a task list item in an alert as an unknown setting") func refusesTaskItems() throws {
        let result = AlertParser.parse(whole, file: "a.md")
        #expect(
            result.problems.map(\.description) == [
                "a.md:8:3: error: an alert has no setting `[`; it has every, over, when, for, notify, quiet, checklist, "
                    + "scenario, event and persona"
            ])
    }

    @Test("Parses the settings of each alert into a rule") func parsesAlertRules() throws {
        let text = whole.split(separator: "\n", omittingEmptySubsequences: false).filter { !$0.contains("[ ]") }
            .joined(separator: "\r\n")
        let result = AlertParser.parse(text, file: "a.md")
        #expect(result.problems.isEmpty)
        let rule = try #require(result.rules.first)
        #expect(rule.name == "Payment errors")
        #expect(rule.line == 3)
        #expect((rule.every, rule.duration) == (300, 900))
        #expect(rule.conditionText == "value >= 1.5 for 15m")
        #expect(rule.targets == ["${WEBHOOK_URL}", "https://chat.example/hook?x=1"])
        #expect(
            rule.question == .sql("SELECT count(*) FROM records -- # no heading\nWHERE tag = 'payment.failed'"))
        #expect(rule.prose.hasPrefix("Somebody cannot pay."))
        let last = try #require(result.rules.last)
        #expect(last.name == "No news")
        #expect(last.firesWithoutData && last.condition == nil && last.duration == 0)
        #expect(last.conditionText == "no data")
    }

    @Test(
        "Problems give their line and column",
        arguments: [
            ("- every 5m", "a.md:1:3: error: a setting without an alert; a `# Heading` begins one"),
            (
                "# A\n- every 5 minutes",
                "a.md:2:9: error: `every` takes a time from 1s to 1d, such as 30s, 5m, 1h or 1d"
            ),
            ("# A\n- every 2d", "a.md:2:9: error: `every` takes a time from 1s to 1d, such as 30s, 5m, 1h or 1d"),
            ("# A\n- for 1m\n- for 2m", "a.md:3:3: error: `for` is given twice"),
            ("# A\n- when value", "a.md:2:8: error: `when` takes `value > 0` (also >=, <, <=, =, !=) or `no data`"),
            (
                "# A\n- when value > many",
                "a.md:2:8: error: `when` takes `value > 0` (also >=, <, <=, =, !=) or `no data`"
            ),
            (
                "# A\n- notify mailto:a@b.c",
                "a.md:2:10: error: `notify` takes an http or https address, or ${NAME} for one in the environment"
            ),
            (
                "# A\n- notify ${A B}",
                "a.md:2:10: error: `notify` takes an http or https address, or ${NAME} for one in the environment"
            ),
            (
                "# A\n- notify http://a/ http://b/",
                "a.md:2:10: error: `notify` takes one address; write a line for each"
            ),
            ("# A\n- notify ${A} ${B}", "a.md:2:10: error: `notify` takes one address; write a line for each"),
            (
                "# A\n```sql\n\n-- all\nDELETE FROM records\n```\n- every 1m\n- when no data",
                "a.md:4:1: error: a statement must begin with SELECT or WITH: a store refuses statements that may write"
            ),
            (
                "# A\n```sql\nSELECT 1",
                "a.md:2:1: error: the code block that begins here has no end (close it with ``` on a line of its own)"
            ),
            (
                "# A\n```sql\nSELECT 1\n```\n```sql\nSELECT 2\n```",
                "a.md:5:1: error: a second statement; an alert has one"
            ),
            ("# A\ntext", "a.md:1:1: error: the alert `A` has no ```sql or ```checklist block"),
            ("# A\ntext", "a.md:1:1: error: the alert `A` has no `- every 5m`"),
            ("# A\ntext", "a.md:1:1: error: the alert `A` has no condition, such as `- when value > 0`"),
        ]) func locatesAlertProblems(text: String, message: String)
    {
        let result = AlertParser.parse(text, file: "a.md")
        #expect(result.problems.map(\.description).contains(message), "\(result.problems)")
        #expect(result.rules.isEmpty)
    }

    @Test(
        "A setting after another list marker is an error",
        arguments: [
            "• for 15m", "– for 15m", "-for 15m", "・for 15m", "1. for 15m", "2) for 15m", "  - for 15m", "   - for 15m",
            "— when value > 3", "• notify https://x.example", "・ quiet 22:00-07:00 UTC", "> - for 15m", "• **for** 15m",
            "1. event a.b", "• scenario results", "| for | 15m |",
        ]) func refusesOtherBullets(line: String)
    {
        let text = "# A\n```sql\nSELECT 1\n```\n- every 1m\n- when value = 1\n\n\(line)\n"
        let result = AlertParser.parse(text, file: "a.md")
        #expect(result.rules.isEmpty)
        #expect(
            result.problems.count == 1 && result.problems[0].location.line == 8
                && result.problems[0].message.contains("write `- "), "\(result.problems)")
    }

    /// A plain line that continues the settings list, or is the only one.
    @Test(
        "A setting without a list marker is an error",
        arguments: [
            "for 15m", "every 5m", "over 1h", "when value > 3", "when no data", "notify https://x.example",
            "notify slack ${HOOK}", "quiet 22:00-07:00 Asia/Tokyo", "For 15m", "for: 15m", "for = 15m",
        ], ["", "\n", "\nWords.\n\n", "more: words\n\n"])
    func refusesMissingBullet(line: String, above: String) {
        let text = "# A\n```sql\nSELECT 1\n```\n- every 1m\n- when value = 1\n\(above)\(line)\n"
        let result = AlertParser.parse(text, file: "a.md")
        let number = 7 + above.count { $0 == "\n" }
        #expect(result.rules.isEmpty)
        #expect(
            result.problems.map(\.location.line) == [number] && result.problems[0].message.contains("write `- "),
            "\(result.problems)")
    }

    @Test(
        "Reads a setting beside an HTML comment",
        arguments: ["<!-- x --> - for 15m", " - for 15m", "- <!-- x --> for 15m"])
    func readsCommentedSetting(line: String) {
        let text = "# A\n```sql\nSELECT 1\n```\n- every 1m\n- when value = 1\n\(line)\n"
        let result = AlertParser.parse(text, file: "a.md")
        #expect(result.rules.first?.duration == 900, "\(result.problems)")
    }

    @Test(
        "Prose that resembles a setting is not one",
        arguments: [
            "1. when it fires, look at the board", "for 15 minutes it was down", "• for each payment", "> every user",
            "– over the limit", "(for 15m)", "\"for 15m\"",
            "every alert has its page", "notify the team first", "quiet hours are not for this",
            "when value is low, wait",
            "over 1h it adds up",
        ]) func ignoresProse(line: String)
    {
        let text = "# A\n```sql\nSELECT 1\n```\n- every 1m\n- when value = 1\n\n\(line)\n"
        #expect(AlertParser.parse(text, file: "a.md").problems.isEmpty)
    }

    @Test("Parses the alerts after an invalid one") func parsesPastBadAlert() {
        let result = AlertParser.parse("# A\n# B\n```sql\nSELECT 1\n```\n- every 1m\n- when value = 1", file: "a.md")
        #expect(result.rules.map(\.name) == ["B"])
        #expect(result.problems.count == 3)
    }

    @Test("Of any text, alerts are read whole and problems have a line") func parsesAnyText() {
        var source = SeededGenerator(seed: 11)
        let pieces = [
            "#", " ", "- ", "```", "sql", "\n", "when", "value", ">", "every", "5m", "${", "}", "é", "\u{0}", "notify",
            "~~~", "\r\n", "\t", "for", "999999999999999999999d",
        ]
        for _ in 0..<2_000 {
            let text = (0..<Int.random(in: 0..<40, using: &source)).map { _ in
                pieces.randomElement(using: &source) ?? ""
            }
            .joined()
            let result = AlertParser.parse(text, file: "f")
            let lines = 1...text.utf8.count { $0 == UInt8(ascii: "\n") } + 1
            #expect(result.problems.allSatisfy { lines.contains($0.location.line) }, "\(text.debugDescription)")
            for rule in result.rules {
                #expect(!rule.name.isEmpty && rule.every > 0 && lines.contains(rule.line), "\(text.debugDescription)")
            }
        }
    }
}
