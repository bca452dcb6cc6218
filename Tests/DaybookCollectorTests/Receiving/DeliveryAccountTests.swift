import Daybook
import DaybookBase
import DaybookHTTP
import DaybookOTLP
import DaybookStore
import DaybookTestTraits
import DaybookTesting
import DaybookTrials
import Foundation
import Testing

@testable import DaybookCollector

/// The real client and the real ingest, over a network that loses and repeats: their accounts must agree.
@Suite(.timeLimit(.minutes(5)), .temporaryDirectory) struct DeliveryAccountTests {
    private let directory = TemporaryDirectory.current.url

    /// An ingest behind a transport that loses requests and responses.
    private final class LossyNetwork: HTTPTransport {
        struct Lost: Error {}
        private let handlers: [IngestHandler]
        private let source: Mutex<SeededGenerator>
        let repeats = Atomic<Int>(0)

        init(_ handlers: [IngestHandler], seed: UInt64) {
            self.handlers = handlers
            source = Mutex(SeededGenerator(seed: seed))
        }

        func send(_ request: TransportRequest) async throws -> TransportResponse {
            let (fate, place) = source.withLock { source in
                (Int.random(in: 0..<10, using: &source), Int.random(in: handlers.indices, using: &source))
            }
            if fate < 2 { throw Lost() }
            let response = await Self.exchange(request, with: handlers[place])
            if fate < 5 {
                repeats.add(1, ordering: .relaxed)
                throw Lost()
            }
            return response
        }

        static func exchange(_ request: TransportRequest, with handler: IngestHandler) async -> TransportResponse {
            var headers: HTTPHeaders = [:]
            for (name, value) in request.headers { headers.add(name, value) }
            let head = HTTPRequest.Head(method: request.method, path: request.url.path, headers: headers)
            if case .refuse(let response) = handler.admit(head) { return Self.answer(response) }
            return answer(await handler.respond(to: HTTPRequest(head: head, body: request.body)))
        }

        private static func answer(_ response: HTTPResponse) -> TransportResponse {
            let body: [UInt8] = if case .bytes(let bytes) = response.body { bytes } else { [] }
            return TransportResponse(
                status: response.status,
                headers: Dictionary(response.headers.fields.map { ($0.name.lowercased(), $0.value) }) { $1 }, body: body
            )
        }
    }

    @Test("Two collectors on one store count every record once", arguments: [1, 2] as [UInt64])
    func collectorsCountOnce(seed: UInt64) async throws {
        let collector = try Collector()
        let ingests = (0..<2).map { _ in IngestHandler(store: collector.store) }
        let network = LossyNetwork(ingests, seed: seed)
        let endpoint = try #require(URL(string: "http://collector.example"))
        var sent = 0
        // Each launch cuts its batches anew; the second finds no cursor and resends what the first sent.
        for (launch, size) in [7, 11, 5].enumerated() {
            if launch == 1 { #expect(try removeCursors() > 0) }
            var options = PipelineOptions()
            options.backoff = Backoff(initial: .milliseconds(1), maximum: .milliseconds(5))
            let pipeline = try Pipeline(directory: directory, options: options) {
                Route(
                    "**", to: OTLPOutput(endpoint: endpoint, transport: network),
                    batch: .init(count: size, delay: .milliseconds(5)))
            }
            let log = pipeline.log("account")
            for number in 0..<50 {
                log.info("\(launch)/\(number)")
                sent += 1
            }
            try await pipeline.flush(deadline: .seconds(60))
            await pipeline.shutdown(deadline: .seconds(60))
        }
        let counts = try await collector.store.query(
            "SELECT count(*), count(DISTINCT uid), count(DISTINCT message) FROM records", limits: .init())
        #expect(counts.rows == [[.integer(Int64(sent)), .integer(Int64(sent)), .integer(Int64(sent))]])
        let ledger = try await collector.store.ledger(LedgerQuery()).ledgers
        #expect(ledger.reduce(0) { $0 + $1.stored } == Int64(sent))
        #expect(ledger.allSatisfy { $0.gaps.isEmpty && $0.losses.values.allSatisfy { $0 == 0 } })
        // The network did lose and repeat.
        #expect(network.repeats.load(ordering: .relaxed) > 0)
        #expect(ledger.reduce(0) { $0 + $1.duplicates } > 0)
    }

    /// Forwards requests. When told to wait, advances the collector's clock instead.
    private final class PatientNetwork: HTTPTransport {
        let handler = Mutex<IngestHandler?>(nil)
        let time = Mutex<UInt64>(0)
        let waits = Mutex<[Int]>([])

        func send(_ request: TransportRequest) async throws -> TransportResponse {
            guard let handler = handler.withLock({ $0 }) else { throw LossyNetwork.Lost() }
            var response = await LossyNetwork.exchange(request, with: handler)
            if response.status == 429, let wait = response.headers["retry-after"].flatMap({ Int($0) }) {
                waits.withLock { $0.append(wait) }
                time.withLock { $0 += UInt64(wait) * 1_000_000_000 }
                response.headers["retry-after"] = "0"
            }
            return response
        }
    }

    @Test("A sender at its quota loses no records") func quotaLosesNothing() async throws {
        let collector = try Collector()
        let network = PatientNetwork()
        let (key, stored) = makeKey("ios", quota: .init(recordsPerMinute: 10))
        let handler = IngestHandler(
            store: collector.store, keys: KeyRing([stored]),
            clock: .init(wall: { 0 }, monotonic: { [network] in network.time.withLock { $0 } })
        ) {
            $0.retryDelay = { 1 }
        }
        network.handler.withLock { $0 = handler }
        var options = PipelineOptions()
        options.backoff = Backoff(initial: .milliseconds(1), maximum: .milliseconds(5))
        let endpoint = try #require(URL(string: "http://collector.example"))
        let pipeline = try Pipeline(directory: directory, options: options) {
            Route(
                "**", to: OTLPOutput(endpoint: endpoint, key: key.text, transport: network),
                batch: .init(count: 7, delay: .milliseconds(5)))
        }
        for round in 0..<5 {
            for number in 0..<10 { pipeline.log("account").info("\(round)/\(number)") }
            try await pipeline.flush(deadline: .seconds(60))
        }
        let account = await pipeline.ledgers().values.first
        #expect(account?.accepted == 50 && account?.delivered == 50)
        await pipeline.shutdown(deadline: .seconds(60))
        // Each wait was long enough: afterwards the request was accepted.
        let waits = network.waits.withLock { $0 }
        #expect(waits.count >= 3 && waits.allSatisfy { (1...62).contains($0) }, "\(waits)")
        let ledger = try await collector.store.ledger(LedgerQuery()).ledgers
        #expect(ledger.map(\.stored) == [50] && ledger.map(\.duplicates) == [0])
    }

    /// Forwards requests, and loses the responses while deaf.
    private struct DeafNetwork: HTTPTransport {
        let handler: IngestHandler
        let isDeaf: Bool

        func send(_ request: TransportRequest) async throws -> TransportResponse {
            let response = await LossyNetwork.exchange(request, with: handler)
            if isDeaf { throw LossyNetwork.Lost() }
            return response
        }
    }

    @Test("Adopted records of a dead second writer are not stored twice") func adoptedRecordsStoredOnce() async throws {
        let collector = try Collector()
        let endpoint = try #require(URL(string: "http://collector.example"))
        func pipeline(isDeaf: Bool) throws -> Pipeline<EmptyContext> {
            try Pipeline(directory: directory) {
                Route(
                    "**",
                    to: OTLPOutput(
                        endpoint: endpoint, transport: DeafNetwork(handler: collector.ingest, isDeaf: isDeaf)),
                    batch: .init(count: 10, delay: .seconds(36_000)))
            }
        }
        func stored() async throws -> Int { try await collector.rows().count }
        let first = try pipeline(isDeaf: true)
        let second = try pipeline(isDeaf: true)
        for number in 0..<10 { second.log("account").info("\(number)") }
        // They arrive, but the sender gets no response.
        try await eventually("ten records are stored") { try await stored() >= 10 }
        for number in 10..<15 { second.log("account").info("\(number)") }
        await second.shutdown(deadline: .zero)
        await first.shutdown(deadline: .zero)

        let third = try pipeline(isDeaf: false)
        try await eventually("15 records are adopted") {
            await third.ledgers().values.first?.accepted == 15
        }
        try await third.flush(deadline: .seconds(60))
        await third.shutdown(deadline: .seconds(60))
        let counts = try await collector.store.query(
            "SELECT count(*), count(DISTINCT uid), count(DISTINCT message) FROM records", limits: .init())
        #expect(counts.rows == [[.integer(15), .integer(15), .integer(15)]])
        let ledger = try await collector.store.ledger(LedgerQuery()).ledgers
        // All under the dead writer's name, including the interval sent twice.
        #expect(ledger.count == 1 && ledger.allSatisfy { $0.gaps.isEmpty })
        #expect(ledger.reduce(0) { $0 + $1.stored } == 15)
        #expect(ledger.reduce(0) { $0 + $1.duplicates } >= 10)
    }

    private func removeCursors() throws -> Int {
        let paths = try FileManager.default.subpathsOfDirectory(atPath: directory.path)
        let cursors = paths.filter { $0.hasSuffix(".cursor") }
        for path in cursors { try FileManager.default.removeItem(at: directory.appending(path: path)) }
        return cursors.count
    }
}
