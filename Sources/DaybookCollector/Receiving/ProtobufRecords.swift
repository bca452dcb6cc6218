import DaybookBase
import DaybookTools

extension WireLogRecord {
    package mutating func read(_ message: ProtobufReader, with decoder: inout ProtobufDecoder) throws {
        clear()
        var reader = message
        while let field = try reader.nextField() {
            switch (field.number, field.wireType) {
            case (1, .fixed64): fields.time = try reader.fixed64()
            case (2, .varint): fields.severityNumber = Int32(truncatingIfNeeded: try reader.varint())
            case (3, .lengthDelimited): fields.severityText = try decoder.text(&reader, of: "logRecord.severityText")
            case (5, .lengthDelimited): fields.body = try decoder.value(try reader.message(), &attributes)
            case (6, .lengthDelimited): try decoder.attribute(try reader.message(), &attributes)
            case (7, .varint): fields.droppedAttributes = UInt32(truncatingIfNeeded: try reader.varint())
            case (9, .lengthDelimited): fields.traceID = WireText(try reader.bytes())
            case (10, .lengthDelimited): fields.spanID = WireText(try reader.bytes())
            case (11, .fixed64): fields.observedTime = try reader.fixed64()
            case (12, .lengthDelimited): fields.eventName = try decoder.text(&reader, of: "logRecord.eventName")
            // Trace flags.
            case (8, .fixed32): try reader.skip(field)
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
        while let field = try reader.nextField() {
            switch (field.number, field.wireType) {
            case (1, .lengthDelimited): fields.traceID = WireText(try reader.bytes())
            case (2, .lengthDelimited): fields.spanID = WireText(try reader.bytes())
            case (3, .lengthDelimited): fields.traceState = try decoder.text(&reader, of: "span.traceState")
            case (4, .lengthDelimited): fields.parentSpanID = WireText(try reader.bytes())
            case (5, .lengthDelimited): fields.name = try decoder.text(&reader, of: "span.name")
            case (6, .varint): fields.kind = Int32(truncatingIfNeeded: try reader.varint())
            case (7, .fixed64): fields.start = try reader.fixed64()
            case (8, .fixed64): fields.end = try reader.fixed64()
            case (9, .lengthDelimited): try decoder.attribute(try reader.message(), &attributes)
            case (10, .varint): fields.droppedAttributes = UInt32(truncatingIfNeeded: try reader.varint())
            case (11, .lengthDelimited): events.append(try decoder.spanEvent(try reader.message()))
            case (13, .lengthDelimited): links.append(try decoder.spanLink(try reader.message()))
            case (15, .lengthDelimited): try readStatus(try reader.message(), with: &decoder)
            // How many events and links the sender left out, and trace flags.
            case (12, .varint), (14, .varint), (16, .fixed32): try reader.skip(field)
            default: try decoder.pass(field, of: "span", last: 16, &reader)
            }
        }
        decoder.settle(&fields.traceID, .trace, of: "span", &attributes)
        decoder.settle(&fields.spanID, .span, of: "span", &attributes)
        decoder.settle(&fields.parentSpanID, .parentSpan, of: "span", &attributes)
        if !Self.kinds.contains(fields.kind) { decoder.count(unread: "span.kind") }
    }

    private mutating func readStatus(_ message: ProtobufReader, with decoder: inout ProtobufDecoder) throws {
        var reader = message
        while let field = try reader.nextField() {
            switch (field.number, field.wireType) {
            case (2, .lengthDelimited): fields.statusMessage = try decoder.text(&reader, of: "status.message")
            case (3, .varint):
                let status = Status(rawValue: Int32(truncatingIfNeeded: try reader.varint()))
                if status == nil { decoder.count(unread: "status.code") }
                fields.status = status ?? .unset
            default: try decoder.pass(field, of: "status", last: 3, &reader)
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
            case (2, .lengthDelimited): event.name = try string(&reader, of: "spanEvent.name")
            case (3, .lengthDelimited): event.attributes.elements.append(try attribute(try reader.message()))
            case (4, .varint): try reader.skip(field)
            default: try pass(field, of: "spanEvent", last: 4, &reader)
            }
        }
        return event
    }

    fileprivate mutating func spanLink(_ given: ProtobufReader) throws -> WireSpan.Link {
        try budget.values.take(at: given)
        var reader = given
        var link = WireSpan.Link()
        var (trace, span) = (WireIdentifier.Reading.absent, WireIdentifier.Reading.absent)
        while let field = try reader.nextField() {
            switch (field.number, field.wireType) {
            case (1, .lengthDelimited): trace = WireIdentifier.trace.reading(bytes: try reader.bytes())
            case (2, .lengthDelimited): span = WireIdentifier.span.reading(bytes: try reader.bytes())
            case (4, .lengthDelimited): link.attributes.elements.append(try attribute(try reader.message()))
            // The trace's state and flags, and how many attributes the sender left out.
            case (3, .lengthDelimited), (5, .varint), (6, .fixed32): try reader.skip(field)
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
