import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// How far a request came that has no answer (pure).
struct ConnectionFailure: Error {
    /// What is known of the request.
    enum Reach: Sendable {
        /// Nothing was sent, and another attempt would end alike: there is no such name, or the certificate is not trusted.
        case never
        /// Nothing was sent: there was no connection.
        case notYet
        /// It may have arrived.
        case perhaps
    }

    let reach: Reach
    /// In the system's words, and what to do where that is known.
    let reason: String

    /// Reads what a transport throws.
    init(_ error: any Error) {
        let text = (error as NSError).localizedDescription
        switch (error as? URLError)?.code {
        case .cannotFindHost?, .dnsLookupFailed?: reach = .never
        case .serverCertificateUntrusted?, .serverCertificateHasUnknownRoot?, .serverCertificateHasBadDate?,
            .serverCertificateNotYetValid?:
            reach = .never
        case .cannotConnectToHost?, .secureConnectionFailed?, .notConnectedToInternet?: reach = .notYet
        // Foundation on Linux has no codes for TLS, only libcurl's words.
        case .unknown? where Self.certificate.contains(where: text.hasPrefix): reach = .never
        case .unknown? where Self.handshake.contains(where: text.hasPrefix): reach = .notYet
        default: reach = .perhaps
        }
        let isUnknown =
            ["issuer", "self-signed", "self signed"].contains(where: text.contains)
            || [.serverCertificateUntrusted, .serverCertificateHasUnknownRoot].contains((error as? URLError)?.code)
        reason = isUnknown ? "\(text). \(Self.advice)" : text
    }

    private static let advice =
        "Let this machine trust the authority of the certificate: update-ca-certificates on Linux, the keychain on macOS."

    /// How libcurl begins what it says of a certificate that it refuses.
    private static let certificate = [
        "SSL certificate problem", "SSL: no alternative certificate subject name", "SSL: certificate subject name",
        "SSL: unable to obtain common name",
    ]

    /// How libcurl with OpenSSL begins what it says of a handshake. What breaks later is `OpenSSL SSL_read` or `SSL_write`.
    private static let handshake = ["OpenSSL/", "OpenSSL SSL_connect", "TLS connect error"]
}
