import Daybook
import DaybookBase
import DaybookTesting
import Foundation
import Testing

@testable import DaybookOTLP

@Suite struct PairingTests {
    /// Answers each request by its path and keeps the requests.
    private final class Answers: HTTPTransport {
        private let answers: [String: TransportResponse]
        private let seen = Mutex<[TransportRequest]>([])

        init(_ answers: [String: TransportResponse]) { self.answers = answers }

        var requests: [TransportRequest] { seen.withLock { $0 } }

        func send(_ request: TransportRequest) async throws -> TransportResponse {
            seen.withLock { $0.append(request) }
            guard let answer = answers[request.url.path] else { throw URLError(.cannotConnectToHost) }
            return answer
        }
    }

    private static let redeemed = "/api/v1/pairings/redeem"

    private static func json(_ status: Int, _ text: String) -> TransportResponse {
        TransportResponse(status: status, headers: ["content-type": "application/json"], body: Array(text.utf8))
    }

    private static func link() throws -> PairingLink {
        let code = String(repeating: "0f", count: 16)
        return try #require(PairingLink(URL(string: "daybook://pair?collector=https://a.example:4318&code=\(code)")!))
    }

    private static let answer = json(
        200,
        """
        {"ok":true,"data":{"key":"dbk_k","expires":"1795166531000000000","tester":"Aya","run":42,\
        "checklist":{"id":"release","title":"Release","markdown":"# Release"},\
        "persona":{"name":"member","values":{"plan":"paid","age":3}}}}
        """)

    @Test("Redeeming a code returns the collector's key, expiry and run") func redeemsPairing() async throws {
        let transport = Answers([Self.redeemed: Self.answer])
        let pairing = try await Pairing.redeem(
            Self.link(), installation: "i-1", build: "4.12", device: "Phone", transport: transport)
        #expect(pairing.key == "dbk_k")
        #expect(pairing.expires == Date(timeIntervalSince1970: 1_795_166_531))
        #expect(pairing.run == 42)
        #expect(pairing.tester == "Aya")
        #expect(pairing.checklist == .init(id: "release", title: "Release", markdown: "# Release"))
        #expect(pairing.persona == .init(name: "member", values: ["plan": "paid", "age": 3]))
        let request = try #require(transport.requests.first)
        #expect(request.url.absoluteString == "https://a.example:4318/api/v1/pairings/redeem")
        let body = try JSONDecoder().decode([String: String].self, from: Data(request.body))
        #expect(
            body == [
                "code": String(repeating: "0f", count: 16), "installation": "i-1", "build": "4.12", "device": "Phone",
            ])
    }

    @Test(
        "Every other answer is a pairing error with its own code",
        arguments: [
            (
                json(401, #"{"ok":false,"error":{"code":"unauthorized","message":"Too old."}}"#),
                PairingError.Code.refused
            ),
            (json(200, "<html>"), .notUnderstood), (json(502, "{}"), .notUnderstood),
            (json(200, #"{"ok":true}"#), .notUnderstood),
        ])
    func pairingErrorsAreNamed(response: TransportResponse, code: PairingError.Code) async throws {
        let link = try Self.link()
        let transport = Answers([Self.redeemed: response])
        let error = await #expect(throws: PairingError.self) {
            _ = try await Pairing.redeem(link, installation: "i", transport: transport)
        }
        #expect(error?.code == code)
        let silent = await #expect(throws: PairingError.self) {
            _ = try await Pairing.redeem(link, installation: "i", transport: Answers([:]))
        }
        #expect(silent?.code == .notReached)
    }

    @Test("Records are sent from pairing until it expires") func sendsWhilePaired() async throws {
        let accepted = TransportResponse(status: 200, headers: ["content-type": "application/x-protobuf"], body: [])
        let transport = Answers([Self.redeemed: Self.answer, "/v1/logs": accepted])
        let time = Mutex(Date(timeIntervalSince1970: 1_795_166_000))
        let output = PairedOutput(transport: transport, now: { time.withLock { $0 } })
        let pipeline = try Pipeline(store: .memory(bytes: 1 << 20)) {
            Route("**", to: output, batch: .init(count: 1, delay: .zero))
        }
        let log = pipeline.log("phone")
        // Unpaired but not switched off: records are dropped, and the ledger counts them.
        log.post("phone.before")
        try await pipeline.flush(deadline: .seconds(60))
        #expect(transport.requests.isEmpty && !output.isPaired)
        _ = try await pipeline.pair(output, with: Self.link(), transport: transport)
        #expect(output.isPaired)
        log.post("phone.paired")
        try await pipeline.flush(deadline: .seconds(60))
        let sent = transport.requests.filter { $0.url.path == "/v1/logs" }
        #expect(sent.count == 1)
        #expect(sent.first?.headers["authorization"] == "Bearer dbk_k")
        // The key has expired.
        time.withLock { $0 += 3_600 }
        #expect(!output.isPaired)
        log.post("phone.late")
        try await pipeline.flush(deadline: .seconds(60))
        #expect(transport.requests.filter { $0.url.path == "/v1/logs" }.count == 1)
        try pipeline.unpair(output)
        #expect(pipeline.isEnabled(output: "paired") == false)
        let ledger = try #require(await pipeline.ledgers()["paired"])
        #expect(ledger.pending == 0)
        #expect(ledger.delivered == 1)
        await pipeline.shutdown(deadline: .seconds(60))
    }

    @Test("A pipeline without the output does not redeem the code") func unusedCodeStaysValid() async throws {
        let transport = Answers([Self.redeemed: Self.answer])
        let pipeline = try Pipeline(store: .memory(bytes: 1 << 20)) { Route("**", to: PairedOutput(id: "other")) }
        await #expect(throws: PipelineError.self) {
            _ = try await pipeline.pair(PairedOutput(), with: Self.link(), transport: transport)
        }
        #expect(transport.requests.isEmpty)
    }
}
