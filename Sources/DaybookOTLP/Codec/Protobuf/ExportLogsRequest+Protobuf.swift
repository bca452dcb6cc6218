import Daybook

extension ExportLogsRequest {
    /// Reads a request in protobuf and hands its records to a sink, without a copy of any.
    /// - Throws: ``OTLPError``; then what the sink has taken is part of a request that is to be refused.
    package static func read(protobuf bytes: [UInt8], into sink: inout some RecordSink<WireLogRecord>) throws(OTLPError)
    {
        try ProtobufDecoder.decode(bytes) { decoder, reader in
            var record = WireLogRecord()
            try decoder.request(reader, &record, &sink) { try $0.logRecord($1, &$2) }
        }
    }

    /// Decodes a request from protobuf.
    /// - Throws: ``OTLPError``.
    package init(protobuf bytes: [UInt8]) throws(OTLPError) {
        var copy = Copy()
        try Self.read(protobuf: bytes, into: &copy)
        self = copy.request
    }

    /// Keeps all that it takes.
    private struct Copy: RecordSink {
        var request = ExportLogsRequest()

        mutating func begin(resource: Attributes) { request.resources.append(ResourceLogs(resource: resource)) }

        mutating func begin(scope: InstrumentationScope, count: Int) {
            request.resources[request.resources.count - 1].scopes.append(ScopeLogs(scope: scope))
        }

        mutating func take(_ record: WireLogRecord) {
            let resource = request.resources.count - 1
            let scope = request.resources[resource].scopes.count - 1
            request.resources[resource].scopes[scope].records.append(LogRecord(record))
        }
    }
}

extension ProtobufDecoder {
    fileprivate mutating func logRecord(_ given: ProtobufReader, _ record: inout WireLogRecord) throws {
        record.clear()
        var reader = given
        while let field = try reader.nextField() {
            switch (field.number, field.wireType) {
            case (1, .fixed64): record.fields.time = try reader.fixed64()
            case (2, .varint): record.fields.severityNumber = Int32(truncatingIfNeeded: try reader.varint())
            case (3, .lengthDelimited): record.fields.severityText = WireText(try reader.bytes())
            case (5, .lengthDelimited): record.fields.body = try value(try reader.message(), &record.attributes)
            case (6, .lengthDelimited): try attribute(try reader.message(), &record.attributes)
            case (7, .varint): record.fields.droppedAttributes = UInt32(truncatingIfNeeded: try reader.varint())
            case (9, .lengthDelimited): record.fields.traceID = WireText(try reader.bytes())
            case (10, .lengthDelimited): record.fields.spanID = WireText(try reader.bytes())
            case (11, .fixed64): record.fields.observedTime = try reader.fixed64()
            case (12, .lengthDelimited): record.fields.eventName = WireText(try reader.bytes())
            default: try reader.skip(field)
            }
        }
    }
}
