import Daybook
import DaybookTestTraits
import DaybookTesting
import Foundation
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite(.temporaryDirectory) struct FaultyTransportTests {
    private let directory = TemporaryDirectory.current

    private func deliver(_ faults: [FaultyTransport.Fault]) async throws -> (FaultyTransport, Ledger) {
        let transport = FaultyTransport(faults)
        var options = PipelineOptions()
        options.report = { _ in }
        options.backoff = Backoff(initial: .milliseconds(1), maximum: .milliseconds(5))
        let output = HTTPOutput(
            request: { _ in URLRequest(url: URL(string: "http://logs.test/")!) },
            body: { Data($0.map(\.tag).joined(separator: ",").utf8) }, transport: transport)
        let pipeline = try Pipeline(directory: directory.url, options: options) {
            Route("**", to: output, batch: BatchLimits(count: 2, delay: .milliseconds(1)))
        }
        pipeline.log().post("a.one")
        pipeline.log().post("a.two")
        for _ in 0..<20 where await pipeline.ledgers()["http"]?.delivered != 2 {
            try? await pipeline.flush(deadline: .seconds(60))
        }
        let ledger = await pipeline.ledgers()["http"] ?? Ledger()
        await pipeline.shutdown(deadline: .seconds(60))
        return (transport, ledger)
    }

    @Test("Every fault is retried until the records arrive") func faultsAreRetried() async throws {
        let (transport, ledger) = try await deliver([.offline, .status(500), .tooManyRequests(retryAfter: 0)])
        #expect(ledger.delivered == 2)
        #expect(ledger.dropped.isEmpty)
        #expect(transport.attempts.count >= 4)
        let bodies = transport.arrived.map { String(decoding: $0.body, as: UTF8.self) }
        #expect(Set(bodies.joined(separator: ",").split(separator: ",")) == ["a.one", "a.two"])
    }

    @Test("A lost answer repeats the request") func lostAnswerRepeats() async throws {
        let (transport, ledger) = try await deliver([.answerLost])
        #expect(ledger.delivered == 2)
        #expect(transport.arrived.count >= 2)
    }

    @Test("A hanging request ends when it is released") func hangEndsOnRelease() async throws {
        let transport = FaultyTransport([.hang])
        let request = TransportRequest(
            url: URL(string: "http://logs.test/")!, headers: [:], body: [], timeout: .seconds(1))
        async let answer: TransportResponse? = try? transport.send(request)
        transport.release()
        #expect(await answer == nil || transport.attempts.count == 1)
        #expect(transport.arrived.isEmpty)
    }

    @Test("A hanging request ends with its task") func hangEndsOnCancel() async throws {
        let transport = FaultyTransport([.hang])
        let request = TransportRequest(
            url: URL(string: "http://logs.test/")!, headers: [:], body: [], timeout: .seconds(1))
        let task = Task { try await transport.send(request) }
        task.cancel()
        await #expect(throws: FaultyTransport.NoAnswer.self) { _ = try await task.value }
    }
}
