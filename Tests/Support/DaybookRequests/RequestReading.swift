import DaybookBase
import DaybookCollector
import DaybookOTLP

extension ExportLogsRequest {
    /// The request that the collector reads from protobuf.
    /// - Throws: ``OTLPError``.
    package init(protobuf bytes: [UInt8]) throws(OTLPError) {
        var copy = RequestCopy<WireLogRecord>()
        try OTLPRequest.read(protobuf: bytes, into: &copy)
        self.init(copy)
    }

    /// The request that the collector reads from JSON.
    /// - Throws: ``OTLPError``.
    package init(json bytes: [UInt8]) throws(OTLPError) {
        var copy = RequestCopy<WireLogRecord>()
        try OTLPRequest.read(json: bytes, into: &copy)
        self.init(copy)
    }

    private init(_ copy: RequestCopy<WireLogRecord>) {
        self.init(
            resources: copy.resources.map { resource in
                ResourceLogs(
                    resource: resource.attributes,
                    scopes: resource.scopes.map { ScopeLogs(scope: $0.scope, records: $0.records) })
            })
    }
}

extension ExportTraceRequest {
    /// The request that the collector reads from protobuf.
    /// - Throws: ``OTLPError``.
    package init(protobuf bytes: [UInt8]) throws(OTLPError) {
        var copy = RequestCopy<WireSpan>()
        try OTLPRequest.read(protobuf: bytes, into: &copy)
        self.init(copy)
    }

    /// The request that the collector reads from JSON.
    /// - Throws: ``OTLPError``.
    package init(json bytes: [UInt8]) throws(OTLPError) {
        var copy = RequestCopy<WireSpan>()
        try OTLPRequest.read(json: bytes, into: &copy)
        self.init(copy)
    }

    private init(_ copy: RequestCopy<WireSpan>) {
        self.init(
            resources: copy.resources.map { resource in
                ResourceSpans(
                    resource: resource.attributes,
                    scopes: resource.scopes.map { ScopeSpans(scope: $0.scope, spans: $0.records) })
            })
    }
}

private struct RequestCopy<Record: CopiedRecord>: RecordSink {
    struct Resource {
        var attributes: Attributes
        var scopes: [Scope] = []
    }

    struct Scope {
        var scope: InstrumentationScope
        var records: [Record.Copy] = []
    }

    var resources: [Resource] = []

    mutating func begin(resource: Attributes, beside: Attributes) {
        var resource = Resource(attributes: resource)
        resource.attributes.elements += beside.elements
        resources.append(resource)
    }

    mutating func begin(scope: InstrumentationScope, count: Int) {
        resources[resources.count - 1].scopes.append(Scope(scope: scope))
    }

    mutating func take(_ record: Record) {
        let resource = resources.count - 1
        let scope = resources[resource].scopes.count - 1
        resources[resource].scopes[scope].records.append(record.copy)
    }
}

private protocol CopiedRecord: WireRecord {
    associatedtype Copy

    var copy: Copy { get }
}

extension WireLogRecord: CopiedRecord {
    fileprivate var copy: LogRecord {
        var copy = LogRecord()
        copy.time = time
        copy.observedTime = observedTime
        copy.severityNumber = severityNumber
        copy.severityText = severityText.string
        copy.body = body.map { attributes.value($0) }
        copy.attributes = attributes.copy
        copy.droppedAttributes = droppedAttributes
        copy.traceID = traceID
        copy.spanID = spanID
        copy.eventName = eventName.string
        return copy
    }
}

extension WireSpan: CopiedRecord {
    fileprivate var copy: Span {
        var copy = Span()
        copy.traceID = traceID
        copy.spanID = spanID
        copy.parentSpanID = parentSpanID
        copy.traceState = traceState.string
        copy.name = name.string
        copy.kind = kind
        copy.start = start
        copy.end = end
        copy.attributes = attributes.copy
        copy.droppedAttributes = droppedAttributes
        copy.events = events
        copy.links = links
        copy.status = status
        copy.statusMessage = statusMessage.string
        return copy
    }
}

extension WireAttributes {
    fileprivate var copy: Attributes {
        var attributes = Attributes()
        attributes.elements = elements.map { Attributes.Element($0.key.string, value($0.value)) }
        return attributes
    }
}
