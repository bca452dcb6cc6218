import Daybook

/// `opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest`, decoded.
package struct ExportTraceRequest: Sendable, Hashable {
    package var resources: [ResourceSpans]

    package init(resources: [ResourceSpans] = []) { self.resources = resources }
}

/// The spans of one sending entity.
package struct ResourceSpans: Sendable, Hashable {
    package var resource = Attributes()
    package var scopes: [ScopeSpans] = []

    package init(resource: Attributes = Attributes(), scopes: [ScopeSpans] = []) {
        self.resource = resource
        self.scopes = scopes
    }
}

/// The spans of one instrumentation scope.
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
    /// Something that happened during the span.
    package struct Event: Sendable, Hashable {
        package var time: UInt64 = 0
        package var name = ""
        package var attributes = Attributes()

        package init() {}
    }

    /// Another span that this one has to do with.
    package struct Link: Sendable, Hashable {
        package var traceID: String?
        package var spanID: String?
        package var attributes = Attributes()

        package init() {}
    }

    /// How the operation ended.
    package enum Status: Int32, Sendable, Hashable, BitwiseCopyable {
        case unset = 0
        case ok = 1
        case error = 2
    }

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
