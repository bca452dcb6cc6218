import Foundation
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite(.timeLimit(.minutes(1))) struct ServeCommandTests {
    @Test func recordsThatArriveAreAnsweredBySQL() async throws {
        let tool = try Tool()
        defer { tool.remove() }
        try tool.write("# feed\n\n## show_article\n\nAn article.\n\n- article_id: !bigint\n", to: "feed.md")
        let serve = try tool.start("serve", "--port", "0", "--store", "sqlite:r.sqlite", "--definitions", ".")
        defer { serve.end() }
        let inspector = try await serve.line(beginning: "Inspector: ")
        let base = try #require(URL(string: String(inspector.prefix { $0 != "#" })))
        var request = URLRequest(url: base.appendingPathComponent("v1/events"))
        request.httpMethod = "POST"
        request.setValue("application/x-ndjson", forHTTPHeaderField: "content-type")
        let lines = (1...3).map { "{\"tag\": \"feed.show_article\", \"attributes\": {\"article_id\": \($0)}}\n" }
        let (_, response) = try await URLSession.shared.upload(for: request, from: Data(lines.joined().utf8))
        #expect((response as? HTTPURLResponse)?.statusCode == 200)
        let answer = try await tool.run(
            "query", "--store", "sqlite:r.sqlite", "--format", "csv",
            "SELECT count(*), sum(article_id) FROM feed__show_article")
        #expect(answer.output == "count(*),sum(article_id)\r\n3,6\r\n")
        #expect(answer.status == 0)
    }

    @Test func aPortInUseIsOneLineThatSaysWhatToDo() async throws {
        let tool = try Tool()
        defer { tool.remove() }
        let first = try tool.start("serve", "--port", "0", "--store", "sqlite:a.sqlite")
        defer { first.end() }
        let address = try await first.line(beginning: "Inspector: http://127.0.0.1:")
        let port = String(address.prefix { $0 != "/" })
        let second = try await tool.run("serve", "--port", port, "--store", "sqlite:b.sqlite")
        #expect(second.status == 2)
        #expect(second.output.isEmpty)
        #expect(
            second.errors
                == "error: 127.0.0.1:\(port) is in use by another process; stop it or choose another port with --port\n"
        )
    }

    @Test func definitionsWithErrorsDoNotStart() async throws {
        let tool = try Tool()
        defer { tool.remove() }
        try tool.write("# feed\n\n## show\n\nText.\n\n- article_id: !bignit\n", to: "feed.md")
        let result = try await tool.run("serve", "--port", "0", "--store", "sqlite:a.sqlite", "--definitions", ".")
        #expect(result.status == 2)
        #expect(result.errors.contains("feed.md:7:15: error: "))
        #expect(result.errors.contains("`!bigint`"))
    }
}
