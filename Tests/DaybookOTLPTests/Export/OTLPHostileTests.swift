import Daybook
import DaybookTestTraits
import DaybookTesting
import DaybookTrials
import Foundation
import Testing

@testable import DaybookOTLP

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

#if os(Linux)
    @Suite(.timeLimit(.minutes(5)), .temporaryDirectory) struct OTLPHostileTests {
        @Test(
            "A hostile answer never counts as delivered",
            arguments: HostileAnswer.kinds + [HostileAnswer("cut", String(HostileAnswer.whole[0].dropLast()))])
        func hostileAnswerIsFailure(answer: HostileAnswer) async throws {
            let server = try HostileServer(answer)
            defer { server.stop() }
            let address = try #require(URL(string: "http://127.0.0.1:\(server.port)"))
            let timeout: Duration = answer.isSlow ? .milliseconds(300) : .seconds(60)
            let output = OTLPOutput(endpoint: address, timeout: timeout)
            let http = HTTPOutput(
                request: { _ in
                    var request = URLRequest(url: address)
                    request.timeoutInterval = timeout / .seconds(1)
                    return request
                }, body: { _ in Data("[]".utf8) })
            let pipeline = try Pipeline(directory: TemporaryDirectory.current.url) {
                Route("**", to: output, batch: BatchLimits(delay: .zero))
                Route("**", to: http, batch: BatchLimits(delay: .zero))
            }
            pipeline.log("app.test").info("Hello")
            try await eventually("both outputs have asked") { server.connections.load(ordering: .relaxed) >= 2 }
            let ledgers = await pipeline.ledgers()
            #expect(Set(ledgers.keys) == ["otlp", "http"] && ledgers.values.allSatisfy { $0.delivered == 0 })
            await pipeline.shutdown(deadline: .zero)
            #expect(server.sent.load(ordering: .relaxed) < 64 << 20)
        }
    }
#endif
