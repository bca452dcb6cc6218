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
}
