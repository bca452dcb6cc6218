import DaybookAPI
import DaybookStore
import DaybookTestTraits
import DaybookTesting
import DaybookTrials
import Foundation
import Testing

@testable import DaybookInspector

@Suite(.temporaryDirectory) struct BoardTests {
    private let folder = TemporaryDirectory.current.path

    private static let markdown = """
        # Search

        How people find recipes.

        ## Searches a day

        ```sql chart=line x=day y="a b,c" series=version
        SELECT 1
        ```

        ```text
        ```sql is no statement here
        ```

        ## Nothing found

        ```filter
        tag=recipe_search.no_results
        ```
        """

    @Test("Parses the blocks of a board in order") func parsesBoardInOrder() {
        let (board, problems) = BoardParser.parse(Self.markdown, file: "LogBoards/search.md")
        #expect(problems == [])
        #expect(board.id == "search")
        #expect(board.title == "Search")
        var chart = Board.Chart()
        (chart.kind, chart.x, chart.y, chart.series) = (.line, "day", ["a b", "c"], "version")
        #expect(
            board.blocks.map(\.content) == [
                .prose("How people find recipes."), .heading, .sql("SELECT 1", chart),
                .prose("```text\n```sql is no statement here\n```"), .heading, .filter("tag=recipe_search.no_results"),
            ])
        #expect(
            board.blocks.map(\.title) == [
                "Search", "Searches a day", "Searches a day", "Searches a day", "Nothing found", "Nothing found",
            ])
        #expect(board.blocks.map(\.line) == [3, 5, 7, 11, 15, 17])
    }

    @Test(
        "Reports each mistake in a board with its location",
        arguments: [
            ("", "1:1: error: a board begins with its title, `# …`"),
            ("Words\n# A\n", "1:1: error: a board begins with its title, `# …`"),
            ("# A\n# B\n", "2:1: error: a second `# Title`; a file is one board, its parts are `## …`"),
            ("# A\n```{sql}\nSELECT 1\n```", "2:4: error: a block is ```sql, not ```{sql}"),
            ("# A\n```{.sql}\nSELECT 1\n```", "2:4: error: a block is ```sql, not ```{.sql}"),
            ("# A\n```sql, echo=FALSE\nSELECT 1\n```", "2:4: error: a block is ```sql, not ```sql,"),
            ("# A\n\n##  \n", "3:1: error: a heading without words"),
            (
                "# A\n```sql chrt=line\nSELECT 1\n```",
                "2:8: error: a block has no setting `chrt` (did you mean `chart`?)"
            ),
            (
                "# A\n```sql chart=pie\nSELECT 1\n```",
                "2:14: error: `chart` is one of table, line, area, bar, number, not `pie`"
            ),
            ("# A\n```sql chart=bar chart=bar\nSELECT 1\n```", "2:18: error: `chart` is given twice"),
            ("# A\n```sql chart=bar x=\nSELECT 1\n```", "2:18: error: `x` has no value"),
            (
                "# A\n```sql chart=bar y=\"a b\nSELECT 1\n```",
                "2:20: error: the quotation mark that begins here has no end"
            ),
            (
                "# A\n```sql line\nSELECT 1\n```",
                "2:8: error: a setting is `name=value`, such as `chart=line`, not `line`"
            ),
            ("# A\n```sql x=day\nSELECT 1\n```", "2:8: error: `x` is for a chart; say which, such as `chart=line`"),
            ("# A\n```sql\n\n```", "2:1: error: the statement is empty"),
            ("# A\n```filter\na=b\nc=d\n```", "2:1: error: a filter is one line; write a block for each"),
            ("# A\n```filter x=y\na=b\n```", "2:11: error: a filter has no settings"),
            (
                "# A\n```sql\nSELECT 1",
                "2:1: error: the code block that begins here has no end (close it with ``` on a line of its own)"
            ),
        ])
    func locatesBoardMistakes(_ text: String, _ problem: String) {
        #expect(BoardParser.parse(text, file: "b.md").problems.map(\.description) == ["b.md:" + problem])
    }

    @Test(
        "Locates mistakes within a board's filter",
        arguments: [
            ("level>=eror", 1), ("last:2x", 1), ("(a=b", 1), ("a=b OR", 1), ("message:\"x", 1),
            ("tag=a.b level>=eror", 9),
            ("?filter=level%3E%3Deror", 0), ("#/history?levl=error", 0), ("level=eror", 0), ("kind=nope", 0),
            ("since=yesterday", 0), ("?filter=%zz", 0), ("?q=boom", 0),
        ])
    func locatesFilterMistakes(_ filter: String, _ column: Int) throws {
        for (indent, marks) in ["", "  "].flatMap({ indent in ["```", "~~~~"].map { (indent, $0) } }) {
            let text = "# A\n\n\(indent)\(marks)filter\n\n\(indent) \(filter)\n\(indent)\(marks)\n"
            let found = BoardParser.parse(text, file: "b.md").problems
            #expect(found.count == 1 && found[0].location.line == 5, "\(filter): \(found)")
            // The filter's own place in the line, behind what it is indented by.
            #expect(
                try #require(found.first).location.column >= indent.count + 1 + max(column, 1), "\(filter): \(found)")
        }
    }

    @Test(
        "A board accepts every filter that the history does",
        arguments: [
            "level>=error", "last:2h", "a=b OR c=d", "order=popular", "egg", "message:what?",
            "url=\"https://a.b/c?d=e\"",
            "level=error", "kind=error,event&level=warning", "since=2026-11-20T10:00:00Z", "tag=a.*&version=1.2",
            "?filter=level%3E%3Derror+last%3A2h&sort=time", "#/history?tag=a.b", "https://logs.example/#/history?run=7",
            "violations=1",
        ])
    func acceptsHistoryFilters(_ filter: String) {
        let (board, problems) = BoardParser.parse("# A\n```filter\n\(filter)\n```\n", file: "b.md")
        #expect(problems == [] && board.blocks.map(\.content) == [.filter(filter)])
    }

    @Test(
        "A misspelt block language is an error with a suggestion",
        arguments: [
            "sqll", "sqls", "qsl", "slq", "SQLL", "sqlite", "{sqll}", "filters", "fliter", "filtr", ".filter",
        ])
    func suggestsBlockLanguage(_ word: String) {
        let meant = word.lowercased().contains("f") ? "filter" : "sql"
        let good = "```sql\nSELECT 1\n```\n"
        let found = BoardParser.parse("# A\n\(good)\n```\(word) chart=bar\nSELECT 1\n```\n\(good)", file: "b.md")
            .problems
        #expect(found.map(\.description) == ["b.md:6:4: error: a block is ```\(meant), not ```\(word)"])
    }

    @Test(
        "A block inside a quotation or list is an error", arguments: ["> ", ">", "- ", "  * ", "1. ", "> > ", "> - "],
        ["```sql", "~~~sql chart=bar", "```filter", "```sqll"])
    func refusesNestedBlocks(_ sign: String, _ fence: String) {
        let found = BoardParser.parse("# A\n\n\(sign)\(fence)\n\(sign)SELECT 1\n\(sign)```\n", file: "b.md").problems
        #expect(found.count == 1, "\(found)")
        #expect(
            found.first?.description.contains(":3:\(sign.count + 1): error: a block is no part of a quotation") == true,
            "\(found)")
    }

    @Test(
        "Code in another language counts as prose",
        arguments: ["swift", "text", "kql", "gql", "sh", "json", "html", "", "mermaid", "solidity"])
    func otherCodeIsProse(_ word: String) {
        #expect(BoardParser.parse("# A\n```\(word)\nx\n```\n> ```\(word)\n> x\n", file: "b.md").problems == [])
    }

    @Test("Reports every mistake and limits a board's blocks and size") func boundsBoards() {
        let text = "# A\n```sql chrt=line x\nSELECT 1\n```\n# B\n"
        #expect(BoardParser.parse(text, file: "b.md").problems.map(\.location.line) == [2, 2, 5])
        let many = "# A\n" + String(repeating: "```sql\nSELECT 1\n```\n", count: BoardParser.mostBlocks + 1)
        let (board, problems) = BoardParser.parse(many, file: "b.md")
        #expect(problems.map(\.description) == ["b.md:152:1: error: a board has at most 50 statements and filters"])
        #expect(board.blocks.count == BoardParser.mostBlocks)
        let long = "# A\n" + String(repeating: "x", count: BoardParser.longestFile)
        #expect(BoardParser.parse(long, file: "b.md").problems.map(\.message) == ["a board has at most 256 KiB"])
    }

    @Test(
        "A saved block reads back with its statement and chart",
        arguments: ["SELECT 1", "SELECT '\n```\n'", "SELECT\n  ````x", "-- `x`\nSELECT 2"])
    func savedBlockRoundTrips(_ sql: String) {
        var chart = Board.Chart()
        (chart.kind, chart.x, chart.y) = (.bar, "the day", ["a", "b"])
        let text = "# A\n\n" + Board.text(title: "T", sql: sql, chart: chart)
        let (board, problems) = BoardParser.parse(text, file: "b.md")
        #expect(problems == [])
        #expect(board.blocks.last?.content == .sql(sql, chart))
    }

    @Test("Saves a statement to a board and undoes it") func savesAndUndoesBlock() async throws {
        // The folder is created for the first board.
        let bench = Bench(boards: BoardFolder(folder + "/LogBoards"))
        let body = #"{"title":"A day","board":"Search","sql":"SELECT 1;\n","chart":"line","x":"day","y":"n"}"#
        let saved = await bench.send("POST", "/api/v1/boards/search/blocks", body: body)
        #expect(try saved.data()["file"] == "\(folder)/LogBoards/search.md")
        let file = URL(fileURLWithPath: folder + "/LogBoards/search.md")
        let first = try String(contentsOf: file, encoding: .utf8)
        #expect(first == "# Search\n\n## A day\n\n```sql chart=line x=day y=n\nSELECT 1\n```\n")
        let again = await bench.send(
            "POST", "/api/v1/boards/search/blocks", body: #"{"title":"More","sql":"SELECT 2"}"#)
        #expect(again.status == 200)
        #expect(try String(contentsOf: file, encoding: .utf8) == first + "\n## More\n\n```sql\nSELECT 2\n```\n")
        let boards = try await bench.send("GET", "/api/v1/boards").data()["boards"].list
        let blocks = boards?.first?["blocks"].list
        #expect(blocks?.map { $0["kind"] } == ["heading", "sql", "heading", "sql"])
        #expect(blocks?.compactMap { $0["sql"].text } == ["SELECT 1", "SELECT 2"])
        let undone = await bench.send("POST", "/api/v1/boards/search/blocks/undo")
        #expect(undone.status == 200)
        #expect(try String(contentsOf: file, encoding: .utf8) == first)
        let renamed = #"{"title":"X","board":"Serach","sql":"SELECT 3"}"#
        let misnamed = await bench.send("POST", "/api/v1/boards/search/blocks", body: renamed)
        #expect(misnamed.status == 400 && misnamed.text.contains("is the board “Search”"), "\(misnamed.text)")
        // What someone else has written since stays.
        let other = await bench.send("POST", "/api/v1/boards/search/blocks", body: #"{"title":"X","sql":"SELECT 3"}"#)
        #expect(other.status == 200)
        try (String(contentsOf: file, encoding: .utf8) + "\nBy hand.\n").write(
            to: file, atomically: true, encoding: .utf8)
        let refused = await bench.send("POST", "/api/v1/boards/search/blocks/undo")
        #expect(refused.status == 409)
        #expect(refused.text.contains("has been changed since"))
        #expect(try String(contentsOf: file, encoding: .utf8).hasSuffix("By hand.\n"))
    }

    /// The file comes from one system, the page from another.
    @Test("A new block uses the line endings of its file", arguments: ["\n", "\r\n"], ["\\n", "\\r\\n"])
    func keepsBoardLineEndings(
        own: String, sent: String
    ) async throws {
        let bench = Bench(boards: BoardFolder(folder))
        let before = ["# A", "", "```sql", "SELECT 1", "```", ""].joined(separator: own)
        try Data(before.utf8).write(to: URL(fileURLWithPath: folder + "/a.md"))
        let saved = await bench.send(
            "POST", "/api/v1/boards/a/blocks", body: #"{"title":"B","sql":"SELECT\#(sent)2"}"#)
        #expect(saved.status == 200, "\(saved.text)")
        let after = ["", "## B", "", "```sql", "SELECT", "2", "```", ""].joined(separator: own)
        #expect(try Data(contentsOf: URL(fileURLWithPath: folder + "/a.md")) == Data((before + after).utf8))
        #expect(await bench.send("POST", "/api/v1/boards/a/blocks/undo").status == 200)
        #expect(try Data(contentsOf: URL(fileURLWithPath: folder + "/a.md")) == Data(before.utf8))
    }

    @Test(
        "Does not write a block that would make the board invalid",
        arguments: [
            ("search", #"{"title":"","sql":"SELECT 1"}"#, "“title” is empty"),
            ("search", #"{"title":"A","sql":"  "}"#, "“sql” is empty"),
            ("search", #"{"title":"A","sql":"SELECT 1","chart":"pie"}"#, "chart is one of"),
            ("search", #"{"title":"A\nB","sql":"SELECT 1"}"#, "one line"),
            ("search", #"{"title":"A","sql":"SELECT 1","chart":"bar","x":"a\"b"}"#, "quotation marks"),
            ("..%2Fx", #"{"title":"A","sql":"SELECT 1"}"#, "A board's name has letters"),
            (".hidden", #"{"title":"A","sql":"SELECT 1"}"#, "A board's name has letters"),
            ("search", "{}", "“title” is missing"), ("search", "[]", "The body is a JSON object"),
            ("search", #"{"title":"A","sql":"SELECT 1","x":"day"}"#, "“x” is for a chart"),
            ("search", #"{"title":"A","sql":"SELECT 1","chart":"table","series":"v"}"#, "“series” is for a chart"),
        ])
    func refusesInvalidBlock(_ id: String, _ body: String, _ message: String) async throws {
        let bench = Bench(boards: BoardFolder(folder))
        let response = await bench.send("POST", "/api/v1/boards/\(id)/blocks", body: body)
        #expect(response.status == 400)
        #expect(response.text.contains(message), "\(response.text)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == [])
    }

    @Test("A board with a mistake is shown but not written to") func faultyBoardIsReadOnly() async throws {
        let text = "# A\n```sql chrt=line\nSELECT 1\n```\n"
        try text.write(toFile: folder + "/a.md", atomically: true, encoding: .utf8)
        let bench = Bench(boards: BoardFolder(folder))
        let boards = try await bench.send("GET", "/api/v1/boards").data()["boards"].list
        #expect(boards?.first?["problems"][0].text?.contains("a.md:2:8: error:") == true)
        let response = await bench.send("POST", "/api/v1/boards/a/blocks", body: #"{"title":"B","sql":"SELECT 2"}"#)
        #expect(response.text.contains("fix it first"))
        #expect(try String(contentsOfFile: folder + "/a.md", encoding: .utf8) == text)
    }

    @Test("An inspector without a folder has no boards") func noFolderMeansNoBoards() async throws {
        let data = try await Bench().send("GET", "/api/v1/boards").data()
        #expect(data["writable"] == false)
        #expect(data["boards"] == [])
        let response = await Bench().send("POST", "/api/v1/boards/a/blocks", body: #"{"title":"B","sql":"SELECT 2"}"#)
        #expect(try response.code() == "bad_request")
    }
}
