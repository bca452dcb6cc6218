import DaybookBase
import DaybookOTLP

extension JSONMessage {
    /// Hands the records of a request to a sink: those of logs and of traces lie within the same resources and scopes.
    func request<Sink: RecordSink>(_ sink: inout Sink) throws(OTLPError) {
        let names = Sink.Record.signal.memberNames
        var budget = DecodingBudget()
        var record = Sink.Record()
        try forEach(names.resources) { resource throws(OTLPError) in
            try budget.takeRecord()
            sink.begin(resource: try resource.resource())
            try resource.forEach(names.scopes) { scope throws(OTLPError) in
                try budget.takeRecord()
                sink.begin(scope: try scope.scope(), count: scope.count(names.records))
                try scope.forEach(names.records) { message throws(OTLPError) in
                    try budget.takeRecord()
                    try record.read(message)
                    try sink.take(record)
                }
            }
        }
    }

    private func resource() throws(OTLPError) -> Attributes {
        try message("resource") { resource throws(OTLPError) in try resource.attributes("attributes") } ?? Attributes()
    }

    private func scope() throws(OTLPError) -> InstrumentationScope {
        let scope = try message("scope") { scope throws(OTLPError) in
            InstrumentationScope(
                name: try scope.string("name"), version: try scope.string("version"),
                attributes: try scope.attributes("attributes"))
        }
        return scope ?? InstrumentationScope()
    }
}

extension OTLPSignal {
    fileprivate var memberNames: (resources: String, scopes: String, records: String) {
        switch self {
        case .logs: ("resourceLogs", "scopeLogs", "logRecords")
        case .traces: ("resourceSpans", "scopeSpans", "spans")
        }
    }
}

extension WireLogRecord {
    package mutating func read(_ message: JSONMessage) throws(OTLPError) {
        clear()
        fields.time = try message.unsigned("timeUnixNano")
        fields.observedTime = try message.unsigned("observedTimeUnixNano")
        fields.severityNumber = try message.enumeration("severityNumber", .severity)
        fields.severityText = attributes.lend(try message.string("severityText"))
        fields.body = try message.value("body").map { attributes.lend($0) }
        try message.attributes("attributes", into: &attributes)
        fields.droppedAttributes = UInt32(clamping: try message.unsigned("droppedAttributesCount"))
        fields.traceID = attributes.lend(try message.identifier("traceId"))
        fields.spanID = attributes.lend(try message.identifier("spanId"))
        fields.eventName = attributes.lend(try message.string("eventName"))
    }
}

extension WireSpan {
    package mutating func read(_ message: JSONMessage) throws(OTLPError) {
        clear()
        fields.traceID = attributes.lend(try message.identifier("traceId"))
        fields.spanID = attributes.lend(try message.identifier("spanId"))
        fields.parentSpanID = attributes.lend(try message.identifier("parentSpanId"))
        fields.traceState = attributes.lend(try message.string("traceState"))
        fields.name = attributes.lend(try message.string("name"))
        fields.kind = try message.enumeration("kind", .spanKind)
        fields.start = try message.unsigned("startTimeUnixNano")
        fields.end = try message.unsigned("endTimeUnixNano")
        try message.attributes("attributes", into: &attributes)
        fields.droppedAttributes = UInt32(clamping: try message.unsigned("droppedAttributesCount"))
        events = try message.messages("events") { message throws(OTLPError) in try message.spanEvent() }
        links = try message.messages("links") { message throws(OTLPError) in try message.spanLink() }
        _ = try message.message("status") { message throws(OTLPError) in try readStatus(message) }
    }

    private mutating func readStatus(_ message: JSONMessage) throws(OTLPError) {
        fields.status = Status(rawValue: try message.enumeration("code", .status)) ?? .unset
        fields.statusMessage = attributes.lend(try message.string("message"))
    }
}

extension JSONMessage {
    fileprivate func spanEvent() throws(OTLPError) -> WireSpan.Event {
        var event = WireSpan.Event()
        event.time = try unsigned("timeUnixNano")
        event.name = try string("name")
        event.attributes = try attributes("attributes")
        return event
    }

    fileprivate func spanLink() throws(OTLPError) -> WireSpan.Link {
        var link = WireSpan.Link()
        link.traceID = HexadecimalID.text(try identifier("traceId"), count: 16)
        link.spanID = HexadecimalID.text(try identifier("spanId"), count: 8)
        link.attributes = try attributes("attributes")
        return link
    }
}
