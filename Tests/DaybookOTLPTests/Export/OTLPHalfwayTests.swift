import Daybook
import DaybookBase
import DaybookCollector
import DaybookOTLP
import DaybookRequests
import DaybookTestTraits
import DaybookTesting
import DaybookTrials
import Foundation
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A batch of logs and spans makes two requests: the part that arrived is not resent because the other failed.
@Suite(.timeLimit(.minutes(3)), .temporaryDirectory) struct OTLPHalfwayTests {
    private let directory = TemporaryDirectory.current

    private func pipeline(
        in directory: TemporaryDirectory, _ transport: some HTTPTransport, _ limits: BatchLimits, _ backoff: Duration
    ) throws -> Pipeline<EmptyContext> {
        var options = PipelineOptions()
        options.report = { _ in }
        options.backoff = Backoff(initial: backoff, maximum: backoff)
        let endpoint = try #require(URL(string: "http://127.0.0.1:4318"))
        return try Pipeline(directory: directory.url, options: options) {
            Route("**", to: OTLPOutput(endpoint: endpoint, compression: .none, transport: transport), batch: limits)
        }
    }

    // MARK: A receiver that takes one kind only

    private struct StubTransport: HTTPTransport {
        let session: URLSession

        func send(_ request: TransportRequest) async throws -> TransportResponse {
            var urlRequest = URLRequest(url: request.url)
            urlRequest.httpMethod = request.method
            urlRequest.httpBody = Data(request.body)
            let (body, response) = try await session.data(for: urlRequest)
            let status = try #require(response as? HTTPURLResponse).statusCode
            return TransportResponse(status: status, headers: ["content-type": protobuf], body: Array(body))
        }
    }

    @Test(
        "Resends only whichever of logs and traces failed", arguments: ["/v1/logs", "/v1/traces"],
        [503, 502, 401, 400, 413])
    func resendsOnlyFailedHalf(failing: String, status: Int) async throws {
        let stub = EndpointStub()
        stub.record("/v1/*", body: Data(), type: protobuf)
        stub.record(failing, status: status, body: Data(), type: protobuf)
        let pipeline = try pipeline(
            in: directory, StubTransport(session: stub.session), BatchLimits(delay: .seconds(36_000)),
            .seconds(36_000_000))
        await pipeline.suspend()
        for _ in 0..<3 {
            pipeline.log().info("m")
            pipeline.log().start("s").end()
        }
        pipeline.resume()
        try? await pipeline.flush(deadline: .seconds(20))
        let isRefusal = [400, 413].contains(status)
        if !isRefusal {
            stub.record(failing, body: Data(), type: protobuf)
            pipeline.resume()
            try await pipeline.flush(deadline: .seconds(20))
        }
        let ledger = try #require(await pipeline.ledgers()["otlp"])
        await pipeline.shutdown(deadline: .seconds(1))
        #expect((ledger.delivered, ledger.quarantined, ledger.pending) == (isRefusal ? (3, 3, 0) : (6, 0, 0)))
        #expect(ledger.dropped.isEmpty)
        let taken = try stub.recorded.filter { !isRefusal || $0.url.path != failing }
            .reduce(into: [String: Int]()) { taken, request in
                for uid in try uids(Array(request.body), request.url) { taken[uid, default: 0] += 1 }
            }
        if isRefusal {
            #expect(taken.count == 3 && taken.values.allSatisfy { $0 == 1 }, "\(taken)")
        } else {
            // What arrived is sent once. The failed part is sent once more, or twice if resuming sent it before the
            // flush.
            let paths = stub.recorded.map(\.url.path)
            #expect(paths.count { $0 != failing } == 1 && (2...3).contains(paths.count { $0 == failing }), "\(paths)")
        }
    }

    // MARK: A receiver of any mood

    /// Answers each request at random and remembers what it accepted.
    private final class MoodyReceiver: HTTPTransport {
        struct State {
            var random: SeededGenerator
            var taken: [String: Int] = [:]
            var rejected: UInt64 = 0
        }

        private let locked: Mutex<State>

        init(seed: UInt64) { locked = Mutex(State(random: SeededGenerator(seed: seed))) }

        var state: State { locked.withLock { $0 } }

        func send(_ request: TransportRequest) async throws -> TransportResponse {
            let uids = try uids(request.body, request.url)
            return try locked.withLock { state in
                var (status, rejected) = (200, 0)
                switch Int.random(in: 0..<10, using: &state.random) {
                case 0: status = 503
                case 1: status = 413
                case 2: status = 401
                case 3: throw URLError(.networkConnectionLost)
                case 4: rejected = Int.random(in: 0...uids.count, using: &state.random)
                default: break
                }
                if status == 200 {
                    for uid in uids { state.taken[uid, default: 0] += 1 }
                    state.rejected += UInt64(rejected)
                }
                return TransportResponse(
                    status: status, headers: ["content-type": protobuf],
                    body: ExportResponse(rejected: Int64(rejected)).protobuf())
            }
        }
    }

    @Test("Nothing is accepted twice and the ledger is exact", arguments: 0..<40 as Range<UInt64>)
    func noDuplicatesExactLedger(seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        let receiver = MoodyReceiver(seed: seed)
        let limits = BatchLimits(count: Int.random(in: 1...40, using: &random), delay: .zero)
        let pipeline = try pipeline(in: directory, receiver, limits, .zero)
        for _ in 0..<100 {
            if Bool.random(using: &random) { pipeline.log().info("m") } else { pipeline.log().start("s").end() }
        }
        while await pipeline.ledgers()["otlp"]?.pending != 0 {
            try? await pipeline.flush(deadline: .seconds(1))
            pipeline.resume()
        }
        let ledger = try #require(await pipeline.ledgers()["otlp"])
        await pipeline.shutdown(deadline: .seconds(1))
        let state = receiver.state
        #expect(state.taken.values.allSatisfy { $0 == 1 }, "\(state.taken.filter { $0.value > 1 })")
        #expect(UInt64(state.taken.count) == ledger.delivered + state.rejected)
        #expect(ledger.dropped == (state.rejected == 0 ? [:] : [.rejected: state.rejected]))
        #expect(ledger.accepted == 100 && ledger.quarantined == 100 - UInt64(state.taken.count))
    }
}

private func uids(_ body: [UInt8], _ url: URL) throws -> [String] {
    let attributes: [Attributes]
    if url.path.hasSuffix("logs") {
        attributes = try ExportLogsRequest(protobuf: body).resources.flatMap(\.scopes).flatMap(\.records).map(
            \.attributes)
    } else {
        attributes = try ExportTraceRequest(protobuf: body).resources.flatMap(\.scopes).flatMap(\.spans).map(
            \.attributes)
    }
    return try attributes.map { attributes in
        guard case .string(let uid)? = attributes["log.record.uid"] else { throw URLError(.cannotParseResponse) }
        return uid
    }
}

private let protobuf = "application/x-protobuf"
