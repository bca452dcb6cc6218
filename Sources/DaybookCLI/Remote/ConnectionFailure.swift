import DaybookBase
import DaybookCurl
import Foundation

/// How far a request without a response got (pure).
struct ConnectionFailure: Error {
    let reach: CurlFailure.Reach
    /// The system's message, with advice if there is any.
    let reason: String

    init(_ error: any Error) {
        let text = error.localizedDescription.printable
        let isUnknown: Bool
        #if os(Linux)
            reach = (error as? CurlFailure)?.reach ?? .perhaps
            isUnknown = ["issuer", "self-signed", "self signed"].contains(where: text.contains)
        #else
            let code = (error as? URLError)?.code
            switch code {
            case .cannotFindHost?, .dnsLookupFailed?, .serverCertificateUntrusted?, .serverCertificateHasUnknownRoot?,
                .serverCertificateHasBadDate?, .serverCertificateNotYetValid?:
                reach = .never
            case .cannotConnectToHost?, .secureConnectionFailed?, .notConnectedToInternet?: reach = .notYet
            default: reach = .perhaps
            }
            isUnknown = [.serverCertificateUntrusted, .serverCertificateHasUnknownRoot].contains(code)
        #endif
        reason = isUnknown ? "\(text). \(Self.advice)" : text
    }

    private static let advice =
        "Let this machine trust the authority of the certificate: update-ca-certificates on Linux, the keychain on macOS."
}
