import Foundation
import Testing

/// Whom and what `verify` judges: personas, definitions, shards, several recordings; and its relatives.
@Suite struct VerifyScopeTests {
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
        let tool = try Tool()
        defer { tool.remove() }
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

    @Test func personaAndDefinitionsAnswerWhatTheChecklistAsks() async throws {
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

    @Test func severalRecordingsEndWithATable() async throws {
        try await withTool { tool in
            let result = try await tool.run(
                "verify", "--checklist", "feed.md", "--events", "one.ndjson", "--events", "two.ndjson", "--definitions",
                "new", "--persona", "paid")
            #expect(result.status == 1)
            #expect(
                result.output.hasSuffix(
                    """
                    | scenario | 1.1      | two.ndjson |
                    |----------|----------|------------|
                    | feed     | ✓ passed | ✗ 1 failed |
                    | shop     | ✓ passed | ✗ 1 failed |

                    """), "\(result.output)")
        }
    }

    @Test func shardJudgesItsPartAlone() async throws {
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

    @Test func onlyItemsOfChangedDefinitionsAreJudged() async throws {
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

    @Test func fixtureIsImportedAndCompared() async throws {
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
            try tool.write(#"{"show": [{"tab": "home", "position": "third"}]}"#, to: "wrong.json")
            let wrong = try await tool.run("fixtures", "import", "wrong.json", "--definitions", "new")
            #expect(wrong.status == 2)
            #expect(
                wrong.errors == "error: wrong.json: `third` is no value of `position` of feed.show, which is !integer\n"
            )
        }
    }

    @Test func comparisonEndsWithOneWhereTheRecordingsDiffer() async throws {
        try await withTool { tool in
            let same = try await tool.run("compare", "one.ndjson", "one.ndjson")
            #expect(same.status == 0)
            #expect(same.output == "2 of 2 events are the same\n")
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
}
