import Daybook

extension ExportLogsRequest {
    /// Decodes a request from JSON.
    /// - Throws: ``OTLPError`` that tells the byte, or the member, at fault.
    package init(json bytes: [UInt8]) throws(OTLPError) {
        var budget = DecodingBudget()
        resources = try JSONMessage.document(bytes).messages("resourceLogs") { message throws(OTLPError) in
            try budget.takeRecord()
            return ResourceLogs(
                resource: try message.resource(),
                scopes: try message.messages("scopeLogs") { scope throws(OTLPError) in
                    try budget.takeRecord()
                    return ScopeLogs(
                        scope: try scope.scope(),
                        records: try scope.messages("logRecords") { record throws(OTLPError) in
                            try budget.takeRecord()
                            return try record.logRecord()
                        })
                })
        }
    }
}

extension ExportTraceRequest {
    /// Decodes a request from JSON.
    /// - Throws: ``OTLPError`` that tells the byte, or the member, at fault.
    package init(json bytes: [UInt8]) throws(OTLPError) {
        var budget = DecodingBudget()
        resources = try JSONMessage.document(bytes).messages("resourceSpans") { message throws(OTLPError) in
            try budget.takeRecord()
            return ResourceSpans(
                resource: try message.resource(),
                scopes: try message.messages("scopeSpans") { scope throws(OTLPError) in
                    try budget.takeRecord()
                    return ScopeSpans(
                        scope: try scope.scope(),
                        spans: try scope.messages("spans") { span throws(OTLPError) in
                            try budget.takeRecord()
                            return try span.span()
                        })
                })
        }
    }
}

extension JSONMessage {
    fileprivate func resource() throws(OTLPError) -> Attributes {
        try message("resource") { resource throws(OTLPError) in try resource.attributes("attributes") } ?? Attributes()
    }

    fileprivate func scope() throws(OTLPError) -> InstrumentationScope {
        let scope = try message("scope") { scope throws(OTLPError) in
            InstrumentationScope(
                name: try scope.string("name"), version: try scope.string("version"),
                attributes: try scope.attributes("attributes"))
        }
        return scope ?? InstrumentationScope()
    }

    fileprivate func logRecord() throws(OTLPError) -> LogRecord {
        var record = LogRecord()
        record.time = try unsigned("timeUnixNano")
        record.observedTime = try unsigned("observedTimeUnixNano")
        record.severityNumber = try int32("severityNumber")
        record.severityText = try string("severityText")
        record.body = try message("body") { body throws(OTLPError) in try body.anyValue() }
        record.attributes = try attributes("attributes")
        record.droppedAttributes = UInt32(clamping: try unsigned("droppedAttributesCount"))
        record.traceID = try identifier("traceId", count: 16)
        record.spanID = try identifier("spanId", count: 8)
        record.eventName = try string("eventName")
        return record
    }

    fileprivate func span() throws(OTLPError) -> Span {
        var span = Span()
        span.traceID = try identifier("traceId", count: 16)
        span.spanID = try identifier("spanId", count: 8)
        span.parentSpanID = try identifier("parentSpanId", count: 8)
        span.traceState = try string("traceState")
        span.name = try string("name")
        span.kind = try int32("kind")
        span.start = try unsigned("startTimeUnixNano")
        span.end = try unsigned("endTimeUnixNano")
        span.attributes = try attributes("attributes")
        span.droppedAttributes = UInt32(clamping: try unsigned("droppedAttributesCount"))
        span.events = try messages("events") { message throws(OTLPError) in
            var event = Span.Event()
            event.time = try message.unsigned("timeUnixNano")
            event.name = try message.string("name")
            event.attributes = try message.attributes("attributes")
            return event
        }
        span.links = try messages("links") { message throws(OTLPError) in
            var link = Span.Link()
            link.traceID = try message.identifier("traceId", count: 16)
            link.spanID = try message.identifier("spanId", count: 8)
            link.attributes = try message.attributes("attributes")
            return link
        }
        let status = try message("status") { message throws(OTLPError) in
            (code: try message.int32("code"), text: try message.string("message"))
        }
        span.status = Span.Status(rawValue: status?.code ?? 0) ?? .unset
        span.statusMessage = status?.text ?? ""
        return span
    }
}
