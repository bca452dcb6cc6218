import Testing

struct QueryCommandTests {
    @Test func whatWritesIsRefused() async throws {
        let tool = try Tool()
        defer { tool.remove() }
        let serve = try tool.start("serve", "--port", "0", "--store", "sqlite:r.sqlite")
        _ = try await serve.line(beginning: "Inspector: ")
        serve.end()
        for statement in ["DELETE FROM records", "ATTACH 'x.sqlite' AS x", "PRAGMA user_version = 9", "VACUUM"] {
            let result = try await tool.run("query", "--store", "sqlite:r.sqlite", statement)
            #expect(result.status == 2, "\(statement)")
            #expect(result.errors.hasPrefix("error: "), "\(result.errors)")
        }
    }

    @Test func aMissingStoreIsBadInputAndIsNotMade() async throws {
        let tool = try Tool()
        defer { tool.remove() }
        let result = try await tool.run("query", "--store", "sqlite:none.sqlite", "SELECT 1")
        #expect(result.status == 2)
        #expect(result.errors.contains("none.sqlite"))
        #expect(throws: (any Error).self) { try tool.contents(of: "none.sqlite") }
    }

    @Test func anUnknownKindOfStoreIsNamed() async throws {
        let tool = try Tool()
        defer { tool.remove() }
        let result = try await tool.run("query", "--store", "oracle://x", "SELECT 1")
        #expect(result.status == 2)
        #expect(result.errors.contains("`oracle`"))
    }

    @Test(arguments: [
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
        ("csv", "name,n\r\n卵,1\r\n\"a\nb\",2.5\r\n'=1+1,\r\n"),
        (
            "json",
            #"{"columns":["name","n"],"rows":[["卵",1],["a\nb",2.5],["=1+1",null]],"truncated":false}"# + "\n"
        ),
        (
            "ndjson",
            #"{"name":"卵","n":1}"# + "\n" + #"{"name":"a\nb","n":2.5}"# + "\n" + #"{"name":"=1+1","n":null}"# + "\n"
        ),
    ])
    func answersArePrintedInEachFormat(format: String, expected: String) async throws {
        let tool = try Tool()
        defer { tool.remove() }
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
