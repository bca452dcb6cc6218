import DaybookBase

/// `opentelemetry.proto.collector.logs.v1.ExportLogsServiceRequest`, decoded.
///
/// What no receiver of ours uses (schema URLs, trace flags) is passed over. Attributes dropped by the sender are counted.
/// Source: opentelemetry-proto 1.7.
package struct ExportLogsRequest: Sendable, Hashable {
    package var resources: [ResourceLogs]

    package init(resources: [ResourceLogs] = []) { self.resources = resources }
}

/// The records of one sending entity.
package struct ResourceLogs: Sendable, Hashable {
    /// What describes the sender: `service.name`, `app.installation.id`.
    package var resource = Attributes()
    package var scopes: [ScopeLogs] = []

    package init(resource: Attributes = Attributes(), scopes: [ScopeLogs] = []) {
        self.resource = resource
        self.scopes = scopes
    }
}

/// The records of one instrumentation scope.
package struct ScopeLogs: Sendable, Hashable {
    package var scope = InstrumentationScope()
    package var records: [LogRecord] = []

    package init(scope: InstrumentationScope = InstrumentationScope(), records: [LogRecord] = []) {
        self.scope = scope
        self.records = records
    }
}

/// The part of a program that made records: a logger's or a library's name.
package struct InstrumentationScope: Sendable, Hashable {
    package var name: String
    package var version: String
    package var attributes: Attributes

    package init(name: String = "", version: String = "", attributes: Attributes = Attributes()) {
        self.name = name
        self.version = version
        self.attributes = attributes
    }
}

/// One log record. Times are nanoseconds since 1970, 0 where the sender gave none.
package struct LogRecord: Sendable, Hashable {
    package var time: UInt64 = 0
    package var observedTime: UInt64 = 0
    /// 1–24, 0 for none; senders may say anything.
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

/// Why bytes are not an OTLP request, and where.
package struct OTLPError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What is wrong, in one sentence.
    package var reason: String
    /// The member at fault in a JSON request, `resourceLogs[0].scopeLogs[2]`; empty for the whole and in protobuf,
    /// where the reason tells the byte.
    package var path: String
    /// Whether the request may be well-formed but is more than a receiver takes at once.
    package var isLimit: Bool

    package init(_ reason: String, path: String = "", isLimit: Bool = false) {
        self.reason = reason
        self.path = path
        self.isLimit = isLimit
    }

    package var description: String { path.isEmpty ? reason : "\(path): \(reason)" }

    /// The error as seen from one level further out.
    func within(_ key: String) -> OTLPError {
        let isIndexed = path.hasPrefix("[")
        let joined = path.isEmpty ? key : isIndexed ? key + path : key + "." + path
        return OTLPError(reason, path: joined, isLimit: isLimit)
    }
}

/// What a request may still cost; decoding stops where it runs out, so that a small request of empty records cannot
/// take much memory.
struct DecodingBudget {
    /// Records or spans in one request.
    static let maximumRecords = 100_000
    /// Attributes and array elements in one request.
    static let maximumValues = 2_000_000

    private var records = maximumRecords
    var values = AnyValue.Budget(values: maximumValues)

    init() {}

    mutating func takeRecord() throws(OTLPError) {
        records -= 1
        if records < 0 {
            throw OTLPError(
                "More than \(Self.maximumRecords) records in one request. Send smaller batches.", isLimit: true)
        }
    }

    /// The error of a protobuf request; one that took too many values passes a limit.
    static func error(_ error: ProtobufError) -> OTLPError {
        guard error.reason == .tooManyValues else { return OTLPError(error.description) }
        return OTLPError("More than \(maximumValues) values in one request. Send smaller batches.", isLimit: true)
    }
}
