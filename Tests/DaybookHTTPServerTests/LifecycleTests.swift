import DaybookBase
import DaybookHTTP
import DaybookTrials
import Dispatch
import Foundation
import Testing

@testable import DaybookHTTPServer

@Suite(.timeLimit(.minutes(5))) struct LifecycleTests {
    private func configuration(port: Int = 0, addresses: [String] = ["127.0.0.1"]) -> HTTPServerConfiguration {
        HTTPServerConfiguration(
            addresses: addresses, port: port,
            limits: HTTPServerLimits {
                $0.sweepInterval = .milliseconds(5)
            })
    }

    /// The library's refusal of one head must not touch another connection that is already closed.
    @Test("Malformed heads on many connections do not crash the server") func malformedHeadsAreSafe() async throws {
        try await withServer(ClosureHandler { _ in HTTPResponse(status: 204) }) { server, port in
            try await withThrowingTaskGroup(of: Void.self) { clients in
                for _ in 0..<4 { clients.addTask { try await offPool { try Self.sendMalformedHeads(port) } } }
                try await clients.waitForAll()
            }
            try await offPool {
                let client = try RawClient(port: port)
                client.request("GET /")
                #expect(try client.readResponse().status == 204)
            }
        }
    }

    /// The library crashes if it refuses a head while it is stopped, so it must have no connection left by then. The
    /// only serving thread is held until every other head waits, and in the next request until the stop overtakes it.
    @Test("Stopping amid malformed heads does not crash the server") func stopIsSafeUnderAttack() async throws {
        let (held, go) = (Signal(), DispatchSemaphore(value: 0))
        let served = Atomic(0)
        let server = HTTPServer(
            configuration: HTTPServerConfiguration(addresses: ["127.0.0.1"], port: 0, threads: 1), handler: ok("fine")
        ) { _ in
            let number = served.add(1, ordering: .relaxed)
            if number == 1 { held.open() }
            if number <= 2 { go.wait() }
        }
        let port = try server.start()
        async let answers = offPool {
            let clients = try (0..<100).map { _ in try RawClient(port: port) }
            let silent = try RawClient(port: port)
            try eventuallyOnThread("all are connected") { server.statistics.openConnections == clients.count + 1 }
            clients[0].send("GET / HTTP/1.1\r\nHost: elsewhere\r\n\r\n")
            for (number, client) in clients.enumerated().dropFirst() {
                if number.isMultiple(of: 2) {
                    client.send("GET / HTTP/1.1\r\nHost: elsewhere\r\n\r\n")
                } else {
                    client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: x\r\n\r\n")
                }
            }
            go.signal()
            // Nothing but the stop ends a connection on which nothing was sent.
            #expect(try silent.readUntilClose().isEmpty)
            go.signal()
            return try clients.map { try $0.readUntilClose() }
        }
        await held.wait()
        await server.stop()
        let refusals = try await answers
        let statuses = Set(refusals.map { String(decoding: $0.prefix { $0 != UInt8(ascii: "\r") }, as: UTF8.self) })
        #expect(statuses.contains("HTTP/1.1 403 Forbidden"))
        #expect(statuses.allSatisfy { $0.isEmpty || $0.hasPrefix("HTTP/1.1 4") || $0.hasPrefix("HTTP/1.1 503 ") })
    }

    /// The only serving thread is held until the last bytes and the end have both come, so that it sees them as one.
    @Test("A client that leaves with its last bytes is noticed") func endBehindBytesIsNoticed() async throws {
        let go = DispatchSemaphore(value: 0)
        let served = Atomic(0)
        let server = HTTPServer(
            configuration: HTTPServerConfiguration(addresses: ["127.0.0.1"], port: 0, threads: 1), handler: ok("fine"),
            clock: HeldMonotonicClock().monotonic
        ) { _ in
            if served.add(1, ordering: .relaxed) == 1 { go.wait() }
        }
        let port = try server.start()
        try await offPool {
            let leaving = try RawClient(port: port)
            leaving.send("POST / HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nContent-Length: 9\r\n\r\nx")
            try eventuallyOnThread("a byte has come") { server.statistics.bodyBytes == 1 }
            let holding = try RawClient(port: port)
            holding.request("GET /")
            try eventuallyOnThread("the thread is held") { served.load(ordering: .relaxed) == 1 }
            leaving.send("y")
            leaving.disconnect()
            go.signal()
            try eventuallyOnThread("the client has left") { server.statistics.openConnections == 1 }
            holding.request("GET /")
            #expect(try [holding.readResponse().status, holding.readResponse().status] == [200, 200])
        }
        await server.stop()
    }

    @Test("A start with a malformed certificate leaves nothing open") func badIdentityLeavesNothing() async throws {
        var settings = configuration(addresses: ["127.0.0.1", "127.0.0.2"])
        settings.tls = TLSIdentity(certificateChain: "none", privateKey: "none")
        settings.port = try ListeningSockets.open(addresses: ["127.0.0.1"], port: 0).map { socket in
            defer { close(socket.descriptor) }
            return socket.port
        }[0]
        let failing = HTTPServer(configuration: settings, handler: ok("secret"))
        #expect(throws: HTTPServerError.badIdentity) { try failing.start() }
        settings.tls = nil
        let server = HTTPServer(configuration: settings, handler: ok("fine"))
        #expect(try server.start() == settings.port)
        await server.stop()
    }

    private static func sendMalformedHeads(_ port: Int) throws {
        for _ in 0..<300 {
            let client = try RawClient(port: port)
            while client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: x\r\n\r\n") {}
            client.disconnect()
        }
    }

    @Test("A port in use is reported in one line with advice") func portInUseIsExplained() async throws {
        try await withServer(ok("fine")) { _, port in
            let second = HTTPServer(configuration: configuration(port: port), handler: ok("other"))
            let error = #expect(throws: HTTPServerError.self) { try second.start() }
            #expect(
                error?.description
                    == "127.0.0.1:\(port) is in use by another process; stop it or choose another port with --port")
            #expect(error?.code == .addressInUse)
            await second.stop()
        }
    }

    /// A connection opened by this machine holds its port until a minute after its close, with no listener.
    @Test(
        "A port held by a connection is not reported as another server",
        .enabled(if: FileManager.default.fileExists(atPath: "/proc/net/tcp"), "only Linux tells"),
        arguments: [true, false])
    func takenPortHasNoListener(isClosed: Bool) async throws {
        let waiting = try ListeningSockets.open(addresses: ["127.0.0.1"], port: 0)[0]
        defer { close(waiting.descriptor) }
        let client = try RawClient(port: waiting.port)
        defer { if !isClosed { client.disconnect() } }
        let accepted = accept(waiting.descriptor, nil, nil)
        #expect(accepted >= 0)
        let port = try #require(client.ownPort)
        // The side that closes first keeps the port.
        if isClosed { client.disconnect() }
        close(accepted)
        let server = HTTPServer(configuration: configuration(port: port), handler: ok("fine"))
        let error = #expect(throws: HTTPServerError.self) { try server.start() }
        #expect(error?.code == .addressInUse)
        #expect(error?.description.contains("nothing listens there") == true, "\(error?.description ?? "")")
        await server.stop()
    }

    @Test("A wildcard address serves only the machine's own addresses") func wildcardServesOwn() async throws {
        let server = HTTPServer(configuration: configuration(addresses: ["0.0.0.0"]), handler: ok("fine"))
        let port = try server.start()
        let own = SocketAddress.ofInterfaces(like: "0.0.0.0")
        #expect(own.contains("127.0.0.1"))
        try await offPool {
            for (address, status) in own.map({ ($0, 200) }) + [("192.0.2.77", 403), ("evil.example", 403)] {
                let client = try RawClient(port: port)
                client.send(Array("GET / HTTP/1.1\r\nHost: \(address):\(port)\r\n\r\n".utf8))
                #expect(try client.readResponse().status == status, "\(address)")
            }
        }
        #expect(server.statistics.deniedRequests == 2)
        await server.stop()
    }

    /// With TLS, or after a pipelined request, unread bytes precede the end.
    #if os(Linux)
        private static let unread = [false, true]
    #else
        private static let unread = [false]
    #endif

    @Test("A client that leaves cancels its handler", arguments: unread)
    func leavingCancelsHandler(hasUnread: Bool) async throws {
        let began = DispatchSemaphore(value: 0)
        let cancelled = Signal()
        let ends = Mutex<[Bool]>([])
        let handler = ClosureHandler { _ in
            await withTaskCancellationHandler {
                began.signal()
                await cancelled.wait()
            } onCancel: {
                cancelled.open()
            }
            ends.withLock { $0.append(Task.isCancelled) }
            return HTTPResponse(status: 204)
        }
        try await withServer(handler) { server, port in
            try await offPool {
                let client = try RawClient(port: port)
                client.request("GET /slow")
                began.wait()
                if hasUnread { client.send("GET /next") }
                client.disconnect()
            }
            await cancelled.wait()
            try await eventually("the connection is closed") { server.statistics.openConnections == 0 }
        }
        #expect(ends.withLock { $0.first } == true)
    }

    @Test("A foreign, malformed or out-of-range address is an error") func badAddressIsNamed() {
        let foreign = HTTPServer(configuration: configuration(addresses: ["192.0.2.1"]), handler: ok("x"))
        #expect(throws: HTTPServerError.self) { try foreign.start() }
        let nonsense = HTTPServer(configuration: configuration(addresses: ["localhorst"]), handler: ok("x"))
        let error = #expect(throws: HTTPServerError.self) { try nonsense.start() }
        #expect(error?.code == .invalidAddress)
        let port = HTTPServer(configuration: configuration(port: 70_000), handler: ok("x"))
        #expect(throws: HTTPServerError.self) { try port.start() }
    }

    @Test("A server starts only once, and its port is free after the stop") func startsOnce() async throws {
        let first = HTTPServer(configuration: configuration(), handler: ok("first"))
        let port = try first.start()
        #expect(first.port == port)
        #expect(first.endpoints == ["127.0.0.1:\(port)"])
        #expect(throws: HTTPServerError.self) { try first.start() }
        try await offPool {
            let client = try RawClient(port: port)
            client.request("GET /")
            #expect(try client.readResponse().text == "first")
        }
        async let stopped: Void = first.stop()
        async let stoppedToo: Void = first.stop()
        _ = await (stopped, stoppedToo)
        #expect(first.port == nil)
        #expect(throws: HTTPServerError.self) { try first.start() }
        let second = HTTPServer(configuration: configuration(port: port), handler: ok("second"))
        try second.start()
        await second.stop()
    }

    @Test("Both loopback addresses share the port if the machine has both") func loopbacksSharePort() async throws {
        let server = HTTPServer(
            configuration: configuration(addresses: HTTPServerConfiguration.loopback), handler: ok("fine"))
        let port = try server.start()
        #expect([["127.0.0.1:\(port)"], ["127.0.0.1:\(port)", "[::1]:\(port)"]].contains(server.endpoints))
        await server.stop()
    }

    @Test("Stopping ends two hundred waiting streams in order") func stopEndsStreams() async throws {
        let producers = Mutex<[AsyncStream<[UInt8]>.Continuation]>([])
        let handler = ClosureHandler { _ in
            let (chunks, producer) = AsyncStream.makeStream(of: [UInt8].self)
            producers.withLock { $0.append(producer) }
            producer.yield([1])
            return HTTPResponse(status: 200, body: .stream(chunks))
        }
        // Under load, two hundred clients may take longer than one client may.
        let server = HTTPServer(
            configuration: configuration(), handler: handler, clock: HeldMonotonicClock().monotonic)
        let port = try server.start()
        let (opened, ready) = AsyncStream.makeStream(of: Void.self)
        async let endings = offPool {
            defer { ready.finish() }
            let clients = try (0..<200).map { _ in try RawClient(port: port) }
            // One after another: of requests that wait for a place, one address may have 128.
            for client in clients {
                client.request("GET /events")
                let head = try client.readHead()
                #expect(head.status == 200, "\(head)")
                #expect(try client.readChunk() == [1])
            }
            ready.finish()
            return try clients.filter { try $0.readChunk().isEmpty }.count
        }
        for await _ in opened {}
        #expect(server.statistics.openConnections == 200)
        await server.stop(within: .seconds(120))
        #expect(try await endings == 200)
    }

    @Test("Stopping waits for a request in progress") func stopWaitsForRequest() async throws {
        let (began, release) = (Signal(), Signal())
        let handler = ClosureHandler { _ in
            began.open()
            await release.wait()
            return HTTPResponse(status: 200, contentType: "text/plain", text: "done")
        }
        let server = HTTPServer(configuration: configuration(), handler: handler)
        let port = try server.start()
        async let reply = offPool {
            let client = try RawClient(port: port)
            client.request("GET /")
            return try client.readResponse()
        }
        await began.wait()
        async let stopped: Void = server.stop(within: .seconds(60))
        // The stop has begun once a new connection is closed without an answer.
        try await offPool {
            while true {
                let late = try RawClient(port: port)
                late.request("GET /")
                if late.isReadable(within: 20) { return #expect(try late.readUntilClose().isEmpty) }
            }
        }
        release.open()
        #expect(try await reply.text == "done")
        #expect(try await reply.headers["connection"] == "close")
        await stopped
    }

    @Test("Stopping cancels a handler at the deadline and answers 503") func stopCancelsAtDeadline() async throws {
        let (began, cancelled) = (Signal(), Signal())
        let handler = ClosureHandler { _ in
            await withTaskCancellationHandler {
                began.open()
                await cancelled.wait()
            } onCancel: {
                cancelled.open()
            }
            return HTTPResponse(status: 200)
        }
        let server = HTTPServer(configuration: configuration(), handler: handler)
        let port = try server.start()
        async let reply = offPool {
            let client = try RawClient(port: port)
            client.request("GET /")
            return try client.readResponse()
        }
        await began.wait()
        await server.stop(within: .milliseconds(50))
        await cancelled.wait()
        #expect(try await reply.status == 503)
    }
}
