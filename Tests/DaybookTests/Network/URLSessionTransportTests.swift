import Foundation
import Testing

@testable import Daybook

struct URLSessionTransportTests {
    private func send(
        _ answer: String?, method: String = "POST", timeout: Duration = .seconds(10)
    ) async throws -> (TransportResponse, ScriptedServer) {
        let server = try ScriptedServer([answer])
        let request = TransportRequest(
            method: method, url: try #require(URL(string: "http://127.0.0.1:\(server.port)/v1")),
            headers: ["content-type": "text/plain", "x-test": "1"], body: Array("body.".utf8), timeout: timeout)
        return (try await URLSessionTransport().send(request), server)
    }

    private func answer(_ status: String, _ headers: String = "", body: String = "") -> String {
        "HTTP/1.1 \(status)\r\nContent-Length: \(body.utf8.count)\r\nConnection: close\r\n\(headers)\r\n\(body)"
    }

    @Test("URLSession sends the request as given and returns the answer") func sessionSendsVerbatim() async throws {
        let (response, server) = try await send(answer("200 OK", "Retry-After: 3\r\n", body: "fine"))
        #expect(response.status == 200)
        #expect(response.headers["retry-after"] == "3")
        #expect(response.body == Array("fine".utf8))
        let request = try #require(server.requests.first)
        #expect(request.hasPrefix("POST /v1 HTTP/1.1\r\n"))
        #expect(request.lowercased().contains("\r\nx-test: 1\r\n"))
        #expect(request.hasSuffix("\r\n\r\nbody."))
    }

    @Test("URLSession keeps the request's method") func sessionKeepsMethod() async throws {
        let (_, server) = try await send(answer("204 No Content"), method: "PUT")
        #expect(server.requests.first?.hasPrefix("PUT /v1 ") == true)
    }

    @Test(
        "URLSession returns a redirect without following it",
        arguments: ["301 Moved", "302 Found", "307 Temporary Redirect", "308 Permanent Redirect"])
    func sessionIgnoresRedirects(status: String) async throws {
        let elsewhere = try ScriptedServer([answer("200 OK")])
        defer { elsewhere.stop() }
        let (response, _) = try await send(answer(status, "Location: http://127.0.0.1:\(elsewhere.port)/\r\n"))
        #expect(response.status == Int(status.prefix(3)))
        #expect(elsewhere.requests.isEmpty)
    }

    @Test(
        "URLSession returns an authentication failure without retrying",
        arguments: ["", "Basic realm=\"x\"", "Bearer", "Digest realm=\"x\", nonce=\"y\"", "Negotiate", "nonsense"])
    func sessionReturnsAuthFailure(challenge: String) async throws {
        for status in ["401 Unauthorized", "403 Forbidden"] {
            let (response, server) = try await send(
                answer(status, challenge.isEmpty ? "" : "WWW-Authenticate: \(challenge)\r\n", body: "no"))
            #expect(response.status == Int(status.prefix(3)))
            #expect(server.requests.count == 1)
        }
    }

    @Test("Reads only the beginning of a long answer") func truncatesLongBody() async throws {
        let (response, _) = try await send(answer("503 Busy", body: String(repeating: "x", count: 4 << 20)))
        #expect(response.status == 503)
        #expect(response.body == [UInt8](repeating: UInt8(ascii: "x"), count: 64 << 10))
    }

    @Test("A connection cut short counts as no answer") func rejectsCutConnection() async throws {
        await #expect(throws: (any Error).self) {
            _ = try await send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nonly this")
        }
        await #expect(throws: (any Error).self) { _ = try await send("") }
    }

    @Test("A silent server counts as no answer") func silentServerTimesOut() async throws {
        await #expect(throws: (any Error).self) { _ = try await send(nil, timeout: .milliseconds(1)) }
    }

    @Test("A port without a listener counts as no answer") func refusedConnectionThrows() async throws {
        // Nothing listens on port 1 (tcpmux).
        let request = TransportRequest(
            url: try #require(URL(string: "http://127.0.0.1:1/")), headers: [:], body: [], timeout: .seconds(5))
        await #expect(throws: (any Error).self) { _ = try await URLSessionTransport().send(request) }
    }
}
