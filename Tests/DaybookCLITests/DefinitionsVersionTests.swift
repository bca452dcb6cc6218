import DaybookTestTraits
import Testing

/// Commands that generate from definitions or compare two versions of them.
@Suite(.temporaryDirectory) struct DefinitionsVersionTests {
    private let tool = Tool()

    init() throws {
        let old = "# feed\n\nArticles.\n\n## show\n\nShown.\n\n- article_id: !bigint\n"
        try tool.write(old, to: "old/feed.md")
        try tool.write(old + "- position: !integer\n", to: "new/feed.md")
    }

    @Test("`definitions diff` reports whom a change breaks") func diffFindsBreakingChanges() async throws {
        let result = try await tool.run("definitions", "diff", "old", "new")
        #expect(result.status == 1)
        #expect(result.output.contains("position"))
        #expect(try await tool.run("definitions", "diff", "old", "old").status == 0)
        let json = try await tool.run("definitions", "diff", "--format", "json", "--fail-on", "none", "old", "new")
        #expect(json.status == 0)
        #expect(json.output.hasPrefix("{"))
        #expect(try await tool.run("definitions", "diff", "old").status == 2)
        #expect(try await tool.run("definitions", "diff", "old", "nowhere").status == 2)
    }

    @Test("`definitions migrate` adds new columns") func migrationAddsColumns() async throws {
        let result = try await tool.run(
            "definitions", "migrate", "--from", "old", "--to", "new", "--dialect", "postgresql", "--shape", "tables")
        #expect(result.status == 0, "\(result.errors)")
        #expect(result.output.contains("ADD COLUMN"), "\(result.output)")
        #expect(result.output.contains("position"))
        let dialect = try await tool.run(
            "definitions", "migrate", "--from", "old", "--to", "new", "--dialect", "oracle")
        #expect(dialect.status == 2)
    }

    @Test("The Swift dictionary covers the whole project") func generatesSwiftDictionary() async throws {
        let command = ["definitions", "generate", "swift-dictionary"]
        #expect(try await tool.run(command + ["new"]).status == 2)
        try tool.write(#"{"definitions": ["new"]}"#, to: "daybook.json")
        let printed = try await tool.run(command)
        #expect(printed.status == 0, "\(printed.errors)")
        #expect(printed.output.contains("File(\"new/feed.md\", "), "\(printed.output)")
        #expect(try await tool.run(command + ["--output", "out", "--check"]).status == 1)
        #expect(try await tool.run(command + ["--output", "out"]).status == 0)
        #expect(try tool.contents(of: "out/LogDictionary.swift") == printed.output)
        #expect(try await tool.run(command + ["--output", "out", "--check"]).status == 0)
    }

    @Test(
        "Every generator prints, writes and checks its output",
        arguments: [
            (["kotlin", "--package", "app.log"], "LogDefinitions.kt", "package app.log"),
            (["sql", "--dialect", "sqlite"], "sqlite.sql", "feed__show"),
            (["strdef"], "activity_log.strdef", "article_id"),
            (["json"], "dictionary.json", "\"feed\""),
        ])
    func generatorsPrintAndCheck(words: [String], file: String, part: String) async throws {
        let command = ["definitions", "generate"] + words
        let printed = try await tool.run(command + ["new"])
        #expect(printed.status == 0, "\(printed.errors)")
        #expect(printed.output.contains(part), "\(printed.output)")
        #expect(try await tool.run(command + ["--output", "out", "--check", "new"]).status == 1)
        #expect(try await tool.run(command + ["--output", "out", "new"]).status == 0)
        #expect(try tool.contents(of: "out/" + file) == printed.output)
        #expect(try await tool.run(command + ["--output", "out", "--check", "new"]).status == 0)
        #expect(try await tool.run(command + ["--output", "out", "--check", "old"]).status == 1)
    }
}
