/// Encodes a whole `Record`: one that a filter created, or that was shortened.
enum RecordEncoder {
    @inline(never)
    static func encode(_ record: Record, _ fields: inout FieldEncoder) {
        if record.isSpan, let span = record.span {
            SpanEncoder.encode(
                SpanEncoder.Head(
                    name: record.message ?? "", tag: record.tag, level: record.level,
                    isRequest: record.kind == .request, context: span, parentSpanID: record.parentSpanID,
                    start: record.time, end: record.duration.map { record.time &+ $0 }, failure: record.failure,
                    site: nil),
                &fields, attributes: record.attributes)
        } else {
            LogRecordEncoder.encode(
                LogRecordEncoder.Head(
                    time: record.time, level: record.level, tag: record.tag, isEvent: record.kind == .event,
                    message: record.message, span: record.span, site: nil),
                &fields, attributes: record.attributes)
        }
        if !record.privateNames.isEmpty {
            fields.add(WireName.privateNames, .array(record.privateNames.map { .string($0) }))
        }
        if let file = record.file { fields.add(WireName.file, file) }
        if let function = record.function { fields.add(WireName.function, function) }
        if let line = record.line { fields.add(WireName.line, line) }
        if let column = record.column { fields.add(WireName.column, column) }
    }

    /// Needs no key: sensitive values are hashed already.
    static func bytes(of record: Record) -> [UInt8] {
        FieldEncoder.encoded(tag: record.isSpan ? SpanEncoder.attributeTag : LogRecordEncoder.attributeTag) {
            encode(record, &$0)
        }
    }
}

extension Record {
    /// Lists the values that were cut.
    static let truncatedKey = "daybook.truncated"

    /// Cuts the longest values at character boundaries, to about `limit` bytes in all. An attribute lists them.
    func shortened(to limit: Int) -> Record {
        var record = self
        // A quarter is reserved for fixed parts and names.
        let budget = max(256, limit - limit / 4)
        var sizes = attributes.elements.map { AnyValue.size(key: $0.key, $0.value) }
        sizes.append(message?.utf8.count ?? 0)
        let cap = Self.cap(sizes, budget: budget)
        var cut: [Value] = []
        for (index, element) in attributes.elements.enumerated() where sizes[index] > cap {
            record.attributes.elements[index].value = element.value.cut(to: cap)
            cut.append(.string(element.key.cut(toUTF8Bytes: 128)))
        }
        if let message, message.utf8.count > cap {
            record.message = message.cut(toUTF8Bytes: cap)
            cut.append("message")
        }
        record.attributes.elements.append(.init(Self.truncatedKey, .array(Array(cut.prefix(16)))))
        return record
    }

    /// The limit per value at which all fit: short values stay whole, long ones share the rest equally.
    private static func cap(_ sizes: [Int], budget: Int) -> Int {
        var left = budget
        for (index, size) in sizes.ordered(by: <).enumerated() {
            let share = left / (sizes.count - index)
            if size > share { return max(share, 0) }
            left -= size
        }
        return budget
    }
}

extension Value {
    /// Cuts text at a character boundary; other values become the start of their description.
    fileprivate func cut(to limit: Int) -> Value {
        switch self {
        case .string(let text): .string(text.cut(toUTF8Bytes: limit))
        case .bytes(let bytes): .bytes(Array(bytes.prefix(limit)))
        default: .string("\(self)".cut(toUTF8Bytes: limit))
        }
    }
}
