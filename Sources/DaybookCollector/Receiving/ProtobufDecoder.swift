import DaybookBase

/// Decodes the parts that logs and traces share. Unknown fields, and known ones with another wire type, are passed over.
///
/// What describes many records (resources, scopes) is copied; records are lent to a sink, one after another. A message
/// may hold its parts in any order, so what describes the records is sought first.
package struct ProtobufDecoder {
    var budget = DecodingBudget()

    /// The attributes of the `Resource` in a `ResourceLogs` or `ResourceSpans`.
    mutating func resource(of message: ProtobufReader) throws -> Attributes {
        var reader = message
        var attributes = Attributes()
        while let field = try reader.nextField() {
            switch (field.number, field.wireType) {
            case (1, .lengthDelimited): attributes = try resource(try reader.message())
            default: try reader.skip(field)
            }
        }
        return attributes
    }

    /// The `InstrumentationScope` in a `ScopeLogs` or `ScopeSpans`, and how many records are with it.
    mutating func scope(of message: ProtobufReader) throws -> (InstrumentationScope, count: Int) {
        var reader = message
        var scope = InstrumentationScope()
        var count = 0
        while let field = try reader.nextField() {
            switch (field.number, field.wireType) {
            case (1, .lengthDelimited): scope = try self.scope(try reader.message())
            case (2, .lengthDelimited):
                count += 1
                try reader.skip(field)
            default: try reader.skip(field)
            }
        }
        return (scope, count)
    }

    private mutating func resource(_ given: ProtobufReader) throws -> Attributes {
        var reader = given
        var attributes = Attributes()
        while let field = try reader.nextField() {
            switch (field.number, field.wireType) {
            case (1, .lengthDelimited): attributes.elements.append(try attribute(try reader.message()))
            default: try reader.skip(field)
            }
        }
        return attributes
    }

    private mutating func scope(_ given: ProtobufReader) throws -> InstrumentationScope {
        var reader = given
        var scope = InstrumentationScope()
        while let field = try reader.nextField() {
            switch (field.number, field.wireType) {
            case (1, .lengthDelimited): scope.name = try reader.string()
            case (2, .lengthDelimited): scope.version = try reader.string()
            case (3, .lengthDelimited): scope.attributes.elements.append(try attribute(try reader.message()))
            default: try reader.skip(field)
            }
        }
        return scope
    }

    /// `KeyValue`, copied.
    mutating func attribute(_ message: ProtobufReader) throws -> Attributes.Element {
        try AnyValue.decodeEntry(message, &budget.values)
    }

    /// `KeyValue` of a record.
    mutating func attribute(
        _ message: ProtobufReader, _ attributes: inout WireAttributes
    ) throws(ProtobufError) {
        try budget.values.take(at: message)
        var reader = message
        var attribute = WireAttribute()
        while let field = try reader.nextField() {
            switch (field.number, field.wireType) {
            case (1, .lengthDelimited): attribute.key = WireText(try reader.bytes())
            case (2, .lengthDelimited): attribute.value = try value(try reader.message(), &attributes)
            default: try reader.skip(field)
            }
        }
        attributes.append(attribute)
    }

    /// `AnyValue` of a record: of several alternatives the last one, as protobuf has it.
    mutating func value(
        _ message: ProtobufReader, _ attributes: inout WireAttributes
    ) throws(ProtobufError) -> WireValue {
        var reader = message
        var value = WireValue.null
        while let field = try reader.nextField() {
            switch (field.number, field.wireType) {
            case (1, .lengthDelimited): value = .string(WireText(try reader.bytes()))
            case (2, .varint): value = .bool(try reader.varint() != 0)
            case (3, .varint): value = .int(Int64(bitPattern: try reader.varint()))
            case (4, .fixed64): value = .double(Double(bitPattern: try reader.fixed64()))
            case (5, .lengthDelimited), (6, .lengthDelimited):
                return attributes.nest(try AnyValue.decode(message, &budget.values))
            case (7, .lengthDelimited): value = .bytes(try reader.bytes())
            default: try reader.skip(field)
            }
        }
        return value
    }
}

extension ProtobufDecoder {
    /// Hands the records of a request to a sink: those of logs and of traces lie within the same resources and scopes.
    mutating func request<Sink: RecordSink>(_ given: ProtobufReader, _ sink: inout Sink) throws {
        var record = Sink.Record()
        var reader = given
        while let field = try reader.nextField() {
            switch (field.number, field.wireType) {
            case (1, .lengthDelimited): try resource(try reader.message(), &record, &sink)
            default: try reader.skip(field)
            }
        }
    }

    private mutating func resource<Sink: RecordSink>(
        _ given: ProtobufReader, _ record: inout Sink.Record, _ sink: inout Sink
    ) throws {
        try budget.takeRecord()
        sink.begin(resource: try resource(of: given))
        var reader = given
        while let field = try reader.nextField() {
            switch (field.number, field.wireType) {
            case (2, .lengthDelimited): try scope(try reader.message(), &record, &sink)
            default: try reader.skip(field)
            }
        }
    }

    private mutating func scope<Sink: RecordSink>(
        _ given: ProtobufReader, _ record: inout Sink.Record, _ sink: inout Sink
    ) throws {
        try budget.takeRecord()
        let (scope, count) = try scope(of: given)
        sink.begin(scope: scope, count: count)
        var reader = given
        while let field = try reader.nextField() {
            switch (field.number, field.wireType) {
            case (2, .lengthDelimited):
                try budget.takeRecord()
                try record.read(try reader.message(), with: &self)
                try sink.take(record)
            default: try reader.skip(field)
            }
        }
    }
}
