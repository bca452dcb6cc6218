import DaybookBase
import DaybookOTLP
import DaybookTools

extension JSONMessage {
    /// Hands the records of a request to a sink: those of logs and of traces lie within the same resources and scopes.
    mutating func request<Sink: RecordSink>(_ sink: inout Sink) throws(OTLPError) {
        try readAll { request throws(OTLPError) in try request.resources(&sink) }
    }

    private mutating func resources<Sink: RecordSink>(_ sink: inout Sink) throws(OTLPError) {
        let names = Sink.Record.signal.memberNames
        guard self.names.isEmpty || has(names.resources) else { throw Sink.Record.signal.isUnknown(self.names) }
        var budget = DecodingBudget()
        var record = Sink.Record()
        try forEach(names.resources, names.resources) { resource throws(OTLPError) in
            try budget.takeRecord()
            sink.begin(resource: try resource.resource())
            for scopes in [names.scopes, names.olderScopes] {
                try resource.forEach(scopes, scopes) { scope throws(OTLPError) in
                    try budget.takeRecord()
                    sink.begin(scope: try scope.scope(), count: scope.count(names.records))
                    try scope.forEach(names.records, names.record) { message throws(OTLPError) in
                        try budget.takeRecord()
                        try record.read(&message)
                        try sink.take(record)
                    }
                }
            }
        }
    }

    private mutating func resource() throws(OTLPError) -> Attributes {
        pass("schemaUrl")
        let attributes = try message("resource", "resource") { resource throws(OTLPError) in
            resource.pass("droppedAttributesCount")
            resource.pass("entityRefs")
            return try resource.attributes("attributes")
        }
        return attributes ?? Attributes()
    }

    private mutating func scope() throws(OTLPError) -> InstrumentationScope {
        pass("schemaUrl")
        for key in ["scope", "instrumentationLibrary"] {
            let scope = try message(key, key) { scope throws(OTLPError) in
                scope.pass("droppedAttributesCount")
                return InstrumentationScope(
                    name: try scope.string("name"), version: try scope.string("version"),
                    attributes: try scope.attributes("attributes"))
            }
            if let scope { return scope }
        }
        return InstrumentationScope()
    }
}

extension OTLPSignal {
    /// The older names are those of SDKs before OTLP 0.19.
    fileprivate var memberNames:
        (resources: String, scopes: String, olderScopes: String, records: String, record: String)
    {
        switch self {
        case .logs: ("resourceLogs", "scopeLogs", "instrumentationLibraryLogs", "logRecords", "logRecord")
        case .traces: ("resourceSpans", "scopeSpans", "instrumentationLibrarySpans", "spans", "span")
        }
    }

    /// A request that has members, and none of this signal.
    fileprivate func isUnknown(_ names: [String]) -> OTLPError {
        let given = names.prefix(8).map { $0.cut(toUTF8Bytes: Unread.longestName) }.joined(separator: ", ")
        return OTLPError("A request has \(memberNames.resources) here, and this one has \(given). " + OTLPError.signals)
    }
}

extension WireLogRecord {
    package mutating func read(_ message: inout JSONMessage) throws(OTLPError) {
        clear()
        fields.time = try message.time("timeUnixNano")
        fields.observedTime = try message.time("observedTimeUnixNano")
        fields.severityNumber = try message.severity("severityNumber")
        if !Self.severities.contains(fields.severityNumber) { message.count(unread: "severityNumber") }
        fields.severityText = attributes.lend(try message.string("severityText"))
        if isSeverityUnknown { message.count(unread: "severityText") }
        fields.body = try message.value("body").map { attributes.lend($0) }
        try message.attributes("attributes", into: &attributes)
        fields.droppedAttributes = UInt32(clamping: try message.unsigned("droppedAttributesCount"))
        fields.traceID = attributes.lend(try message.identifier(.trace), .trace)
        fields.spanID = attributes.lend(try message.identifier(.span), .span)
        fields.eventName = attributes.lend(try message.string("eventName"))
        message.pass("flags")
    }
}

extension WireSpan {
    package mutating func read(_ message: inout JSONMessage) throws(OTLPError) {
        clear()
        fields.traceID = attributes.lend(try message.identifier(.trace), .trace)
        fields.spanID = attributes.lend(try message.identifier(.span), .span)
        fields.parentSpanID = attributes.lend(try message.identifier(.parentSpan), .parentSpan)
        fields.traceState = attributes.lend(try message.string("traceState"))
        fields.name = attributes.lend(try message.string("name"))
        fields.kind = try message.enumeration("kind", .spanKind)
        if !Self.kinds.contains(fields.kind) { message.count(unread: "kind") }
        fields.start = try message.time("startTimeUnixNano")
        fields.end = try message.time("endTimeUnixNano")
        try message.attributes("attributes", into: &attributes)
        fields.droppedAttributes = UInt32(clamping: try message.unsigned("droppedAttributesCount"))
        events = try message.messages("events", "spanEvent") { message throws(OTLPError) in try message.spanEvent() }
        links = try message.messages("links", "spanLink") { message throws(OTLPError) in try message.spanLink() }
        _ = try message.message("status", "status") { message throws(OTLPError) in try readStatus(&message) }
        for key in ["flags", "droppedEventsCount", "droppedLinksCount"] { message.pass(key) }
    }

    private mutating func readStatus(_ message: inout JSONMessage) throws(OTLPError) {
        let status = Status(rawValue: try message.enumeration("code", .status))
        if status == nil { message.count(unread: "code") }
        fields.status = status ?? .unset
        fields.statusMessage = attributes.lend(try message.string("message"))
    }
}

extension JSONMessage {
    fileprivate mutating func spanEvent() throws(OTLPError) -> WireSpan.Event {
        var event = WireSpan.Event()
        event.time = try time("timeUnixNano")
        event.name = try string("name")
        event.attributes = try attributes("attributes")
        pass("droppedAttributesCount")
        return event
    }

    fileprivate mutating func spanLink() throws(OTLPError) -> WireSpan.Link {
        var link = WireSpan.Link()
        link.attributes = try attributes("attributes")
        link.traceID = try identifier(.trace).text(.trace, &link.attributes)
        link.spanID = try identifier(.span).text(.span, &link.attributes)
        for key in ["traceState", "flags", "droppedAttributesCount"] { pass(key) }
        return link
    }
}
