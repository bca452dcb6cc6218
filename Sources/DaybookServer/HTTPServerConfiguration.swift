/// Where a server listens and whom it serves.
public struct HTTPServerConfiguration: Sendable {
    /// Numeric addresses to bind: IPv4 or IPv6 without brackets. Default `127.0.0.1` and `::1`; where the machine lacks
    /// the latter, it is left out.
    public var addresses: [String]
    /// The TCP port; 0 has the system choose one, the same for every address. Default 4318.
    public var port: Int
    /// Values of `Host` to serve besides those of the loopback, exactly as clients send them (see `HostPolicy`).
    /// A server on other addresses than the loopback needs them. Default none.
    public var hostNames: [String]
    /// Threads that read and write sockets, per address; handlers run as tasks elsewhere. Default 2.
    public var threads: Int
    /// The server's certificate and key; `nil`, the default, is plain HTTP.
    public var tls: TLSIdentity?
    /// What one client may take.
    public var limits: HTTPServerLimits

    /// The loopback addresses.
    public static let loopback = ["127.0.0.1", "::1"]

    /// A configuration.
    public init(
        addresses: [String] = Self.loopback, port: Int = 4318, hostNames: [String] = [], threads: Int = 2,
        tls: TLSIdentity? = nil, limits: HTTPServerLimits = HTTPServerLimits()
    ) {
        self.addresses = addresses
        self.port = port
        self.hostNames = hostNames
        self.threads = min(max(1, threads), 64)
        self.tls = tls
        self.limits = limits
    }
}
