/// One JSON object per line, with the keys of NDJSON as `daybook export` writes it.
extension TextFormat {
    func writeJSON(_ record: Record, into text: inout LineText) {
        var line = Attributes()
        if record.sequence > 0 { line.elements.append(.init("seq", Value(record.sequence))) }
        line.elements.append(.init("time", .string(Timestamp(nanoseconds: record.time).rfc3339(fractionDigits: 9))))
        line.elements.append(.init("kind", .string(record.kind.rawValue)))
        line.elements.append(.init("level", .string(record.level.name)))
        line.elements.append(.init("tag", .string(record.tag)))
        var context = record.context
        let session = context[WireName.session.description]
        context[WireName.session.description] = nil
        let optional: [(String, Value?)] = [
            ("message", record.message.map(Value.string)),
            ("module", record.module.map(Value.string)),
            ("attributes", .object(Self.attributesWithFailure(of: record))),
            ("context", context.isEmpty ? nil : .object(context)),
            ("session", session),
            ("trace_id", (record.span?.traceID).map(Value.string)),
            ("span_id", (record.span?.spanID).map(Value.string)),
            ("parent_span_id", record.parentSpanID.map { .string(Hex.text($0)) }),
            ("duration", record.duration.map(Value.int)),
            ("file", record.file.map(Value.string)),
            ("function", record.function.map(Value.string)),
            ("line", record.line.map { Value($0) }),
        ]
        for case (let key, let value?) in optional { line.elements.append(.init(key, value)) }
        text.json { JSONWriter.write(line, into: &$0) }
    }

    /// A failed span's status, under the names that the collector stores it by (OpenTelemetry, *Mapping to non-OTLP
    /// formats*).
    private static func attributesWithFailure(of record: Record) -> Attributes {
        guard let failure = record.failure else { return record.attributes }
        var attributes = record.attributes
        attributes["otel.status_code"] = "ERROR"
        if !failure.isEmpty { attributes["otel.status_description"] = .string(failure) }
        return attributes
    }
}
