import DaybookHTTP
import DaybookHTTPServer
import DaybookTrials
import Testing

/// The test drives the clock: a second passes for each byte that the client drips.
@Suite(.timeLimit(.minutes(5))) struct DeadlineTests {
    private let clock = HeldMonotonicClock()

    /// Drips bytes until the server closes; returns the seconds passed.
    private static func drip(_ byte: String, on client: RawClient, _ clock: HeldMonotonicClock) throws -> Int {
        for second in 0..<10_000 {
            // Waits for the close; the server sweeps every few milliseconds.
            if client.isReadable(within: 20) {
                _ = try client.readUntilClose()
                return second
            }
            client.send(byte)
            clock.advance(seconds: 1)
        }
        throw RawClient.Failure(description: "never closed")
    }

    @Test("A dripped head is closed at its deadline") func drippedHeadTimesOut() async throws {
        let clock = clock
        try await withServer(ok("fine"), clock: clock.monotonic) { server, port in
            try await offPool {
                let client = try RawClient(port: port)
                client.send("GET / HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nX: ")
                let seconds = try Self.drip("x", on: client, clock)
                #expect(seconds >= 10)
                #expect(seconds < 40)
            }
            #expect(server.statistics.expiredConnections == 1)
        }
    }

    @Test("A dripped request line is closed at its deadline") func drippedLineTimesOut() async throws {
        let clock = clock
        try await withServer(ok("fine"), clock: clock.monotonic) { _, port in
            try await offPool {
                let client = try RawClient(port: port)
                let seconds = try Self.drip("G", on: client, clock)
                #expect(seconds >= 10)
                #expect(seconds < 40)
            }
        }
    }

    @Test("A dripped body is closed at its deadline, accepted or refused", arguments: [false, true])
    func drippedBodyTimesOut(isRefused: Bool) async throws {
        let clock = clock
        let handler = isRefused ? ClosureHandler(refusing: HTTPResponse(status: 429)) : ClosureHandler.echo
        try await withServer(handler, clock: clock.monotonic) { _, port in
            try await offPool {
                let client = try RawClient(port: port)
                client.request("POST /", headers: ["Content-Length: 100000"])
                let seconds = try Self.drip("x", on: client, clock)
                #expect(seconds >= 30)
                #expect(seconds < 90)
            }
        }
    }

    @Test("An idle connection is closed at its deadline") func idleConnectionTimesOut() async throws {
        let clock = clock
        try await withServer(ok("fine"), clock: clock.monotonic) { _, port in
            try await offPool {
                let client = try RawClient(port: port)
                client.request("GET /")
                #expect(try client.readResponse().text == "fine")
                // Well past the deadline of a head, but short of the idle one.
                clock.advance(seconds: 40)
                #expect(!client.isReadable(within: 60))
                client.request("GET /")
                #expect(try client.readResponse().text == "fine")
                let seconds = try Self.drip("", on: client, clock)
                #expect(seconds >= 60)
                #expect(seconds < 150)
            }
        }
    }

    @Test("A client that does not read its reply is closed") func unreadReplyTimesOut() async throws {
        let clock = clock
        let big = [UInt8](repeating: 1, count: 64 << 20)
        let handler = ClosureHandler { _ in HTTPResponse(status: 200, body: .bytes(big)) }
        try await withServer(handler, clock: clock.monotonic) { _, port in
            let received = try await offPool {
                let quiet = try RawClient(port: port)
                quiet.request("HEAD /")
                #expect(try quiet.readResponse(toHead: true).status == 200)
                let client = try RawClient(port: port)
                client.request("GET /")
                #expect(try client.readHead().status == 200)
                // 64 MiB at 16 KiB/s plus the idle time are 4,156 s.
                clock.advance(seconds: 5000)
                // The quiet connection's deadline passes too, so it closes in the same sweep.
                _ = try quiet.readUntilClose()
                var received = 0
                while let count = try? client.readUntilClose().count, count > 0 { received += count }
                return received
            }
            #expect(received < big.count)
        }
    }

    @Test("A handler has time to answer, and a waiting stream has no deadline") func streamHasNoDeadline() async throws
    {
        let clock = clock
        let release = Signal()
        let (chunks, producer) = AsyncStream.makeStream(of: [UInt8].self)
        let handler = ClosureHandler { request in
            if request.head.path == "/stream" { return HTTPResponse(status: 200, body: .stream(chunks)) }
            await release.wait()
            return HTTPResponse(status: 204)
        }
        try await withServer(handler, clock: clock.monotonic) { _, port in
            try await offPool {
                let working = try RawClient(port: port)
                working.request("GET /work")
                let streaming = try RawClient(port: port)
                streaming.request("GET /stream")
                #expect(try streaming.readHead().status == 200)
                try eventuallyOnThread("the other works") { release.waiting == 1 }
                producer.yield([1])
                #expect(try streaming.readChunk() == [1])
                // Once the library has asked for more and is suspended, there is no deadline; sweeps go on meanwhile.
                #expect(!streaming.isReadable(within: 100))
                clock.advance(seconds: 50)
                #expect(!working.isReadable(within: 100))
                release.open()
                #expect(try working.readResponse().status == 204)
                clock.advance(seconds: 100_000)
                #expect(!streaming.isReadable(within: 100))
                producer.yield([2])
                #expect(try streaming.readChunk() == [2])
                producer.finish()
                #expect(try streaming.readChunk().isEmpty)
            }
        }
    }
}
