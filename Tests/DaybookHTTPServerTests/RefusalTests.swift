import DaybookHTTP
import DaybookHTTPServer
import DaybookTrials
import Foundation
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite(.timeLimit(.minutes(5))) struct RefusalTests {
    private static let tooMany: HTTPResponse = {
        var response = HTTPResponse.problem(429, code: "quota", "Too many records; slow down.")
        response.headers["retry-after"] = "7"
        return response
    }()

    /// Sizes within what is discarded, at its edge, and far over it.
    @Test("URLSession reads an early 429 at any body size", arguments: [0, 1000, 1 << 20, (1 << 20) + 1, 6 << 20])
    func urlSessionReadsEarly429(size: Int) async throws {
        try await withServer(ClosureHandler(refusing: Self.tooMany)) { _, port in
            let session = URLSession(configuration: .ephemeral)
            defer { session.invalidateAndCancel() }
            var request = URLRequest(url: try #require(URL(string: "http://127.0.0.1:\(port)/v1/logs")))
            request.httpMethod = "POST"
            let (data, response) = try await session.upload(for: request, from: Data(repeating: 1, count: size))
            let reply = try #require(response as? HTTPURLResponse)
            #expect(reply.statusCode == 429)
            #expect(reply.value(forHTTPHeaderField: "Retry-After") == "7")
            #expect(String(decoding: data, as: UTF8.self).contains("slow down"))
        }
    }

    @Test("An HTTP/2 client is told in its own frames to use HTTP/1.1") func http2ClientIsTold() async throws {
        try await withServer(ClosureHandler { _ in HTTPResponse(status: 204) }) { _, port in
            try await offPool {
                // Clients that have sent nothing, or were already answered, are unaffected.
                let (silent, served) = (try RawClient(port: port), try RawClient(port: port))
                served.request("GET /")
                #expect(try served.readResponse().status == 204)
                let client = try RawClient(port: port)
                client.send("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\u{4}\0\0\0\0\0")
                let bytes = try client.readUntilClose()
                #expect(bytes.prefix(9) == [0, 0, 0, 4, 0, 0, 0, 0, 0])
                // GOAWAY, no stream, HTTP_1_1_REQUIRED.
                #expect(bytes.dropFirst(9).dropFirst(3).prefix(14) == [7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xD])
                let length = bytes[9...11].reduce(0) { $0 << 8 | Int($1) }
                #expect(bytes.count == 18 + length)
                #expect(String(decoding: bytes.dropFirst(26), as: UTF8.self).contains("http/protobuf"))
                for client in [silent, served] {
                    client.request("GET /")
                    #expect(try client.readResponse().status == 204)
                }
            }
        }
    }

    @Test("One byte over the limit is 413 and the connection stays open") func oneByteOverIs413() async throws {
        let handler = ClosureHandler(bodyLimit: 100) { request in
            HTTPResponse(status: 200, contentType: "text/plain", text: "\(request.body.count)")
        }
        try await withServer(handler) { _, port in
            try await offPool {
                let client = try RawClient(port: port)
                client.request("POST /", body: [UInt8](repeating: 1, count: 100))
                #expect(try client.readResponse().text == "100")
                client.request("POST /", body: [UInt8](repeating: 1, count: 101))
                #expect(try client.readResponse().status == 413)
                client.request("POST /", headers: ["Transfer-Encoding: chunked"])
                client.send("65\r\n" + String(repeating: "x", count: 101) + "\r\n0\r\n\r\n")
                #expect(try client.readResponse().status == 413)
                client.request("POST /", body: [1])
                #expect(try client.readResponse().text == "1")
            }
        }
    }

    /// Up to twice what is discarded, a client that writes everything before it reads still finds the answer.
    @Test("A client that keeps sending receives the early reply") func earlyReplyReachesSender() async throws {
        let limits = HTTPServerLimits {
            $0.discardBytes = 10_000
            $0.sweepInterval = .milliseconds(5)
        }
        try await withServer(ClosureHandler(refusing: Self.tooMany), limits: limits) { _, port in
            try await offPool {
                let client = try RawClient(port: port)
                #expect(client.request("POST /", body: [UInt8](repeating: 1, count: 18_000)))
                let response = try client.readResponse()
                #expect(response.status == 429)
                #expect(response.headers["connection"] == "close")
                #expect(response.headers["retry-after"] == "7")
                #expect(try client.readUntilClose().isEmpty)
            }
        }
    }

    @Test("An endless body is cut off with bounded memory") func endlessBodyIsCut() async throws {
        let handler = ClosureHandler(bodyLimit: 1 << 20) { _ in HTTPResponse(status: 204) }
        try await withServer(handler) { server, port in
            let (sent, most) = try await offPool {
                let client = try RawClient(port: port)
                client.request("POST /", headers: ["Transfer-Encoding: chunked"])
                let chunk = Array("100000\r\n".utf8) + [UInt8](repeating: 1, count: 1 << 20) + Array("\r\n".utf8)
                var (sent, most) = (0, 0)
                while sent < 256 && client.send(chunk) {
                    sent += 1
                    most = max(most, server.statistics.bodyBytes)
                }
                return (sent, most)
            }
            // The limit, and the piece that crosses it.
            #expect(most <= 2 << 20, "the server held \(most) bytes")
            // The limit, what is discarded before and after the answer, and what both sockets hold.
            #expect(sent < 64, "the server read \(sent) MiB")
        }
    }
}
