import DaybookTestTraits
import DaybookTrials
import Foundation
import Testing

@Suite(.temporaryDirectory) struct CoverageCommandTests {
    private let tool = Tool()

    @Test("`coverage` shows which stage each event has reached") func coverageShowsStages() async throws {
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
                LogDefinitions/feed.md:5:4: feed.tap is defined and not called
                1 of 2 events in use are called

                """)
        #expect(result.status == 1)
        let markdown = try await tool.run("coverage", "--sources", "App", "--events", "run.ndjson", "--markdown")
        #expect(
            markdown.output == """
                **1 of 2** events in use are called.

                - [ ] `feed.tap` is not called (`LogDefinitions/feed.md:5`)
                - [ ] `feed.shoe` has no definition (1)

                | event | called | fired | seen |
                |---|---|---|---|
                | `feed.old` (obsolete) | - | 0 | ? |
                | `feed.show` | `App/Feed.swift:1` | 1 | ? |
                | `feed.tap` | - | 0 | ? |

                """)
        #expect(markdown.status == 1)
        #expect(try await tool.run("coverage", "--markdown", "--json").status == 2)
        try tool.write("log.post(\"feed.tap\")\n", to: "App/Tap.kt")
        #expect(try await tool.run("coverage", "--json").status == 0)
        #expect(try await tool.run("coverage", "--require", "fired", "--events", "run.ndjson").status == 1)
        #expect(try await tool.run("coverage", "--require", "sent").status == 2)
        try tool.write("# feed\n\n## show\n", to: "Other/feed.md")
        let other = try await tool.run("coverage", "--definitions", "Other", "--sources", "App")
        #expect(other.output.contains("1 of 1 events in use are called"), "\(other)")
        #expect(try await tool.run("coverage", "--definitions", "Other", "Other").status == 2)
    }

    /// An unexamined stage counts as not reached, for every event.
    @Test("A stage that was not examined does not pass") func unexaminedIsNoPass() async throws {
        try tool.write("# feed\n\n## show\n", to: "defs/feed.md")
        try tool.write("# feed\n\n## [obsolete] old\n", to: "old/feed.md")
        try tool.write("# feed\n", to: "none/feed.md")
        try tool.write("log.post(Feed.show)\nlog.post(Feed.old)\n", to: "App/Feed.swift")
        try tool.write("", to: "empty.ndjson")
        try tool.write(#"{"tag": "feed.show"}"# + "\n", to: "run.ndjson")
        #expect(try await tool.run("import", "--store", "s.sqlite", "run.ndjson").status == 0)
        let sources: [(stage: String, words: [String])] = [
            ("called", []), ("fired", ["--events", "run.ndjson"]), ("seen", ["--store", "s.sqlite"]),
        ]
        let formats = [[], ["--json"], ["--markdown"]]
        // Every combination of required stages and available data; the sources are always examined.
        for (given, wanted) in (0..<4).flatMap({ given in (1..<8).map { (given << 1 | 1, $0) } }) {
            let isIn = { (set: Int, index: Int) in set >> index & 1 == 1 }
            let words =
                ["coverage", "--sources", "App", "defs"] + formats[(given + wanted) % 3]
                + sources.indices.filter { isIn(given, $0) }.flatMap { sources[$0].words }
                + sources.indices.filter { isIn(wanted, $0) }.flatMap { ["--require", sources[$0].stage] }
            let result = try await tool.run(words)
            let isExamined = wanted & ~given == 0
            #expect(result.status == (isExamined ? 0 : 2), "\(words): \(result)")
            #expect(result.errors.contains("needs a") != isExamined, "\(words): \(result)")
        }
        for format in formats {
            let start = ["coverage", "--sources", "App"] + format
            for (folder, stage) in zip(["old", "none", "old"], sources) {
                let result = try await tool.run(start + [folder, "--require", stage.stage] + stage.words)
                #expect(result.status == 2, "\(folder) \(result)")
                #expect(result.errors == "error: nothing was judged: no event in use is defined\n", "\(result)")
                let says = ["nothing judged\n", #""ok": false"#, "**Nothing judged.** No event"]
                #expect(says.contains(where: result.output.contains), "\(result)")
            }
            let empty = try await tool.run(start + ["defs", "--events", "empty.ndjson", "--require", "fired"])
            #expect(empty.status == 1, "\(empty)")
        }
    }

    @Test("`coverage` finds the versions that sent an event") func findsSendingVersions() async throws {
        try await expectSightings(in: "sqlite:s.sqlite")
    }

    @Test(
        "`coverage` finds sending versions in a PostgreSQL store",
        .enabled(if: PostgreSQLServer.tools != nil, Comment(rawValue: PostgreSQLServer.absence)))
    func findsVersionsInPostgreSQL() async throws {
        let server = try await offPool { try PostgreSQLServer() }
        let address = try await offPool { try server.makeDatabase() }
        try await expectSightings(in: address)
        try await offPool { server.remove() }
    }

    private func expectSightings(in store: String) async throws {
        try tool.write("# feed\n\n## show\n\n## tap\n", to: "LogDefinitions/feed.md")
        try tool.write("log.post(Feed.show, Feed.tap)\n", to: "App/Feed.swift")
        let records = [
            #"{"tag": "feed.show", "context": {"service.version": "1.2"}}"#,
            #"{"tag": "feed.show", "context": {"service.version": "1.2"}}"#,
            #"{"tag": "feed.show", "context": {"service.version": "1.3"}}"#, #"{"tag": "feed.shoe"}"#,
        ]
        try tool.write(records.map { $0 + "\n" }.joined(), to: "records.ndjson")
        #expect(try await tool.run("import", "--store", store, "records.ndjson").status == 0)
        let result = try await tool.run("coverage", "--store", store, "--require", "seen")
        #expect(result.status == 1)
        #expect(result.output.contains("feed.show  App/Feed.swift:1  ?      1.2: 2, 1.3: 1\n"), "\(result.output)")
        #expect(result.output.contains("feed.shoe: 1 without a definition\n"))
        #expect(result.output.contains("feed.tap is defined and not seen\n"))
        #expect(try await tool.run("coverage", "--store", store).status == 0)
        let json = try await tool.run("coverage", "--store", store, "--require", "seen", "--json")
        #expect(json.status == 1)
        let report = try JSONDecoder().decode(Report.self, from: Data(json.output.utf8))
        #expect(report.missing == ["feed.tap"])
        #expect(report.events.map { $0.seen.map(\.version) } == [["1.2", "1.3"], []])
        #expect(report.events.map { $0.seen.map(\.count) } == [[2, 1], []])
    }

    private struct Report: Decodable {
        struct Event: Decodable { let seen: [Sighting] }
        struct Sighting: Decodable {
            let version: String?
            let count: Int
        }
        let missing: [String]
        let events: [Event]
    }
}
