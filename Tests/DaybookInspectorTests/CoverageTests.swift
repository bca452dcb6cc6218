import DaybookDefinitions
import DaybookTestTraits
import DaybookTesting
import DaybookTrials
import Foundation
import Testing

@testable import DaybookInspector

@Suite(.temporaryDirectory) struct CoverageTests {
    private let file = TemporaryDirectory.current.url.appending(path: "coverage.json")

    private func write(_ text: String) throws { try Data(text.utf8).write(to: file) }

    @Test("Serves a coverage report written by the command") func servesCoverageReport() async throws {
        var calls = CallSites(.sample)
        calls.scan(file: "Sources/Feed.swift", bytes: Array("\nlog(Feed.ShowArticle(articleID: 1))".utf8))
        let coverage = Coverage(.sample, calls: calls, fired: ["feed.show_article": 12], seen: nil)
        let outcome = CoverageReport(coverage, required: []).outcome(.json)
        try write(outcome.output)
        let bench = Bench(coverage: try CoverageFile(path: file.path))
        let data = try await bench.send("GET", "/api/v1/coverage").data()
        #expect(data["written"].text?.count == 19)
        let events = try #require(data["events"].list)
        let shown = try #require(events.first { $0["event"] == "feed.show_article" })
        #expect(shown["calls"] == 1)
        #expect(shown["fired"] == 12)
        let place = try #require(shown["called"][0])
        #expect(place["file"] == "Sources/Feed.swift")
        #expect(place["line"] == 2)
    }

    @Test("A stage that was not examined is null") func unexaminedIsNull() async throws {
        let coverage = Coverage(.sample, calls: nil, fired: nil, seen: nil)
        try write(CoverageReport(coverage, required: []).outcome(.json).output)
        let data = try await Bench(coverage: try CoverageFile(path: file.path)).send("GET", "/api/v1/coverage")
            .data()
        let event = try #require(data["events"][0])
        #expect(event["calls"] == .null)
        #expect(event["fired"] == .null)
    }

    @Test("Without a report, coverage is empty") func noCoverageReport() async {
        let answer = await Bench().send("GET", "/api/v1/coverage")
        #expect(answer.text == #"{"ok":true,"data":{"written":null,"events":[],"next":null}}"#)
    }

    @Test("Shows a new coverage report and reports a damaged one") func reloadsCoverageReport() async throws {
        try write(#"{"events":[]}"#)
        let bench = Bench(coverage: try CoverageFile(path: file.path))
        try Data(#"{"events":[{"event":"a.b","calls":3}]}"#.utf8).write(to: file)
        let data = try await bench.send("GET", "/api/v1/coverage").data()
        #expect(data["events"][0]["calls"] == 3)
        try Data("{}".utf8).write(to: file)
        let answer = await bench.send("GET", "/api/v1/coverage")
        #expect(answer.status == 503)
        #expect(try answer.code() == "unavailable")
        #expect(answer.text.contains("daybook coverage --json"))
    }

    @Test("Refuses a file that is not a coverage report") func refusesNonReport() async throws {
        try write("EVENT  CALLED")
        #expect { try CoverageFile(path: file.path) } throws: { "\($0)".contains("is not a coverage report") }
        #expect { try CoverageFile(path: "/nowhere/coverage.json") } throws: {
            "\($0)".hasPrefix("/nowhere/coverage.json cannot be read")
        }
    }
}
