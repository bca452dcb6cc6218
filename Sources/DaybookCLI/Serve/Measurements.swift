import Daybook
import DaybookBase
import DaybookCollector
import DaybookHTTPServer
import DaybookStore

/// What `/metrics` shows.
struct Measurements: Sendable {
    let ingest: IngestMetrics
    let load: IngestLoad
    let server: ServerStatistics
    let alerts: AlertRunner?
    let statements: [(asker: String, StatementProcesses)]
    let quota: StoreQuota?
    let retention: RetentionFailures
    let storeDuties: StoreDuties
    let store: any EventStore

    /// Aggregates over all streams are cached for about a scrape interval.
    var text: @Sendable () async -> PrometheusText {
        let streams = Measured(age: 5_000_000_000, now: PipelineClock.system.monotonic) { [store] in
            await StreamMetrics(of: store, reasons: Ledger.DropReason.allCases.map(\.attributeName))
        }
        return { [self] in
            var text = PrometheusText()
            ingest.write(to: &text, load: load)
            server.write(to: &text)
            await alerts?.write(to: &text)
            StatementMetrics.write(to: &text, statements)
            if let quota {
                text.add(
                    "daybook_store_quota_bytes", .gauge, "Size of the store beyond which no records are accepted.",
                    quota.limit)
            }
            retention.write(to: &text)
            storeDuties.write(to: &text)
            await streams.answer().value?.write(to: &text)
            return text
        }
    }
}

/// The server's counters for `/metrics`. The server is set later, because it is created with its handlers.
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
            "daybook_http_connections_displaced_total", .counter,
            "Connections closed for others at the limit: idle ones first.", counts.displacedConnections)
        text.add(
            "daybook_http_connections_expired_total", .counter, "Connections closed at a deadline: slow clients.",
            counts.expiredConnections)
        text.add("daybook_http_requests_total", .counter, "Requests whose headers were read.", counts.requests)
        text.add(
            "daybook_http_requests_denied_total", .counter,
            "Requests denied for a Host that is not served or an Origin of another site.", counts.deniedRequests)
        text.add("daybook_http_requests_active", .gauge, "Requests not yet answered.", counts.activeRequests)
        text.add(
            "daybook_http_bodies_displaced_total", .counter,
            "Bodies abandoned half-read: slow ones, and those of clients with more than their share, when room was short.",
            counts.displacedBodies)
        text.add("daybook_http_body_bytes", .gauge, "Bytes of bodies being read or processed.", counts.bodyBytes)
        text.add(
            "daybook_http_reply_bytes", .gauge, "Bytes of large responses that clients have not read yet.",
            counts.replyBytes)
    }
}
