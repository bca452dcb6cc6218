import Testing

struct CoverageCommandTests {
    @Test func everyEventHasItsStages() async throws {
        let tool = try Tool()
        defer { tool.remove() }
        try tool.write("# feed\n\n## show\n\n## tap\n\n## [obsolete] old\n", to: "LogDefinitions/feed.md")
        try tool.write("log.post(Feed.show)\n// log.post(Feed.tap)\n", to: "App/Feed.swift")
        try tool.write(#"{"tag": "feed.show"}"# + "\n" + #"{"tag": "feed.shoe"}"# + "\n", to: "run.ndjson")
        let result = try await tool.run("coverage", "--sources", "App", "--events", "run.ndjson")
        #expect(
            result.output == """
                EVENT                CALLED            FIRED  SEEN
                feed.old [obsolete]  -                 0      ?
                feed.show            App/Feed.swift:1  1      ?
                feed.tap             -                 0      ?
                feed.shoe: 1 without a definition
                \(tool.directory.path)/LogDefinitions/feed.md:5:4: feed.tap is defined and not called
                1 of 2 events in use are called

                """)
        #expect(result.status == 1)
        try tool.write("log.post(\"feed.tap\")\n", to: "App/Tap.kt")
        #expect(try await tool.run("coverage", "--json").status == 0)
        #expect(try await tool.run("coverage", "--require", "fired", "--events", "run.ndjson").status == 1)
        #expect(try await tool.run("coverage", "--require", "sent").status == 2)
    }

    @Test func storeTellsWhichVersionsSentAnEvent() async throws {
        let tool = try Tool()
        defer { tool.remove() }
        try tool.write("# feed\n\n## show\n\n## tap\n", to: "LogDefinitions/feed.md")
        try tool.write("log.post(Feed.show, Feed.tap)\n", to: "App/Feed.swift")
        try tool.write(
            #"{"tag": "feed.show", "context": {"service.version": "1.2"}}"# + "\n" + #"{"tag": "feed.shoe"}"# + "\n",
            to: "records.ndjson")
        #expect(try await tool.run("import", "--store", "sqlite:s.sqlite", "records.ndjson").status == 0)
        let result = try await tool.run("coverage", "--store", "sqlite:s.sqlite", "--require", "seen")
        #expect(result.status == 1)
        #expect(result.output.contains("feed.show  App/Feed.swift:1  ?      1.2: 1\n"), "\(result.output)")
        #expect(result.output.contains("feed.shoe: 1 without a definition\n"))
        #expect(result.output.contains("feed.tap is defined and not seen\n"))
    }
}
