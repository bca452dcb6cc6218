import Daybook

extension ExportLogsRequest {
    /// Decodes a request from protobuf.
    /// - Throws: ``OTLPError``.
    package init(protobuf bytes: [UInt8]) throws(OTLPError) {
        self = try ProtobufDecoder.decode(bytes) { decoder, reader in try decoder.logsRequest(reader) }
    }
}

extension ProtobufDecoder {
    fileprivate mutating func logsRequest(_ given: ProtobufReader) throws -> ExportLogsRequest {
        var reader = given
        var request = ExportLogsRequest()
        while let field = try reader.nextField() {
            switch (field.number, field.wireType) {
            case (1, .lengthDelimited): request.resources.append(try resourceLogs(try reader.message()))
            default: try reader.skip(field)
            }
        }
        return request
    }

    private mutating func resourceLogs(_ given: ProtobufReader) throws -> ResourceLogs {
        try budget.takeRecord()
        var reader = given
        var logs = ResourceLogs()
        while let field = try reader.nextField() {
            switch (field.number, field.wireType) {
            case (1, .lengthDelimited): logs.resource = try resource(try reader.message())
            case (2, .lengthDelimited): logs.scopes.append(try scopeLogs(try reader.message()))
            default: try reader.skip(field)
            }
        }
        return logs
    }

    private mutating func scopeLogs(_ given: ProtobufReader) throws -> ScopeLogs {
        try budget.takeRecord()
        var reader = given
        var logs = ScopeLogs()
        while let field = try reader.nextField() {
            switch (field.number, field.wireType) {
            case (1, .lengthDelimited): logs.scope = try scope(try reader.message())
            case (2, .lengthDelimited): logs.records.append(try logRecord(try reader.message()))
            default: try reader.skip(field)
            }
        }
        return logs
    }

    private mutating func logRecord(_ given: ProtobufReader) throws -> LogRecord {
        try budget.takeRecord()
        var reader = given
        var record = LogRecord()
        while let field = try reader.nextField() {
            switch (field.number, field.wireType) {
            case (1, .fixed64): record.time = try reader.fixed64()
            case (2, .varint): record.severityNumber = Int32(truncatingIfNeeded: try reader.varint())
            case (3, .lengthDelimited): record.severityText = try reader.string()
            case (5, .lengthDelimited): record.body = try AnyValue.decode(try reader.message(), &budget.values)
            case (6, .lengthDelimited): gathered.append(try attribute(try reader.message()))
            case (7, .varint): record.droppedAttributes = UInt32(truncatingIfNeeded: try reader.varint())
            case (9, .lengthDelimited): record.traceID = HexadecimalID.text(try reader.bytes(), count: 16)
            case (10, .lengthDelimited): record.spanID = HexadecimalID.text(try reader.bytes(), count: 8)
            case (11, .fixed64): record.observedTime = try reader.fixed64()
            case (12, .lengthDelimited): record.eventName = try reader.string()
            default: try reader.skip(field)
            }
        }
        record.attributes = takeGathered()
        return record
    }
}
