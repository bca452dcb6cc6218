/// The encoding of a measurement or a request as OpenTelemetry's `Span`.
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

    /// What comes before the attributes.
    struct Head {
        var name: String
        var tag: String
        var level: Level
        var isRequest: Bool
        var context: SpanContext
        var parentSpanID: UInt64?
        var start: Int64
        /// `nil` while it runs.
        var end: Int64?
        /// Why it failed, if it did.
        var failure: String?
        var site: CallSite?
    }

    /// Writes one span. The count of bytes, or -1 if they did not fit.
    @_optimize(speed)
    static func encode(
        _ head: Head, key: HashKey, into buffer: UnsafeMutableRawBufferPointer,
        attributes: (inout FieldEncoder) -> Void
    ) -> Int {
        guard let base = buffer.baseAddress else { return -1 }
        var writer = ProtobufWriter(buffer, startingAt: base)
        writer.identifier(field: traceTag, head.context.traceHigh, head.context.traceLow)
        writer.identifier(field: spanTag, head.context.span)
        if let parent = head.parentSpanID { writer.identifier(field: parentTag, parent) }
        writer.string(field: nameTag, head.name)
        writer.varint(field: kindTag, head.isRequest ? clientKind : internalKind)
        writer.fixed64(field: startTag, UInt64(bitPattern: head.start))
        if let end = head.end { writer.fixed64(field: endTag, UInt64(bitPattern: end)) }
        if let failure = head.failure { write(failure: failure, to: &writer) }
        var fields = FieldEncoder(writer: writer, field: attributeTag, key: key)
        attributes(&fields)
        fields.add(WireName.tag, head.tag)
        if head.level != .info { fields.add(WireName.severity, Int64(head.level.rawValue)) }
        if let site = head.site { fields.add(site) }
        return fields.writer.overflowed ? -1 : fields.writer.count
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

    /// Writes what names a span and nothing else. The count of bytes, or -1 if they did not fit.
    static func encodeIdentity(_ context: SpanContext, into buffer: UnsafeMutableRawBufferPointer) -> Int {
        guard let base = buffer.baseAddress else { return -1 }
        var writer = ProtobufWriter(buffer, startingAt: base)
        writer.identifier(field: traceTag, context.traceHigh, context.traceLow)
        writer.identifier(field: spanTag, context.span)
        return writer.overflowed ? -1 : writer.count
    }

    /// What stands behind the bytes of a span that only began, to make one of them that ended without a word.
    /// - Parameter isContextUnknown: Whether its context is lost.
    static func unfinished(end: Int64, isContextUnknown: Bool) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: 256) { buffer, count in
            guard let base = UnsafeMutableRawPointer(buffer.baseAddress) else { return }
            var writer = ProtobufWriter(UnsafeMutableRawBufferPointer(buffer), startingAt: base)
            writer.fixed64(field: endTag, UInt64(bitPattern: end))
            write(failure: "the process ended before it did", to: &writer)
            var fields = FieldEncoder(writer: writer, field: attributeTag, key: HashKey(0, 0))
            fields.add(WireName.unfinished, true)
            if isContextUnknown { fields.add(WireName.contextUnknown, true) }
            count = fields.writer.count
        }
    }
}
