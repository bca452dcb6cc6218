import DaybookBase
import DaybookTestTraits
import DaybookTrials
import Foundation
import Testing

@testable import DaybookCLI

@Suite(.timeLimit(.minutes(5)), .temporaryDirectory) struct BoardsCommandTests {
    private let tool = Tool()
    private let board = """
        # Search

        How people find.

        ## Searches

        ```sql chart=bar x=tag y=n
        SELECT tag, count(*) AS n, 'a|b' AS bar, NULL AS gap FROM records GROUP BY tag
        ```

        ```filter
        tag=a.b
        ```

        """

    private func prepare() async throws {
        try tool.write(board, to: "LogBoards/search.md")
        try tool.write("{}", to: "daybook.json")
        try tool.write("# a\n\n## b\n\n- mail: !string 64 [private]\n", to: "LogDefinitions/a.md")
        try tool.write(
            #"{"kind":"event","tag":"a.b","attributes":{"mail":"x@y.z"}}"# + "\n"
                + #"{"kind":"event","tag":"a.b","attributes":{"mail":"x@y.z"}}"# + "\n", to: "records.ndjson")
        let imported = try await tool.run("import", "--store", "s.sqlite", "records.ndjson")
        #expect(imported.status == 0, "\(imported)")
    }

    @Test("`boards check` rejects a file in place of a folder") func refusesBoardFile() async throws {
        try tool.write("# b\n", to: "b.md")
        let result = try await tool.run("boards", "check", "b.md")
        #expect(
            result.status == 2 && result.errors == "error: b.md: this is a file, not a folder of boards\n", "\(result)")
    }

    @Test("Checks a folder of boards alone and against a store") func checksBoards() async throws {
        try await prepare()
        let sound = try await tool.run("boards", "check", "LogBoards")
        #expect(sound.output == "LogBoards/search.md: Search: 1 statements\n", "\(sound)")
        // The default is the project's folder.
        #expect(try await tool.run("boards", "check", "--store", "s.sqlite").status == 0)
        try tool.write("# B\n```sql chrt=line\nSELECT 1\n```\n```sql\nDELETE FROM records\n```\n", to: "LogBoards/b.md")
        let wrong = try await tool.run("boards", "check", "LogBoards")
        #expect(wrong.status == 1)
        #expect(
            wrong.errors == """
                LogBoards/b.md:2:8: error: a block has no setting `chrt` (did you mean `chart`?)
                LogBoards/b.md:6:1: error: a statement must begin with SELECT or WITH: a store refuses statements that may write

                """)
        try tool.write(
            "# B\n```sql chart=line x=day\nSELECT 1 AS n\n```\n```sql\nSELECT gone FROM records\n```\n",
            to: "LogBoards/b.md")
        #expect(try await tool.run("boards", "check", "LogBoards").status == 0)
        let asked = try await tool.run("boards", "check", "LogBoards", "--store", "s.sqlite")
        #expect(asked.errors.contains("b.md:2:1: error: `x` names the column day, but the result has n\n"), "\(asked)")
        #expect(asked.errors.contains("b.md:5:1: error: ") && asked.errors.contains("gone"), "\(asked)")
        #expect(try await tool.run("boards", "check", "nowhere").status == 2)
    }

    @Test("Prints a board with its results in every format") func printsBoard() async throws {
        try await prepare()
        let markdown = try await tool.run("boards", "print", "search", "--store", "s.sqlite", "--format", "markdown")
        #expect(
            markdown.output == """
                # Search

                How people find.

                ## Searches

                | `tag` | `n` | `bar` | `gap` |
                | --- | ---: | --- | ---: |
                | `a.b` | 2 | `a\\|b` |  |

                `tag=a.b`

                """, "\(markdown)")
        let csv = try await tool.run("boards", "print", "LogBoards/search.md", "--store", "s.sqlite", "--format", "csv")
        #expect(csv.output == "# Searches\ntag,n,bar,gap\na.b,2,a|b,\n", "\(csv)")
        let text = try await tool.run("boards", "print", "search", "--store", "s.sqlite")
        #expect(text.output.hasPrefix("Search\n\nHow people find.\n\nSearches\n\ntag  n  bar  gap\n"), "\(text)")
        let json = try await tool.run("boards", "print", "search", "--store", "s.sqlite", "--format", "json")
        let object = try Value(json: json.output)
        let blocks = object["blocks"].list
        #expect(blocks?.count == 3)
        #expect(blocks?[1]["answer"]["columns"] == ["tag", "n", "bar", "gap"])
    }

    @Test("A printed board masks private values and survives a failing block") func boardMasksValues() async throws {
        try await prepare()
        try tool.write(
            "# B\n```sql\nSELECT attributes ->> '$.mail' AS mail FROM records LIMIT 1\n```\n```sql\nSELECT gone FROM records\n```\n",
            to: "LogBoards/b.md")
        let masked = try await tool.run("boards", "print", "b", "--store", "s.sqlite", "--format", "csv")
        #expect(masked.status == 1)
        #expect(!masked.output.contains("x@y.z") && masked.output.contains("mail"), "\(masked)")
        #expect(masked.errors.contains("b.md:5: "), "\(masked)")
        // What a statement computes from a private value is masked too.
        try tool.write(
            "# C\n```sql\nSELECT upper(attributes ->> '$.mail') AS m FROM records LIMIT 1\n```\n", to: "LogBoards/c.md")
        let computed = try await tool.run("boards", "print", "c", "--store", "s.sqlite", "--format", "csv")
        #expect(computed.status == 0 && !computed.output.lowercased().contains("x@y.z"), "\(computed)")
        let shown = try await tool.run(
            "boards", "print", "b", "--store", "s.sqlite", "--format", "csv", "--show-private")
        #expect(shown.output.contains("x@y.z"))
        #expect(try await tool.run("boards", "print", "b", "--format", "pdf").status == 2)
    }
}
