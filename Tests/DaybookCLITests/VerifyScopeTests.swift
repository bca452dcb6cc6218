import DaybookBase
import DaybookTestTraits
import DaybookTrials
import Foundation
import Testing

/// The scope of `verify`: personas, definitions, shards and several recordings; and of its related commands.
@Suite(.temporaryDirectory) struct VerifyScopeTests {
    private let tool = Tool()
    private static let checklist = """
        | persona | plan |
        |---|---|
        | free | free |
        | paid | paid |
        ## feed
        - [ ] feed.show each tab
        - [ ] feed.banner when plan = "free"
        ## shop
        - [ ] shop.open
        """

    private static let definitions = """
        # feed

        The feed.

        ## show

        The feed came on the screen.

        - tab: Tab
            - `home`: Home
            - `new`: New
        - position: !integer
            - From 0

        ## banner

        A banner.

        """

    private func withTool(_ body: (Tool) async throws -> Void) async throws {
        try tool.write(Self.checklist, to: "feed.md")
        for folder in ["old", "new"] {
            try FileManager.default.createDirectory(
                at: tool.directory.appending(path: folder), withIntermediateDirectories: true)
            try tool.write(Self.definitions, to: folder + "/feed.md")
            try tool.write("# shop\n\nThe shop.\n\n## open\n\nThe shop came.\n", to: folder + "/shop.md")
        }
        try tool.write(
            """
            {"tag":"feed.show","attributes":{"tab":"home"},"context":{"service.version":"1.1"}}
            {"tag":"feed.show","attributes":{"tab":"new"}}
            {"tag":"shop.open"}
            """, to: "one.ndjson")
        try tool.write(#"{"tag":"feed.show","attributes":{"tab":"home"}}"#, to: "two.ndjson")
        try await body(tool)
    }

    @Test("The persona and the definitions decide which items apply") func personaSelectsItems() async throws {
        try await withTool { tool in
            let paid = try await tool.run(
                "verify", "--checklist", "feed.md", "--events", "one.ndjson", "--definitions", "new", "--persona",
                "paid")
            #expect(paid.status == 0, "\(paid)")
            #expect(paid.output.contains("– feed (paid) / feed.banner when plan = \"free\"; not applicable: plan is"))
            let free = try await tool.run(
                "verify", "--checklist", "feed.md", "--events", "one.ndjson", "--definitions", "new", "--persona",
                "plan=free")
            #expect(free.status == 1)
            #expect(free.output.contains("✗ feed (plan=free) / feed.banner when plan = \"free\"; got none"))
            let unknown = try await tool.run(
                "verify", "--checklist", "feed.md", "--events", "one.ndjson", "--persona", "pad")
            #expect(unknown.status == 2)
            #expect(unknown.errors == "feed.md:1:1: error: no persona is called `pad` (did you mean `paid`?)\n")
        }
    }

    @Test("Several recordings are summarised in a table") func tabulatesRecordings() async throws {
        try await withTool { tool in
            let result = try await tool.run(
                "verify", "--checklist", "feed.md", "--events", "one.ndjson", "--events", "two.ndjson", "--definitions",
                "new", "--persona", "paid")
            #expect(result.status == 1)
            #expect(
                result.output.hasSuffix(
                    """
                    | scenario | `1.1`    | `two.ndjson` |
                    |----------|----------|--------------|
                    | `feed`   | ✓ passed | ✗ 1 failed   |
                    | `shop`   | ✓ passed | ✗ 1 failed   |

                    """), "\(result.output)")
        }
    }

    @Test("A shard judges only its part of the checklist") func shardJudgesItsPart() async throws {
        try await withTool { tool in
            let result = try await tool.run(
                "verify", "--checklist", "feed.md", "--events", "one.ndjson", "--shard", "2/2")
            #expect(result.status == 0)
            #expect(result.output == "✓ shop / shop.open\n1 ok, 0 failed\n")
            let wrong = try await tool.run(
                "verify", "--checklist", "feed.md", "--events", "one.ndjson", "--shard", "3/2")
            #expect(wrong.status == 2)
            #expect(wrong.errors.hasPrefix("error: --shard takes I/N"))
        }
    }

    @Test("`--changed-since` judges only items of changed definitions") func judgesChangedOnly() async throws {
        try await withTool { tool in
            try tool.write(
                "# shop\n\nThe shop.\n\n## open\n\nThe shop came.\n\n- product_id: !bigint\n    - The product\n",
                to: "new/shop.md")
            let result = try await tool.run(
                "verify", "--checklist", "feed.md", "--events", "one.ndjson", "--definitions", "new", "--changed-since",
                "old")
            #expect(result.status == 0, "\(result)")
            #expect(result.output == "✓ shop / shop.open\n1 ok, 0 failed\n")
        }
    }

    @Test("Imports a fixture and compares it with a recording") func importsFixture() async throws {
        try await withTool { tool in
            try tool.write(#"{"show": [{"tab": "home", "position": "3"}, {"tab": "@any"}]}"#, to: "fixture.json")
            let imported = try await tool.run("fixtures", "import", "fixture.json", "--definitions", "new")
            #expect(
                imported.output == """
                    {"tag":"feed.show","attributes":{"position":3,"tab":"home"}}
                    {"tag":"feed.show","attributes":{"tab":"@any"}}

                    """, "\(imported)")
            let result = try await tool.run(
                "verify", "--fixture", "fixture.json", "--events", "one.ndjson", "--listed-only")
            #expect(result.status == 1)
            #expect(
                result.output
                    == "✗ show: expected 2, got 2\n  ~ 1. #1\n      position: expected \"3\", got nothing\n",
                "\(result)")
            // Daybook's own statements about a record are no columns of it.
            try tool.write(
                #"{"tag":"a.b","attributes":{"x":"1","daybook.private":["x"]}}"# + "\n", to: "private.ndjson")
            try tool.write(#"{"a.b": [{"x": "1"}]}"#, to: "private.json")
            let whole = try await tool.run("verify", "--fixture", "private.json", "--events", "private.ndjson")
            #expect(whole.status == 0, "\(whole)")
            try tool.write(#"{"show": [{"tab": "home", "position": "third"}]}"#, to: "wrong.json")
            let wrong = try await tool.run("fixtures", "import", "wrong.json", "--definitions", "new")
            #expect(wrong.status == 1)
            #expect(
                wrong.errors
                    == "error: wrong.json:1: `third` is not a value of `position` of feed.show, which is !integer\n"
            )
        }
    }

    @Test("`compare` exits with 1 when the recordings differ") func compareFailsOnDifference() async throws {
        try await withTool { tool in
            let same = try await tool.run("compare", "one.ndjson", "one.ndjson")
            #expect(same.status == 0)
            #expect(same.output.hasPrefix("2 of 2 events are the same\nnot compared: level, kind, message, context"))
            let result = try await tool.run("compare", "one.ndjson", "two.ndjson")
            #expect(result.status == 1)
            #expect(
                result.output.hasPrefix(
                    """
                    ✗ feed.show: 2 old, 1 new
                      tab: in 2 old, 1 new records
                      tab = "new": 1 old, 0 new
                    ✗ shop.open: 1 old, 0 new
                    """), "\(result.output)")
        }
    }

    /// A folder of fixtures against a folder of recordings, with every report, as a CI job runs it.
    @Test("Judges a folder of fixtures by recordings of the same names") func matchesFixtureFolders() async throws {
        try await withTool { tool in
            try makeFolders("fixtures/sub", "recordings", in: tool)
            try tool.write(#"{"show": [{"tab": "home"}, {"tab": "new"}]}"#, to: "fixtures/feed.json")
            try tool.write(#"{"shop.open": [{}]}"#, to: "fixtures/sub/shop.json")
            try tool.write(
                #"{"tag":"feed.show","attributes":{"tab":"home"}}"# + "\n"
                    + #"{"tag":"feed.show","attributes":{"tab":"new"}}"#, to: "recordings/feed.ndjson")
            let arguments = ["verify", "--fixture", "fixtures", "--events", "recordings"]
            let missing = try await tool.run(arguments)
            #expect(missing.status == 2)
            #expect(
                missing.errors.contains("fixtures/sub/shop.json: ")
                    && missing.errors.contains("recordings/shop.ndjson does not exist"), "\(missing)")

            try tool.write(#"{"tag":"shop.open"}"#, to: "recordings/shop.ndjson")
            let fine = try await tool.run(arguments + ["--definitions", "new"])
            #expect(fine.status == 0, "\(fine)")
            #expect(
                fine.output == """
                    fixtures/feed.json:
                    ✓ 2 records are as expected
                    fixtures/sub/shop.json:
                    ✓ 1 record is as expected

                    """)

            try tool.write(#"{"tag":"shop.opne"}"#, to: "recordings/shop.ndjson")
            let failed = try await tool.run(arguments + ["--definitions", "new", "--junit", "out.xml", "--json"])
            #expect(failed.status == 1)
            let report = try Value(json: failed.output)
            #expect(report["passed"] == false)
            #expect(report["checklists"].list?.map { $0["passed"] } == [true, false])
            let junit = try String(contentsOf: tool.directory.appending(path: "out.xml"), encoding: .utf8)
            #expect(junit.contains(#"<testsuites name="feed, shop" tests="5" failures="3" errors="0">"#), "\(junit)")
            #expect(junit.contains("near miss shop.opne"))
            #expect(junit.contains("events that are not defined: `shop.opne` (1)"))
            let markdown = try await tool.run(arguments + ["--markdown"])
            #expect(markdown.output.contains("- [x] Records of `show`: 2"), "\(markdown)")
            #expect(markdown.output.contains("- [ ] Records of `shop.open`: 1\n    - ✗ "), "\(markdown)")
        }
    }

    /// One fixture's expected events are not unexpected to another.
    @Test("Several fixtures may share a recording") func fixturesShareRecording() async throws {
        try await withTool { tool in
            try makeFolders("fixtures", in: tool)
            try tool.write(#"{"feed.show": [{"tab": "home"}, {"tab": "new"}]}"#, to: "fixtures/feed.json")
            try tool.write(#"{"shop.open": [{}]}"#, to: "fixtures/shop.json")
            let all = try await tool.run("verify", "--fixture", "fixtures", "--events", "one.ndjson")
            #expect(all.status == 0, "\(all)")
            try tool.write(#"{"feed.show": [{"tab": "home"}, {"tab": "new"}]}"#, to: "fixtures/shop.json")
            let other = try await tool.run("verify", "--fixture", "fixtures", "--events", "one.ndjson")
            #expect(other.status == 1)
            #expect(other.output.contains("✗ shop.open: expected 0, got 1"), "\(other)")
            let listed = try await tool.run(
                "verify", "--fixture", "fixtures", "--events", "one.ndjson", "--listed-only")
            #expect(listed.status == 0, "\(listed)")
        }
    }

    @Test("Judges a folder of checklists as a whole") func judgesChecklistFolder() async throws {
        try await withTool { tool in
            try makeFolders("lists", "empty", in: tool)
            try tool.write("## a\n- [ ] feed.show at least 2\n", to: "lists/feed.md")
            try tool.write("## b\n- [ ] shop.open exactly 2\n", to: "lists/shop.md")
            let result = try await tool.run(
                "verify", "--checklist", "lists", "--events", "one.ndjson", "--junit", "out.xml")
            #expect(result.status == 1)
            #expect(result.output.contains("lists/feed.md:\n✓ a / feed.show at least 2"), "\(result)")
            #expect(result.output.contains("lists/shop.md:\n✗ b / shop.open exactly 2; got 1"), "\(result)")
            let junit = try String(contentsOf: tool.directory.appending(path: "out.xml"), encoding: .utf8)
            #expect(junit.contains(#"tests="2" failures="1""#))
            let none = try await tool.run("verify", "--checklist", "empty", "--events", "one.ndjson")
            #expect(none.status == 2 && none.errors.contains("has no file that ends in .md"), "\(none)")
            let twice = try await tool.run("verify", "--checklist", "lists", "--events", "-", input: "")
            #expect(twice.status == 2 && twice.errors.contains("standard input can be checked by one file only"))
        }
    }

    @Test("Events that are not defined fail the verification") func undefinedEventsFail() async throws {
        try await withTool { tool in
            try tool.write(
                #"{"tag":"feed.show","attributes":{"tab":"home"}}"# + "\n" + #"{"tag":"feed.shwo"}"# + "\n"
                    + #"{"tag":"app","kind":"message","message":"text needs no definition"}"#, to: "typo.ndjson")
            try tool.write("## feed\n- [ ] feed.show\n", to: "short.md")
            let arguments = ["verify", "--checklist", "short.md", "--events", "typo.ndjson"]
            let without = try await tool.run(arguments)
            #expect(without.status == 0, "\(without)")
            let with = try await tool.run(arguments + ["--definitions", "new"])
            #expect(with.status == 1)
            #expect(
                with.output.contains(
                    "✗ definitions / the recording has events that are not defined: `feed.shwo` (1)"), "\(with)")
            #expect(with.output.contains("not defined; did you mean `feed.show`?"), "\(with)")
            #expect(!with.output.contains("`app`"))
        }
    }

    @Test("Reports a bare event name that two categories share") func reportsAmbiguousName() async throws {
        try await withTool { tool in
            try tool.write("# news\n\nNews.\n\n## show\n\nNews came.\n", to: "new/news.md")
            try tool.write(#"{"tag":"feed.show"}"# + "\n" + #"{"tag":"news.show"}"#, to: "both.ndjson")
            try tool.write(#"{"show": [{}, {}]}"#, to: "bare.json")
            let result = try await tool.run("verify", "--fixture", "bare.json", "--events", "both.ndjson")
            #expect(result.status == 1)
            #expect(
                result.output.contains("the name may be feed.show or news.show: write the full name into the fixture"),
                "\(result)")
            // Definitions reveal the ambiguity before a recording has both.
            try tool.write(#"{"tag":"feed.show"}"#, to: "single.ndjson")
            let defined = try await tool.run(
                "verify", "--fixture", "bare.json", "--events", "single.ndjson", "--definitions", "new")
            #expect(defined.status == 2)
            #expect(defined.errors.contains("`show` may be feed.show or news.show; write the full name"), "\(defined)")
        }
    }

    private func makeFolders(_ names: String..., in tool: Tool) throws {
        for name in names {
            try FileManager.default.createDirectory(
                at: tool.directory.appending(path: name), withIntermediateDirectories: true)
        }
    }

    /// The lines of the fixture and not the report's; the reasons are the same in every report.
    @Test(
        "A fixture's reports give its lines and reasons",
        arguments: [
            (#"{"feed.a": [{"x": "1\nz"}], "feed.b": []}"# + "\n", [1, 1, 1]),
            ("{\n  \"feed.a\": [\n    {\"x\": \"1\\nz\"}\n  ],\n\n  \"feed.b\": []\n}\n", [2, 6, 1]),
        ])
    func fixtureReportHasLines(fixture: String, lines: [Int]) async throws {
        try tool.write(fixture, to: "fx.json")
        try tool.write(#"{"tag":"feed.a","attributes":{"x":"2\n\u202e"}}"# + "\n", to: "r.ndjson")
        let result = try await tool.run(
            "verify", "--fixture", "fx.json", "--events", "r.ndjson", "--json", "--junit", "out.xml")
        let report = try Value(json: result.output)
        let items = try #require(report["scenarios"][0]["items"].list)
        #expect(items.map { $0["line"].int } == lines)
        let reason = "feed.a: expected 1, got 1; 1. #1; x: expected \"1\nz\", got \"2\n\u{202E}\""
        #expect(items[0]["reason"].text == reason)
        #expect(!result.output.contains("\u{202E}"))
        let junit = try String(contentsOf: tool.directory.appending(path: "out.xml"), encoding: .utf8)
        for line in lines { #expect(junit.contains("file=\"fx.json\" line=\"\(line)\""), "\(junit)") }
        let markdown = try await tool.run("verify", "--fixture", "fx.json", "--events", "r.ndjson", "--markdown")
        #expect(markdown.output.contains("- [ ] Records of `feed.a`: 1\n    - ✗ `feed.a: expected 1"), "\(markdown)")
        #expect(markdown.output.contains("- [x] Records of `feed.b`: 0\n- [x] No other events"), "\(markdown)")
    }

    @Test(
        "Counts only the records that were compared",
        arguments: [
            (#"{"feed.a": []}"#, "✓ no record came, as expected\n"),
            (#"{"feed.b": [{}]}"#, "✓ 1 record is as expected\n"),
            (#"{"feed.b": [{}], "feed.c": [{}, {}]}"#, "✓ 3 records are as expected\n"),
        ])
    func countsComparedRecords(fixture: String, answer: String) async throws {
        try tool.write(fixture, to: "fx.json")
        let tags = ["feed.b", "feed.c", "feed.c", "feed.d", "daybook.alert"]
        try tool.write(tags.map { "{\"tag\":\"\($0)\"}\n" }.joined(), to: "r.ndjson")
        let result = try await tool.run("verify", "--fixture", "fx.json", "--events", "r.ndjson", "--listed-only")
        #expect(result.output == answer && result.status == 0, "\(result)")
    }
}
