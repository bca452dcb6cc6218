import DaybookChecklist
import Testing

@Suite struct ReportTests {
    private static let markdown = """
        # release

        ## feed
        - [ ] feed.show exactly 1 per id
            - id exists
            - 一度だけ
        - [x] feed.tap
        - [x] 目で確認 <&>
        - [ ] feed.open
        """

    private func verdicts() throws -> (Checklist, [ScenarioVerdict]) {
        let checklist = try Checklist(markdown: Self.markdown, file: "feed.md")
        var run = try ChecklistRun(checklist)
        let id: [String: ChecklistValue] = ["id": .text("a`b\"<1>")]
        for record in recording(("feed.show", id), ("feed.open", [:]), ("feed.show", id)) { run.observe(record) }
        return (checklist, run.verdicts(finished: true))
    }

    @Test("The text report shows what was expected and what came") func textReportShowsBoth() throws {
        #expect(
            try verdicts().1.textReport() == """
                ✗ feed / feed.show exactly 1 per id [1 test, 1 note]; got 2 (id = "a`b"<1>")
                  #1 00:00:00.000 feed.show {id: "a`b"<1>"}
                  #3 00:00:02.000 feed.show {id: "a`b"<1>"}   one too many, +2.000 s after the first
                ✗ feed / feed.tap; got none
                ☐ feed / 目で確認 <&> (manual)
                ✓ feed / feed.open
                1 ok, 2 failed, 1 manual

                """)
    }

    @Test("The Markdown report is the checklist with its results ticked") func markdownReportTicks() throws {
        let (checklist, verdicts) = try verdicts()
        let report = verdicts.markdownReport(of: checklist)
        #expect(
            report == """
                # release

                ## feed
                - [ ] feed.show exactly 1 per id
                    - id exists
                    - 一度だけ
                    - ✗ ``got 2 (id = "a`b"<1>")``
                    - ✗ ``#1 00:00:00.000 feed.show {id: "a`b"<1>"}``
                    - ✗ ``#3 00:00:02.000 feed.show {id: "a`b"<1>"}   one too many, +2.000 s after the first``
                - [ ] feed.tap
                    - ✗ `got none`
                - [x] 目で確認 <&>
                - [x] feed.open
                """)
    }

    @Test("Run properties become code, and only a web address becomes a link") func reportLinksAreSafe() throws {
        let (checklist, verdicts) = try verdicts()
        let properties = [("tester", "@octocat\n# `x`"), ("device", "#7")]
        let report = verdicts.markdownReport(
            of: checklist, properties: properties, link: "https://logs.example/#run=7")
        #expect(
            report.hasPrefix(
                "# release\n\ntester: `` @octocat\\u{a}# `x` `` · device: `#7` · link: <https://logs.example/#run=7>\n\n"
            ),
            "\(report)")
        #expect(
            try Checklist(markdown: report, file: "feed.md").scenarios.map(\.name) == checklist.scenarios.map(\.name))
        for link in ["javascript:alert(1)", "https://a> <img src=x>"] {
            #expect(verdicts.markdownReport(of: checklist, link: link) == verdicts.markdownReport(of: checklist))
        }
    }

    @Test("The Markdown report can be judged again and replaces its failures") func reportCanBeJudged() throws {
        let (checklist, verdicts) = try verdicts()
        let report = verdicts.markdownReport(of: checklist)
        let again = try Checklist(markdown: report, file: "feed.md")
        var run = try ChecklistRun(again)
        let id: [String: ChecklistValue] = ["id": .integer(1)]
        for record in recording(("feed.show", id), ("feed.open", [:]), ("feed.tap", [:])) { run.observe(record) }
        let fulfilled = run.verdicts(finished: true)
        #expect(fulfilled.passed)
        #expect(fulfilled.markdownReport(of: again) == Self.markdown.replacing("[ ]", with: "[x]"))
    }

    @Test("The JUnit report counts and escapes its items") func junitCountsAndEscapes() throws {
        let (checklist, verdicts) = try verdicts()
        let report = verdicts.junitReport(of: checklist)
        #expect(report.contains(#"<testsuite name="feed" tests="4" failures="2" skipped="1" errors="0">"#))
        #expect(report.contains(#"<failure message="got 2 (id = &quot;a`b&quot;&lt;1&gt;&quot;)">"#))
        #expect(report.contains(#"name="目で確認 &lt;&amp;&gt;""#))
        #expect(report.contains(#"<skipped message="manual step"/>"#))
    }

    @Test("The JSON report has a fixed shape") func jsonReportShape() throws {
        let checklist = try Checklist(markdown: "## s\n- [ ] a.b where c = \"\\\"\"", file: "t.md")
        var run = try ChecklistRun(checklist)
        for record in recording(("a.b", ["c": .text("\"")])) { run.observe(record) }
        #expect(
            run.verdicts(finished: true).jsonReport(of: checklist)
                == #"{"checklist":"t","file":"t.md","passed":true,"result":"passed","judged":1,"#
                + #""counts":{"waiting":0,"ok":1,"failed":0,"manual":0,"not_applicable":0,"not_judged":0},"scenarios":["#
                + #"{"name":"s","passed":true,"judged":1,"persona":null,"build":null,"tester":null,"finished":true,"problem":null,"items":["#
                + #"{"text":"a.b where c = \"\\\"\"","line":2,"status":"ok","reason":null,"matches":1,"#
                + #""tests":0,"notes":0,"records":[{"number":1,"time":0,"tag":"a.b","values":{"c":"\""},"note":null}]}"#
                + "]}]}\n")
    }
}
