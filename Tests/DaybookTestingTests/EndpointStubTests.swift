import DaybookChecklist
import DaybookTestTraits
import DaybookTesting
import Foundation
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite(.temporaryDirectory) struct EndpointStubTests {
    private let directory = TemporaryDirectory.current

    private func url(_ path: String) throws -> URL { try #require(URL(string: "https://production.example" + path)) }

    private func post(_ path: String, _ body: String, in session: URLSession) async throws -> Int? {
        var request = URLRequest(url: try url(path))
        request.httpMethod = "POST"
        request.httpBody = Data(body.utf8)
        request.setValue("key-1", forHTTPHeaderField: "X-Key")
        let (_, response) = try await session.data(for: request)
        return (response as? HTTPURLResponse)?.statusCode
    }

    @Test("The stub records log requests and answers them") func recordsLogRequests() async throws {
        let stub = EndpointStub()
        stub.record("/logs/**", status: 204)
        #expect(try await post("/logs/view", "{\"a\":1}", in: stub.session) == 204)
        #expect(stub.recorded.map { String(decoding: $0.body, as: UTF8.self) } == ["{\"a\":1}"])
        #expect(stub.recorded.first?.headers["x-key"] == "key-1")
        #expect(stub.recorded.first?.headers.keys.contains { $0.contains("daybook") } == false)
    }

    @Test("The stub serves content without recording the request") func servesContent() async throws {
        let stub = EndpointStub()
        stub.serve("/menu", body: Data("[1]".utf8))
        let (data, _) = try await stub.session.data(from: try url("/menu"))
        #expect(String(decoding: data, as: UTF8.self) == "[1]")
        #expect(stub.recorded.isEmpty)
    }

    @Test("A log request is answered with an empty object by default") func answersEmptyObject() async throws {
        let stub = EndpointStub()
        stub.record("/logs/**")
        let (data, response) = try await stub.session.data(from: try url("/logs/a?n=1"))
        #expect(String(decoding: data, as: UTF8.self) == "{}")
        #expect((response as? HTTPURLResponse)?.mimeType == "application/json")
        stub.record("/logs/**", status: 202, body: Data("ok".utf8), type: "text/plain")
        let (own, _) = try await stub.session.data(from: try url("/logs/a"))
        #expect(String(decoding: own, as: UTF8.self) == "ok")
    }

    @Test("Answers match host, path and method and come from values or files") func matchesHostPathMethod() async throws
    {
        let file = directory.url.appending(path: "feed.json")
        try Data("[7]".utf8).write(to: file)
        let stub = EndpointStub()
        try stub.serve("/feeds/*", file: file)
        stub.serve("/feeds/*", host: "other.example", json: ["articles": [8], "next": nil])
        stub.serve("/likes", method: "POST", status: 201, json: true)
        func answer(_ address: String, _ method: String = "GET") async throws -> String {
            var request = URLRequest(url: try #require(URL(string: address)))
            request.httpMethod = method
            let (data, response) = try await stub.session.data(for: request)
            return "\((response as? HTTPURLResponse)?.statusCode ?? 0) \(String(decoding: data, as: UTF8.self))"
        }
        #expect(try await answer("https://api.example/feeds/home") == "200 [7]")
        #expect(try await answer("https://other.example/feeds/home?page=2") == #"200 {"articles":[8],"next":null}"#)
        #expect(try await answer("https://api.example/likes", "POST") == "201 true")
        await #expect(throws: (any Error).self) { try await answer("https://api.example/likes") }
        #expect(stub.unexpected == ["GET https://api.example/likes"] && stub.recorded.isEmpty)
    }

    /// The article's test keeps `GET /logs/event?…` as `[event: [parameters]]` and compares it with a fixture.
    @Test("A team's own log requests become records by its rules") func rulesMakeRecords() async throws {
        let stub = EndpointStub()
        stub.record(
            try RequestRules(
                json: #"""
                    {"rules": [{"host": "production.example", "path": "/logs/*", "event": "{path.last}", "attributes": ["query"]}]}
                    """#))
        let (data, _) = try await stub.session.data(from: try url("/logs/show_article?article_id=7&token=abc"))
        _ = try await stub.session.data(from: try url("/logs/show_article?article_id=8&token="))
        #expect(String(decoding: data, as: UTF8.self) == "{}")
        try stub.records.expect("show_article exactly 1 per article_id")
        let fixture = try Fixture(
            text: #"{"show_article": [{"article_id": "7", "token": "@any"}, {"article_id": "8", "token": "@any"}]}"#)
        try stub.records.expect(fixture, listedOnly: false)
        #expect(stub.recorded.count == 2)
        await #expect(throws: (any Error).self) { try await stub.session.data(from: try url("/other")) }
    }

    @Test("A request without a rule fails and is named") func unmatchedRequestFails() async throws {
        let stub = EndpointStub()
        stub.record("/logs/**")
        await #expect(throws: (any Error).self) { try await post("/other", "x", in: stub.session) }
        #expect(stub.unexpected == ["POST https://production.example/other"])
    }

    /// The app's shared session; no other test here uses it.
    @Test("The shared session is intercepted and then restored") func sharedSessionIsRestored() async throws {
        func status() async throws -> Int? { try await post("/logs/view", "{}", in: .shared) }
        let refused = try #require(URL(string: "http://127.0.0.1:9/"))
        await #expect(throws: URLError.self) { try await URLSession.shared.data(from: refused) }
        let outer = EndpointStub()
        outer.record("/logs/**", status: 201)
        outer.takeSharedSession()
        #expect(try await status() == 201)
        do {
            let inner = EndpointStub()
            inner.record("/logs/**", status: 202)
            inner.takeSharedSession()
            inner.takeSharedSession()
            #expect(try await status() == 202)
            #expect(inner.recorded.count == 1)
            await #expect(throws: URLError.self) { try await URLSession.shared.data(from: refused) }
            #expect(inner.unexpected == ["GET http://127.0.0.1:9/"])
        }
        #expect(try await status() == 201)
        outer.releaseSharedSession()
        await #expect(throws: URLError.self) { try await URLSession.shared.data(from: refused) }
        #expect(outer.unexpected.isEmpty)
    }

    @Test("Two stubs do not see each other's requests") func stubsAreIsolated() async throws {
        let one = EndpointStub()
        let other = EndpointStub()
        for stub in [one, other] { stub.record("/logs/**") }
        _ = try await post("/logs/a", "one", in: one.session)
        #expect(one.recorded.count == 1)
        #expect(other.recorded.isEmpty)
    }

    #if os(Linux)
        @Test("A body the stub cannot see is refused with advice") func unseenBodyIsRefused() async throws {
            let stub = EndpointStub()
            stub.record("/logs/**")
            var request = URLRequest(url: try url("/logs/view"))
            request.httpMethod = "POST"
            do {
                _ = try await stub.session.upload(for: request, from: Data("{}".utf8))
                Issue.record("a request without its body was taken")
            } catch {
                #expect(error.localizedDescription.contains("instead of an upload task, or use LogProbe"), "\(error)")
            }
            #expect(stub.recorded.isEmpty)
            #expect(stub.unexpected.count == 1)
        }
    #endif
}
