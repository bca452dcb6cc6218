import Daybook
import DaybookTesting
import Foundation
import Synchronization
import Testing

@testable import DaybookOTLP

/// What the output puts on the wire, read back by the codec that receives.
struct OTLPOutputTests {
    /// Remembers requests and answers as it is told.
    private final class RecordingTransport: HTTPTransport {
        let requests = Mutex<[TransportRequest]>([])
        let status: Int

        init(status: Int = 200) { self.status = status }

        func post(_ request: TransportRequest) async throws -> TransportResponse {
            requests.withLock { $0.append(request) }
            return TransportResponse(
                status: status, headers: ["content-type": "application/x-protobuf"], body: [])
        }
    }

    private struct UserContext: LogContext {
        var userID: Int64?
        func encode(into fields: inout FieldEncoder) { fields.add("user_id", userID) }
    }

    @Test func logsAndSpansGoToTheirOwnAddressesWithContextAndIdentity() async throws {
        let directory = try TemporaryDirectory()
        defer { directory.remove() }
        let transport = RecordingTransport()
        let endpoint = try #require(URL(string: "http://127.0.0.1:4318"))
        let output = OTLPOutput(endpoint: endpoint, key: "secret", transport: transport)
        let pipeline = try Pipeline(directory: directory.url, context: UserContext(userID: 42)) {
            Route("**", to: output)
        }
        let log = pipeline.log("app.test")
        log.info("Hello", ["n": 1])
        log.post("recipe.show", ["recipe_id": 7])
        log.start("upload").end()
        try await pipeline.flush(deadline: .seconds(10))
        await pipeline.shutdown(deadline: .seconds(1))

        let requests = transport.requests.withLock { $0 }
        #expect(requests.map(\.url.path) == ["/v1/logs", "/v1/traces"])
        for request in requests {
            #expect(request.headers["content-type"] == "application/x-protobuf")
            #expect(request.headers["authorization"] == "Bearer secret")
        }
    }
}
