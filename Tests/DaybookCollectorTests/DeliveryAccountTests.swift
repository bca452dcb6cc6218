import Daybook
import DaybookHTTP
import DaybookOTLP
import DaybookStore
import DaybookTesting
import Foundation
import Synchronization
import Testing

@testable import DaybookCollector

/// The real client against the real ingest, with a network in between that loses and repeats: the accounts must agree.
@Suite(.timeLimit(.minutes(2))) struct DeliveryAccountTests {
    /// Puts an ingest behind a transport that loses requests and answers.
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
            var headers: HTTPHeaders = [:]
            for (name, value) in request.headers { headers.add(name, value) }
            let head = HTTPRequest.Head(method: request.method, path: request.url.path, headers: headers)
            let handler = handlers[place]
            if case .refuse(let response) = handler.admit(head) { return Self.answer(response) }
            let response = await handler.respond(to: HTTPRequest(head: head, body: request.body))
            if fate < 5 {
                repeats.wrappingAdd(1, ordering: .relaxed)
                throw Lost()
            }
            return Self.answer(response)
        }

        private static func answer(_ response: HTTPResponse) -> TransportResponse {
            let body: [UInt8] = if case .bytes(let bytes) = response.body { bytes } else { [] }
            return TransportResponse(
                status: response.status,
                headers: Dictionary(response.headers.fields.map { ($0.name.lowercased(), $0.value) }) { $1 }, body: body
            )
        }
    }

    @Test(arguments: [1, 2] as [UInt64]) func twoCollectorsOnOneStoreCountEveryRecordOnce(seed: UInt64) async throws {
        let collector = try Collector()
        let ingests = (0..<2).map { _ in IngestHandler(store: collector.store) }
        let network = LossyNetwork(ingests, seed: seed)
        let directory = FileManager.default.temporaryDirectory.appending(path: "daybook-account-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        let endpoint = try #require(URL(string: "http://collector.example"))
        var sent = 0
        // Each launch cuts its batches anew, and the second finds no cursor: it sends what the first one did again.
        for (launch, size) in [7, 11, 5].enumerated() {
            if launch == 1 { #expect(try removeCursors(below: directory) > 0) }
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
            try await pipeline.flush(deadline: .seconds(30))
            await pipeline.shutdown(deadline: .seconds(5))
        }
        let counts = try await collector.store.query(
            "SELECT count(*), count(DISTINCT uid), count(DISTINCT message) FROM records", limits: .init())
        #expect(counts.rows == [[.integer(Int64(sent)), .integer(Int64(sent)), .integer(Int64(sent))]])
        let ledger = try await collector.store.ledger()
        #expect(ledger.reduce(0) { $0 + $1.stored } == Int64(sent))
        #expect(ledger.allSatisfy { $0.gaps.isEmpty && $0.losses.values.allSatisfy { $0 == 0 } })
        // The network did what the test is about.
        #expect(network.repeats.load(ordering: .relaxed) > 0)
        #expect(ledger.reduce(0) { $0 + $1.duplicates } > 0)
    }

    private func removeCursors(below directory: URL) throws -> Int {
        let paths = try FileManager.default.subpathsOfDirectory(atPath: directory.path)
        let cursors = paths.filter { $0.hasSuffix(".cursor") }
        for path in cursors { try FileManager.default.removeItem(at: directory.appending(path: path)) }
        return cursors.count
    }
}
