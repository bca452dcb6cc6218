import Daybook

/// Decodes the parts that logs and traces share. Unknown fields, and known ones with another wire type, are passed over.
struct ProtobufDecoder {
    var budget = DecodingBudget()

    /// Runs `read` over a request's bytes.
    /// - Throws: ``OTLPError`` that tells the byte at fault.
    static func decode<Request>(
        _ bytes: [UInt8], _ read: (inout ProtobufDecoder, ProtobufReader) throws -> Request
    ) throws(OTLPError) -> Request {
        var decoder = ProtobufDecoder()
        do {
            return try bytes.withUnsafeBytes { buffer in try read(&decoder, ProtobufReader(buffer)) }
        } catch let error as OTLPError {
            throw error
        } catch {
            throw OTLPError("\(error)")
        }
    }

    /// `Resource`: its attributes.
    mutating func resource(_ given: ProtobufReader) throws -> Attributes {
        var reader = given
        var attributes = Attributes()
        while let field = try reader.nextField() {
            switch (field.number, field.wireType) {
            case (1, .lengthDelimited): try Self.append(&attributes, try reader.message(), &budget)
            default: try reader.skip(field)
            }
        }
        return attributes
    }

    /// `InstrumentationScope`.
    mutating func scope(_ given: ProtobufReader) throws -> InstrumentationScope {
        var reader = given
        var scope = InstrumentationScope()
        while let field = try reader.nextField() {
            switch (field.number, field.wireType) {
            case (1, .lengthDelimited): scope.name = try reader.string()
            case (2, .lengthDelimited): scope.version = try reader.string()
            case (3, .lengthDelimited): try Self.append(&scope.attributes, try reader.message(), &budget)
            default: try reader.skip(field)
            }
        }
        return scope
    }

    /// Appends a `KeyValue`.
    @inline(__always)
    static func append(
        _ attributes: inout Attributes, _ given: ProtobufReader, _ budget: inout DecodingBudget
    ) throws {
        try budget.takeValue()
        var reader = given
        var key = ""
        var value = Value.null
        while let field = try reader.nextField() {
            switch (field.number, field.wireType) {
            case (1, .lengthDelimited): key = try reader.string()
            case (2, .lengthDelimited): value = try Self.value(try reader.message(), &budget)
            default: try reader.skip(field)
            }
        }
        attributes.elements.append(Attributes.Element(key, value))
    }

    /// `AnyValue`: of several alternatives the last one, as protobuf has it. The reader caps the nesting.
    static func value(_ given: ProtobufReader, _ budget: inout DecodingBudget) throws -> Value {
        var reader = given
        var value = Value.null
        while let field = try reader.nextField() {
            switch (field.number, field.wireType) {
            case (1, .lengthDelimited): value = .string(try reader.string())
            case (2, .varint): value = .bool(try reader.varint() != 0)
            case (3, .varint): value = .int(Int64(bitPattern: try reader.varint()))
            case (4, .fixed64): value = .double(Double(bitPattern: try reader.fixed64()))
            case (5, .lengthDelimited): value = .array(try array(try reader.message(), &budget))
            case (6, .lengthDelimited): value = .object(try object(try reader.message(), &budget))
            case (7, .lengthDelimited): value = .bytes(Array(try reader.bytes()))
            default: try reader.skip(field)
            }
        }
        return value
    }

    private static func array(_ given: ProtobufReader, _ budget: inout DecodingBudget) throws -> [Value] {
        var reader = given
        var values: [Value] = []
        while let field = try reader.nextField() {
            switch (field.number, field.wireType) {
            case (1, .lengthDelimited):
                try budget.takeValue()
                values.append(try value(try reader.message(), &budget))
            default: try reader.skip(field)
            }
        }
        return values
    }

    private static func object(_ given: ProtobufReader, _ budget: inout DecodingBudget) throws -> Attributes {
        var reader = given
        var attributes = Attributes()
        while let field = try reader.nextField() {
            switch (field.number, field.wireType) {
            case (1, .lengthDelimited): try append(&attributes, try reader.message(), &budget)
            default: try reader.skip(field)
            }
        }
        return attributes
    }
}
