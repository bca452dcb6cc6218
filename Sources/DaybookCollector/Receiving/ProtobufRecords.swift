import DaybookBase

extension ExportLogsRequest {
    /// Reads a request in protobuf and hands its records to a sink, without a copy of any.
    /// - Throws: ``OTLPError``; then what the sink has taken is part of a request that is to be refused.
    package static func read(protobuf bytes: [UInt8], into sink: inout some RecordSink<WireLogRecord>) throws(OTLPError)
    {
        try ProtobufDecoder.decode(bytes) { decoder, reader in
            var record = WireLogRecord()
            try decoder.request(reader, &record, &sink) { try $0.logRecord($1, &$2) }
        }
    }

    /// Decodes a request from protobuf.
    /// - Throws: ``OTLPError``.
    package init(protobuf bytes: [UInt8]) throws(OTLPError) {
        var copy = Copy()
        try Self.read(protobuf: bytes, into: &copy)
        self = copy.request
    }

    /// Keeps all that it takes.
    private struct Copy: RecordSink {
        var request = ExportLogsRequest()

        mutating func begin(resource: Attributes) { request.resources.append(ResourceLogs(resource: resource)) }

        mutating func begin(scope: InstrumentationScope, count: Int) {
            request.resources[request.resources.count - 1].scopes.append(ScopeLogs(scope: scope))
        }

        mutating func take(_ record: WireLogRecord) {
            let resource = request.resources.count - 1
            let scope = request.resources[resource].scopes.count - 1
            request.resources[resource].scopes[scope].records.append(LogRecord(record))
        }
    }
}

extension ProtobufDecoder {
    fileprivate mutating func logRecord(_ given: ProtobufReader, _ record: inout WireLogRecord) throws {
        record.clear()
        var reader = given
        while let field = try reader.nextField() {
            switch (field.number, field.wireType) {
            case (1, .fixed64): record.fields.time = try reader.fixed64()
            case (2, .varint): record.fields.severityNumber = Int32(truncatingIfNeeded: try reader.varint())
            case (3, .lengthDelimited): record.fields.severityText = WireText(try reader.bytes())
            case (5, .lengthDelimited): record.fields.body = try value(try reader.message(), &record.attributes)
            case (6, .lengthDelimited): try attribute(try reader.message(), &record.attributes)
            case (7, .varint): record.fields.droppedAttributes = UInt32(truncatingIfNeeded: try reader.varint())
            case (9, .lengthDelimited): record.fields.traceID = WireText(try reader.bytes())
            case (10, .lengthDelimited): record.fields.spanID = WireText(try reader.bytes())
            case (11, .fixed64): record.fields.observedTime = try reader.fixed64()
            case (12, .lengthDelimited): record.fields.eventName = WireText(try reader.bytes())
            default: try reader.skip(field)
            }
        }
    }
}

extension ExportTraceRequest {
    /// Reads a request in protobuf and hands its spans to a sink, without a copy of any.
    /// - Throws: ``OTLPError``; then what the sink has taken is part of a request that is to be refused.
    package static func read(protobuf bytes: [UInt8], into sink: inout some RecordSink<WireSpan>) throws(OTLPError) {
        try ProtobufDecoder.decode(bytes) { decoder, reader in
            var span = WireSpan()
            try decoder.request(reader, &span, &sink) { try $0.span($1, &$2) }
        }
    }

    /// Decodes a request from protobuf.
    /// - Throws: ``OTLPError``.
    package init(protobuf bytes: [UInt8]) throws(OTLPError) {
        var copy = Copy()
        try Self.read(protobuf: bytes, into: &copy)
        self = copy.request
    }

    /// Keeps all that it takes.
    private struct Copy: RecordSink {
        var request = ExportTraceRequest()

        mutating func begin(resource: Attributes) { request.resources.append(ResourceSpans(resource: resource)) }

        mutating func begin(scope: InstrumentationScope, count: Int) {
            request.resources[request.resources.count - 1].scopes.append(ScopeSpans(scope: scope))
        }

        mutating func take(_ span: WireSpan) {
            let resource = request.resources.count - 1
            let scope = request.resources[resource].scopes.count - 1
            request.resources[resource].scopes[scope].spans.append(Span(span))
        }
    }
}

extension ProtobufDecoder {
    fileprivate mutating func span(_ given: ProtobufReader, _ span: inout WireSpan) throws {
        span.clear()
        var reader = given
        while let field = try reader.nextField() {
            switch (field.number, field.wireType) {
            case (1, .lengthDelimited): span.fields.traceID = WireText(try reader.bytes())
            case (2, .lengthDelimited): span.fields.spanID = WireText(try reader.bytes())
            case (3, .lengthDelimited): span.fields.traceState = WireText(try reader.bytes())
            case (4, .lengthDelimited): span.fields.parentSpanID = WireText(try reader.bytes())
            case (5, .lengthDelimited): span.fields.name = WireText(try reader.bytes())
            case (6, .varint): span.fields.kind = Int32(truncatingIfNeeded: try reader.varint())
            case (7, .fixed64): span.fields.start = try reader.fixed64()
            case (8, .fixed64): span.fields.end = try reader.fixed64()
            case (9, .lengthDelimited): try attribute(try reader.message(), &span.attributes)
            case (10, .varint): span.fields.droppedAttributes = UInt32(truncatingIfNeeded: try reader.varint())
            case (11, .lengthDelimited): span.events.append(try spanEvent(try reader.message()))
            case (13, .lengthDelimited): span.links.append(try spanLink(try reader.message()))
            case (15, .lengthDelimited): try status(try reader.message(), of: &span)
            default: try reader.skip(field)
            }
        }
    }

    private mutating func spanEvent(_ given: ProtobufReader) throws -> Span.Event {
        try budget.values.take(at: given)
        var reader = given
        var event = Span.Event()
        while let field = try reader.nextField() {
            switch (field.number, field.wireType) {
            case (1, .fixed64): event.time = try reader.fixed64()
            case (2, .lengthDelimited): event.name = try reader.string()
            case (3, .lengthDelimited): event.attributes.elements.append(try attribute(try reader.message()))
            default: try reader.skip(field)
            }
        }
        return event
    }

    private mutating func spanLink(_ given: ProtobufReader) throws -> Span.Link {
        try budget.values.take(at: given)
        var reader = given
        var link = Span.Link()
        while let field = try reader.nextField() {
            switch (field.number, field.wireType) {
            case (1, .lengthDelimited): link.traceID = HexadecimalID.text(try reader.bytes(), count: 16)
            case (2, .lengthDelimited): link.spanID = HexadecimalID.text(try reader.bytes(), count: 8)
            case (4, .lengthDelimited): link.attributes.elements.append(try attribute(try reader.message()))
            default: try reader.skip(field)
            }
        }
        return link
    }

    private func status(_ given: ProtobufReader, of span: inout WireSpan) throws {
        var reader = given
        while let field = try reader.nextField() {
            switch (field.number, field.wireType) {
            case (2, .lengthDelimited): span.fields.statusMessage = WireText(try reader.bytes())
            case (3, .varint):
                span.fields.status = Span.Status(rawValue: Int32(truncatingIfNeeded: try reader.varint())) ?? .unset
            default: try reader.skip(field)
            }
        }
    }
}
