/// Decodes stored records, for exports and for outputs that take them one at a time.
package enum RecordDecoder {
    /// Decodes a `LogRecord` or, with `isSpan`, a `Span`.
    /// - Throws: ``ProtobufError`` for bytes that are neither.
    package static func decode(_ payload: UnsafeRawBufferPointer, isSpan: Bool) throws(ProtobufError) -> Record {
        var record = Record(time: 0, kind: isSpan ? .span : .message, level: .info, tag: "")
        var reader = ProtobufReader(payload)
        if isSpan {
            try decodeSpan(&reader, into: &record)
        } else {
            try decodeLog(&reader, into: &record)
        }
        return record
    }

    private static func decodeLog(_ reader: inout ProtobufReader, into record: inout Record) throws(ProtobufError) {
        var trace: (UInt64, UInt64)?
        while let field = try reader.nextField() {
            switch (field.number, field.wireType) {
            case (1, .fixed64): record.time = Int64(bitPattern: try reader.fixed64())
            case (2, .varint): record.level = Level(severityNumber: Int(clamping: try reader.varint()))
            case (5, .lengthDelimited):
                var budget = AnyValue.Budget()
                if case .string(let text) = try AnyValue.decode(reader.message(), &budget) { record.message = text }
            case (6, .lengthDelimited): take(try AnyValue.decodeEntry(reader.message()), into: &record)
            case (9, .lengthDelimited): trace = traceID(try reader.bytes())
            case (10, .lengthDelimited): record.span = span(trace, try reader.bytes())
            case (12, .lengthDelimited):
                record.kind = .event
                record.tag = try reader.string()
            default: try reader.skip(field)
            }
        }
    }

    private static func decodeSpan(_ reader: inout ProtobufReader, into record: inout Record) throws(ProtobufError) {
        var trace: (UInt64, UInt64)?
        while let field = try reader.nextField() {
            switch (field.number, field.wireType) {
            case (1, .lengthDelimited): trace = traceID(try reader.bytes())
            case (2, .lengthDelimited): record.span = span(trace, try reader.bytes())
            case (4, .lengthDelimited): record.parentSpanID = word(try reader.bytes())
            case (5, .lengthDelimited): record.message = try reader.string()
            case (6, .varint): if try reader.varint() == SpanEncoder.clientKind { record.kind = .request }
            case (7, .fixed64): record.time = Int64(bitPattern: try reader.fixed64())
            case (8, .fixed64): record.duration = Int64(bitPattern: try reader.fixed64()) &- record.time
            case (9, .lengthDelimited): take(try AnyValue.decodeEntry(reader.message()), into: &record)
            case (15, .lengthDelimited): record.failure = try failure(reader.message())
            default: try reader.skip(field)
            }
        }
    }

    private static func failure(_ message: ProtobufReader) throws(ProtobufError) -> String? {
        var reader = message
        var text = ""
        var code: UInt64 = 0
        while let field = try reader.nextField() {
            switch (field.number, field.wireType) {
            case (2, .lengthDelimited): text = try reader.string()
            case (3, .varint): code = try reader.varint()
            default: try reader.skip(field)
            }
        }
        return code == UInt64(SpanEncoder.statusError) ? text : nil
    }

    /// Sets the record's field for Daybook's own names; others become attributes.
    private static func take(_ entry: Attributes.Element, into record: inout Record) {
        switch (entry.key, entry.value) {
        case (WireName.tag, .string(let tag)): record.tag = tag
        case (WireName.severity, .int(let number)):
            record.level = Level(severityNumber: Int(clamping: number))
        case (WireName.privateNames, .array(let names)): record.privateNames += names.compactMap(\.text)
        case (WireName.file, .string(let file)): record.file = file
        case (WireName.function, .string(let function)): record.function = function
        case (WireName.line, .int(let line)): record.line = Int(clamping: line)
        case (WireName.column, .int(let column)): record.column = Int(clamping: column)
        default:
            if entry.key == WireName.exceptionType, record.kind == .message { record.kind = .error }
            record.attributes.elements.append(entry)
        }
    }

    static func word(_ bytes: UnsafeRawBufferPointer) -> UInt64? {
        bytes.count == 8 ? UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)) : nil
    }

    static func traceID(_ bytes: UnsafeRawBufferPointer) -> (UInt64, UInt64)? {
        guard bytes.count == 16 else { return nil }
        return (
            UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)),
            UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
        )
    }

    private static func span(_ trace: (UInt64, UInt64)?, _ bytes: UnsafeRawBufferPointer) -> SpanContext? {
        guard let trace, let span = word(bytes) else { return nil }
        return SpanContext(traceHigh: trace.0, traceLow: trace.1, span: span)
    }
}

/// A span's identity and times, read without decoding the rest.
struct RecordOutline {
    let context: SpanContext
    let start: Int64?
    let end: Int64?

    /// `nil` for bytes that are no span.
    init?(span payload: UnsafeRawBufferPointer) {
        var reader = ProtobufReader(payload)
        var (trace, span): ((UInt64, UInt64)?, UInt64?)
        var (start, end): (Int64?, Int64?)
        do throws(ProtobufError) {
            while let field = try reader.nextField() {
                switch (field.number, field.wireType) {
                case (1, .lengthDelimited): trace = RecordDecoder.traceID(try reader.bytes())
                case (2, .lengthDelimited): span = RecordDecoder.word(try reader.bytes())
                case (7, .fixed64): start = Int64(bitPattern: try reader.fixed64())
                case (8, .fixed64): end = Int64(bitPattern: try reader.fixed64())
                default: try reader.skip(field)
                }
            }
        } catch { return nil }
        guard let trace, let span else { return nil }
        context = SpanContext(traceHigh: trace.0, traceLow: trace.1, span: span)
        (self.start, self.end) = (start, end)
    }

    /// The time, the first field of a message, error or event.
    static func time(ofLog payload: UnsafeRawBufferPointer) -> Int64? {
        var reader = ProtobufReader(payload)
        guard let field = try? reader.nextField(), field.number == 1, field.wireType == .fixed64,
            let time = try? reader.fixed64()
        else { return nil }
        return Int64(bitPattern: time)
    }
}
