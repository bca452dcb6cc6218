import DaybookBase
import DaybookCollector

/// `opentelemetry.proto.collector.logs.v1.ExportLogsServiceRequest` as a value, for tests and benchmarks to send and
/// inspect. The collector itself never holds a whole request.
package struct ExportLogsRequest: Sendable, Hashable {
    package var resources: [ResourceLogs]

    package init(resources: [ResourceLogs] = []) { self.resources = resources }
}

package struct ResourceLogs: Sendable, Hashable {
    /// Describes the sender: `service.name`, `app.installation.id`.
    package var resource = Attributes()
    package var scopes: [ScopeLogs] = []

    package init(resource: Attributes = Attributes(), scopes: [ScopeLogs] = []) {
        self.resource = resource
        self.scopes = scopes
    }
}

package struct ScopeLogs: Sendable, Hashable {
    package var scope = InstrumentationScope()
    package var records: [LogRecord] = []

    package init(scope: InstrumentationScope = InstrumentationScope(), records: [LogRecord] = []) {
        self.scope = scope
        self.records = records
    }
}

/// One log record. Times are nanoseconds since 1970, 0 where the sender gave none.
package struct LogRecord: Sendable, Hashable {
    package var time: UInt64 = 0
    package var observedTime: UInt64 = 0
    /// 1–24, 0 for none; senders may send anything.
    package var severityNumber: Int32 = 0
    package var severityText = ""
    package var body: Value?
    package var attributes = Attributes()
    package var droppedAttributes: UInt32 = 0
    /// 32 lowercase hexadecimal digits, `nil` where absent, malformed or all zero.
    package var traceID: String?
    /// 16 lowercase hexadecimal digits, `nil` where absent, malformed or all zero.
    package var spanID: String?
    package var eventName = ""

    package init() {}
}

/// `opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest` as a value.
package struct ExportTraceRequest: Sendable, Hashable {
    package var resources: [ResourceSpans]

    package init(resources: [ResourceSpans] = []) { self.resources = resources }
}

package struct ResourceSpans: Sendable, Hashable {
    package var resource = Attributes()
    package var scopes: [ScopeSpans] = []

    package init(resource: Attributes = Attributes(), scopes: [ScopeSpans] = []) {
        self.resource = resource
        self.scopes = scopes
    }
}

package struct ScopeSpans: Sendable, Hashable {
    package var scope = InstrumentationScope()
    package var spans: [Span] = []

    package init(scope: InstrumentationScope = InstrumentationScope(), spans: [Span] = []) {
        self.scope = scope
        self.spans = spans
    }
}

/// One span. Times are nanoseconds since 1970; identifiers as in ``LogRecord``.
package struct Span: Sendable, Hashable {
    package typealias Event = WireSpan.Event
    package typealias Link = WireSpan.Link
    package typealias Status = WireSpan.Status

    package var traceID: String?
    package var spanID: String?
    package var parentSpanID: String?
    package var traceState = ""
    package var name = ""
    /// 0 unspecified, 1 internal, 2 server, 3 client, 4 producer, 5 consumer.
    package var kind: Int32 = 0
    package var start: UInt64 = 0
    package var end: UInt64 = 0
    package var attributes = Attributes()
    package var droppedAttributes: UInt32 = 0
    package var events: [Event] = []
    package var links: [Link] = []
    package var status = Status.unset
    package var statusMessage = ""

    package init() {}
}
