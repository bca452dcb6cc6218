import DaybookTestTraits
import Foundation
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite(.timeLimit(.minutes(5)), .temporaryDirectory) struct InspectCommandTests {
    private let tool = Tool()

    @Test("`inspect` opens a recording read-only and leaves nothing behind") func inspectsRecording() async throws {
        try tool.write("{\"tag\":\"feed.show\"}\n{\"tag\":\"feed.tap\",\"session\":\"s1\"}\n", to: "r.ndjson")
        let inspect = try tool.start("inspect", "r.ndjson")
        defer { inspect.end() }
        let printed = try await inspect.line(beginning: "Inspector: ")
        let parts = printed.components(separatedBy: "#token=")
        let base = try #require(URL(string: parts[0]))
        var request = URLRequest(url: base.appending(path: "api/v1/records"))
        request.setValue("Bearer \(try #require(parts.last))", forHTTPHeaderField: "authorization")
        let (data, _) = try await URLSession.shared.data(for: request)
        let text = String(decoding: data, as: UTF8.self)
        #expect(text.contains("feed.show"))
        #expect(text.contains("\"session\":\"s1\""))
        // Recordings are read-only: it accepts no records.
        var post = URLRequest(url: base.appending(path: "v1/events"))
        post.httpMethod = "POST"
        let (_, refused) = try await URLSession.shared.upload(for: post, from: Data("{}".utf8))
        #expect((refused as? HTTPURLResponse)?.statusCode == 404)
    }

    @Test("`inspect` reports the line that is not a record") func inspectLocatesBadLine() async throws {
        try tool.write("{\"tag\":\"feed.show\"}\n{}\n", to: "r.ndjson")
        let answer = try await tool.run("inspect", "r.ndjson")
        #expect(answer.status == 2)
        #expect(answer.errors.contains("r.ndjson:2:"))
    }
}
