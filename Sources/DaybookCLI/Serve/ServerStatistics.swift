import DaybookCollector
import DaybookServer
import Synchronization

/// The server's counts for `/metrics`. The server is put in after it was made, for it is made with the handlers.
final class ServerStatistics: Sendable {
    let server = Mutex<HTTPServer?>(nil)

    func write(to text: inout PrometheusText) {
        guard let server = server.withLock({ $0 }) else { return }
        let counts = server.statistics
        text.add("daybook_http_connections", .gauge, "Connections open now.", counts.openConnections)
        text.add("daybook_http_connections_total", .counter, "Connections accepted.", counts.acceptedConnections)
        text.add(
            "daybook_http_connections_refused_total", .counter, "Connections closed at once: over the limit.",
            counts.refusedConnections)
        text.add(
            "daybook_http_connections_expired_total", .counter, "Connections closed at a deadline: slow clients.",
            counts.expiredConnections)
        text.add(
            "daybook_http_requests_denied_total", .counter,
            "Requests denied for a Host that is not served or an Origin of another site.", counts.deniedRequests)
        text.add("daybook_http_requests_active", .gauge, "Requests not yet answered.", counts.activeRequests)
        text.add("daybook_http_body_bytes", .gauge, "Bytes of bodies being read or answered.", counts.bodyBytes)
    }
}
