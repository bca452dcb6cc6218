/// Who a server is, for TLS 1.2 and 1.3. Its description does not show the key.
public struct TLSIdentity: Sendable, CustomStringConvertible {
    /// The certificate and what leads from it to a root that clients know, PEM, the server's own first.
    public var certificateChain: String
    /// The certificate's private key, PEM, not encrypted.
    public var privateKey: String

    /// A certificate and its key.
    public init(certificateChain: String, privateKey: String) {
        self.certificateChain = certificateChain
        self.privateKey = privateKey
    }

    public var description: String { "TLSIdentity(…)" }
}
