import DaybookTestTraits
import Foundation
import Testing

/// `daybook verify` exits with 2 if nothing is judged, whatever it was asked for.
@Suite(.temporaryDirectory) struct NothingJudgedCommandTests {
    private let tool = Tool()
    private static let definitions =
        "# feed\n\nThe feed.\n\n## show\n\nThe feed came.\n\n## tap\n\nA tap.\n"

    private func withTool(_ body: (Tool) async throws -> Void) async throws {
        for folder in ["defs", "all"] {
            try FileManager.default.createDirectory(
                at: tool.directory.appending(path: folder), withIntermediateDirectories: true)
        }
        try tool.write(Self.definitions, to: "defs/feed.md")
        try tool.write(
            "# t\n\n| persona | plan |\n|---|---|\n| paid | paid |\n\n## steps\n- [ ] Look at it\n\n## feed\n"
                + "- [ ] feed.show when plan = \"free\"\n\n## shown\n- [ ] feed.show\n", to: "all/list.md")
        try tool.write("# u\n- [ ] Look at feed.show\n", to: "steps.md")
        try tool.write(#"{"tag":"feed.show"}"# + "\n", to: "one.ndjson")
        try tool.write("", to: "empty.ndjson")
        try tool.write(
            #"{"kind":"run","tag":"run.start","attributes":{"run":"1","checklist":"other"}}"# + "\n"
                + #"{"tag":"feed.show"}"# + "\n", to: "other.ndjson")
        try tool.write("{}", to: "none.json")
        try tool.write(#"{"show": []}"#, to: "show.json")
        try await body(tool)
    }

    @Test(
        "`verify` exits with 2 when nothing was judged",
        arguments: [
            ["--checklist", "steps.md", "--events", "one.ndjson"],
            ["--checklist", "all/list.md", "--events", "one.ndjson", "--scenario", "steps", "--persona", "plan=paid"],
            ["--checklist", "all/list.md", "--events", "one.ndjson", "--scenario", "feed", "--persona", "plan=paid"],
            ["--checklist", "all/list.md", "--events", "one.ndjson", "--shard", "4/4"],
            [
                "--checklist", "all/list.md", "--events", "one.ndjson", "--definitions", "defs", "--changed-since",
                "defs",
            ],
            ["--checklist", "all/list.md", "--events", "empty.ndjson", "--persona", "plan=paid"],
            ["--checklist", "all/list.md", "--events", "other.ndjson", "--persona", "plan=paid"],
            ["--checklist", "all", "--checklist", "steps.md", "--events", "one.ndjson", "--persona", "plan=paid"],
            ["--fixture", "none.json", "--events", "one.ndjson", "--listed-only"],
            ["--fixture", "none.json", "--events", "empty.ndjson"],
            ["--fixture", "show.json", "--events", "empty.ndjson"],
        ])
    func nothingJudgedFails(arguments: [String]) async throws {
        try await withTool { tool in
            let result = try await tool.run(["verify"] + arguments)
            #expect(result.status == 2, "\(result)")
            #expect(result.output.contains("nothing judged"), "\(result)")
            #expect(result.errors.hasSuffix("error: nothing was judged: no record decides any of what was chosen\n"))
            let json = try await tool.run(["verify"] + arguments + ["--json", "--junit", "out.xml"])
            #expect(json.status == 2)
            #expect(json.output.contains(#""passed":false,"result":"nothing_judged""#), "\(json)")
            let junit = try String(contentsOf: tool.directory.appending(path: "out.xml"), encoding: .utf8)
            #expect(junit.contains("<error "), "\(junit)")
            let markdown = try await tool.run(["verify"] + arguments + ["--markdown"])
            #expect(markdown.status == 2)
        }
    }

    /// It used to pass beside an item that passes, in a recording of other people's tags.
    @Test(
        "An item that the recording makes doubtful is not judged",
        arguments: [
            "- [ ] never feed.show where Tab = \"home\"", "- [ ] never feed.show where message matches /fail/",
            "- [ ] never feed.show where level = \"error\"", "- [ ] feed.show exactly 1 per nope",
            "- [ ] never feed.show where id = \"1\"", "- [ ] never feed.tap after feed.show within 1s",
            "- [ ] feed.show before feed.tap within 1s", "- [ ] [Amplitude] Page Viewed", "- [ ] $pageview fires",
            "- [ ] iOS: login", "- [ ] no login", "- [ ] Must not send feed.show", "- [ ] never \"`login`\"",
        ])
    func doubtfulItemIsNotJudged(item: String) async throws {
        try await withTool { tool in
            let lines = ["feed.show", "feed.tap", "login", "$pageview", "[Amplitude] Page Viewed"].map { tag in
                #"{"tag":"\#(tag)","level":9,"message":"fail","attributes":{"id":1,"tab":"home"}}"# + "\n"
            }
            try tool.write(lines.joined(), to: "all.ndjson")
            try tool.write("# u\n\n## s\n- [ ] feed.show\n\(item)\n", to: "u.md")
            let result = try await tool.run("verify", "--checklist", "u.md", "--events", "all.ndjson")
            #expect(result.status == 1, "\(result)")
            #expect(result.output.contains("(u.md:5:7)") && result.output.contains("1 not judged"), "\(result)")
            let markdown = try await tool.run("verify", "--checklist", "u.md", "--events", "all.ndjson", "--markdown")
            #expect(markdown.status == 1 && markdown.output.contains("- [ ] " + item.dropFirst(6)), "\(markdown)")
        }
    }

    @Test(
        "With definitions, a condition that can never hold is an error",
        arguments: [
            "never feed.show where note_id = \"1\"", "never feed.show where note_id > true",
            "feed.show where tab = 3 at most 1",
            "never feed.show where _level >= \"error\"", "never daybook.nope", "feed.show\n    - note_id = \"1\"",
            "feed.show\n    - `note_id`: 7",
        ])
    func refusesImpossibleItems(item: String) async throws {
        try await withTool { tool in
            try tool.write(
                "# feed\n\nThe feed.\n\n## show\n\nThe feed came.\n\n- note_id: !bigint\n- tab: !string\n",
                to: "defs/feed.md")
            try tool.write("# u\n\n## s\n- [ ] \(item)\n", to: "u.md")
            let result = try await tool.run(
                "verify", "--checklist", "u.md", "--events", "one.ndjson", "--definitions", "defs")
            #expect(result.status == 2, "\(result)")
            #expect(result.errors.contains("u.md:\(item.contains("\n") ? 5 : 4):"), "\(result)")
        }
    }

    @Test(
        "Comparing or validating empty recordings exits with 2",
        arguments: ["", "\n", #"{"kind":"run","tag":"run.start","attributes":{"run":"1"}}"# + "\n"])
    func emptyRecordingsFail(text: String) async throws {
        try await withTool { tool in
            try tool.write(text, to: "a.ndjson")
            let compared = try await tool.run("compare", "a.ndjson", "empty.ndjson")
            #expect(compared.status == 2 && compared.output == "nothing compared\n", "\(compared)")
            #expect(compared.errors == "error: nothing was compared: neither recording has a record\n")
            #expect(try await tool.run("compare", "a.ndjson", "one.ndjson").status == 1)
            let validated = try await tool.run("definitions", "validate", "defs", "--events", "a.ndjson")
            #expect(validated.status == 2, "\(validated)")
            #expect(validated.errors == "error: nothing was judged: a.ndjson has no event\n")
            #expect(try await tool.run("definitions", "validate", "defs", "--events", "one.ndjson").status == 0)
        }
    }

    @Test(
        "`verify` passes when the items that were judged pass",
        arguments: [
            ["--checklist", "all/list.md", "--events", "one.ndjson", "--persona", "plan=paid"],
            ["--checklist", "all/list.md", "--events", "one.ndjson", "--persona", "plan=paid", "--shard", "3/3"],
            ["--fixture", "show.json", "--events", "tap.ndjson", "--listed-only"],
        ])
    func partlyJudgedPasses(arguments: [String]) async throws {
        try await withTool { tool in
            try tool.write(#"{"tag":"feed.tap"}"# + "\n", to: "tap.ndjson")
            let result = try await tool.run(["verify"] + arguments)
            #expect(result.status == 0, "\(result)")
        }
    }

    @Test("A manual step that names an event is counted with a warning") func countsEventSteps() async throws {
        try await withTool { tool in
            try tool.write("# u\n- [ ] Look at feed.show\n- [ ] feed.show\n", to: "steps.md")
            let result = try await tool.run(
                "verify", "--checklist", "steps.md", "--events", "one.ndjson", "--definitions", "defs")
            #expect(result.status == 0)
            #expect(result.output.hasSuffix("1 ok, 0 failed, 1 manual (1 names an event)\n"), "\(result)")
            #expect(
                result.errors == "steps.md:2:7: warning: names the event `feed.show`, which it does not judge\n")
        }
    }
}
