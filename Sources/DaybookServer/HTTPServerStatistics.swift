/// Counters of a server since its start.
package struct HTTPServerStatistics: Sendable, Equatable {
    /// Connections open now.
    package var openConnections = 0
    /// Connections accepted in all.
    package var acceptedConnections = 0
    /// Connections closed at once because of the limit or a shutdown.
    package var refusedConnections = 0
    /// Connections closed at a deadline.
    package var expiredConnections = 0
    /// Requests whose head was read and whose answer is not finished.
    package var activeRequests = 0
}
