import DaybookBase
import DaybookHTTP
import DaybookTrials
import Foundation
import Testing

@testable import DaybookHTTPServer

@Suite(.timeLimit(.minutes(5))) struct WorkTests {
    private final class Blocking: HTTPHandler {
        let gate = DispatchSemaphore(value: 0)
        let blocked = Atomic(0)
        let isRevoked = Atomic(false)

        func admit(_ head: HTTPRequest.Head) -> HTTPAdmission { .accept(bodyLimit: 1 << 20) }
        func work(of head: HTTPRequest.Head) -> HTTPWork {
            ["/v1/logs": HTTPWork.ingest, "/healthz": .health][head.path] ?? .ordinary
        }
        func allows(_ head: HTTPRequest.Head) -> Bool { !isRevoked.load(ordering: .relaxed) }

        func respond(to request: HTTPRequest) async -> HTTPResponse {
            switch request.head.path {
            case "/block":
                blocked.add(1, ordering: .relaxed)
                gate.blockThread()
            case "/stream":
                return HTTPResponse(
                    status: 200,
                    body: .stream(
                        AsyncStream {
                            self.gate.blockThread()
                            return nil
                        }))
            case "/events":
                let (chunks, producer) = AsyncStream.makeStream(of: [UInt8].self)
                producer.yield([1])
                return HTTPResponse(status: 200, body: .stream(chunks))
            default: break
            }
            return HTTPResponse(status: 200)
        }
    }

    private static let limits = HTTPServerLimits {
        $0.places = 8
        $0.waitingRequests = 8
        $0.sweepInterval = .milliseconds(5)
    }

    /// More blocked requests than places and threads, from many addresses.
    @Test("Blocked handlers stop neither ingest nor health checks") func blockedHandlersIsolated() async throws {
        let handler = Blocking()
        try await withServer(handler, limits: Self.limits) { server, port in
            try await offPool {
                let clients = try (0..<40).map { number in
                    let client = try RawClient(port: port, from: "127.0.0.\(2 + number % 10)")
                    client.request(number % 4 == 0 ? "GET /stream" : "GET /block")
                    return client
                }
                try eventuallyOnThread("all that may work do") {
                    handler.blocked.load(ordering: .relaxed) >= 4 && server.statistics.requests == 40
                }
                for _ in 0..<50 {
                    for path in ["/v1/logs", "/healthz"] {
                        let client = try RawClient(port: port)
                        client.request("POST \(path)", body: [1])
                        #expect(try client.readResponse().status == 200)
                    }
                }
                for _ in 0..<100 { handler.gate.signal() }
                for client in clients { #expect([200, 503].contains(try client.readHead().status)) }
            }
        }
        for _ in 0..<100 { handler.gate.signal() }
    }

    @Test("An answer that takes too long is abandoned and its connection stays open") func slowAnswerIsAbandoned()
        async throws
    {
        let (handler, clock) = (Blocking(), HeldMonotonicClock())
        try await withServer(handler, limits: Self.limits, clock: clock.monotonic) { server, port in
            try await offPool {
                let client = try RawClient(port: port)
                client.request("GET /block")
                try eventuallyOnThread("it works") { handler.blocked.load(ordering: .relaxed) == 1 }
                clock.advance(seconds: 59)
                #expect(!client.isReadable(within: 50))
                clock.advance(seconds: 2)
                let late = try client.readResponse()
                #expect(late.status == 503 && late.text.contains("too_long") && late.headers["retry-after"] != nil)
                client.request("GET /page")
                #expect(try client.readResponse().status == 200)
                handler.gate.signal()
                client.request("GET /page")
                #expect(try client.readResponse().status == 200)
            }
        }
    }

    @Test("Revoking a key ends its requests in progress") func revokedKeyEndsRequests() async throws {
        let handler = Blocking()
        try await withServer(handler, limits: Self.limits) { server, port in
            try await offPool {
                let (streaming, working) = (try RawClient(port: port), try RawClient(port: port))
                streaming.request("GET /events")
                #expect(try streaming.readHead().status == 200)
                #expect(try streaming.readChunk() == [1])
                working.request("GET /block")
                try eventuallyOnThread("it works") { handler.blocked.load(ordering: .relaxed) == 1 }
                handler.isRevoked.store(true, ordering: .relaxed)
                #expect(try streaming.readChunk().isEmpty)
                #expect(try working.readResponse().status == 401)
                handler.gate.signal()
            }
        }
    }
}
