import DaybookBase
import DaybookHTTP
import DaybookTrials
import Testing

@testable import DaybookHTTPServer

@Suite(.timeLimit(.minutes(5))) struct SlowReaderTests {
    @Test("Large unread replies are bounded while small ones are sent") func unreadRepliesBounded() async throws {
        let handler = ClosureHandler { request in
            let count = request.head.path == "/page" ? 4 << 20 : 10
            return HTTPResponse(status: 200, body: .bytes([UInt8](repeating: 0x61, count: count)))
        }
        let limits = HTTPServerLimits {
            $0.replyBytes = 16 << 20
            $0.sweepInterval = .milliseconds(5)
        }
        try await withServer(handler, limits: limits) { server, port in
            try await offPool {
                let slow = try (0..<20).map { _ in
                    let client = try RawClient(port: port)
                    client.request("GET /page")
                    return client
                }
                try eventuallyOnThread("all are answered") { server.statistics.requests >= 20 }
                try eventuallyOnThread("room is used up") { server.statistics.replyBytes == 16 << 20 }
                let other = try RawClient(port: port)
                for _ in 0..<20 {
                    other.request("GET /health")
                    #expect(try other.readResponse().body.count == 10)
                }
                other.request("GET /page")
                let refused = try other.readResponse()
                #expect(refused.status == 503 && refused.headers["retry-after"] != nil)
                slow.forEach { $0.disconnect() }
                try eventuallyOnThread("the room is back") { server.statistics.replyBytes == 0 }
                other.request("GET /page")
                #expect(try other.readResponse().body.count == 4 << 20)
            }
        }
    }
}
