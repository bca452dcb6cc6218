import Daybook

extension ExportTraceRequest {
    /// Decodes a request from protobuf.
    /// - Throws: ``OTLPError``.
    package init(protobuf bytes: [UInt8]) throws(OTLPError) {
        self = try ProtobufDecoder.decode(bytes) { decoder, reader in try decoder.traceRequest(reader) }
    }
}

extension ProtobufDecoder {
    fileprivate mutating func traceRequest(_ given: ProtobufReader) throws -> ExportTraceRequest {
        var reader = given
        var request = ExportTraceRequest()
        while let field = try reader.nextField() {
            switch (field.number, field.wireType) {
            case (1, .lengthDelimited): request.resources.append(try resourceSpans(try reader.message()))
            default: try reader.skip(field)
            }
        }
        return request
    }

    private mutating func resourceSpans(_ given: ProtobufReader) throws -> ResourceSpans {
        try budget.takeRecord()
        var reader = given
        var spans = ResourceSpans()
        while let field = try reader.nextField() {
            switch (field.number, field.wireType) {
            case (1, .lengthDelimited): spans.resource = try resource(try reader.message())
            case (2, .lengthDelimited): spans.scopes.append(try scopeSpans(try reader.message()))
            default: try reader.skip(field)
            }
        }
        return spans
    }

    private mutating func scopeSpans(_ given: ProtobufReader) throws -> ScopeSpans {
        try budget.takeRecord()
        var reader = given
        var spans = ScopeSpans()
        while let field = try reader.nextField() {
            switch (field.number, field.wireType) {
            case (1, .lengthDelimited): spans.scope = try scope(try reader.message())
            case (2, .lengthDelimited): spans.spans.append(try span(try reader.message()))
            default: try reader.skip(field)
            }
        }
        return spans
    }

    private mutating func span(_ given: ProtobufReader) throws -> Span {
        try budget.takeRecord()
        var reader = given
        var span = Span()
        while let field = try reader.nextField() {
            switch (field.number, field.wireType) {
            case (1, .lengthDelimited): span.traceID = HexadecimalID.text(try reader.bytes(), count: 16)
            case (2, .lengthDelimited): span.spanID = HexadecimalID.text(try reader.bytes(), count: 8)
            case (3, .lengthDelimited): span.traceState = try reader.string()
            case (4, .lengthDelimited): span.parentSpanID = HexadecimalID.text(try reader.bytes(), count: 8)
            case (5, .lengthDelimited): span.name = try reader.string()
            case (6, .varint): span.kind = Int32(truncatingIfNeeded: try reader.varint())
            case (7, .fixed64): span.start = try reader.fixed64()
            case (8, .fixed64): span.end = try reader.fixed64()
            case (9, .lengthDelimited): gathered.append(try attribute(try reader.message()))
            case (10, .varint): span.droppedAttributes = UInt32(truncatingIfNeeded: try reader.varint())
            case (11, .lengthDelimited): span.events.append(try spanEvent(try reader.message()))
            case (13, .lengthDelimited): span.links.append(try spanLink(try reader.message()))
            case (15, .lengthDelimited): try status(try reader.message(), of: &span)
            default: try reader.skip(field)
            }
        }
        span.attributes = takeGathered()
        return span
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

    private func status(_ given: ProtobufReader, of span: inout Span) throws {
        var reader = given
        while let field = try reader.nextField() {
            switch (field.number, field.wireType) {
            case (2, .lengthDelimited): span.statusMessage = try reader.string()
            case (3, .varint):
                span.status = Span.Status(rawValue: Int32(truncatingIfNeeded: try reader.varint())) ?? .unset
            default: try reader.skip(field)
            }
        }
    }
}
