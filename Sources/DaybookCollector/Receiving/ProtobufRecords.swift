import DaybookBase
import DaybookTools

extension WireLogRecord {
    package mutating func read(_ message: ProtobufReader, with decoder: inout ProtobufDecoder) throws {
        clear()
        var reader = message
        var given: UInt64 = 0
        while let field = try reader.nextField() {
            decoder.note(field, of: .logRecord, &given)
            switch (field.number, field.wireType) {
            case (1, .fixed64): fields.time = try reader.time()
            case (2, .varint): fields.severityNumber = try reader.enumeration()
            case (3, .lengthDelimited): fields.severityText = try decoder.text(&reader, of: "logRecord.severityText")
            case (5, .lengthDelimited): fields.body = try decoder.value(try reader.message(), &attributes)
            case (6, .lengthDelimited): try decoder.attribute(try reader.message(), &attributes)
            case (7, .varint):
                fields.droppedAttributes = try decoder.dropped(&reader, of: "logRecord.droppedAttributesCount")
            case (9, .lengthDelimited): fields.traceID = WireText(try reader.bytes())
            case (10, .lengthDelimited): fields.spanID = WireText(try reader.bytes())
            case (11, .fixed64): fields.observedTime = try reader.time()
            case (12, .lengthDelimited): fields.eventName = try decoder.text(&reader, of: "logRecord.eventName")
            case (4, .lengthDelimited): fields.name = try decoder.text(&reader, of: "logRecord.name")
            case (8, .fixed32): fields.flags = try reader.fixed32()
            default: try decoder.pass(field, of: "logRecord", last: 12, &reader)
            }
        }
        if !Self.severities.contains(fields.severityNumber) { decoder.count(unread: "logRecord.severityNumber") }
        if isSeverityUnknown { decoder.count(unread: "logRecord.severityText") }
        decoder.settle(&fields.traceID, .trace, of: "logRecord", &attributes)
        decoder.settle(&fields.spanID, .span, of: "logRecord", &attributes)
    }
}

extension WireSpan {
    package mutating func read(_ message: ProtobufReader, with decoder: inout ProtobufDecoder) throws {
        clear()
        var reader = message
        var given: UInt64 = 0
        while let field = try reader.nextField() {
            decoder.note(field, of: .span, &given)
            switch (field.number, field.wireType) {
            case (1, .lengthDelimited): fields.traceID = WireText(try reader.bytes())
            case (2, .lengthDelimited): fields.spanID = WireText(try reader.bytes())
            case (3, .lengthDelimited): fields.traceState = try decoder.text(&reader, of: "span.traceState")
            case (4, .lengthDelimited): fields.parentSpanID = WireText(try reader.bytes())
            case (5, .lengthDelimited): fields.name = try decoder.text(&reader, of: "span.name")
            case (6, .varint): fields.kind = try reader.enumeration()
            case (7, .fixed64): fields.start = try reader.time()
            case (8, .fixed64): fields.end = try reader.time()
            case (9, .lengthDelimited): try decoder.attribute(try reader.message(), &attributes)
            case (10, .varint):
                fields.droppedAttributes = try decoder.dropped(&reader, of: "span.droppedAttributesCount")
            case (11, .lengthDelimited): events.append(try decoder.spanEvent(try reader.message()))
            case (13, .lengthDelimited): links.append(try decoder.spanLink(try reader.message()))
            case (15, .lengthDelimited): try readStatus(try reader.message(), with: &decoder)
            case (12, .varint): fields.droppedEvents = try decoder.dropped(&reader, of: "span.droppedEventsCount")
            case (14, .varint): fields.droppedLinks = try decoder.dropped(&reader, of: "span.droppedLinksCount")
            case (16, .fixed32): fields.flags = try reader.fixed32()
            default: try decoder.pass(field, of: "span", last: 16, &reader)
            }
        }
        decoder.settle(&fields.traceID, .trace, of: "span", &attributes)
        decoder.settle(&fields.spanID, .span, of: "span", &attributes)
        decoder.settle(&fields.parentSpanID, .parentSpan, of: "span", &attributes)
        if !Self.kinds.contains(fields.kind) { decoder.count(unread: "span.kind") }
    }

    private mutating func readStatus(_ message: ProtobufReader, with decoder: inout ProtobufDecoder) throws {
        (fields.status, fields.deprecatedStatus, fields.statusMessage) = (0, 0, WireText())
        var reader = message
        var given: UInt64 = 0
        while let field = try reader.nextField() {
            decoder.note(field, of: .status, &given)
            switch (field.number, field.wireType) {
            case (2, .lengthDelimited): fields.statusMessage = try decoder.text(&reader, of: "status.message")
            case (1, .varint): fields.deprecatedStatus = try reader.enumeration()
            case (3, .varint): fields.status = try reader.enumeration()
            default: try decoder.pass(field, of: "status", last: 3, &reader)
            }
        }
        if Status(rawValue: fields.status) == nil { decoder.count(unread: "status.code") }
    }
}

extension ProtobufDecoder {
    fileprivate mutating func spanEvent(_ message: ProtobufReader) throws -> WireSpan.Event {
        try budget.values.take(DecodingBudget.eventValues, at: message)
        var reader = message
        var given: UInt64 = 0
        var event = WireSpan.Event()
        while let field = try reader.nextField() {
            note(field, of: .spanEvent, &given)
            switch (field.number, field.wireType) {
            case (1, .fixed64): event.time = UInt64(bitPattern: try reader.time())
            case (2, .lengthDelimited): event.name = try string(&reader, of: "spanEvent.name")
            case (3, .lengthDelimited): event.attributes.elements.append(try attribute(try reader.message()))
            case (4, .varint): event.droppedAttributes = try dropped(&reader, of: "spanEvent.droppedAttributesCount")
            default: try pass(field, of: "spanEvent", last: 4, &reader)
            }
        }
        return event
    }

    fileprivate mutating func spanLink(_ message: ProtobufReader) throws -> WireSpan.Link {
        try budget.values.take(DecodingBudget.linkValues, at: message)
        var reader = message
        var given: UInt64 = 0
        var link = WireSpan.Link()
        var (trace, span) = (WireIdentifier.Reading.absent, WireIdentifier.Reading.absent)
        while let field = try reader.nextField() {
            note(field, of: .spanLink, &given)
            switch (field.number, field.wireType) {
            case (1, .lengthDelimited): trace = WireIdentifier.trace.reading(bytes: try reader.bytes())
            case (2, .lengthDelimited): span = WireIdentifier.span.reading(bytes: try reader.bytes())
            case (4, .lengthDelimited): link.attributes.elements.append(try attribute(try reader.message()))
            case (3, .lengthDelimited): link.traceState = try string(&reader, of: "spanLink.traceState")
            case (5, .varint): link.droppedAttributes = try dropped(&reader, of: "spanLink.droppedAttributesCount")
            case (6, .fixed32): link.flags = try reader.fixed32()
            default: try pass(field, of: "spanLink", last: 6, &reader)
            }
        }
        link.traceID = trace.text(.trace, &link.attributes)
        link.spanID = span.text(.span, &link.attributes)
        if case .text = trace { count(unread: "spanLink.traceId") }
        if case .text = span { count(unread: "spanLink.spanId") }
        return link
    }
}

extension ProtobufReader {
    /// Times after 2262 are clamped to what a row can hold.
    fileprivate mutating func time() throws(ProtobufError) -> Int64 {
        ReadTime.nanoseconds(ofOTLP: Int64(clamping: try fixed64()))
    }

    /// An enum value; anything beyond 32 bits is meaningless.
    fileprivate mutating func enumeration() throws(ProtobufError) -> Int32 {
        Int32(clamping: Int64(bitPattern: try varint()))
    }
}
