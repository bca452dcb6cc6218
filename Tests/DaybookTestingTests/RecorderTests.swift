import Daybook
import DaybookChecklist
import DaybookTesting
import Testing

@Suite struct RecorderTests {
    /// The text of what `body` throws; empty if nothing.
    private func failure(_ body: () throws -> Void) -> String {
        do {
            try body()
            return ""
        } catch {
            return "\(error)"
        }
    }

    @Test("A recorder checks an expectation against what was logged") func judgesItem() throws {
        let recorder = try Recorder()
        let log = recorder.log()
        log.post("feed.show", ["article_id": 1])
        log.post("feed.show", ["article_id": 2])
        try recorder.records.expect("feed.show exactly 1 per article_id")
        log.post("feed.show", ["article_id": 2])
        let text = failure { try recorder.records.expect("feed.show exactly 1 per article_id") }
        #expect(text.contains("got 2 (article_id = 2)"))
        #expect(text.contains("recorded: 3 records, of feed.show"))
    }

    @Test("Two recorders do not see each other's records") func recordersAreIsolated() throws {
        let one = try Recorder()
        let other = try Recorder()
        one.log().post("a.b")
        try other.records.expect("never a.b")
        #expect(failure { try other.records.expect("a.b") }.contains("nothing was recorded; does the code"))
    }

    @Test("The app's filters apply in a recorder") func appFiltersApply() throws {
        let recorder = try Recorder { Redact.credentials }
        recorder.log().post("a.login", ["password": "secret"])
        #expect(!recorder.records.records.contains { "\($0.attributes)".contains("secret") })
    }

    @Test("A fixture mismatch is shown record by record") func fixtureDiffs() throws {
        let recorder = try Recorder()
        let log = recorder.log()
        log.post("feed.show", ["id": 1, "token": "0F8FAD5B-D9CB-469F-A165-70867728950E"])
        log.post("feed.show", ["id": 2, "token": "x"])
        let fixture = try Fixture(
            text: #"{"show": [{"id": "1", "token": "@uuid"}, {"id": "2", "token": "@uuid"}, {"id": 3}]}"#)
        let line = #line + 1
        let text = failure { try recorder.records.expect(fixture) }
        #expect(
            text == """
                ✗ show: expected 3, got 2
                  ~ 2. #2
                      token: expected "@uuid", got "x"
                  - 3. missing: {id: 3}
                recorded: 2 records, of feed.show
                expected at \(#filePath):\(line)

                """)
        try recorder.records.expect("feed.show", [["id": "@int", "token": "@any"], ["id": 2, "token": "x"]])
        #expect(
            failure { try recorder.records.expect(Fixture(events: []), listedOnly: false) }.contains("not expected"))
    }

    @Test("A checklist is judged for the given persona") func judgesForPersona() throws {
        let checklist = try Checklist(
            markdown: """
                | persona | plan |
                |---|---|
                | free | free |
                | paid | paid |
                ## feed
                - [ ] feed.banner when plan = "free"
                - [ ] feed.show
                """, file: "feed.md")
        let recorder = try Recorder()
        recorder.log().post("feed.show")
        try recorder.records.expect(checklist, persona: "paid")
        #expect(
            failure { try recorder.records.expect(checklist, persona: "free") }.hasPrefix(
                "feed.md is not fulfilled:\n✗ feed (free) / feed.banner"))
        #expect(throws: ChecklistError.self) { try recorder.records.expect(checklist, persona: "pad") }
    }

    @Test("An item that cannot be judged counts as not met") func unjudgedIsFailure() throws {
        let recorder = try Recorder()
        for _ in 1...2 { recorder.log().post("show_article", ["article_id": 1]) }
        let records = recorder.records
        try records.expect("show_article exactly 2 per article_id")
        for item in ["show_article exactly 1 per article_id", "show_article exactly 7", "no_such_event", "close", "確認"]
        {
            #expect(throws: ExpectationFailure.self, "\(item)") { try records.expect(item) }
        }
        for item in ["Look at the screen", "show_article: once", "show_article\n\nprose", ""] {
            #expect(throws: ChecklistError.self, "\(item)") { try records.expect(item) }
        }
        let steps = try Checklist(markdown: "- [ ] Look at the screen\n", file: "steps.md")
        #expect(failure { try records.expect(steps) }.contains("; nothing judged\n"))
        let never = try Checklist(markdown: "- [ ] never ad.show\n", file: "never.md")
        try records.expect(never)
        #expect(failure { try RecordedRecords([]).expect(never) }.contains("there is no record"))
        #expect(failure { try records.expect(Fixture(events: [])) }.contains("nothing judged"))
        #expect(
            failure { try RecordedRecords([]).expect(Fixture(events: []), listedOnly: false) }.contains(
                "nothing judged"))
    }

    @Test("Clearing the recorder forgets earlier records") func clearStartsAfresh() throws {
        let recorder = try Recorder()
        recorder.log().post("a.b")
        recorder.clear()
        try recorder.records.expect("never a.b")
    }

    @Test("A manual clock stamps the records") func manualClockStamps() throws {
        let clock = ManualClock(wall: 5_000_000_000)
        var options = PipelineOptions()
        options.clock = clock.clock
        let recorder = try Recorder(options: options)
        recorder.log().post("a.b")
        clock.advance(by: .seconds(2))
        recorder.log().post("a.c")
        #expect(recorder.records.records.map(\.time) == [5_000_000_000, 7_000_000_000])
        try recorder.records.expect("a.c after a.b within 2s")
    }
}
