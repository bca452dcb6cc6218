import Daybook
import DaybookChecklist
import DaybookTesting
import Foundation
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A real process that is launched with the probe's environment.
@Suite struct LogProbeTests {
    private static let checklist = """
        ## feed
        - [ ] app.launch exactly 1
        - [ ] feed.show_article exactly 1 per article_id
        """

    private func launch(_ probe: LogProbe, _ directory: TemporaryDirectory, _ mode: String) async throws -> Int32 {
        try await AppProcess(
            BuiltProduct.url("ProbeApp"), arguments: [directory.path, probe.url.absoluteString, mode],
            environment: probe.environment
        ).end(timeout: .seconds(60))
    }

    /// The text of what a run of the app fails with; empty if it fulfils the checklist.
    private func failure(articles: String?, mode: String = "once") async throws -> String {
        let directory = try TemporaryDirectory()
        defer { directory.remove() }
        let probe = try LogProbe()
        defer { probe.stop() }
        if let articles { probe.serve("/articles", body: Array(articles.utf8)) }
        #expect(try await launch(probe, directory, mode) == 0)
        let checklist = try Checklist(markdown: Self.checklist, file: "feed.md")
        do {
            try await probe.wait(timeout: .milliseconds(50)) { try $0.expect(checklist) }
            return ""
        } catch {
            return "\(error)"
        }
    }

    @Test func appUnderTestFulfilsItsChecklist() async throws {
        #expect(try await failure(articles: "[7, 8]") == "")
    }

    @Test func regressionIsExplained() async throws {
        let text = try await failure(articles: "[7, 8]", mode: "twice")
        #expect(text.contains("✗ feed / feed.show_article exactly 1 per article_id; got 2 (article_id = 7)"), "\(text)")
    }

    @Test func missingStubIsNamed() async throws {
        let text = try await failure(articles: nil)
        #expect(text.contains("got none"))
        #expect(text.contains("no stub for: GET /articles"), "\(text)")
    }

    @Test func stubsTellQueriesMethodsAndStatusesApart() async throws {
        let probe = try LogProbe()
        defer { probe.stop() }
        probe.serve("/recipes", body: Array("[1]".utf8))
        probe.serve("/recipes?q=none", body: Array("[]".utf8))
        probe.serve("/recipes", method: "POST", status: 503, body: [])
        func answer(_ path: String, method: String = "GET") async throws -> String {
            var request = URLRequest(url: try #require(URL(string: probe.url.absoluteString + path)))
            request.httpMethod = method
            let (body, response) = try await URLSession.shared.data(for: request)
            return "\((response as? HTTPURLResponse)?.statusCode ?? 0) \(String(decoding: body, as: UTF8.self))"
        }
        #expect(try await answer("/recipes?q=egg") == "200 [1]")
        #expect(try await answer("/recipes?q=none") == "200 []")
        #expect(try await answer("/recipes", method: "POST") == "503 ")
        #expect(probe.unexpectedRequests == [])
    }

    @Test func probeThatNobodyConnectsToSaysHow() async throws {
        let probe = try LogProbe()
        defer { probe.stop() }
        do {
            try await probe.wait(timeout: .milliseconds(1)) { try $0.expect("app.launch") }
            Issue.record("an expectation was met without a record")
        } catch {
            #expect("\(error)".contains("no record has arrived: was the app launched with the probe's environment"))
        }
    }

    @Test func probeIsTakenOnThisMachineOnly() {
        #expect(Route.toProbe(environment: [:]) == nil)
        #expect(Route.toProbe(environment: ["DAYBOOK_PROBE": "http://logs.example:80"]) == nil)
        #expect(Route.toProbe(environment: ["DAYBOOK_PROBE": "http://127.0.0.1:80"]) != nil)
    }
}
