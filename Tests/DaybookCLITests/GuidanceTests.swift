import DaybookTestTraits
import Testing

@testable import DaybookCLI

/// Messages for someone about to get stuck.
@Suite(.temporaryDirectory) struct GuidanceTests {
    private let tool = Tool()

    @Test(
        "The printed address is one that clients can open",
        arguments: [
            ("127.0.0.1:4318", ["logs.example"], "127.0.0.1:4318"),
            ("0.0.0.0:14443", ["logs.example"], "logs.example:14443"),
            ("0.0.0.0:14443", ["logs.example:443"], "logs.example:443"), ("[::]:4318", [], "localhost:4318"),
        ])
    func printsReachableAddress(_ endpoint: String, _ names: [String], _ expected: String) {
        #expect(Service.reachable(endpoint, names: names) == expected)
    }

    @Test("Finds a package target's definitions and explains Git revisions") func findsPackageDefinitions() async throws
    {
        try tool.write("# feed\n\n## show\n\nShown\n", to: "Sources/App/LogDefinitions/feed.md")
        #expect(try await tool.run("definitions", "check").status == 0)
        #expect(try await tool.run("definitions", "dump").output.contains("show"))
        let diff = try await tool.run("definitions", "diff", "Sources/App/LogDefinitions", "HEAD")
        #expect(diff.errors.contains("a revision is written git:HEAD"), "\(diff)")
    }

    @Test("`serve --print-config` prints the project's folders") func printsProjectFolders() async throws {
        try tool.write(#"{"checklists":"LogChecklists"}"#, to: "daybook.json")
        try tool.write("# feed\n\n## show\n\nShown\n", to: "LogDefinitions/feed.md")
        try tool.write("- [ ] feed.show\n", to: "LogChecklists/a.md")
        let printed = try await tool.run("serve", "--print-config")
        #expect(printed.status == 0, "\(printed)")
        let line = printed.output.split(separator: "\n").first { $0.hasPrefix("checklists = ") }
        #expect(line?.contains("LogChecklists") == true && line?.contains("daybook.json") == true, "\(printed)")
    }
}
