import DaybookBase
import DaybookOTLP
import DaybookTools

extension JSONMessage {
    /// Passes a request's records to a sink; logs and traces have the same outer structure.
    mutating func request<Sink: RecordSink>(_ sink: inout Sink) throws(OTLPError) {
        try readAll { request throws(OTLPError) in try request.resources(&sink) }
    }

    private mutating func resources<Sink: RecordSink>(_ sink: inout Sink) throws(OTLPError) {
        let names = Sink.Record.signal.memberNames
        guard self.names.isEmpty || has(names.resources) else { throw Sink.Record.signal.isUnknown(self.names) }
        // The JSON reader has already limited the values.
        var budget = DecodingBudget(ofRequest: 0)
        var record = Sink.Record()
        try forEach(names.resources, names.resources) { resource throws(OTLPError) in
            try budget.takeRecord()
            let (attributes, beside) = try resource.resource()
            sink.begin(resource: attributes, beside: beside)
            try resource.check(Sink.Record.signal, has: names.scopes, not: names.otherScopes)
            for scopes in names.scopes {
                try resource.forEach(scopes, scopes) { scope throws(OTLPError) in
                    try budget.takeRecord()
                    try scope.check(Sink.Record.signal, has: names.records, not: names.otherRecords)
                    let count = names.records.reduce(0) { $0 + scope.count($1) }
                    sink.begin(scope: try scope.scope(), count: count)
                    for records in names.records {
                        try scope.forEach(records, names.record) { message throws(OTLPError) in
                            try budget.takeRecord()
                            try record.read(&message)
                            try sink.take(record)
                        }
                    }
                }
            }
        }
    }

    /// Checks that the message is not of another signal.
    /// - Throws: ``OTLPError`` that says where such a request belongs.
    private func check(_ signal: OTLPSignal, has own: [String], not others: [String]) throws(OTLPError) {
        guard !own.contains(where: has), let other = others.first(where: has) else { return }
        throw OTLPError("These are no \(signal == .logs ? "log records" : "spans"). " + OTLPError.signals, path: other)
    }

    /// A resource's attributes, and what it carries outside them.
    private mutating func resource() throws(OTLPError) -> (attributes: Attributes, beside: Attributes) {
        let given = try message("resource", "resource") { resource throws(OTLPError) in
            let attributes = try resource.attributes("attributes")
            var beside = Attributes()
            beside.add(try resource.count32("droppedAttributesCount"), as: WireScope.resourceDropped)
            beside.add(
                entities: try resource.messages("entityRefs", "entityRef") { entity throws(OTLPError) in
                    WireScope.entity(
                        schema: try entity.string("schemaUrl"), type: try entity.string("type"),
                        keys: try entity.strings("idKeys"), descriptions: try entity.strings("descriptionKeys"))
                })
            return (attributes: attributes, beside: beside)
        }
        var resource = given ?? (Attributes(), Attributes())
        resource.beside.add(try string("schemaUrl"), as: WireScope.resourceSchema)
        return resource
    }

    private mutating func scope() throws(OTLPError) -> InstrumentationScope {
        var result = InstrumentationScope()
        for key in ["scope", "instrumentationLibrary"] {
            let scope = try message(key, key) { scope throws(OTLPError) in
                var result = InstrumentationScope(
                    name: try scope.string("name"), version: try scope.string("version"),
                    attributes: try scope.attributes("attributes"))
                result.beside.add(try scope.count32("droppedAttributesCount"), as: WireScope.scopeDropped)
                return result
            }
            if let scope {
                result = scope
                break
            }
        }
        result.beside.add(try string("schemaUrl"), as: WireScope.scopeSchema)
        return result
    }
}

extension OTLPSignal {
    /// List names, including those of SDKs before OTLP 0.19.
    fileprivate struct MemberNames {
        var resources: String
        var scopes: [String]
        var records: [String]
        /// A record's message type, for counts.
        var record: String
        /// The other signals' names.
        var otherScopes: [String]
        var otherRecords: [String]
    }

    fileprivate var memberNames: MemberNames {
        let logs = (scopes: ["scopeLogs", "instrumentationLibraryLogs"], records: ["logRecords", "logs"])
        let spans = (scopes: ["scopeSpans", "instrumentationLibrarySpans"], records: ["spans"])
        let metrics = (scopes: ["scopeMetrics", "instrumentationLibraryMetrics"], records: ["metrics"])
        switch self {
        case .logs:
            return MemberNames(
                resources: "resourceLogs", scopes: logs.scopes, records: logs.records, record: "logRecord",
                otherScopes: spans.scopes + metrics.scopes, otherRecords: spans.records + metrics.records)
        case .traces:
            return MemberNames(
                resources: "resourceSpans", scopes: spans.scopes, records: spans.records, record: "span",
                otherScopes: logs.scopes + metrics.scopes, otherRecords: logs.records + metrics.records)
        }
    }

    /// A request that has members, but none of this signal.
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
        fields.droppedAttributes = try message.count32("droppedAttributesCount")
        fields.traceID = attributes.lend(try message.identifier(.trace), .trace)
        fields.spanID = attributes.lend(try message.identifier(.span), .span)
        fields.eventName = attributes.lend(try message.string("eventName"))
        fields.flags = try message.count32("flags")
        fields.name = attributes.lend(try message.string("name"))
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
        fields.droppedAttributes = try message.count32("droppedAttributesCount")
        events = try message.messages("events", "spanEvent") { message throws(OTLPError) in try message.spanEvent() }
        links = try message.messages("links", "spanLink") { message throws(OTLPError) in try message.spanLink() }
        _ = try message.message("status", "status") { message throws(OTLPError) in try readStatus(&message) }
        fields.flags = try message.count32("flags")
        fields.droppedEvents = try message.count32("droppedEventsCount")
        fields.droppedLinks = try message.count32("droppedLinksCount")
    }

    private mutating func readStatus(_ message: inout JSONMessage) throws(OTLPError) {
        fields.status = try message.enumeration("code", .status)
        if Status(rawValue: fields.status) == nil { message.count(unread: "code") }
        fields.deprecatedStatus = try message.enumeration("deprecatedCode", .deprecatedStatus)
        fields.statusMessage = attributes.lend(try message.string("message"))
    }
}

extension JSONMessage {
    fileprivate mutating func spanEvent() throws(OTLPError) -> WireSpan.Event {
        var event = WireSpan.Event()
        event.time = UInt64(bitPattern: try time("timeUnixNano"))
        event.name = try string("name")
        event.attributes = try attributes("attributes")
        event.droppedAttributes = try count32("droppedAttributesCount")
        return event
    }

    fileprivate mutating func spanLink() throws(OTLPError) -> WireSpan.Link {
        var link = WireSpan.Link()
        link.attributes = try attributes("attributes")
        link.traceID = try identifier(.trace).text(.trace, &link.attributes)
        link.spanID = try identifier(.span).text(.span, &link.attributes)
        link.traceState = try string("traceState")
        link.flags = try count32("flags")
        link.droppedAttributes = try count32("droppedAttributesCount")
        return link
    }
}
