import Testing

struct DefinitionsCommandTests {
    @Test func everyErrorIsShownWithItsPlaceAndTheStatusIsOne() async throws {
        let tool = try Tool()
        defer { tool.remove() }
        try tool.write("# feed\n\n## show\n\nText.\n\n- a: !bignit\n- b: !intger\n- id: !integer\n", to: "feed.md")
        let result = try await tool.run("definitions", "check", ".")
        #expect(result.status == 1)
        for place in ["feed.md:7:6: error: ", "feed.md:8:6: error: ", "feed.md:9:3: error: "] {
            #expect(result.errors.contains(place), "\(place) is missing in \(result.errors)")
        }
    }

    @Test func soundDefinitionsAreDumpedAsJSON() async throws {
        let tool = try Tool()
        defer { tool.remove() }
        try tool.write("# feed\n\nAll of it.\n\n## show\n\nText.\n\n- a: !bigint\n", to: "feed.md")
        #expect(try await tool.run("definitions", "check", ".").status == 0)
        let dump = try await tool.run("definitions", "dump", ".")
        #expect(dump.status == 0)
        #expect(dump.output.contains("\"show\""))
    }

    @Test func aMissingFolderIsBadInput() async throws {
        let tool = try Tool()
        defer { tool.remove() }
        let result = try await tool.run("definitions", "check", "nowhere")
        #expect(result.status == 2)
        #expect(result.errors.contains("nowhere"))
    }
}
