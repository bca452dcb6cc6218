import Testing

@testable import DaybookChecklist

@Suite struct NothingJudgedTests {
    private static let manual = "# t\n\n## s\n- [ ] Look at the screen\n- [ ] 目で確認する\n"

    private func checkReports(_ markdown: String, _ verdicts: [ScenarioVerdict]) throws {
        let checklist = try Checklist(markdown: markdown, file: "t.md")
        #expect(verdicts.result == .nothingJudged && !verdicts.passed && verdicts.judged == 0)
        #expect(verdicts.textReport().contains("; nothing judged\n"))
        #expect(verdicts.jsonReport(of: checklist).contains(#""passed":false,"result":"nothing_judged","judged":0"#))
        let junit = verdicts.junitReport(of: checklist)
        #expect(junit.contains(#"failures="0" errors="1">"#) && junit.contains("<error message="), "\(junit)")
        let report = verdicts.markdownReport(of: checklist)
        #expect(report.contains("\n**Nothing judged.**\n"))
        // The report can be judged again without repeating itself.
        let again = try Checklist(markdown: report, file: "t.md")
        let second = verdicts.markdownReport(of: again)
        #expect(second.components(separatedBy: "Nothing judged").count == 2, "\(second)")
    }

    @Test("A run of manual steps alone has not passed") func stepsAloneDoNotPass() throws {
        try checkReports(Self.manual, try judge(Self.manual, recording(("a.b", [:]))))
    }

    @Test("A run whose items all concern other personas has not passed") func otherPersonaDoesNotPass() throws {
        let markdown = "# t\n\n## s\n- [ ] a.b when plan = \"free\"\n"
        let persona = PersonaTable.Persona(name: "paid", values: ["plan": .text("paid")])
        try checkReports(markdown, try judge(markdown, recording(("a.b", [:])), persona: persona))
    }

    @Test("A recording without a run has not passed") func noRunDoesNotPass() throws {
        let markdown = "# t\n\n## s\n- [ ] a.b\n"
        let checklist = try Checklist(markdown: markdown, file: "t.md")
        try checkReports(markdown, [ScenarioVerdict]().withMissing(of: checklist, scenarios: []))
    }

    @Test("A recording without records judges nothing", arguments: ["a.b", "never a.b", "a.b at most 2", "never **"])
    func noRecordIsNotJudged(item: String) throws {
        let markdown = "# t\n\n## s\n- [ ] \(item)\n"
        var judge = try RecordingJudge(Checklist(markdown: markdown, file: "t.md"))
        // The collector's own records are not the app's.
        judge.observe(recording(("daybook.alert", [:]))[0])
        let verdicts = try judge.finish()
        #expect(verdicts[0].items.map(\.status) == [.notJudged])
        #expect(verdicts[0].items[0].reason == "there is no record")
        try checkReportsOfOpenItems(verdicts)
        judge.observe(recording(("x.y", [:]))[0])
        #expect(try judge.finish().judged == 1)
    }

    private func checkReportsOfOpenItems(_ verdicts: [ScenarioVerdict]) throws {
        #expect(verdicts.result == .nothingJudged)
        #expect(verdicts.textReport().hasSuffix("1 not judged; nothing judged\n"), "\(verdicts.textReport())")
    }

    @Test("A checklist with no scenario run has not passed") func noScenarioDoesNotPass() throws {
        let checklist = try Checklist(markdown: Self.manual, file: "t.md")
        let judged = [JudgedChecklist(checklist: checklist, verdicts: [])]
        #expect(judged.result == .nothingJudged)
        #expect(judged.junitReport().contains("<error message=\"nothing judged\"/>"))
        #expect(judged.jsonReport().contains(#""passed":false,"result":"nothing_judged""#))
        // It does not matter beside others that were judged.
        let other = JudgedChecklist(checklist: checklist, verdicts: try judge("- [ ] a.b", recording(("a.b", [:]))))
        #expect((judged + [other]).result == .passed)
        let steps = JudgedChecklist(checklist: checklist, verdicts: try judge(Self.manual, recording(("a.b", [:]))))
        #expect([other, steps].result == .nothingJudged)
    }

    @Test("A scenario of steps alone does not keep others from passing") func stepsBesideOthersPass() throws {
        let verdicts = try judge("## s\n- [ ] Look at it\n## t\n- [ ] a.b\n", recording(("a.b", [:])))
        #expect(verdicts.passed && verdicts.judged == 1)
        #expect(verdicts.sayingWhatIsNotJudged == verdicts)
        var labelled = verdicts
        for index in labelled.indices { labelled[index].run.build = "1" }
        #expect(ScenarioMatrix(labelled)["s", "1"] == .nothingJudged)
        #expect(ScenarioMatrix(labelled)["t", "1"] == .passed)
    }

    // What only the records reveal.

    @Test(
        "A step that begins with a recorded tag is not judged",
        arguments: [
            ("login works", "login"), ("Login works", "login"), ("ｌｏｇｉｎ works", "login"), ("**login** works", "login"),
            ("「login」 works", "login"), ("loginする", "login"), ("Login, then look", "login"), ("確認", "確認"),
            ("確認 する", "確認"), ("Product Viewed", "Product Viewed"), ("product viewed twice", "Product Viewed"),
            ("screen/home is open", "screen/home"), ("1. login", "login"), ("1. login works", "login"),
            ("① login works", "login"), ("②. login", "login"), ("Never Product Viewed", "Product Viewed"),
            ("ﾛｸﾞｲﾝ を確認", "ログイン"), ("ﾊﾟｽﾎﾟｰﾄ", "パスポート"), ("ク\u{3099}ルメ を見る", "グルメ"), ("login = 1", "login"),
            ("login within 10s", "login"),
        ])
    func stepNamingTagNotJudged(step: String, tag: String) throws {
        let markdown = "- [ ] \(step)\n- [ ] a.b\n"
        let verdicts = try judge(markdown, recording(("a.b", [:]), (tag, [:])))
        #expect(verdicts[0].items.map(\.status) == [.notJudged, .ok])
        #expect(verdicts.result == .failed)
        #expect(verdicts.textReport().contains("it names the event `\(tag)`"), "\(verdicts.textReport())")
        #expect(verdicts.textReport().contains("(test.md:1:7)"))
        // If the definitions have it, it is an error before any record.
        #expect(
            problems(markdown, catalog: EventCatalog(events: [tag: [:], "a.b": [:]])).map { $0.prefix(11) } == [
                "test.md:1:7"
            ])
        // The hint is a way out.
        #expect(try judge("- [ ] \"\(tag)\"", recording((tag, [:]))).passed)
        #expect(try statuses(markdown, recording(("a.b", [:]), ("logins", [:]))) == [.manual, .ok])
    }

    @Test(
        "An item that would pass only because its case differs is not judged",
        arguments: [
            "never Ad.show", "Ad.show at most 1", "never AD.*", "a.b until Ad.Show",
            "ad.show at most 3 until A.b",
        ])
    func otherCaseNotJudged(item: String) throws {
        let seen = recording(("a.b", [:]), ("ad.show", [:]))
        let verdict = try judge("- [ ] \(item)", seen)[0].items[0]
        #expect(verdict.status == .notJudged)
        #expect(verdict.reason?.contains("differs only in how it is written") == true, "\(verdict)")
        // If both came, or the definitions have it, it is intended.
        let both = seen + recording(("Ad.show", [:]), ("AD.x", [:]), ("Ad.Show", [:]), ("A.b", [:]))
        #expect(try judge("- [ ] \(item)", both)[0].items[0].status != .notJudged)
    }

    @Test("A step that names a defined event is reported as a warning") func warnsOfDefinedEvent() throws {
        let catalog = EventCatalog(events: ["feed.show_article": [:], "feed.tap": [:], "a.b": [:]])
        let markdown = """
            - [ ] a.b
            - [ ] Check that feed.show\\_article came
            - [ ] 一度だけ`show_article`が出る
            - [ ] See that Feed.Tap, too, came
            - [ ] Tap the feed
            """
        let verdicts = try judge(markdown, recording(("a.b", [:])), catalog: catalog)
        #expect(
            verdicts[0].items.map(\.reason) == [
                nil, "names the event `feed.show_article`, which it does not judge",
                "names the event `feed.show_article`, which it does not judge",
                "names the event `feed.tap`, which it does not judge", nil,
            ])
        #expect(verdicts.passed)
        #expect(verdicts.textReport().hasSuffix("1 ok, 0 failed, 4 manual (3 name an event)\n"))
    }

    @Test(
        "Text that a test expects is an event or an error",
        arguments: [
            "Look at it", "確認", "feed.show: twice", "login works", "", "feed.show\n\nmore", "a.b\n- [ ] Look",
            "a.b\n    - a note",
        ])
    func expectationNeedsEvent(item: String) {
        guard item != "確認" else {
            #expect(throws: Never.self) { try Checklist(expecting: item) }
            return
        }
        #expect(throws: ChecklistError.self) { try Checklist(expecting: item) }
    }

    @Test("A signed checklist of an earlier version is still read") func signedTextStillReads() throws {
        let text = "# t\n\n## s\n- [ ] feed.show: once\n- [ ] a.b\n- note\n- [ ] c.d\n"
        #expect(throws: ChecklistError.self) { try Checklist(markdown: text, file: "t.md") }
        #expect(try Checklist(signed: text, file: "t.md").scenarios[0].items.count == 3)
    }
}
