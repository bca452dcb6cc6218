/// Why a server did not start. The description is one line that says what to do, safe to show and to log.
public struct HTTPServerError: Error, Equatable, CustomStringConvertible {
    /// What went wrong.
    public enum Code: Sendable, Equatable {
        case addressInUse, addressUnavailable, permissionDenied, invalidAddress, badIdentity, alreadyStarted, system
    }

    public var code: Code
    public var description: String

    static func addressInUse(_ endpoint: String) -> Self {
        Self(
            code: .addressInUse,
            description: "\(endpoint) is in use by another process; stop it or choose another port with --port")
    }

    static func addressUnavailable(_ endpoint: String) -> Self {
        Self(
            code: .addressUnavailable,
            description: "\(endpoint) is not an address of this machine; bind one that it has, or 0.0.0.0 for all")
    }

    static func permissionDenied(_ endpoint: String) -> Self {
        Self(
            code: .permissionDenied,
            description: "no permission to listen on \(endpoint); choose a port of 1024 or more with --port")
    }

    static func invalidAddress(_ text: String) -> Self {
        Self(
            code: .invalidAddress,
            description: "\(text) cannot be listened on; give a numeric address and a port from 0 to 65535")
    }

    static let badIdentity = Self(
        code: .badIdentity,
        description:
            "the certificate and the key cannot be used for TLS; both are to be PEM, belong together, and have "
            + "no passphrase")

    static let alreadyStarted = Self(
        code: .alreadyStarted, description: "the server was started already; make another one to start again")

    static func system(_ endpoint: String, _ reason: String) -> Self {
        Self(code: .system, description: "cannot listen on \(endpoint): \(reason)")
    }
}
