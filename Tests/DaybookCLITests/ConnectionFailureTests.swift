import DaybookCurl
import DaybookTestTraits
import DaybookTrials
import Foundation
import Testing

@testable import DaybookCLI

/// How commands behave when no collector answers.
@Suite(.timeLimit(.minutes(5)), .temporaryDirectory) struct ConnectionFailureTests {
    private let tool = Tool()

    @Test("A failure says how far the request got") func reachComesFromTransport() {
        for reach: CurlFailure.Reach in [.never, .notYet, .perhaps] {
            #expect(ConnectionFailure(CurlFailure(reach: reach, message: "lost")).reach == reach)
        }
        #expect(ConnectionFailure(CocoaError(.featureUnsupported)).reach == .perhaps)
        let unknown = CurlFailure(reach: .never, message: "SSL certificate problem: self-signed certificate")
        #expect(ConnectionFailure(unknown).reason.contains("update-ca-certificates"))
    }

    @Test("Reports that an erasure was not sent") func reportsUnsentErasure() async throws {
        for address in ["http://localhost:1", "http://nowhere.invalid"] {
            let answer = try await tool.run("erase", "--tag", "x", "--collector", address, "--key", "k")
            #expect(answer.status == 2)
            #expect(
                answer.errors.hasPrefix("error: The collector at \(address) cannot be reached, and nothing was sent: "),
                "\(answer)")
        }
    }

    @Test("Does not retry a host name that does not resolve") func unresolvedNameIsFinal() async throws {
        let answer = try await tool.run("query", "SELECT 1", "--collector", "http://nowhere.invalid", "--key", "k")
        #expect(answer.status == 2 && answer.output.isEmpty, "\(answer)")
        #expect(answer.errors.hasPrefix("error: The collector at http://nowhere.invalid cannot be reached: "))
    }

    @Test(
        "Does not retry when the certificate's authority is unknown",
        .enabled(if: Tool.find("openssl") != nil, "openssl is not installed"))
    func unknownAuthorityIsFinal() async throws {
        let serve = try await tool.serveOverTLS()
        defer { serve.end() }
        let address = try await serve.line(beginning: "Inspector: ")
        let read = try await tool.run("query", "SELECT 1", "--collector", address)
        #expect(read.status == 2 && read.errors.contains(" cannot be reached: "), "\(read)")
        #expect(!read.errors.contains("retrying") && read.errors.contains("update-ca-certificates"), "\(read)")
        let erased = try await tool.run("erase", "--tag", "x", "--collector", address)
        #expect(erased.errors.contains(" cannot be reached, and nothing was sent: "), "\(erased)")
    }
}
