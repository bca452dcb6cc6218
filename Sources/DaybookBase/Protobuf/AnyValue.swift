/// Encodes `Value` as OpenTelemetry's `AnyValue` and `KeyValue`.
///
/// Source: `opentelemetry/proto/common/v1/common.proto`. Tag bytes are field number × 8 + wire type.
@usableFromInline
package enum AnyValue {
    @inlinable package static var stringTag: UInt8 { 0x0A }
    @inlinable package static var boolTag: UInt8 { 0x10 }
    @inlinable package static var intTag: UInt8 { 0x18 }
    @inlinable package static var doubleTag: UInt8 { 0x21 }
    @inlinable package static var arrayTag: UInt8 { 0x2A }
    @inlinable package static var objectTag: UInt8 { 0x32 }
    @inlinable package static var bytesTag: UInt8 { 0x3A }
    /// `KeyValue.key`.
    @inlinable package static var keyTag: UInt8 { 0x0A }
    /// `KeyValue.value`, and the items of `ArrayValue` and `KeyValueList`.
    @inlinable package static var valueTag: UInt8 { 0x12 }
    @inlinable package static var itemTag: UInt8 { 0x0A }

    /// Deeper containers are written empty. A level is two messages, and receivers stop at 64.
    package static let maximumDepth = 24

    /// The size of an `AnyValue` message, without tag and length.
    @inline(never)
    package static func size(_ value: Value, depth: Int = 0) -> Int {
        switch value {
        case .null: 0
        case .bool: 2
        case .int(let int): 1 + Protobuf.varintSize(UInt64(bitPattern: int))
        case .double: 9
        case .string(let string): Protobuf.fieldSize(string.utf8.count)
        case .bytes(let bytes): Protobuf.fieldSize(bytes.count)
        case .array(let items): Protobuf.fieldSize(itemsSize(items, depth: depth + 1))
        case .object(let attributes): Protobuf.fieldSize(entriesSize(attributes, depth: depth + 1))
        }
    }

    /// The size of a `KeyValue` message, without tag and length.
    package static func size(key: String, _ value: Value, depth: Int = 0) -> Int {
        Protobuf.fieldSize(key.utf8.count) + Protobuf.fieldSize(size(value, depth: depth))
    }

    private static func itemsSize(_ items: [Value], depth: Int) -> Int {
        guard depth <= maximumDepth else { return 0 }
        return items.reduce(0) { $0 + Protobuf.fieldSize(size($1, depth: depth)) }
    }

    private static func entriesSize(_ attributes: Attributes, depth: Int) -> Int {
        guard depth <= maximumDepth else { return 0 }
        return attributes.elements.reduce(0) { $0 + Protobuf.fieldSize(size(key: $1.key, $1.value, depth: depth)) }
    }

    /// Writes a `KeyValue` field.
    package static func write(
        _ key: String, _ value: Value, field tag: UInt8, to writer: inout ProtobufWriter, depth: Int = 0
    ) {
        let size = size(key: key, value, depth: depth)
        guard writer.reserve(Protobuf.fieldSize(size)) else { return }
        writer.byte(tag)
        writer.varint(UInt64(size))
        writer.byte(keyTag)
        writer.varint(UInt64(key.utf8.count))
        writer.text(key)
        write(value, field: valueTag, to: &writer, depth: depth)
    }

    /// Writes a text as an `AnyValue` field.
    @inlinable @inline(__always)
    package static func writeText(_ text: String, field tag: UInt8, to writer: inout ProtobufWriter) {
        let count = text.utf8.count
        let size = Protobuf.fieldSize(count)
        guard writer.reserve(Protobuf.fieldSize(size)) else { return }
        writer.byte(tag)
        writer.varint(UInt64(size))
        writer.byte(stringTag)
        writer.varint(UInt64(count))
        writer.text(text)
    }

    /// Writes an `AnyValue` field.
    package static func write(_ value: Value, field tag: UInt8, to writer: inout ProtobufWriter, depth: Int = 0) {
        let size = size(value, depth: depth)
        guard writer.reserve(Protobuf.fieldSize(size)) else { return }
        writer.byte(tag)
        writer.varint(UInt64(size))
        writeContents(value, to: &writer, depth: depth)
    }

    /// Writes an `AnyValue` message without tag and length, in reserved space.
    package static func writeContents(_ value: Value, to writer: inout ProtobufWriter, depth: Int = 0) {
        switch value {
        case .null:
            break
        case .bool(let bool):
            writer.byte(boolTag)
            writer.byte(bool ? 1 : 0)
        case .int(let int):
            writer.byte(intTag)
            writer.varint(UInt64(bitPattern: int))
        case .double(let double):
            writer.byte(doubleTag)
            writer.fixed64(double.bitPattern)
        case .string(let string):
            writer.byte(stringTag)
            writer.varint(UInt64(string.utf8.count))
            writer.text(string)
        case .bytes(let bytes):
            writer.bytes(field: bytesTag, bytes)
        case .array(let items):
            writer.byte(arrayTag)
            writer.varint(UInt64(itemsSize(items, depth: depth + 1)))
            guard depth < maximumDepth else { return }
            for item in items { write(item, field: itemTag, to: &writer, depth: depth + 1) }
        case .object(let attributes):
            writer.byte(objectTag)
            writer.varint(UInt64(entriesSize(attributes, depth: depth + 1)))
            guard depth < maximumDepth else { return }
            for entry in attributes.elements {
                write(entry.key, entry.value, field: itemTag, to: &writer, depth: depth + 1)
            }
        }
    }

    package static func keyValueField(_ tag: UInt8, _ key: String, _ value: Value) -> [UInt8] {
        bytes(capacity: Protobuf.fieldSize(size(key: key, value)) + Protobuf.maximumVarint) { writer in
            write(key, value, field: tag, to: &writer)
        }
    }

    package static func field(_ tag: UInt8, _ value: Value) -> [UInt8] {
        bytes(capacity: Protobuf.fieldSize(size(value)) + Protobuf.maximumVarint) { writer in
            write(value, field: tag, to: &writer)
        }
    }

    private static func bytes(capacity: Int, _ write: (inout ProtobufWriter) -> Void) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: capacity) { buffer, count in
            guard let base = UnsafeMutableRawPointer(buffer.baseAddress) else { return }
            var writer = ProtobufWriter(UnsafeMutableRawBufferPointer(buffer), startingAt: base)
            write(&writer)
            count = writer.count
        }
    }
}

extension AnyValue {
    /// Caps the values a decoding may make, so that a small message of empty values cannot take much memory.
    package struct Budget: Sendable {
        private var values: Int
        /// Fields skipped so far: unknown, or of another wire type.
        package private(set) var passedOver = 0

        /// Texts so far, by their flaws.
        package private(set) var flawed: [TextFlaws: Int] = [:]

        /// How often each member was overridden so far. Of duplicates, and of a value's alternatives, the last counts.
        package private(set) var replaced: [String: Int] = [:]

        /// Unlimited by default, for our own bytes.
        package init(values: Int = .max) { self.values = values }

        @inline(__always)
        package mutating func take(at reader: ProtobufReader) throws(ProtobufError) { try take(1, at: reader) }

        @inline(__always)
        package mutating func take(_ count: Int, at reader: ProtobufReader) throws(ProtobufError) {
            values -= count
            if values < 0 { throw ProtobufError(.tooManyValues, reader.offset) }
        }

        fileprivate mutating func text(_ reader: inout ProtobufReader) throws(ProtobufError) -> String {
            let bytes = try reader.bytes()
            let flaws = TextFlaws(of: bytes)
            if !flaws.isEmpty { flawed[flaws, default: 0] += 1 }
            return String(streamSafe: bytes)
        }

        /// Counts the alternative that the next one overrides.
        fileprivate mutating func replace(_ value: Value) {
            switch value {
            case .null: break
            case .string: replace("anyValue.stringValue")
            case .bool: replace("anyValue.boolValue")
            case .int: replace("anyValue.intValue")
            case .double: replace("anyValue.doubleValue")
            case .array: replace("anyValue.arrayValue")
            case .object: replace("anyValue.kvlistValue")
            case .bytes: replace("anyValue.bytesValue")
            }
        }

        fileprivate mutating func replace(_ name: String) { replaced[name, default: 0] += 1 }

        fileprivate mutating func pass(
            _ field: ProtobufReader.Field, _ reader: inout ProtobufReader
        ) throws(ProtobufError) {
            try take(at: reader)
            try reader.skip(field)
            passedOver += 1
        }
    }

    /// Whether a field is an alternative of `AnyValue`.
    package static func isAlternative(_ field: ProtobufReader.Field) -> Bool {
        switch (field.number, field.wireType) {
        case (1, .lengthDelimited), (2, .varint), (3, .varint), (4, .fixed64), (5...7, .lengthDelimited): true
        default: false
        }
    }

    /// Reads an `AnyValue` message; the last of several alternatives counts, as in protobuf. The reader caps the
    /// nesting.
    package static func decode(
        _ message: ProtobufReader, _ budget: inout Budget
    ) throws(ProtobufError) -> Value {
        var reader = message
        var value = Value.null
        while let field = try reader.nextField() {
            if isAlternative(field) { budget.replace(value) }
            switch (field.number, field.wireType) {
            case (1, .lengthDelimited): value = .string(try budget.text(&reader))
            case (2, .varint): value = .bool(try reader.varint() != 0)
            case (3, .varint): value = .int(Int64(bitPattern: try reader.varint()))
            case (4, .fixed64): value = .double(Double(bitPattern: try reader.fixed64()))
            case (5, .lengthDelimited): value = .array(try decodeItems(reader.message(), &budget))
            case (6, .lengthDelimited): value = .object(try decodeEntries(reader.message(), &budget))
            case (7, .lengthDelimited): value = .bytes(Array(try reader.bytes()))
            default: try budget.pass(field, &reader)
            }
        }
        return value
    }

    package static func decodeEntry(
        _ message: ProtobufReader, _ budget: inout Budget
    ) throws(ProtobufError) -> Attributes.Element {
        try budget.take(at: message)
        var reader = message
        var key: String?
        var value: Value?
        while let field = try reader.nextField() {
            switch (field.number, field.wireType) {
            case (1, .lengthDelimited):
                if key != nil { budget.replace("keyValue.key") }
                key = try budget.text(&reader)
            case (2, .lengthDelimited):
                if value != nil { budget.replace("keyValue.value") }
                value = try decode(reader.message(), &budget)
            default: try budget.pass(field, &reader)
            }
        }
        return Attributes.Element(key ?? "", value ?? .null)
    }

    /// Reads our own `KeyValue` message, unlimited.
    package static func decodeEntry(_ message: ProtobufReader) throws(ProtobufError) -> Attributes.Element {
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
                try budget.pass(field, &reader)
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
                try budget.pass(field, &reader)
            }
        }
        return attributes
    }
}
