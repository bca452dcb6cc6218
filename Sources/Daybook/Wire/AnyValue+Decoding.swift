extension AnyValue {
    /// How many more values a decoding may make, so that a small message of empty values cannot take much memory.
    package struct Budget: Sendable {
        private var values: Int

        /// A budget; without bounds by default, for bytes of our own.
        package init(values: Int = .max) { self.values = values }

        /// Takes one value.
        @inline(__always)
        package mutating func take(at reader: ProtobufReader) throws(ProtobufError) {
            values -= 1
            if values < 0 { throw ProtobufError(.tooManyValues, reader.offset) }
        }
    }

    /// Reads an `AnyValue` message: of several alternatives the last one, as protobuf has it. The reader caps the nesting.
    package static func decode(
        _ message: ProtobufReader, _ budget: inout Budget
    ) throws(ProtobufError) -> Value {
        var reader = message
        var value = Value.null
        while let field = try reader.nextField() {
            switch (field.number, field.wireType) {
            case (1, .lengthDelimited): value = .string(try reader.string())
            case (2, .varint): value = .bool(try reader.varint() != 0)
            case (3, .varint): value = .int(Int64(bitPattern: try reader.varint()))
            case (4, .fixed64): value = .double(Double(bitPattern: try reader.fixed64()))
            case (5, .lengthDelimited): value = .array(try decodeItems(reader.message(), &budget))
            case (6, .lengthDelimited): value = .object(try decodeEntries(reader.message(), &budget))
            case (7, .lengthDelimited): value = .bytes(Array(try reader.bytes()))
            default: try reader.skip(field)
            }
        }
        return value
    }

    /// Reads a `KeyValue` message.
    package static func decodeEntry(
        _ message: ProtobufReader, _ budget: inout Budget
    ) throws(ProtobufError) -> Attributes.Element {
        try budget.take(at: message)
        var reader = message
        var key = ""
        var value = Value.null
        while let field = try reader.nextField() {
            switch (field.number, field.wireType) {
            case (1, .lengthDelimited): key = try reader.string()
            case (2, .lengthDelimited): value = try decode(reader.message(), &budget)
            default: try reader.skip(field)
            }
        }
        return Attributes.Element(key, value)
    }

    /// Reads a `KeyValue` message of our own, without a budget.
    static func decodeEntry(_ message: ProtobufReader) throws(ProtobufError) -> Attributes.Element {
        var budget = Budget()
        return try decodeEntry(message, &budget)
    }

    private static func decodeItems(
        _ message: ProtobufReader, _ budget: inout Budget
    ) throws(ProtobufError) -> [Value] {
        var reader = message
        var items: [Value] = []
        while let field = try reader.nextField() {
            if field.number == 1, field.wireType == .lengthDelimited {
                try budget.take(at: reader)
                items.append(try decode(reader.message(), &budget))
            } else {
                try reader.skip(field)
            }
        }
        return items
    }

    private static func decodeEntries(
        _ message: ProtobufReader, _ budget: inout Budget
    ) throws(ProtobufError) -> Attributes {
        var reader = message
        var attributes = Attributes()
        while let field = try reader.nextField() {
            if field.number == 1, field.wireType == .lengthDelimited {
                attributes.elements.append(try decodeEntry(reader.message(), &budget))
            } else {
                try reader.skip(field)
            }
        }
        return attributes
    }
}
