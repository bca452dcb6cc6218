extension AnyValue {
    /// Reads an `AnyValue` message.
    static func decode(_ message: ProtobufReader) throws(ProtobufError) -> Value {
        var reader = message
        var value = Value.null
        while let field = try reader.nextField() {
            switch (field.number, field.wireType) {
            case (1, .lengthDelimited): value = .string(try reader.string())
            case (2, .varint): value = .bool(try reader.varint() != 0)
            case (3, .varint): value = .int(Int64(bitPattern: try reader.varint()))
            case (4, .fixed64): value = .double(Double(bitPattern: try reader.fixed64()))
            case (5, .lengthDelimited): value = .array(try decodeItems(reader.message()))
            case (6, .lengthDelimited): value = .object(try decodeEntries(reader.message()))
            case (7, .lengthDelimited): value = .bytes(Array(try reader.bytes()))
            default: try reader.skip(field)
            }
        }
        return value
    }

    /// Reads a `KeyValue` message.
    static func decodeEntry(_ message: ProtobufReader) throws(ProtobufError) -> Attributes.Element {
        var reader = message
        var key = ""
        var value = Value.null
        while let field = try reader.nextField() {
            switch (field.number, field.wireType) {
            case (1, .lengthDelimited): key = try reader.string()
            case (2, .lengthDelimited): value = try decode(reader.message())
            default: try reader.skip(field)
            }
        }
        return Attributes.Element(key, value)
    }

    private static func decodeItems(_ message: ProtobufReader) throws(ProtobufError) -> [Value] {
        var reader = message
        var items: [Value] = []
        while let field = try reader.nextField() {
            if field.number == 1, field.wireType == .lengthDelimited {
                items.append(try decode(reader.message()))
            } else {
                try reader.skip(field)
            }
        }
        return items
    }

    private static func decodeEntries(_ message: ProtobufReader) throws(ProtobufError) -> Attributes {
        var reader = message
        var attributes = Attributes()
        while let field = try reader.nextField() {
            if field.number == 1, field.wireType == .lengthDelimited {
                attributes.elements.append(try decodeEntry(reader.message()))
            } else {
                try reader.skip(field)
            }
        }
        return attributes
    }
}
