/// Counters of a server since its start.
public struct HTTPServerStatistics: Sendable, Equatable {
    /// Connections open now.
    public var openConnections = 0
    /// Connections accepted in all.
    public var acceptedConnections = 0
    /// Connections closed at once because of the limit or a shutdown.
    public var refusedConnections = 0
    /// Connections closed at a deadline.
    public var expiredConnections = 0
    /// Requests denied for their `Host` or `Origin`.
    public var deniedRequests = 0
    /// Requests whose head was read and whose answer is not finished.
    public var activeRequests = 0
    /// Bytes of bodies that are being read or answered.
    public var bodyBytes = 0
}
