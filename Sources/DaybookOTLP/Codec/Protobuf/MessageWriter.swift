import Daybook

/// Writes protobuf messages where speed does not matter: responses, and requests of tools and tests. Fields with their
/// default value are left out; field numbers are 1 to 15.
///
/// Beside `ProtobufWriter`, because that one writes into memory of a fixed size that the journal lends and must know a
/// message's length before its bytes; this one grows, and measures a nested message by writing it. Values are written by
/// `AnyValue` in both.
struct MessageWriter {
    private(set) var bytes: [UInt8] = []

    /// The bytes of a message.
    static func message(_ write: (inout MessageWriter) -> Void) -> [UInt8] {
        var writer = MessageWriter()
        write(&writer)
        return writer.bytes
    }

    mutating func varint(_ number: UInt8, _ value: UInt64) {
        if value == 0 { return }
        bytes.append(number << 3)
        bytes.appendVarint(value)
    }

    mutating func fixed64(_ number: UInt8, _ value: UInt64) {
        if value == 0 { return }
        bytes.append(number << 3 | 1)
        withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
    }

    mutating func string(_ number: UInt8, _ text: String) {
        if !text.isEmpty { bytes.appendField(number << 3 | 2, text.utf8) }
    }

    mutating func bytes(_ number: UInt8, _ value: [UInt8]) {
        if !value.isEmpty { bytes.appendField(number << 3 | 2, value) }
    }

    mutating func message(_ number: UInt8, _ write: (inout MessageWriter) -> Void) {
        bytes.appendField(number << 3 | 2, Self.message(write))
    }

    /// A repeated `KeyValue`.
    mutating func attributes(_ number: UInt8, _ attributes: Attributes) {
        for element in attributes.elements {
            bytes.append(contentsOf: AnyValue.keyValueField(number << 3 | 2, element.key, element.value))
        }
    }

    /// An `AnyValue`; written even where it holds a default value.
    mutating func value(_ number: UInt8, _ value: Value) {
        bytes.append(contentsOf: AnyValue.field(number << 3 | 2, value))
    }
}
