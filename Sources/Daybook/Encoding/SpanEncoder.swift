/// Encodes a measurement or request as OpenTelemetry's `Span`.
///
/// Source: `opentelemetry/proto/trace/v1/trace.proto`.
enum SpanEncoder {
    static let traceTag: UInt8 = 1 << 3 | 2
    static let spanTag: UInt8 = 2 << 3 | 2
    static let parentTag: UInt8 = 4 << 3 | 2
    static let nameTag: UInt8 = 5 << 3 | 2
    static let kindTag: UInt8 = 6 << 3
    static let startTag: UInt8 = 7 << 3 | 1
    static let endTag: UInt8 = 8 << 3 | 1
    static let attributeTag: UInt8 = 9 << 3 | 2
    static let statusTag: UInt8 = 15 << 3 | 2
    static let statusMessageTag: UInt8 = 2 << 3 | 2
    static let statusCodeTag: UInt8 = 3 << 3
    static let statusError: UInt8 = 2
    /// `SPAN_KIND_INTERNAL` and `SPAN_KIND_CLIENT`.
    static let internalKind: UInt64 = 1
    static let clientKind: UInt64 = 3

    /// What precedes the attributes.
    struct Head {
        var name: String
        var tag: String
        var level: Level
        var isRequest: Bool
        var context: SpanContext
        var parentSpanID: UInt64?
        var start: Int64
        /// `nil` while the span runs.
        var end: Int64?
        var failure: String?
        var site: CallSite?
    }

    static func encode(_ head: Head, _ fields: inout FieldEncoder, attributes: Attributes = [:]) {
        fields.writer.identifier(field: traceTag, head.context.traceHigh, head.context.traceLow)
        fields.writer.identifier(field: spanTag, head.context.span)
        if let parent = head.parentSpanID { fields.writer.identifier(field: parentTag, parent) }
        fields.writer.string(field: nameTag, head.name)
        fields.writer.varint(field: kindTag, head.isRequest ? clientKind : internalKind)
        fields.writer.fixed64(field: startTag, UInt64(bitPattern: head.start))
        if let end = head.end { fields.writer.fixed64(field: endTag, UInt64(bitPattern: end)) }
        if let failure = head.failure { write(failure: failure, to: &fields.writer) }
        if !attributes.isEmpty { fields.add(attributes) }
        fields.add(WireName.tag, head.tag)
        if head.level != .info { fields.add(WireName.severity, Int64(head.level.rawValue)) }
        if let site = head.site { fields.add(site) }
    }

    private static func write(failure: String, to writer: inout ProtobufWriter) {
        let size = Protobuf.fieldSize(failure.utf8.count) + 2
        guard writer.reserve(Protobuf.fieldSize(size)) else { return }
        writer.byte(statusTag)
        writer.varint(UInt64(size))
        writer.string(field: statusMessageTag, failure)
        writer.byte(statusCodeTag)
        writer.byte(statusError)
    }

    static func encodeIdentity(_ context: SpanContext, _ fields: inout FieldEncoder) {
        fields.writer.identifier(field: traceTag, context.traceHigh, context.traceLow)
        fields.writer.identifier(field: spanTag, context.span)
    }

    /// What to append to a started span that never ended.
    /// - Parameter isContextUnknown: Whether its context is lost.
    static func unfinished(end: Int64, isContextUnknown: Bool) -> [UInt8] {
        FieldEncoder.encoded(tag: attributeTag) { fields in
            fields.writer.fixed64(field: endTag, UInt64(bitPattern: end))
            write(failure: "the process ended before it did", to: &fields.writer)
            fields.add(WireName.unfinished, true)
            if isContextUnknown { fields.add(WireName.contextUnknown, true) }
        }
    }
}
