import DaybookHTTP
import DaybookTrials
import Testing

@testable import DaybookHTTPServer

@Suite(.timeLimit(.minutes(5))) struct BodyBudgetTests {
    @Test("A body over the budget is refused unread until room is free") func refusesBodyOverBudget() async throws {
        let limits = HTTPServerLimits {
            $0.bodyBytes = 1_000
            $0.sweepInterval = .milliseconds(5)
        }
        let handler = ClosureHandler { HTTPResponse(status: 200, contentType: "text/plain", text: "\($0.body.count)") }
        try await withServer(handler, limits: limits) { server, port in
            try await offPool {
                let slow = try RawClient(port: port)
                slow.send("POST / HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nContent-Length: 900\r\n\r\n")
                slow.send([UInt8](repeating: 1, count: 600))
                try eventuallyOnThread("600 bytes have come") { server.statistics.bodyBytes >= 600 }
                let other = try RawClient(port: port)
                other.request("POST /", body: [UInt8](repeating: 1, count: 500))
                let refused = try other.readResponse()
                #expect(refused.status == 503)
                #expect((1...5).contains(Int(refused.headers["retry-after"] ?? "") ?? 0))
                // A body of unannounced length is refused while it arrives.
                other.request("POST /", headers: ["Transfer-Encoding: chunked"])
                other.send("1f4\r\n" + String(repeating: "x", count: 500) + "\r\n0\r\n\r\n")
                #expect(try other.readResponse().status == 503)
                other.request("POST /", body: [UInt8](repeating: 1, count: 400))
                #expect(try other.readResponse().text == "400")
                slow.disconnect()
                try eventuallyOnThread("all bodies are gone") { server.statistics.bodyBytes == 0 }
                other.request("POST /", body: [UInt8](repeating: 1, count: 1_000))
                #expect(try other.readResponse().text == "1000")
            }
        }
    }
}
