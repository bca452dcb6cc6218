import DaybookProcesses
import DaybookTestTraits
import DaybookTrials
import Foundation
import Testing

@Suite(.temporaryDirectory) struct QueryCommandTests {
    private let tool = Tool()

    @Test("`query` rejects statements that write") func queryRefusesWrites() async throws {
        let serve = try tool.start("serve", "--port", "0", "--store", "sqlite:r.sqlite")
        _ = try await serve.line(beginning: "Inspector: ")
        serve.end()
        for statement in ["DELETE FROM records", "ATTACH 'x.sqlite' AS x", "PRAGMA user_version = 9", "VACUUM"] {
            let result = try await tool.run("query", "--store", "sqlite:r.sqlite", statement)
            #expect(result.status == 2, "\(statement)")
            #expect(result.errors.hasPrefix("error: "), "\(result.errors)")
        }
    }

    @Test("`query` rejects a missing store without creating it") func queryCreatesNoStore() async throws {
        let result = try await tool.run("query", "--store", "sqlite:none.sqlite", "SELECT 1")
        #expect(result.status == 2)
        #expect(result.errors.hasPrefix("error: There is no store none.sqlite. "))
        #expect(throws: (any Error).self) { try tool.contents(of: "none.sqlite") }
    }

    @Test("`query` names an unknown kind of store") func namesUnknownStoreKind() async throws {
        let result = try await tool.run("query", "--store", "oracle://x", "SELECT 1")
        #expect(result.status == 2)
        #expect(result.errors.contains("`oracle`"))
    }

    @Test("A truncated result says which limit it met") func explainsTruncation() async throws {
        try tool.write(#"{"tag": "a.b"}"#, to: "a.ndjson")
        _ = try await tool.run("import", "a.ndjson", "--store", "s.sqlite")
        let numbers = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c LIMIT 20)"
        let rows = try await tool.run("query", "--store", "s.sqlite", "--limit", "3", "\(numbers) SELECT x FROM c")
        #expect(rows.errors == "only the first 3 rows; --limit gives more, up to 1000000\n")
        let bytes = try await tool.run(
            "query", "--store", "s.sqlite", "--format", "csv", "\(numbers) SELECT hex(zeroblob(500000)) FROM c")
        #expect(bytes.errors.hasPrefix("only the first 16 rows, because a result has at most 16 MiB"))
        #expect(bytes.status == 0)
    }

    @Test("A statement may begin with a comment") func acceptsLeadingComment() async throws {
        try tool.write(#"{"tag": "a.b"}"#, to: "a.ndjson")
        _ = try await tool.run("import", "a.ndjson", "--store", "s.sqlite")
        let result = try await tool.run("query", "--store", "s.sqlite", "--format", "csv", "-- One.\nSELECT 1 AS n")
        #expect(result.output == "n\n1\n")
    }

    @Test("Prints all columns that share a name") func printsDuplicateColumns() async throws {
        try tool.write(#"{"tag": "a.b"}"#, to: "a.ndjson")
        _ = try await tool.run("import", "a.ndjson", "--store", "s.sqlite")
        for (format, expected) in [
            ("ndjson", "{\"n\":1,\"n_2\":2,\"n_2_2\":3,\"n_3\":4}\n"), ("csv", "n,n,n_2,n\n1,2,3,4\n"),
            ("json", "{\"columns\":[\"n\",\"n\",\"n_2\",\"n\"],\"rows\":[[1,2,3,4]],\"truncated\":false}\n"),
        ] {
            let result = try await tool.run(
                "query", "--store", "s.sqlite", "--format", format, "SELECT 1 AS n, 2 AS n, 3 AS n_2, 4 AS n")
            #expect(result.output == expected)
        }
    }

    @Test("Escapes control characters in column names") func escapesColumnNames() async throws {
        try tool.write(#"{"tag": "a.b"}"#, to: "a.ndjson")
        _ = try await tool.run("import", "a.ndjson", "--store", "s.sqlite")
        let result = try await tool.run("query", "--store", "s.sqlite", "SELECT 1 AS \"a\nb\u{1B}[1m\"")
        #expect(result.output.split(separator: "\n").count == 3)
        #expect(!result.output.contains("\u{1B}"))
    }

    @Test("CSV keeps values unchanged unless `--spreadsheet` makes them safe") func csvIsSafeOnRequest() async throws {
        try tool.write(#"{"tag": "a.b"}"#, to: "a.ndjson")
        _ = try await tool.run("import", "a.ndjson", "--store", "s.sqlite")
        let statement = "SELECT '=SUM(1)' AS a, '-5' AS b, '' AS empty, NULL AS none, -5 AS n"
        let raw = try await tool.run("query", "--store", "s.sqlite", "--format", "csv", statement)
        #expect(raw.output == "a,b,empty,none,n\n=SUM(1),-5,\"\",,-5\n")
        let wide = try await tool.run(
            "query", "--store", "s.sqlite", "--format", "csv", "--spreadsheet",
            "SELECT '＝1' AS a, '＋1' AS b, '－1' AS c, '＠x' AS d, char(10) || '=1' AS e")
        #expect(wide.output == "a,b,c,d,e\r\n'＝1,'＋1,'－1,'＠x,\"'\n=1\"\r\n")
        let safe = try await tool.run("query", "--store", "s.sqlite", "--format", "csv", "--spreadsheet", statement)
        #expect(safe.output == "a,b,empty,none,n\r\n'=SUM(1),'-5,\"\",,-5\r\n")
        #expect(try await tool.run("query", "--store", "s.sqlite", "--spreadsheet", statement).status == 2)
        // Foundation drops the byte order mark from text, so the bytes are compared.
        let tested = BuiltProduct.daybook.path
        for (form, mark) in [("--spreadsheet", "ef bb bf 41"), ("--show-private", "41 0a")] {
            let bytes = try await tool.runOther(
                "sh", "-c",
                "'\(tested)' query --store s.sqlite --format csv \(form) 'SELECT 1 AS \"A\"' | od -An -tx1")
            #expect(bytes.output.trimmingCharacters(in: .whitespaces).hasPrefix(mark), "\(bytes)")
        }
    }

    @Test(
        "`query` prints results in every format",
        arguments: [
            (
                "table",
                """
                name     n
                ───────  ───
                卵       1
                a\\u{a}b  2.5
                =1+1

                """
            ),
            ("csv", "name,n\n卵,1\n\"a\nb\",2.5\n=1+1,\n"),
            (
                "json",
                #"{"columns":["name","n"],"rows":[["卵",1],["a\nb",2.5],["=1+1",null]],"truncated":false}"# + "\n"
            ),
            (
                "ndjson",
                #"{"name":"卵","n":1}"# + "\n" + #"{"name":"a\nb","n":2.5}"# + "\n" + #"{"name":"=1+1","n":null}"# + "\n"
            ),
        ])
    func printsEveryFormat(format: String, expected: String) async throws {
        let serve = try tool.start("serve", "--port", "0", "--store", "sqlite:r.sqlite")
        _ = try await serve.line(beginning: "Inspector: ")
        serve.end()
        let result = try await tool.run(
            "query", "--store", "sqlite:r.sqlite", "--format", format,
            "SELECT '卵' AS name, 1 AS n UNION ALL SELECT 'a' || char(10) || 'b', 2.5 UNION ALL SELECT '=1+1', NULL")
        #expect(result.status == 0)
        #expect(result.output == expected)
    }
}
