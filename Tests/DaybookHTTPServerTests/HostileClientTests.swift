import DaybookHTTP
import DaybookTrials
import Testing

@testable import DaybookHTTPServer

@Suite(.timeLimit(.minutes(5))) struct HostileClientTests {
    @Test(
        "A malformed request is refused and the server continues",
        arguments: [
            "GARBAGE\r\n\r\n", "GET\r\n\r\n", "GET / HTTP/9.9\r\n\r\n", "GET / HTTP/1.1\r\n\r\n",
            "GET /%00 HTTP/1.1\r\nHost: HOST\r\n\r\n", "GET /../x HTTP/1.1\r\nHost: HOST\r\n\r\n",
            "GET /a b HTTP/1.1\r\nHost: HOST\r\n\r\n", "GET / HTTP/1.1\r\nHost: HOST\r\nno colon\r\n\r\n",
            "POST / HTTP/1.1\r\nHost: HOST\r\nContent-Length: x\r\n\r\n",
            "POST / HTTP/1.1\r\nHost: HOST\r\nContent-Length: -1\r\n\r\n",
            "POST / HTTP/1.1\r\nHost: HOST\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabcd",
            "POST / HTTP/1.1\r\nHost: HOST\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
            "POST / HTTP/1.1\r\nHost: HOST\r\nTransfer-Encoding: gzip\r\n\r\n",
            "POST / HTTP/1.1\r\nHost: HOST\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n\r\n",
            "POST / HTTP/1.1\r\nHost: HOST\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\n",
            "POST / HTTP/1.1\r\nHost: HOST\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nabc\r\n0\r\n\r\n",
            "\u{16}\u{3}\u{1}\u{2}\r\n\r\n",
        ])
    func malformedRequestIsRefused(text: String) async throws {
        try await withServer(ok("fine")) { _, port in
            try await offPool {
                let client = try RawClient(port: port)
                client.send(text.replacing("HOST", with: "localhost:\(port)"))
                let reply = String(decoding: try client.readUntilClose(), as: UTF8.self)
                #expect(!reply.hasPrefix("HTTP/1.1 2"), "answered with \(reply.prefix(60))")
                let good = try RawClient(port: port)
                good.request("GET /")
                #expect(try good.readResponse().text == "fine")
            }
        }
    }

    /// Heads that a proxy in front could read as another request (RFC 9112, sections 2.2, 5.1, 5.2, 6.1 and 7.1). The
    /// server refuses and closes, so that nothing after the head is taken for a request.
    @Test(
        "An ambiguous head is refused and nothing after it is read",
        arguments: [
            "POST / HTTP/1.1\r\nHost: HOST\r\nContent-Length : 34\r\n\r\nSMUGGLED",
            "POST / HTTP/1.1\r\nHost: HOST\r\nContent-Length\t: 34\r\n\r\nSMUGGLED",
            "POST / HTTP/1.1\r\nHost: HOST\r\nTransfer-Encoding : chunked\r\n\r\nSMUGGLED",
            "POST / HTTP/1.1\r\nHost: HOST\r\nX: a\r\n Content-Length: 34\r\n\r\nSMUGGLED",
            "POST / HTTP/1.1\r\nHost: HOST\r\nContent-Length: 3\r\n 4\r\n\r\nSMUGGLED",
            "POST / HTTP/1.1\r\n Content-Length: 34\r\nHost: HOST\r\n\r\nSMUGGLED",
            "POST / HTTP/1.1\r\nHost: HOST\r\nContent-Length: 34\0\r\n\r\nSMUGGLED",
            "POST / HTTP/1.1\r\nHost: HOST\r\nContent-Length: 5\0, 34\r\nX: y\r\n\r\nSMUGGLED",
            "POST / HTTP/1.1\r\nHost: HOST\r\nX: a\rContent-Length: 34\r\n\r\nSMUGGLED",
            "POST / HTTP/1.1\r\nHost: HOST\r\nX: a\nContent-Length: 34\r\n\r\nSMUGGLED",
            "POST / HTTP/1.1\r\nHost: HOST\r\nContent-Length: 34 \r\nContent-Length: 3\r\n\r\nSMUGGLED",
            "POST / HTTP/1.1\r\nHost: HOST\0.evil.example\r\nContent-Length: 0\r\n\r\nSMUGGLED",
            "POST / HTTP/1.1\r\nHost: HOST\r\nOrigin: http://HOST\0.evil.example\r\nContent-Length: 0\r\n\r\nSMUGGLED",
            "POST / HTTP/1.1\r\nHost: HOST\r\nX\0Y: a\r\nContent-Length: 0\r\n\r\nSMUGGLED",
            "POST / HTTP/1.1\r\nHost: HOST\r\nX(y): a\r\nContent-Length: 0\r\n\r\nSMUGGLED",
            "POST / HTTP/1.1\r\nHost: HOST\r\n: a\r\nContent-Length: 0\r\n\r\nSMUGGLED",
            "POST / HTTP/1.1\r\nHost: HOST\r\nTransfer-Encoding: chunked\r\n\r\n5\0\r\nSMUGGLED",
            "GET / HTTP/1.1\r\n\r\nSMUGGLED",
        ])
    func ambiguousHeadIsRefused(text: String) async throws {
        try await withServer(ok("fine")) { _, port in
            try await offPool {
                let host = "localhost:\(port)"
                let smuggled = "GET /other HTTP/1.1\r\nHost: \(host)\r\n\r\n"
                let client = try RawClient(port: port)
                client.send(text.replacing("SMUGGLED", with: smuggled).replacing("HOST", with: host))
                let reply = String(decoding: try client.readUntilClose(), as: UTF8.self)
                #expect(reply.hasPrefix("HTTP/1.1 4"), "answered with \(reply.prefix(60))")
                #expect(!reply.contains("fine") && !reply.contains("HTTP/1.1 2"), "answered with \(reply)")
                #expect(reply.lowercased().contains("connection: close"), "answered with \(reply)")
                #expect(reply.ranges(of: "HTTP/1.1 ").count == 1, "answered with \(reply)")
            }
        }
    }

    /// Errors that the library would answer by itself, twice or with 500. Other clients' requests on the same threads
    /// are meanwhile in their heads and in chunks of their bodies.
    @Test(
        "Errors the HTTP library would answer are answered once",
        arguments: [
            "POST / HTTP/1.1\r\nHost: HOST\r\nContent-Length: x\r\n\r\n",
            "POST / HTTP/1.1\r\nHost: HOST\r\nContent-Length:\r\n\r\n",
            "POST / HTTP/1.1\r\nHost: HOST\r\nContent-Length: 1, 1\r\n\r\nx",
            "POST / HTTP/1.1\r\nHost: HOST\r\nContent-Length: 99999999999999999999999\r\n\r\n",
            "POST / HTTP/1.1\r\nHost: HOST\r\nTransfer-Encoding: chunked\r\n\r\n3;\(String(repeating: "x", count: 100_000))",
            // Later versions refuse the first extension.
            "POST / HTTP/1.1\r\nHost: HOST\r\nTransfer-Encoding: chunked\r\n\r\n1"
                + (LibraryCheck.version.hasPrefix("0.") ? ";\(String(repeating: "x", count: 30_000))" : "")
                + "\r\na\r\n1;\(String(repeating: "x", count: 100_000))",
        ])
    func libraryErrorsAnsweredOnce(text: String) async throws {
        try await withServer(ClosureHandler.echo) { _, port in
            try await offPool {
                let host = "localhost:\(port)"
                let chunked = try (0..<6).map { _ in
                    let client = try RawClient(port: port)
                    client.send("POST /c HTTP/1.1\r\nHost: \(host)\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nab")
                    return client
                }
                let begun = try (0..<6).map { _ in
                    let client = try RawClient(port: port)
                    client.send("POST /h HTTP/1.1\r\nHost: \(host)\r\nContent-Length: 1\r\n")
                    return client
                }
                for _ in 0..<20 {
                    let client = try RawClient(port: port)
                    client.send(text.replacing("HOST", with: host))
                    let reply = String(decoding: (try? client.readUntilClose()) ?? [], as: UTF8.self)
                    // While the client still sends, a reset may lose the answer but never replace it.
                    let isLong = text.utf8.count > 10_000
                    #expect(
                        (isLong && reply.isEmpty) || reply.hasPrefix(isLong ? "HTTP/1.1 413 " : "HTTP/1.1 400 "),
                        "\(reply)")
                    #expect(reply.ranges(of: "HTTP/1.1 ").count <= 1, "\(reply)")
                    #expect(reply.isEmpty || reply.hasSuffix("}\n"), "\(reply)")
                }
                for client in chunked {
                    client.send("c\r\n0\r\n\r\n")
                    #expect(try client.readResponse().text == "POST /c 3")
                }
                for client in begun {
                    client.send("\r\nx")
                    #expect(try client.readResponse().text == "POST /h 1")
                }
            }
        }
    }

    /// What no two parties read differently stays allowed.
    @Test(
        "Unusual but unambiguous heads are read",
        arguments: [
            "GET /?\(String(repeating: "a=1&", count: 1_000)) HTTP/1.1\r\nHost: HOST\r\n\r\n",
            "GET /?\(String(repeating: "&", count: 15_000)) HTTP/1.1\r\nHost: HOST\r\n\r\n",
            "GET / HTTP/1.1\r\nHost:HOST\r\n\r\n", "GET / HTTP/1.1\r\nHost:  \t HOST\r\nX:\r\nY: \r\nZ: a b\tc\r\n\r\n",
            "\r\nGET / HTTP/1.1\r\nHost: HOST\r\n\r\n",
            "GET /?a=b&c HTTP/1.1\r\nHost: HOST\r\nCookie: a=b; c=d\r\n\r\n",
            "POST / HTTP/1.1\r\nHost: HOST\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n",
        ])
    func readsPlainHeads(text: String) async throws {
        try await withServer(ok("fine")) { _, port in
            try await offPool {
                let client = try RawClient(port: port)
                for _ in 0..<2 {
                    client.send(text.replacing("HOST", with: "localhost:\(port)"))
                    #expect(try client.readResponse().text == "fine")
                }
            }
        }
    }

    @Test("A head over the limit is answered with 431") func longHeadIs431() async throws {
        try await withServer(ok("fine")) { _, port in
            try await offPool {
                for size in [17 * 1024, 200 * 1024] {
                    let client = try RawClient(port: port)
                    client.request("GET /", headers: ["X: " + String(repeating: "x", count: size)])
                    let reply = String(decoding: try client.readUntilClose(), as: UTF8.self)
                    // While the client still sends, a reset may lose the answer but never replace it.
                    #expect(reply.isEmpty || reply.hasPrefix("HTTP/1.1 431"), "answered with \(reply.prefix(60))")
                }
                let many = try RawClient(port: port)
                many.request("GET /", headers: (0..<400).map { "X-\($0): 0123456789012345678901234567890123456789" })
                #expect(try many.readResponse().status == 431)
            }
        }
    }

    static let hosts = ["", "evil.example", "127.0.0.1:1", "localhost", "localhost:PORT.evil.example"]
    static let origins = ["null", "http://evil.example", "https://localhost:PORT", "http://127.0.0.1:PORT"]
    static let routes = ["GET /", "GET /healthz", "POST /v1/logs", "DELETE /api/x", "OPTIONS /api", "GET /nothing"]

    @Test("Every foreign host and origin is denied on every route", arguments: routes)
    func deniesForeignEverywhere(route: String) async throws {
        let router = HTTPRouter([
            HTTPRoute(["GET"], "/healthz", ok("fine")),
            HTTPRoute(["POST"], "/v1/logs", ClosureHandler.echo),
            HTTPRoute(nil, "/api/…", ok("api")),
            HTTPRoute(["GET"], "/", ok("page")),
        ])
        try await withServer(router) { _, port in
            try await offPool {
                let client = try RawClient(port: port)
                func status(host: String, origin: String?) throws -> Int {
                    var lines = ["\(route) HTTP/1.1", "Host: \(host)"]
                    if let origin { lines.append("Origin: \(origin)") }
                    let text = lines.joined(separator: "\r\n").replacing("PORT", with: String(port))
                    client.send(text + "\r\n\r\n")
                    return try client.readResponse().status
                }
                for host in Self.hosts {
                    for origin in [nil, "http://\(host)"] + Self.origins {
                        #expect(try status(host: host, origin: origin) == 403, "\(host) \(origin ?? "-")")
                    }
                }
                for origin in Self.origins {
                    #expect(try status(host: "localhost:PORT", origin: origin) == 403, "\(origin)")
                }
                #expect(try status(host: "localhost:PORT", origin: nil) != 403)
                #expect(try status(host: "localhost:PORT", origin: "http://localhost:PORT") != 403)
            }
        }
    }

    @Test("A connection over the limit is closed at once if all are busy") func closesExcessConnection() async throws {
        let limits = HTTPServerLimits {
            $0.connections = 3
            $0.sweepInterval = .milliseconds(5)
        }
        let gate = Signal()
        let handler = ClosureHandler { _ in
            await gate.wait()
            return HTTPResponse(status: 200)
        }
        try await withServer(handler, limits: limits) { server, port in
            try await offPool {
                let clients = try (0..<3).map { _ in try RawClient(port: port) }
                for client in clients { client.request("GET /") }
                try eventuallyOnThread("all work") { gate.waiting == 3 }
                let refused = try RawClient(port: port)
                refused.request("GET /")
                #expect(try refused.readUntilClose().isEmpty)
                gate.open()
                for client in clients { #expect(try client.readResponse().status == 200) }
            }
            #expect(server.statistics.refusedConnections == 1)
        }
    }
}
