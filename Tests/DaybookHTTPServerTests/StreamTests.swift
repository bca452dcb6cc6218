import DaybookBase
import DaybookHTTP
import DaybookHTTPServer
import DaybookTrials
import Testing

@Suite(.timeLimit(.minutes(5))) struct StreamTests {
    @Test("Chunks reach the client as they are produced") func chunksAreLive() async throws {
        let (chunks, producer) = AsyncStream.makeStream(of: [UInt8].self)
        let handler = ClosureHandler { _ in
            HTTPResponse(status: 200, headers: ["content-type": "text/event-stream"], body: .stream(chunks))
        }
        try await withServer(handler) { _, port in
            try await offPool {
                let client = try RawClient(port: port)
                client.request("GET /events")
                let head = try client.readHead()
                #expect(head.headers["content-type"] == "text/event-stream")
                for index in 0..<50 {
                    producer.yield(Array("data: \(index)\n\n".utf8))
                    #expect(String(decoding: try client.readChunk(), as: UTF8.self) == "data: \(index)\n\n")
                }
                producer.finish()
                #expect(try client.readChunk().isEmpty)
            }
        }
    }

    @Test("A large stream arrives whole and the connection stays open") func largeStreamIsWhole() async throws {
        let handler = ClosureHandler { request in
            guard request.head.path == "/big" else { return HTTPResponse(status: 204) }
            return HTTPResponse(
                status: 200,
                body: .stream(
                    AsyncStream { producer in
                        for index in 0..<40 { producer.yield([UInt8](repeating: UInt8(index), count: 100_000)) }
                        producer.finish()
                    }))
        }
        try await withServer(handler) { _, port in
            try await offPool {
                let client = try RawClient(port: port)
                client.request("GET /big")
                let body = try client.readResponse().body
                #expect(body.count == 4_000_000)
                let sent = (0..<40).flatMap { (byte: UInt8) -> [UInt8] in .init(repeating: byte, count: 100_000) }
                #expect(body == sent)
                client.request("GET /next")
                #expect(try client.readResponse().status == 204)
            }
        }
    }

    @Test("A client that leaves cancels its stream, quiet or busy", arguments: [false, true])
    func leavingCancelsStream(isBusy: Bool) async throws {
        let ended = Signal()
        let (chunks, producer) = AsyncStream.makeStream(of: [UInt8].self, bufferingPolicy: .bufferingNewest(4))
        producer.onTermination = { reason in if case .cancelled = reason { ended.open() } }
        let handler = ClosureHandler { _ in HTTPResponse(status: 200, body: .stream(chunks)) }
        try await withServer(handler) { _, port in
            try await offPool {
                let client = try RawClient(port: port)
                client.request("GET /events")
                #expect(try client.readHead().status == 200)
                producer.yield([1])
                #expect(try client.readChunk() == [1])
                if isBusy { for _ in 0..<1000 { producer.yield([UInt8](repeating: 2, count: 100_000)) } }
                client.disconnect()
            }
            await ended.wait()
        }
    }

    @Test("A HEAD request to a stream ends its producer") func headEndsProducer() async throws {
        let ended = Signal()
        let handler = ClosureHandler { _ in
            let (chunks, producer) = AsyncStream.makeStream(of: [UInt8].self)
            producer.onTermination = { _ in ended.open() }
            return HTTPResponse(status: 200, body: .stream(chunks))
        }
        try await withServer(handler) { _, port in
            try await offPool {
                let client = try RawClient(port: port)
                client.request("HEAD /events")
                #expect(try client.readResponse(toHead: true).status == 200)
                #expect(try client.readUntilClose().isEmpty)
            }
            await ended.wait()
        }
    }

    @Test("A slow client holds back the producer instead of filling memory") func slowClientLimitsStream() async throws
    {
        let taken = Atomic<Int>(0)
        let chunk = [UInt8](repeating: 1, count: 1 << 20)
        let handler = ClosureHandler { _ in
            // Unfolding produces only on demand, so the count is what the server took.
            HTTPResponse(
                status: 200,
                body: .stream(
                    AsyncStream {
                        taken.add(1, ordering: .relaxed)
                        return chunk
                    }))
        }
        try await withServer(handler) { _, port in
            try await offPool {
                let client = try RawClient(port: port)
                client.request("GET /")
                #expect(try client.readHead().status == 200)
                var last = -1
                // Until the sockets are full and the server takes no more.
                while case let now = taken.load(ordering: .relaxed), now != last {
                    last = now
                    usePollAsPause(client)
                }
                #expect(last < 64, "took \(last) MiB")
            }
        }
    }
}

/// Gives the server time while the client reads nothing. That socket stays readable, so this waits on a second, quiet
/// connection.
private func usePollAsPause(_ client: RawClient) {
    guard let quiet = try? RawClient(port: client.port) else { return }
    _ = quiet.isReadable(within: 150)
}
