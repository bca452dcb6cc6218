#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

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

/// What one client may take. Times are measured by a sweep of the server's own, so that a byte now and then buys none.
public struct HTTPServerLimits: Sendable {
    /// From the accepted connection, and from a later request line, to the end of the head; a connection that is over
    /// is closed. Default 10 s.
    public var headerTime: Duration
    /// From the end of the head to the end of the body. Default 30 s.
    public var bodyTime: Duration
    /// Between two requests of a connection; and without progress of a streamed reply. Default 60 s.
    public var idleTime: Duration
    /// A reply may take `idleTime` and its size at this rate, in bytes a second. Default 16 KiB/s.
    public var replyRate: Int
    /// Connections in all; for one more, another that does nothing is closed, or itself where all work. The last sixteenth is
    /// for ingest and health alone. Fewer where the process may not have so many descriptors. Default 1,024.
    public var connections: Int
    /// The request line and the header fields, in bytes; more is answered with 431. Default 16 KiB, at most 48 KiB.
    public var headerBytes: Int
    /// How much of a refused body is read and thrown away, so that the client reads the answer. Default 1 MiB.
    public var discardBytes: Int
    /// Bytes of bodies that are being read or answered, of all clients together; more is answered with 503 and
    /// `Retry-After`. Where it is short, bodies that come slowly, and those of who holds more than an equal share, are given
    /// up for others. Default 64 MiB.
    public var bodyBytes: Int
    /// Bytes of replies over 64 KiB that clients have not taken yet, of all clients together; more is answered with 503 and
    /// `Retry-After`. Default 64 MiB.
    public var replyBytes: Int
    /// Requests that are worked on at once, but for those of ingest and health, which never wait for a place. Default 64.
    public var places: Int
    /// Requests that wait for one of ``places``; one more is answered with 503 and `Retry-After`. Default 256.
    public var waitingRequests: Int
    /// How often deadlines and clients that left are looked for; both are noticed at most this late. Default 250 ms.
    public var sweepInterval: Duration

    /// Limits.
    public init(
        headerTime: Duration = .seconds(10), bodyTime: Duration = .seconds(30), idleTime: Duration = .seconds(60),
        replyRate: Int = 16 * 1024, connections: Int = 1024, headerBytes: Int = 16 * 1024,
        discardBytes: Int = 1 << 20, bodyBytes: Int = 64 << 20, replyBytes: Int = 64 << 20,
        places: Int = 64, waitingRequests: Int = 256,
        sweepInterval: Duration = .milliseconds(250)
    ) {
        self.headerTime = headerTime
        self.bodyTime = bodyTime
        self.idleTime = idleTime
        self.replyRate = max(1, replyRate)
        self.connections = max(1, connections)
        self.headerBytes = min(max(256, headerBytes), 48 * 1024)
        self.discardBytes = max(0, discardBytes)
        self.bodyBytes = max(0, bodyBytes)
        self.replyBytes = max(0, replyBytes)
        self.places = max(1, places)
        self.waitingRequests = max(0, waitingRequests)
        self.sweepInterval = max(.milliseconds(1), sweepInterval)
    }

    /// How long a reply of this many bytes may take, in nanoseconds.
    func replyTime(bytes: Int) -> UInt64 {
        idleTime.nanoseconds &+ UInt64(bytes) / UInt64(replyRate) &* 1_000_000_000
    }
}

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

/// Nanoseconds since an arbitrary start; never goes back. A value, so that a test can put its own in its place.
public struct MonotonicClock: Sendable {
    let now: @Sendable () -> UInt64

    /// A clock that reads `now`, in nanoseconds.
    public init(_ now: @escaping @Sendable () -> UInt64) {
        self.now = now
    }

    /// The system's.
    public static let system = MonotonicClock {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
}

extension Duration {
    /// In nanoseconds; a negative duration is zero, an overlong one the largest.
    var nanoseconds: UInt64 {
        let (seconds, attoseconds) = components
        guard seconds >= 0, attoseconds >= 0 else { return 0 }
        let (product, overflow) = UInt64(seconds).multipliedReportingOverflow(by: 1_000_000_000)
        return overflow ? .max : product &+ UInt64(attoseconds / 1_000_000_000)
    }
}
