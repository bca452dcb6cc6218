import DaybookTesting
import Foundation
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite struct EndpointStubTests {
    private func url(_ path: String) throws -> URL { try #require(URL(string: "https://production.example" + path)) }

    private func post(_ path: String, _ body: String, in session: URLSession) async throws -> Int? {
        var request = URLRequest(url: try url(path))
        request.httpMethod = "POST"
        request.httpBody = Data(body.utf8)
        request.setValue("key-1", forHTTPHeaderField: "X-Key")
        let (_, response) = try await session.data(for: request)
        return (response as? HTTPURLResponse)?.statusCode
    }

    @Test func logRequestsAreRecordedAndAnswered() async throws {
        let stub = EndpointStub()
        stub.record("/logs/**", status: 204)
        #expect(try await post("/logs/view", "{\"a\":1}", in: stub.session) == 204)
        #expect(stub.recorded.map { String(decoding: $0.body, as: UTF8.self) } == ["{\"a\":1}"])
        #expect(stub.recorded.first?.headers["x-key"] == "key-1")
        #expect(stub.recorded.first?.headers.keys.contains { $0.contains("daybook") } == false)
    }

    @Test func contentIsServed() async throws {
        let stub = EndpointStub()
        stub.serve("/menu", body: Data("[1]".utf8))
        let (data, _) = try await stub.session.data(from: try url("/menu"))
        #expect(String(decoding: data, as: UTF8.self) == "[1]")
        #expect(stub.recorded.isEmpty)
    }

    @Test func whatNoRuleAnswersFailsAndIsNamed() async throws {
        let stub = EndpointStub()
        stub.record("/logs/**")
        await #expect(throws: (any Error).self) { try await post("/other", "x", in: stub.session) }
        #expect(stub.unexpected == ["POST https://production.example/other"])
    }

    @Test func stubsDoNotSeeEachOther() async throws {
        let one = EndpointStub()
        let other = EndpointStub()
        for stub in [one, other] { stub.record("/logs/**") }
        _ = try await post("/logs/a", "one", in: one.session)
        #expect(one.recorded.count == 1)
        #expect(other.recorded.isEmpty)
    }

    #if os(Linux)
        @Test func bodyThatDoesNotReachTheStubIsRefusedAndSaysWhatToDo() async throws {
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
