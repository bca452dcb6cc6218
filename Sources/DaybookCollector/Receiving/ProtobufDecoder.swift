import DaybookBase
import DaybookOTLP
import DaybookTools

/// Decodes the parts that logs and traces share. Unknown fields, and fields with another wire type, are skipped and
/// counted.
///
/// Resources and scopes are copied; records are lent to a sink one by one. Since fields may come in any order, a first
/// pass looks for the resource or scope.
package struct ProtobufDecoder {
    var budget: DecodingBudget
    private(set) var unread = Unread()
    /// Fields with the wrong wire type so far.
    private var mismatches = 0

    /// - Parameter size: of the request, in bytes.
    init(ofRequest size: Int) { budget = DecodingBudget(ofRequest: size) }

    /// Skips a field without meaning here.
    /// - Parameters:
    ///   - message: the message type.
    ///   - last: the highest field number that OTLP defines for it.
    mutating func pass(
        _ field: ProtobufReader.Field, of message: String, last: Int, _ reader: inout ProtobufReader
    ) throws(ProtobufError) {
        try budget.values.take(at: reader)
        try reader.skip(field)
        if field.number <= last {
            mismatches += 1
            unread.add("\(message).\(field.number) as \(field.wireType)")
        } else {
            unread.add("\(message).\(field.number)")
        }
    }

    /// Notes a known field of a message.
    /// - Parameter given: a bit per field seen.
    @inline(__always)
    mutating func note(_ field: ProtobufReader.Field, of message: MessageFields, _ given: inout UInt64) {
        message.note(field, &given, &unread)
    }

    mutating func count(unread name: String) { unread.add(name) }

    /// A text of a record. Flaws are counted, and repaired when the text is copied.
    /// - Parameter name: of the message and field.
    mutating func text(_ reader: inout ProtobufReader, of name: StaticString) throws(ProtobufError) -> WireText {
        let bytes = try reader.bytes()
        let flaws = TextFlaws(of: bytes)
        if !flaws.isEmpty { unread.add(flaws, of: "\(name)") }
        return WireText(bytes)
    }

    /// A count of dropped items; values beyond 32 bits are counted.
    /// - Parameter name: of the message.
    mutating func dropped(_ reader: inout ProtobufReader, of name: StaticString) throws(ProtobufError) -> UInt32 {
        let number = try reader.varint()
        if number > UInt32.max { unread.add("\(name) beyond 32 bits") }
        return UInt32(clamping: number)
    }

    /// As ``text(_:of:)``, copied.
    mutating func string(_ reader: inout ProtobufReader, of name: StaticString) throws(ProtobufError) -> String {
        try text(&reader, of: name).string
    }

    /// Replaces an identifier of unusual length by its meaning; an invalid one is counted and kept as text.
    mutating func settle(
        _ text: inout WireText, _ identifier: WireIdentifier, of message: String, _ attributes: inout WireAttributes
    ) {
        guard !text.isEmpty, text.bytes.count != identifier.count else { return }
        let reading = identifier.reading(bytes: text.bytes)
        if case .text = reading { unread.add("\(message).\(identifier.name)") }
        text = attributes.lend(reading, identifier)
    }

    /// The `Resource` in a `ResourceLogs` or `ResourceSpans`: its attributes, and what it carries outside them.
    private mutating func resource(
        of message: ProtobufReader, _ fields: MessageFields
    ) throws -> (attributes: Attributes, beside: Attributes) {
        var reader = message
        var given: UInt64 = 0
        var resource = (attributes: Attributes(), beside: Attributes())
        var schema = ""
        while let field = try reader.nextField() {
            note(field, of: fields, &given)
            switch (field.number, field.wireType) {
            case (1, .lengthDelimited): resource = try self.resource(try reader.message())
            case (3, .lengthDelimited): schema = try string(&reader, of: "resource.schemaUrl")
            default: try reader.skip(field)
            }
        }
        resource.beside.add(schema, as: WireScope.resourceSchema)
        return resource
    }

    /// The `InstrumentationScope` in a `ScopeLogs` or `ScopeSpans`, and its number of records.
    private mutating func scope(
        of message: ProtobufReader, _ fields: MessageFields
    ) throws -> (InstrumentationScope, count: Int) {
        var reader = message
        var given: UInt64 = 0
        var scope = InstrumentationScope()
        var schema = ""
        var count = 0
        while let field = try reader.nextField() {
            note(field, of: fields, &given)
            switch (field.number, field.wireType) {
            case (1, .lengthDelimited): scope = try self.scope(try reader.message())
            case (2, .lengthDelimited):
                count += 1
                try reader.skip(field)
            case (3, .lengthDelimited): schema = try string(&reader, of: "scope.schemaUrl")
            default: try reader.skip(field)
            }
        }
        scope.beside.add(schema, as: WireScope.scopeSchema)
        return (scope, count)
    }

    private mutating func resource(
        _ message: ProtobufReader
    ) throws -> (attributes: Attributes, beside: Attributes) {
        var reader = message
        var given: UInt64 = 0
        var (attributes, beside) = (Attributes(), Attributes())
        var dropped: UInt32 = 0
        var entities: [Value] = []
        while let field = try reader.nextField() {
            note(field, of: .resource, &given)
            switch (field.number, field.wireType) {
            case (1, .lengthDelimited): attributes.elements.append(try attribute(try reader.message()))
            case (2, .varint): dropped = try self.dropped(&reader, of: "resource.droppedAttributesCount")
            case (3, .lengthDelimited): entities.append(try entity(try reader.message()))
            default: try pass(field, of: "resource", last: 3, &reader)
            }
        }
        beside.add(dropped, as: WireScope.resourceDropped)
        beside.add(entities: entities)
        return (attributes, beside)
    }

    /// `EntityRef`: which attributes of a resource identify and describe something.
    private mutating func entity(_ message: ProtobufReader) throws -> Value {
        try budget.values.take(DecodingBudget.entityValues, at: message)
        var reader = message
        var given: UInt64 = 0
        var (schema, type) = ("", "")
        var (keys, descriptions): ([String], [String]) = ([], [])
        while let field = try reader.nextField() {
            note(field, of: .entityRef, &given)
            switch (field.number, field.wireType) {
            case (1, .lengthDelimited): schema = try string(&reader, of: "entityRef.schemaUrl")
            case (2, .lengthDelimited): type = try string(&reader, of: "entityRef.type")
            case (3, .lengthDelimited), (4, .lengthDelimited):
                try budget.values.take(at: reader)
                let key = try string(&reader, of: "entityRef.key")
                if field.number == 3 { keys.append(key) } else { descriptions.append(key) }
            default: try pass(field, of: "entityRef", last: 4, &reader)
            }
        }
        return WireScope.entity(schema: schema, type: type, keys: keys, descriptions: descriptions)
    }

    private mutating func scope(_ message: ProtobufReader) throws -> InstrumentationScope {
        var reader = message
        var given: UInt64 = 0
        var scope = InstrumentationScope()
        var dropped: UInt32 = 0
        while let field = try reader.nextField() {
            note(field, of: .scope, &given)
            switch (field.number, field.wireType) {
            case (1, .lengthDelimited): scope.name = try string(&reader, of: "scope.name")
            case (2, .lengthDelimited): scope.version = try string(&reader, of: "scope.version")
            case (3, .lengthDelimited): scope.attributes.elements.append(try attribute(try reader.message()))
            case (4, .varint): dropped = try self.dropped(&reader, of: "scope.droppedAttributesCount")
            default: try pass(field, of: "scope", last: 4, &reader)
            }
        }
        scope.beside.add(dropped, as: WireScope.scopeDropped)
        return scope
    }

    /// `KeyValue`, copied.
    mutating func attribute(_ message: ProtobufReader) throws -> Attributes.Element {
        try AnyValue.decodeEntry(message, &budget.values)
    }

    /// A record's `KeyValue`.
    mutating func attribute(
        _ message: ProtobufReader, _ attributes: inout WireAttributes
    ) throws(ProtobufError) {
        try budget.values.take(at: message)
        var reader = message
        var given: UInt64 = 0
        var attribute = WireAttribute()
        while let field = try reader.nextField() {
            note(field, of: .keyValue, &given)
            switch (field.number, field.wireType) {
            case (1, .lengthDelimited): attribute.key = try text(&reader, of: "keyValue.key")
            case (2, .lengthDelimited): attribute.value = try value(try reader.message(), &attributes)
            default: try pass(field, of: "keyValue", last: 2, &reader)
            }
        }
        attributes.append(attribute)
    }

    /// A record's `AnyValue`. Arrays, objects and repeated alternatives are decoded as copies.
    mutating func value(
        _ message: ProtobufReader, _ attributes: inout WireAttributes
    ) throws(ProtobufError) -> WireValue {
        var reader = message
        var value = WireValue.null
        while let field = try reader.nextField() {
            if case .null = value {
            } else if AnyValue.isAlternative(field) {
                return attributes.lend(try AnyValue.decode(message, &budget.values))
            }
            switch (field.number, field.wireType) {
            case (1, .lengthDelimited): value = .string(try text(&reader, of: "anyValue.stringValue"))
            case (2, .varint): value = .bool(try reader.varint() != 0)
            case (3, .varint): value = .int(Int64(bitPattern: try reader.varint()))
            case (4, .fixed64): value = .double(Double(bitPattern: try reader.fixed64()))
            case (5, .lengthDelimited), (6, .lengthDelimited):
                return attributes.lend(try AnyValue.decode(message, &budget.values))
            case (7, .lengthDelimited): value = .bytes(try reader.bytes())
            default: try pass(field, of: "anyValue", last: 7, &reader)
            }
        }
        return value
    }
}

extension ProtobufDecoder {
    /// Passes a request's records to a sink; logs and traces have the same outer structure.
    mutating func request<Sink: RecordSink>(_ given: ProtobufReader, _ sink: inout Sink) throws {
        var record = Sink.Record()
        var reader = given
        var isKnown = reader.isAtEnd
        while let field = try reader.nextField() {
            switch (field.number, field.wireType) {
            case (1, .lengthDelimited):
                isKnown = true
                try resource(try reader.message(), &record, &sink)
            default: try pass(field, of: "request", last: 1, &reader)
            }
        }
        guard isKnown else { throw OTLPError("Not a request: no field is known. " + OTLPError.signals) }
        let values = budget.values
        if values.passedOver > 0 { unread.add("anyValue", times: values.passedOver) }
        for (flaws, count) in values.flawed { unread.add(flaws, of: "anyValue.stringValue", times: count) }
        for (name, count) in values.replaced.sorted(by: { $0.key < $1.key }) {
            unread.add("\(name) given twice", times: count)
        }
    }

    private mutating func resource<Sink: RecordSink>(
        _ given: ProtobufReader, _ record: inout Sink.Record, _ sink: inout Sink
    ) throws {
        try budget.takeRecord(at: given)
        let fields: MessageFields = Sink.Record.signal == .logs ? .resourceLogs : .resourceSpans
        let (attributes, beside) = try resource(of: given, fields)
        sink.begin(resource: attributes, beside: beside)
        var reader = given
        while let field = try reader.nextField() {
            switch (field.number, field.wireType) {
            // 1000: SDKs before OTLP 0.19.
            case (2, .lengthDelimited), (1_000, .lengthDelimited): try scope(try reader.message(), &record, &sink)
            // The resource, already read, and the schema URL.
            case (1, .lengthDelimited), (3, .lengthDelimited): try reader.skip(field)
            default: try pass(field, of: fields.rawValue, last: 3, &reader)
            }
        }
    }

    private mutating func scope<Sink: RecordSink>(
        _ given: ProtobufReader, _ record: inout Sink.Record, _ sink: inout Sink
    ) throws {
        try budget.takeRecord(at: given)
        let fields: MessageFields = Sink.Record.signal == .logs ? .scopeLogs : .scopeSpans
        let (scope, count) = try scope(of: given, fields)
        sink.begin(scope: scope, count: count)
        var reader = given
        while let field = try reader.nextField() {
            switch (field.number, field.wireType) {
            case (2, .lengthDelimited):
                try budget.takeRecord(at: reader)
                try read(try reader.message(), &record)
                try sink.take(record)
            // The scope, already read, and the schema URL.
            case (1, .lengthDelimited), (3, .lengthDelimited): try reader.skip(field)
            default: try pass(field, of: fields.rawValue, last: 3, &reader)
            }
        }
    }

    /// Reads a record; if it does not fit, checks whether it is of another signal.
    private mutating func read<Record: WireRecord>(_ message: ProtobufReader, _ record: inout Record) throws {
        let before = mismatches
        do {
            try record.read(message, with: &self)
        } catch let error as ProtobufError where error.reason != .tooManyValues {
            let shape = RecordShape(message)
            if mismatches != before || shape.isOfAnother(Record.signal) { try shape.check(Record.signal) }
            throw error
        }
        if mismatches != before || record.isDoubtful { try RecordShape(message).check(Record.signal) }
    }
}
