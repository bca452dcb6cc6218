import DaybookBase
import DaybookTestTraits
import Testing

@testable import DaybookCLI

@Suite(.timeLimit(.minutes(5)), .temporaryDirectory) struct CertificateTermTests {
    private let tool = Tool()

    /// The first fields of a certificate, with one-byte stand-ins for those that are skipped.
    private func pem(_ start: String, _ end: String, hasVersion: Bool = true) -> String {
        func element(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
            // Long-form lengths throughout, since the value of a length does not matter.
            [tag, 0x82, UInt8(content.count >> 8), UInt8(content.count & 255)] + content
        }
        func time(_ text: String) -> [UInt8] { element(text.count == 13 ? 0x17 : 0x18, Array(text.utf8)) }
        let version = hasVersion ? element(0xA0, [2, 1, 2]) : []
        let fields =
            version + element(0x02, [1]) + element(0x30, []) + element(0x30, [])
            + element(0x30, time(start) + time(end)) + element(0x30, [0])
        let bytes = element(0x30, element(0x30, fields) + element(0x30, []))
        return "some words\n-----BEGIN CERTIFICATE-----\n\(Base64.encode(bytes))\n-----END CERTIFICATE-----\n"
    }

    @Test("Warns when a certificate is expired or not yet valid", arguments: [true, false]) func warnsOutsideTerm(
        hasVersion: Bool
    ) throws {
        let text = pem("260101000000Z", "20500301123000Z", hasVersion: hasVersion)
        let term = try #require(CertificateTerm(pem: text))
        #expect(term.start == "2026-01-01T00:00:00Z" && term.end == "2050-03-01T12:30:00Z")
        func warning(_ time: String) throws -> String? {
            term.warning(at: try #require(Timestamp(rfc3339: time)).nanoseconds)
        }
        #expect(try warning("2025-12-31T23:59:59Z")?.contains("not valid before 2026-01-01T00:00:00Z") == true)
        #expect(try warning("2026-01-01T00:00:00Z") == nil)
        #expect(try warning("2050-03-01T12:30:00Z") == nil)
        #expect(try warning("2050-03-01T12:30:01Z")?.contains("expired at 2050-03-01T12:30:00Z") == true)
        #expect(CertificateTerm(pem: pem("500101000000Z", "99991231235959Z"))?.start == "1950-01-01T00:00:00Z")
    }

    @Test("Data that is not a certificate has no validity period") func ignoresNonCertificates() {
        #expect(CertificateTerm(pem: "") == nil)
        #expect(CertificateTerm(pem: pem("260101000000Z", "soon")) == nil)
        #expect(CertificateTerm(pem: pem("260101000000+0100", "270101000000Z")) == nil)
        for bytes in [[], [0x30], [0x30, 0x84, 255, 255, 255, 255], [0x30, 0x80], [0x30, 2, 0x30, 9]] as [[UInt8]] {
            let text = "-----BEGIN CERTIFICATE-----\(Base64.encode(bytes))-----END CERTIFICATE-----"
            #expect(CertificateTerm(pem: text) == nil)
        }
    }

    /// OpenSSL makes the certificate, so that it is not ours.
    @Test(
        "Serves with an expired certificate but warns",
        .enabled(if: Tool.find("openssl") != nil, "openssl is not installed"))
    func servesExpiredCertificate() async throws {
        let asked = try await tool.runOther(
            "openssl", "req", "-newkey", "rsa:2048", "-nodes", "-keyout", "key.pem", "-out", "request.pem",
            "-subj", "/CN=localhost")
        #expect(asked.status == 0, "\(asked.errors)")
        let made = try await tool.runOther(
            "openssl", "x509", "-req", "-in", "request.pem", "-signkey", "key.pem", "-out", "cert.pem", "-days", "-1")
        #expect(made.status == 0, "\(made.errors)")
        let serve = try tool.start(
            "serve", "--port", "0", "--store", "s.sqlite", "--tls-cert", "cert.pem", "--tls-key", "key.pem",
            mergingErrors: true)
        defer { serve.end() }
        #expect(try await serve.line(containing: "certificate").contains("warning: The TLS certificate expired at 20"))
        _ = try await serve.line(beginning: "Inspector: https://")
    }
}
