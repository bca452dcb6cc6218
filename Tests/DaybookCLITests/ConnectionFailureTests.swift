import DaybookBase
import DaybookTrials
import Foundation
import Testing

@testable import DaybookCLI

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// What a command says, and does, where no collector answers.
@Suite(.timeLimit(.minutes(5))) struct ConnectionFailureTests {
    private func error(_ code: URLError.Code, _ text: String) -> URLError {
        URLError(code, userInfo: [NSLocalizedDescriptionKey: text])
    }

    @Test func nothingWasSentWhereThereWasNoConnection() {
        for text in [
            "SSL certificate problem: certificate has expired",
            "SSL: no alternative certificate subject name matches target host name 'logs.example'",
        ] {
            #expect(ConnectionFailure(error(.unknown, text)).reach == .never, "\(text)")
        }
        #expect(ConnectionFailure(error(.cannotFindHost, "no such name")).reach == .never)
        #expect(ConnectionFailure(error(.serverCertificateUntrusted, "not trusted")).reach == .never)
        #expect(ConnectionFailure(error(.cannotConnectToHost, "refused")).reach == .notYet)
        #expect(
            ConnectionFailure(error(.unknown, "OpenSSL/3.0.19: error:0A00010B:SSL routines::wrong version number"))
                .reach == .notYet)
    }

    @Test func whatBreaksLaterMayHaveArrived() {
        for (code, text) in [
            (URLError.Code.unknown, "OpenSSL SSL_read: SSL_ERROR_SYSCALL, errno 104"), (.timedOut, "timed out"),
            (.networkConnectionLost, "lost"), (.badServerResponse, "empty reply"),
        ] {
            #expect(ConnectionFailure(error(code, text)).reach == .perhaps, "\(text)")
        }
        #expect(ConnectionFailure(CocoaError(.featureUnsupported)).reach == .perhaps)
    }

    @Test func anErasureThatWasNotSentIsSaidToBeThat() async throws {
        let tool = try Tool()
        defer { tool.remove() }
        for address in ["http://localhost:1", "http://nowhere.invalid"] {
            let answer = try await tool.run("erase", "--tag", "x", "--collector", address, "--key", "k")
            #expect(answer.status == 2)
            #expect(
                answer.errors.hasPrefix("error: The collector at \(address) cannot be reached, and nothing was sent: "),
                "\(answer)")
        }
    }

    @Test func aNameThatDoesNotResolveIsNotTriedAgain() async throws {
        let tool = try Tool()
        defer { tool.remove() }
        let answer = try await tool.run("query", "SELECT 1", "--collector", "http://nowhere.invalid", "--key", "k")
        #expect(answer.status == 2 && answer.output.isEmpty, "\(answer)")
        #expect(answer.errors.hasPrefix("error: The collector at http://nowhere.invalid cannot be reached: "))
    }

    @Test(.enabled(if: Tool.find("openssl") != nil, "openssl is not installed"))
    func aCertificateOfAnUnknownAuthorityIsNotTriedAgain() async throws {
        let tool = try Tool()
        defer { tool.remove() }
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
