import DaybookBase
import DaybookTestTraits
import DaybookTesting
import Foundation
import Testing

@testable import Daybook

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite(.temporaryDirectory) struct HTTPOutputTests {
    private let directory = TemporaryDirectory.current

    /// Gives the scripted answers, then 200.
    private final class Server: HTTPTransport {
        private let state: Mutex<(requests: [TransportRequest], answers: [TransportResponse?])>

        /// - Parameter answers: `nil` fails without an answer.
        init(_ answers: [TransportResponse?] = []) { state = Mutex(([], answers)) }

        var requests: [TransportRequest] { state.withLock { $0.requests } }

        func send(_ request: TransportRequest) async throws -> TransportResponse {
            try state.withLock { state in
                state.requests.append(request)
                guard !state.answers.isEmpty else { return TransportResponse(status: 200, headers: [:], body: []) }
                guard let answer = state.answers.removeFirst() else { throw URLError(.timedOut) }
                return answer
            }
        }
    }

    private struct Unencodable: Error {}

    private static let address = "http://127.0.0.1:1/collect"

    private static func output(
        _ server: Server, answer: @escaping @Sendable (TransportResponse) -> Delivery? = { _ in nil },
        request: @escaping @Sendable (Batch) throws -> URLRequest = { batch in
            var request = URLRequest(url: try #require(URL(string: HTTPOutputTests.address)))
            request.setValue("\(batch.stream)-\(batch.through)", forHTTPHeaderField: "Idempotency-Key")
            request.timeoutInterval = 15
            return request
        }
    ) -> HTTPOutput {
        HTTPOutput(
            request: request,
            body: { records in
                if records.contains(where: { $0.tag == "bad.one" }) { throw Unencodable() }
                return Data(records.map(\.tag).joined(separator: ",").utf8)
            }, answer: answer, transport: server)
    }

    private func bodies(_ server: Server) -> [String] {
        server.requests.map { String(decoding: $0.body, as: UTF8.self) }
    }

    private func answer(_ status: Int, _ headers: [String: String] = [:], _ body: String = "") -> TransportResponse {
        TransportResponse(status: status, headers: headers, body: Array(body.utf8))
    }

    private func delivery(_ answers: [TransportResponse?]) async -> Delivery {
        await Self.output(Server(answers)).send(Batch(output: "http", stream: "s", after: 0))
    }

    @Test("Posts a batch as its closures specify") func postsPerClosures() async throws {
        let server = Server()
        let pipeline = try Pipeline(directory: directory.url) { Route("**", to: Self.output(server)) }
        pipeline.log().post("feed.show")
        pipeline.log().post("feed.tap")
        try await pipeline.flush(deadline: .seconds(60))
        let ledgers = await pipeline.ledgers()
        await pipeline.shutdown(deadline: .seconds(60))
        #expect(bodies(server) == ["feed.show,feed.tap"])
        let request = try #require(server.requests.first)
        #expect(request.method == "POST")
        #expect(request.url.absoluteString == Self.address)
        #expect(request.timeout == .seconds(15))
        #expect(request.headers["Idempotency-Key"]?.hasSuffix("-2") == true)
        #expect(ledgers["http"]?.delivered == 2)
    }

    @Test("Sends the same batch again to a server in trouble") func retriesSameBatch() async throws {
        let server = Server([nil, answer(503, ["retry-after": "0"])])
        var options = PipelineOptions()
        options.backoff = Backoff(initial: .zero, maximum: .zero)
        options.report = { _ in }
        let pipeline = try Pipeline(directory: directory.url, options: options) { Route("**", to: Self.output(server)) }
        pipeline.log().post("feed.show")
        try await pipeline.flush(deadline: .seconds(60))
        let ledgers = await pipeline.ledgers()
        await pipeline.shutdown(deadline: .seconds(60))
        #expect(bodies(server) == ["feed.show", "feed.show", "feed.show"])
        #expect(Set(server.requests.map { $0.headers["Idempotency-Key"] }).count == 1)
        #expect(ledgers["http"]?.delivered == 1)
    }

    @Test("Quarantines only the record that cannot be encoded") func unencodableSetAside() async throws {
        let server = Server()
        var options = PipelineOptions()
        options.backoff = Backoff(initial: .zero, maximum: .zero)
        options.report = { _ in }
        let pipeline = try Pipeline(directory: directory.url, options: options) { Route("**", to: Self.output(server)) }
        for tag in ["good.one", "good.two", "bad.one", "good.three"] { pipeline.log().post(tag) }
        try await pipeline.flush(deadline: .seconds(60))
        let ledgers = await pipeline.ledgers()
        await pipeline.shutdown(deadline: .seconds(60))
        #expect(bodies(server).joined(separator: ",") == "good.one,good.two,good.three")
        #expect(ledgers["http"]?.delivered == 3)
        #expect(ledgers["http"]?.dropped == [:] && ledgers["http"]?.quarantined == 1)
    }

    @Test("Statuses map to the same outcomes as in every output") func statusesMapToOutcomes() async {
        for status in [200, 201, 202, 204] { #expect(await delivery([answer(status)]) == .delivered) }
        #expect(
            await delivery([answer(429, ["retry-after": "7"])]) == .retry(after: .seconds(7), reason: "status 429"))
        #expect(await delivery([answer(500, [:], "busy")]) == .retry(after: nil, reason: "status 500 (busy)"))
        #expect(await delivery([answer(413)]) == .refused(reason: "status 413"))
        // A gateway's error means that the server behind it did not answer.
        for status in [502, 504] {
            #expect(await delivery([answer(status)]) == .noAnswer(reason: "status \(status)"))
            #expect(
                await delivery([answer(status, ["retry-after": "7"])])
                    == .retry(after: .seconds(7), reason: "status \(status)"))
        }
        for status in [301, 307, 401, 404] {
            #expect(
                await delivery([answer(status)])
                    == .pause(reason: "status \(status): check the address and the key"))
        }
    }

    @Test("No answer is retried and reported without secrets") func noAnswerHidesSecrets() async throws {
        let delivery = await Self.output(
            Server([nil]),
            request: { _ in URLRequest(url: try #require(URL(string: "http://me:word@127.0.0.1:1/c?key=secret"))) }
        ).send(Batch(output: "http", stream: "s", after: 0))
        guard case .noAnswer(let reason) = delivery else {
            Issue.record("no answer must be tried again, not \(delivery)")
            return
        }
        #expect(reason.hasPrefix("http://127.0.0.1:1/c?key=REDACTED did not answer"))
    }

    @Test("Retries later if the request cannot be built") func retriesFailedRequest() async {
        let server = Server()
        let delivery = await Self.output(server, request: { _ in throw Unencodable() }).send(
            Batch(output: "http", stream: "s", after: 0))
        guard case .retry = delivery else {
            Issue.record("must be tried again, not \(delivery)")
            return
        }
        #expect(server.requests.isEmpty)
    }

    @Test("A closure can interpret the answer") func answerCanBeOverridden() async {
        let server = Server([answer(200, [:], "2 rejected"), answer(200, [:], "fine")])
        let output = Self.output(
            server, answer: { $0.body == Array("2 rejected".utf8) ? .partly(rejected: 2) : nil })
        let batch = Batch(output: "http", stream: "s", after: 0)
        #expect(await output.send(batch) == .partly(rejected: 2))
        #expect(await output.send(batch) == .delivered)
    }

    @Test("Keeps the HTTP method of the closure's request") func keepsCustomMethod() async {
        let server = Server()
        _ = await Self.output(
            server,
            request: { _ in
                var request = URLRequest(url: try #require(URL(string: HTTPOutputTests.address)))
                request.httpMethod = "PUT"
                return request
            }
        ).send(Batch(output: "http", stream: "s", after: 0))
        #expect(server.requests.map(\.method) == ["PUT"])
    }

    @Test("Shows the server's text escaped and shortened") func serverTextIsSafe() async {
        func detail(_ bytes: [UInt8]) async -> String {
            let server = Server([TransportResponse(status: 400, headers: [:], body: bytes)])
            let delivery = await Self.output(server).send(Batch(output: "http", stream: "s", after: 0))
            guard case .refused(let reason) = delivery else { return "\(delivery)" }
            return reason
        }
        #expect(await detail(Array("x\u{9B}31m\u{202E}".utf8)) == "status 400 (x\\u{9b}31m\\u{202e})")
        #expect(await detail([0x08, 0x0D, 0x12, 0x01]) == "status 400")
        #expect(
            await detail(Array(String(repeating: "あ", count: 100).utf8))
                == "status 400 (\(String(repeating: "あ", count: 66)))")
    }
}
