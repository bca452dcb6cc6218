import DaybookTestTraits
import Foundation
import Testing

/// With nothing to read, a command exits with 2 and says what it looked for and where.
@Suite(.temporaryDirectory) struct NothingToDoTests {
    private let tool = Tool()

    /// Folders with nothing to read: an empty one, one of other files, and one with a misspelt extension.
    private static let folders = ["empty", "other", "misspelt"]

    private func withTool(_ body: (Tool) async throws -> Void) async throws {
        try FileManager.default.createDirectory(
            at: tool.directory.appending(path: "empty"), withIntermediateDirectories: true)
        try tool.write("hello\n", to: "other/notes.pdf")
        try tool.write("# a\n", to: "misspelt/a.mdx")
        try tool.write("# feed\n\n## show\n", to: "defs/feed.md")
        try tool.write("# feed\n", to: "eventless/feed.md")
        try tool.write("", to: "empty.ndjson")
        try tool.write("\u{FEFF}\n\n", to: "blank.ndjson")
        try tool.write(#"{"tag": "feed.show", "attributes": {"n": 1}}"# + "\n", to: "one.ndjson")
        #expect(try await tool.run("import", "--store", "s.sqlite", "one.ndjson").status == 0)
        try await body(tool)
    }

    @Test(
        "Every command rejects a folder without matching files",
        arguments: [
            (["boards", "check"], "has no file that ends in .md"),
            (["alerts", "check"], "has no file that ends in .md"),
            (["alerts", "run", "--store", "s.sqlite"], "has no file that ends in .md"),
            (["journal", "check"], "there is no journal here"), (["journal", "dump"], "there is no journal here"),
            (["definitions", "check"], "the folder has no definitions"),
            (["definitions", "dump"], "the folder has no definitions"), (["coverage"], "the folder has no definitions"),
            (["coverage", "defs", "--sources"], "has no file of source code"),
            (["verify", "--events", "one.ndjson", "--checklist"], "has no file that ends in .md"),
            (["verify", "--events", "one.ndjson", "--fixture"], "has no file that ends in .json"),
        ])
    func namesEmptyFolder(arguments: [String], words: String) async throws {
        try await withTool { tool in
            for folder in Self.folders {
                let result = try await tool.run(arguments + [folder])
                #expect(result.status == 2 && result.errors.contains("error: \(folder): \(words)"), "\(result)")
                #expect(result.output.isEmpty)
                let isMarkdown = words.hasSuffix(".md") || words.hasSuffix("definitions")
                #expect(result.errors.contains("misspelt/a.mdx") == (isMarkdown && folder == "misspelt"), "\(result)")
            }
        }
    }

    @Test("A folder with prose only has no alerts") func proseIsNoAlert() async throws {
        try await withTool { tool in
            try tool.write("These are our alerts.\n", to: "prose/README.md")
            for arguments in [["alerts", "check", "prose"], ["alerts", "run", "prose", "--store", "s.sqlite"]] {
                let result = try await tool.run(arguments)
                #expect(
                    result.status == 2 && result.errors.contains("prose: has no alert; one begins with"), "\(result)")
            }
        }
    }

    @Test("Commands report a recording without records", arguments: ["empty.ndjson", "blank.ndjson"])
    func namesEmptyRecording(file: String) async throws {
        try await withTool { tool in
            let result = try await tool.run("import", "--store", "new.sqlite", file)
            #expect(result.status == 2 && result.errors == "error: \(file): has no record\n", "\(result)")
            #expect(!FileManager.default.fileExists(atPath: tool.directory.appending(path: "new.sqlite").path))
            let fixtures = try await tool.run("fixtures", "import", "--definitions", "defs", file)
            #expect(fixtures.status == 2 && fixtures.errors.contains("error: nothing was converted"), "\(fixtures)")
            let coverage = try await tool.run("coverage", "defs", "--require", "fired", "--events", file)
            #expect(coverage.status == 1 && coverage.errors.contains("warning: \(file) has no event"), "\(coverage)")
        }
    }

    /// No event has reached a stage without data.
    @Test(
        "`coverage --require` demands data for its stage",
        arguments: [("fired", "--events FILE"), ("seen", "--store STORE")])
    func requiredStageNeedsData(stage: String, option: String) async throws {
        try await withTool { tool in
            for more in [[], ["--require", "called"], ["--json"]] {
                let result = try await tool.run(["coverage", "defs", "--require", stage] + more)
                #expect(result.status == 2 && result.errors.contains(option), "\(result)")
            }
            let none = try await tool.run("coverage", "eventless")
            #expect(none.status == 2 && none.errors.contains("no event in use is defined"), "\(none)")
        }
    }

    /// A name that matches nothing may be misspelt.
    @Test(
        "Notes when no record matches the conditions",
        arguments: [
            ["--tag", "feed.shwo"], ["--session", "nobody"], ["--installation", "x"], ["--filter", "n=2"],
            ["--level", "fatal"], ["--until", "2001-01-01T00:00:00Z"],
        ])
    func notesNoMatches(choice: [String]) async throws {
        try await withTool { tool in
            for command in [["export"], ["tail", "--no-follow"], ["breakdown", "tag"], ["breakdown", "n"]] {
                let result = try await tool.run(command + ["--store", "s.sqlite"] + choice)
                #expect(result.status == 0 && result.errors == "note: no record matches\n", "\(result)")
                #expect(try await tool.run(command + ["--store", "s.sqlite"]).errors.isEmpty)
            }
            let times = ["--since", "2026-01-02T00:00:00Z", "--until", "2026-01-01T00:00:00Z"]
            let never = try await tool.run(["export", "--store", "s.sqlite"] + times)
            #expect(never.status == 2 && never.errors.contains("--since is not before --until"), "\(never)")
        }
    }

    @Test(
        "Warns of a persona value that the checklist never mentions",
        arguments: [
            ("plan=fre", 2, "no persona and no `when` has \"fre\" as `plan` in list.md (did you mean \"free\"?)"),
            ("plna=free", 2, "no persona and no `when` has a column `plna` in list.md (did you mean plan?)"),
            ("plan=free2", 0, "warning: --persona plan=free2: no persona and no `when` has"),
            ("plan=staff", 0, "warning: --persona plan=staff: no persona and no `when` has \"staff\" as `plan`"),
            ("country=JP", 0, "warning: --persona country=JP: no persona and no `when` has a column `country`"),
            ("age=3", 0, ""), ("plan=trial", 0, ""), ("plan=free", 0, ""),
        ])
    func doubtsUnknownPersona(persona: String, status: Int32, words: String) async throws {
        try await withTool { tool in
            try tool.write(
                """
                # t

                | persona | plan | age |
                |---|---|---|
                | free | free | 1 |
                | paid | paid | |

                - [ ] feed.show
                - [ ] feed.trial when plan = "trial"
                - [ ] feed.grown when age >= 18

                """, to: "list.md")
            let own = persona.hasPrefix("plan") ? ["age=1"] : persona.hasPrefix("age") ? ["plan=free"] : ["free"]
            let result = try await tool.run(
                ["verify", "--checklist", "list.md", "--events", "one.ndjson", "--persona", persona]
                    + own.flatMap { ["--persona", $0] })
            #expect(words.isEmpty || result.errors.contains(words), "\(result)")
            #expect((result.status == 2) == (status == 2), "\(result)")
            #expect(!words.isEmpty || result.errors.isEmpty, "\(result)")
        }
    }
}
