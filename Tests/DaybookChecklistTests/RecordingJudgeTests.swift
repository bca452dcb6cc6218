import DaybookChecklist
import Testing

@Suite struct RecordingJudgeTests {
    private static let markdown = """
        | persona | plan |
        |---|---|
        | free | free |
        | paid | paid |
        ## feed
        - [ ] feed.show exactly 1
        ## shop
        - [ ] never shop.banner when plan = "paid"
        - [ ] shop.show
        """

    private func marker(_ tag: String, _ columns: [String: String], installation: String = "i") -> TestRecord {
        var columns = columns.mapValues { ChecklistValue.text($0) }
        columns["_installation"] = .text(installation)
        return TestRecord(tag: tag, number: 0, time: 0, columns: columns)
    }

    private func record(_ tag: String, installation: String = "i") -> TestRecord {
        TestRecord(tag: tag, number: 0, time: 0, columns: ["_installation": .text(installation)])
    }

    private func judge(_ records: [TestRecord], scenarios: [String] = []) throws -> (RecordingJudge, [ScenarioVerdict])
    {
        let checklist = try Checklist(markdown: Self.markdown, file: "test.md")
        var judge = try RecordingJudge(checklist, scenarios: scenarios)
        for record in records {
            if record.tag.hasPrefix("run.") { try judge.mark(record) } else { judge.observe(record) }
        }
        let verdicts = try judge.finish()
        return (judge, verdicts)
    }

    @Test("Markers split a recording into runs") func markersSplitRuns() throws {
        let (judge, verdicts) = try judge([
            record("feed.show"),
            marker("run.start", ["scenario": "feed", "persona": "free", "tester": "Aki", "build": "1.2"]),
            record("feed.show"), marker("run.finish", [:]), record("feed.show"),
            marker("run.start", ["scenario": "shop", "persona": "paid"]), record("shop.show"),
        ])
        #expect(verdicts.map(\.name) == ["feed (free, 1.2, Aki)", "shop (paid, not finished)"])
        #expect(verdicts.passed)
        #expect(judge.outside == 2)
    }

    @Test("The collector's own records do not count as outside a run") func ownRecordsNotOutside() throws {
        let (judge, verdicts) = try judge([
            record("daybook.alert"), marker("run.start", ["scenario": "feed"]), record("feed.show"),
            marker("run.finish", [:]), record("daybook.alert"), record("feed.show"),
        ])
        #expect(verdicts.passed)
        #expect(judge.outside == 1)
    }

    @Test("A start ends the run before it") func startEndsPreviousRun() throws {
        let start = marker("run.start", ["scenario": "feed"])
        let (_, verdicts) = try judge([start, record("feed.show"), start, record("feed.show")])
        #expect(verdicts.map(\.passed) == [true, true])
    }

    @Test("Runs of different installations proceed side by side") func installationsRunApart() throws {
        let (_, verdicts) = try judge([
            marker("run.start", ["scenario": "feed"], installation: "a"),
            marker("run.start", ["scenario": "feed"], installation: "b"),
            record("feed.show", installation: "b"), record("feed.show", installation: "a"),
        ])
        #expect(verdicts.map(\.passed) == [true, true])
    }

    /// Runs started by the page or the API name no installation, but the app's records do.
    @Test("A run without an installation takes records of all installations") func remoteRunTakesAll() throws {
        let start = TestRecord(tag: "run.start", number: 0, time: 0, columns: ["scenario": .text("feed")])
        let (judge, verdicts) = try judge([start, record("feed.show", installation: "i-1")])
        #expect(verdicts.passed)
        #expect(judge.outside == 0)
    }

    @Test("A named run ends only with the finish that names it") func namedRunsEndByName() throws {
        let (_, verdicts) = try judge([
            marker("run.start", ["run": "a", "scenario": "feed", "tester": "Aya"]),
            marker("run.start", ["run": "b", "scenario": "feed", "tester": "Boris"]),
            marker("run.start", ["scenario": "feed", "tester": "nobody"]), record("feed.show"),
            marker("run.finish", ["run": "a"]), marker("run.finish", [:]), record("feed.show"),
            marker("run.signoff", ["run": "a"]),
        ])
        #expect(verdicts.map(\.name) == ["feed (Aya)", "feed (nobody)", "feed (Boris, not finished)"])
        #expect(verdicts.map(\.passed) == [true, true, false])
    }

    @Test("A recording without markers is one run of a named scenario") func noMarkersIsOneRun() throws {
        #expect(throws: ChecklistError.self) { try judge([record("feed.show")]) }
        let (_, verdicts) = try judge([record("feed.show")], scenarios: ["feed"])
        #expect(verdicts.map(\.name) == ["feed"])
        #expect(verdicts.passed)
    }

    @Test("A scenario without a run fails") func scenarioWithoutRunFails() throws {
        let checklist = try Checklist(markdown: Self.markdown, file: "test.md")
        let (_, verdicts) = try judge([marker("run.start", ["scenario": "feed"]), record("feed.show")])
        let all = verdicts.withMissing(of: checklist, scenarios: [])
        #expect(!all.passed)
        #expect(all.textReport().contains("✗ shop / no recording has a run of this scenario"))
        #expect(verdicts.withMissing(of: checklist, scenarios: ["feed"]).passed)
    }

    @Test("A marker that names nothing known is refused") func unknownMarkerIsRefused() {
        for marker in [
            marker("run.start", ["scenario": "fed"]), marker("run.start", ["persona": "pad"]), marker("run.begin", [:]),
        ] {
            #expect(throws: ChecklistError.self) { try judge([marker]) }
        }
    }

    @Test("Runs of another checklist are skipped") func skipsOtherChecklist() throws {
        let (_, verdicts) = try judge(
            [
                marker("run.start", ["checklist": "other", "scenario": "x"]), record("feed.show"),
                marker("run.finish", [:]), marker("run.start", ["scenario": "feed"]), record("feed.show"),
            ], scenarios: ["feed"])
        #expect(verdicts.passed)
        // A recording with only others' runs has none of this checklist.
        let (_, others) = try judge(
            [marker("run.start", ["checklist": "other"]), record("feed.show")], scenarios: ["feed"])
        #expect(others.isEmpty && others.result == .nothingJudged)
    }

    @Test("The matrix shows every scenario in every build") func matrixCoversBuilds() throws {
        let (_, verdicts) = try judge([
            marker("run.start", ["scenario": "feed", "build": "1.1"]), record("feed.show"),
            marker("run.start", ["scenario": "feed", "build": "1.2"]),
            marker("run.start", ["scenario": "shop", "persona": "free", "build": "1.2"]), record("shop.show"),
        ])
        #expect(
            ScenarioMatrix(verdicts).markdown() == """
                | scenario | `1.1`     | `1.2`            |
                |----------|-----------|------------------|
                | `feed`   | ✓ passed  | ? nothing judged |
                | `shop`   | – not run | ✓ passed         |

                """)
    }
}
