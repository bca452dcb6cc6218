import Foundation
import Testing

/// `daybook verify` exits with 2 where nothing is judged, whatever it was asked for.
@Suite struct NothingJudgedCommandTests {
    private static let definitions =
        "# feed\n\nThe feed.\n\n## show\n\nThe feed came.\n\n## tap\n\nA tap.\n"

    private func withTool(_ body: (Tool) async throws -> Void) async throws {
        let tool = try Tool()
        defer { tool.remove() }
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

    @Test(arguments: [
        ["--checklist", "steps.md", "--events", "one.ndjson"],
        ["--checklist", "all/list.md", "--events", "one.ndjson", "--scenario", "steps", "--persona", "plan=paid"],
        ["--checklist", "all/list.md", "--events", "one.ndjson", "--scenario", "feed", "--persona", "plan=paid"],
        ["--checklist", "all/list.md", "--events", "one.ndjson", "--shard", "4/4"],
        ["--checklist", "all/list.md", "--events", "one.ndjson", "--definitions", "defs", "--changed-since", "defs"],
        ["--checklist", "all/list.md", "--events", "empty.ndjson", "--persona", "plan=paid"],
        ["--checklist", "all/list.md", "--events", "other.ndjson", "--persona", "plan=paid"],
        ["--checklist", "all", "--checklist", "steps.md", "--events", "one.ndjson", "--persona", "plan=paid"],
        ["--fixture", "none.json", "--events", "one.ndjson", "--listed-only"],
        ["--fixture", "none.json", "--events", "empty.ndjson"],
        ["--fixture", "show.json", "--events", "empty.ndjson"],
    ])
    func nothingJudgedIsNoPass(arguments: [String]) async throws {
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

    @Test(arguments: ["", "\n", #"{"kind":"run","tag":"run.start","attributes":{"run":"1"}}"# + "\n"])
    func withoutARecordNothingIsComparedOrValidated(text: String) async throws {
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

    @Test(arguments: [
        ["--checklist", "all/list.md", "--events", "one.ndjson", "--persona", "plan=paid"],
        ["--checklist", "all/list.md", "--events", "one.ndjson", "--persona", "plan=paid", "--shard", "3/3"],
        ["--fixture", "show.json", "--events", "tap.ndjson", "--listed-only"],
    ])
    func whatIsJudgedBesideItPasses(arguments: [String]) async throws {
        try await withTool { tool in
            try tool.write(#"{"tag":"feed.tap"}"# + "\n", to: "tap.ndjson")
            let result = try await tool.run(["verify"] + arguments)
            #expect(result.status == 0, "\(result)")
        }
    }

    @Test func stepThatNamesAnEventIsPrintedAndCounted() async throws {
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
