import DaybookBase

extension WireLogRecord {
    package mutating func read(_ message: ProtobufReader, with decoder: inout ProtobufDecoder) throws {
        clear()
        var reader = message
        while let field = try reader.nextField() {
            switch (field.number, field.wireType) {
            case (1, .fixed64): fields.time = try reader.fixed64()
            case (2, .varint): fields.severityNumber = Int32(truncatingIfNeeded: try reader.varint())
            case (3, .lengthDelimited): fields.severityText = WireText(try reader.bytes())
            case (5, .lengthDelimited): fields.body = try decoder.value(try reader.message(), &attributes)
            case (6, .lengthDelimited): try decoder.attribute(try reader.message(), &attributes)
            case (7, .varint): fields.droppedAttributes = UInt32(truncatingIfNeeded: try reader.varint())
            case (9, .lengthDelimited): fields.traceID = WireText(try reader.bytes())
            case (10, .lengthDelimited): fields.spanID = WireText(try reader.bytes())
            case (11, .fixed64): fields.observedTime = try reader.fixed64()
            case (12, .lengthDelimited): fields.eventName = WireText(try reader.bytes())
            default: try reader.skip(field)
            }
        }
    }
}

extension WireSpan {
    package mutating func read(_ message: ProtobufReader, with decoder: inout ProtobufDecoder) throws {
        clear()
        var reader = message
        while let field = try reader.nextField() {
            switch (field.number, field.wireType) {
            case (1, .lengthDelimited): fields.traceID = WireText(try reader.bytes())
            case (2, .lengthDelimited): fields.spanID = WireText(try reader.bytes())
            case (3, .lengthDelimited): fields.traceState = WireText(try reader.bytes())
            case (4, .lengthDelimited): fields.parentSpanID = WireText(try reader.bytes())
            case (5, .lengthDelimited): fields.name = WireText(try reader.bytes())
            case (6, .varint): fields.kind = Int32(truncatingIfNeeded: try reader.varint())
            case (7, .fixed64): fields.start = try reader.fixed64()
            case (8, .fixed64): fields.end = try reader.fixed64()
            case (9, .lengthDelimited): try decoder.attribute(try reader.message(), &attributes)
            case (10, .varint): fields.droppedAttributes = UInt32(truncatingIfNeeded: try reader.varint())
            case (11, .lengthDelimited): events.append(try decoder.spanEvent(try reader.message()))
            case (13, .lengthDelimited): links.append(try decoder.spanLink(try reader.message()))
            case (15, .lengthDelimited): try readStatus(try reader.message())
            default: try reader.skip(field)
            }
        }
    }

    private mutating func readStatus(_ message: ProtobufReader) throws {
        var reader = message
        while let field = try reader.nextField() {
            switch (field.number, field.wireType) {
            case (2, .lengthDelimited): fields.statusMessage = WireText(try reader.bytes())
            case (3, .varint):
                fields.status = Status(rawValue: Int32(truncatingIfNeeded: try reader.varint())) ?? .unset
            default: try reader.skip(field)
            }
        }
    }
}

extension ProtobufDecoder {
    fileprivate mutating func spanEvent(_ given: ProtobufReader) throws -> WireSpan.Event {
        try budget.values.take(at: given)
        var reader = given
        var event = WireSpan.Event()
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

    fileprivate mutating func spanLink(_ given: ProtobufReader) throws -> WireSpan.Link {
        try budget.values.take(at: given)
        var reader = given
        var link = WireSpan.Link()
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
}
