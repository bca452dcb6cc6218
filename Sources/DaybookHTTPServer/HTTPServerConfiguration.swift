#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#elseif canImport(Android)
    import Android
#else
    import Glibc
#endif

/// A server's addresses, host names, TLS and limits.
public struct HTTPServerConfiguration: Sendable {
    /// Numeric addresses to bind: IPv4, or IPv6 without brackets. Default: `127.0.0.1` and `::1`; the latter is skipped
    /// on machines without it.
    public var addresses: [String]
    /// The TCP port; 0 lets the system choose one for all addresses. Default: 4318.
    public var port: Int
    /// `Host` values to serve besides loopback, exactly as clients send them (see `HostPolicy`). Required for
    /// non-loopback addresses. Default: none.
    public var hostNames: [String]
    /// Socket threads per address; handlers run elsewhere. Default: 2.
    public var threads: Int
    /// The server's certificate and key; `nil`, the default, for plain HTTP.
    public var tls: TLSIdentity?
    /// Limits on clients.
    public var limits: HTTPServerLimits

    /// The loopback addresses.
    public static let loopback = ["127.0.0.1", "::1"]

    /// Creates a configuration.
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

/// Limits on clients. Timeouts run from the start of each phase, so that a slow trickle of bytes does not extend them.
public struct HTTPServerLimits: Sendable {
    /// From accepting the connection, or from a later request line, to the end of the head; then the connection is
    /// closed. Default: 10 s.
    public var headerTime = Duration.seconds(10)
    /// From the end of the head to the end of the body. Default: 30 s.
    public var bodyTime = Duration.seconds(30)
    /// Between requests on a connection, and for a streamed reply without progress. Default: 60 s.
    public var idleTime = Duration.seconds(60)
    /// A reply may take `idleTime` plus its size divided by this rate, in bytes per second. Default: 16 KiB/s.
    public var replyRate = 16 * 1024 { didSet { replyRate = max(1, replyRate) } }
    /// Total connections. At the limit, an idle connection is closed for a new one, or the new one if all are busy. The
    /// last sixteenth is reserved for ingest and health. Reduced if the process is short of descriptors. Default:
    /// 1,024.
    public var connections = 1024 { didSet { connections = max(1, connections) } }
    /// The request line and headers, in bytes; beyond that, 431. Default: 16 KiB, at most 48 KiB.
    public var headerBytes = 16 * 1024 { didSet { headerBytes = min(max(256, headerBytes), 48 * 1024) } }
    /// How many bytes of a refused body are read and discarded, so that the client can read the reply. Default: 1 MiB.
    public var discardBytes = 1 << 20 { didSet { discardBytes = max(0, discardBytes) } }
    /// Bytes of all clients' bodies being read or answered; beyond that, 503 with `Retry-After`. When short, slow
    /// bodies, and those of clients with more than an equal share, are abandoned for others. Default: 64 MiB.
    public var bodyBytes = 64 << 20 { didSet { bodyBytes = max(0, bodyBytes) } }
    /// Bytes of all clients' unsent replies over 64 KiB; beyond that, 503 with `Retry-After`. Default: 64 MiB.
    public var replyBytes = 64 << 20 { didSet { replyBytes = max(0, replyBytes) } }
    /// Concurrent requests, except ingest and health, which never wait for a place. Default: 64.
    public var places = 64 { didSet { places = max(1, places) } }
    /// Requests waiting for one of ``places``; beyond that, 503 with `Retry-After`. Default: 256.
    public var waitingRequests = 256 { didSet { waitingRequests = max(0, waitingRequests) } }
    /// The interval of checks for deadlines and disconnected clients; both are noticed at most this late. Default: 250
    /// ms.
    public var sweepInterval = Duration.milliseconds(250) {
        didSet { sweepInterval = max(.milliseconds(1), sweepInterval) }
    }

    /// Creates limits. What is out of range is set to the nearest value in it.
    /// - Parameter configure: Sets what is not as by default. Default: nothing.
    public init(configure: (inout HTTPServerLimits) -> Void = { _ in }) { configure(&self) }

    /// The timeout of a reply of this size, in nanoseconds.
    func replyTime(bytes: Int) -> UInt64 {
        idleTime.nanoseconds &+ UInt64(bytes) / UInt64(replyRate) &* 1_000_000_000
    }
}

/// A server's identity for TLS 1.2 and 1.3. The description hides the key.
public struct TLSIdentity: Sendable, CustomStringConvertible {
    /// The certificate chain in PEM, the server's certificate first.
    public var certificateChain: String
    /// The certificate's unencrypted private key in PEM.
    public var privateKey: String

    /// Creates an identity.
    public init(certificateChain: String, privateKey: String) {
        self.certificateChain = certificateChain
        self.privateKey = privateKey
    }

    public var description: String { "TLSIdentity(…)" }
}

/// A monotonic clock in nanoseconds from an arbitrary start. A value, so that tests can replace it.
public struct MonotonicClock: Sendable {
    let now: @Sendable () -> UInt64

    /// Creates a clock that reads `now`, in nanoseconds.
    public init(_ now: @escaping @Sendable () -> UInt64) {
        self.now = now
    }

    /// The system's monotonic clock.
    public static let system = MonotonicClock {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
}
