import DaybookTestTraits
import Testing

@Suite(.temporaryDirectory) struct DefinitionsCommandTests {
    private let tool = Tool()

    @Test("`definitions check` reports every error with its location") func locatesDefinitionErrors() async throws {
        try tool.write("# feed\n\n## show\n\nText.\n\n- a: !bignit\n- b: !intger\n- id: !integer\n", to: "feed.md")
        let result = try await tool.run("definitions", "check", ".")
        #expect(result.status == 1)
        for place in ["feed.md:7:6: error: ", "feed.md:8:6: error: ", "feed.md:9:3: error: "] {
            #expect(result.errors.contains(place), "\(place) is missing in \(result.errors)")
        }
    }

    @Test("`definitions dump` prints valid definitions as JSON") func dumpsDefinitions() async throws {
        try tool.write("# feed\n\nAll of it.\n\n## show\n\nText.\n\n- a: !bigint\n", to: "feed.md")
        #expect(try await tool.run("definitions", "check", ".").status == 0)
        let dump = try await tool.run("definitions", "dump", ".")
        #expect(dump.status == 0)
        #expect(dump.output.contains("\"show\""))
    }

    @Test("`definitions check` rejects a missing folder") func refusesMissingFolder() async throws {
        let result = try await tool.run("definitions", "check", "nowhere")
        #expect(result.status == 2)
        #expect(result.errors.contains("nowhere"))
    }

    @Test("Validates a recording against the project's definitions") func validatesRecording() async throws {
        try tool.write(#"{"definitions": ["Logs"]}"#, to: "daybook.json")
        try tool.write("# feed\n\n## show\n\n- a: !smallint\n", to: "Logs/feed.md")
        try tool.write(
            """
            {"tag": "feed.show", "attributes": {"a": 3}}
            {"tag": "feed.shoe", "attributes": {}}
            {"tag": "feed.show", "attributes": {"a": "3"}}
            {"tag": "app", "kind": "message", "message": "x"}

            """, to: "run.ndjson")
        let result = try await tool.run("definitions", "validate", "--events", "run.ndjson")
        #expect(result.status == 1)
        #expect(
            result.output == """
                run.ndjson:2: feed.shoe: no definition has the event `feed.shoe` (did you mean `feed.show`?)
                run.ndjson:3: feed.show: `a` should be `!smallint`, not text
                3 events, 2 violations

                """)
        let json = try await tool.run("definitions", "validate", "--json", "--events", "run.ndjson", "Logs")
        #expect(json.output.contains("\"violation\": \"wrong_type\""))
    }

    @Test("`generate swift --check` compares the checked-in code") func checksGeneratedSwift() async throws {
        try tool.write("# feed\n\n## show\n", to: "LogDefinitions/feed.md")
        #expect(try await tool.run("definitions", "generate", "swift", "--check", "--output", "G").status == 1)
        #expect(try await tool.run("definitions", "generate", "swift", "--output", "G").status == 0)
        #expect(try await tool.run("definitions", "generate", "swift", "--check", "--output", "G").status == 0)
        #expect(try await tool.run("definitions", "generate", "swift", "--check").status == 2)
    }
}
