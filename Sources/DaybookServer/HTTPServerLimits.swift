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
    /// Connections in all; one more is closed at once. Default 1,024.
    public var connections: Int
    /// The request line and the header fields, in bytes; more is answered with 431. Default 16 KiB, at most 48 KiB.
    public var headerBytes: Int
    /// How much of a refused body is read and thrown away, so that the client reads the answer. Default 1 MiB.
    public var discardBytes: Int
    /// Bytes of bodies that are being read or answered, of all clients together; more is answered with 503 and
    /// `Retry-After`. Default 64 MiB.
    public var bodyBytes: Int
    /// How often deadlines and clients that left are looked for; both are noticed at most this late. Default 250 ms.
    public var sweepInterval: Duration

    /// Limits.
    public init(
        headerTime: Duration = .seconds(10), bodyTime: Duration = .seconds(30), idleTime: Duration = .seconds(60),
        replyRate: Int = 16 * 1024, connections: Int = 1024, headerBytes: Int = 16 * 1024,
        discardBytes: Int = 1 << 20, bodyBytes: Int = 64 << 20, sweepInterval: Duration = .milliseconds(250)
    ) {
        self.headerTime = headerTime
        self.bodyTime = bodyTime
        self.idleTime = idleTime
        self.replyRate = max(1, replyRate)
        self.connections = max(1, connections)
        self.headerBytes = min(max(256, headerBytes), 48 * 1024)
        self.discardBytes = max(0, discardBytes)
        self.bodyBytes = max(0, bodyBytes)
        self.sweepInterval = max(.milliseconds(1), sweepInterval)
    }

    /// How long a reply of this many bytes may take, in nanoseconds.
    func replyTime(bytes: Int) -> UInt64 {
        idleTime.nanoseconds &+ UInt64(bytes) / UInt64(replyRate) &* 1_000_000_000
    }
}
