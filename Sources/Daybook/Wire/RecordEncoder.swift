/// The encoding of a whole `Record`: for what filters made, and for records that had to be shortened.
enum RecordEncoder {
    /// Writes a record and what `more` adds to its attributes. The count of bytes, or -1 if they did not fit.
    static func encode(
        _ record: Record, key: HashKey, into buffer: UnsafeMutableRawBufferPointer,
        more: (inout FieldEncoder) -> Void = { _ in }
    ) -> Int {
        let fields: (inout FieldEncoder) -> Void = { fields in
            fields.add(record.attributes)
            more(&fields)
            if !record.privateNames.isEmpty {
                fields.add(WireName.privateNames, .array(record.privateNames.map { .string($0) }))
            }
            if let file = record.file { fields.add(WireName.file, file) }
            if let function = record.function { fields.add(WireName.function, function) }
            if let line = record.line { fields.add(WireName.line, line) }
            if let column = record.column { fields.add(WireName.column, column) }
        }
        if record.isSpan, let span = record.span {
            return SpanEncoder.encode(
                SpanEncoder.Head(
                    name: record.message ?? "", tag: record.tag, level: record.level,
                    isRequest: record.kind == .request, context: span, parentSpanID: record.parentSpanID,
                    start: record.time, end: record.duration.map { record.time &+ $0 }, failure: record.failure,
                    site: nil),
                key: key, into: buffer, attributes: fields)
        }
        return LogRecordEncoder.encode(
            LogRecordEncoder.Head(
                time: record.time, level: record.level, tag: record.tag, isEvent: record.kind == .event,
                message: record.message, span: record.span, site: nil),
            key: key, into: buffer, attributes: fields)
    }

    /// A record as bytes of its own. Nothing in it is hashed any more, so no key is needed.
    static func bytes(of record: Record) -> [UInt8] {
        var capacity = 4096
        while true {
            var isTooLong = false
            let bytes = [UInt8](unsafeUninitializedCapacity: capacity) { buffer, count in
                let written = encode(record, key: HashKey(0, 0), into: UnsafeMutableRawBufferPointer(buffer))
                isTooLong = written < 0
                count = max(0, written)
            }
            if !isTooLong { return bytes }
            capacity *= 4
        }
    }
}
