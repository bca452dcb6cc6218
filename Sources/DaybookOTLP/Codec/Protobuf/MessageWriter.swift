import Daybook

/// Writes protobuf messages where speed does not matter: responses, and requests of tools and tests. (The delivery
/// path concatenates bytes that were encoded when the record was logged.) Fields with their default value are left out.
struct MessageWriter {
    private(set) var bytes: [UInt8] = []

    /// The bytes of a message.
    static func message(_ write: (inout MessageWriter) -> Void) -> [UInt8] {
        var writer = MessageWriter()
        write(&writer)
        return writer.bytes
    }

    mutating func varint(_ number: Int, _ value: UInt64) {
        if value == 0 { return }
        raw(UInt64(number) << 3)
        raw(value)
    }

    mutating func fixed64(_ number: Int, _ value: UInt64) {
        if value != 0 { fixed(number, value) }
    }

    mutating func string(_ number: Int, _ text: String) {
        if !text.isEmpty { delimited(number, Array(text.utf8)) }
    }

    mutating func bytes(_ number: Int, _ value: [UInt8]) {
        if !value.isEmpty { delimited(number, value) }
    }

    mutating func message(_ number: Int, _ write: (inout MessageWriter) -> Void) {
        delimited(number, Self.message(write))
    }

    /// A repeated `KeyValue`.
    mutating func attributes(_ number: Int, _ attributes: Attributes) {
        for element in attributes.elements {
            message(number) { pair in
                pair.string(1, element.key)
                pair.message(2) { $0.anyValue(element.value) }
            }
        }
    }

    /// An `AnyValue`'s fields. Its alternatives are written even where they hold a default value.
    mutating func anyValue(_ value: Value) {
        switch value {
        case .null: break
        case .string(let text): delimited(1, Array(text.utf8))
        case .bool(let bool):
            raw(2 << 3)
            raw(bool ? 1 : 0)
        case .int(let integer):
            raw(3 << 3)
            raw(UInt64(bitPattern: integer))
        case .double(let double): fixed(4, double.bitPattern)
        case .array(let values):
            message(5) { array in
                for value in values { array.message(1) { $0.anyValue(value) } }
            }
        case .object(let attributes): message(6) { $0.attributes(1, attributes) }
        case .bytes(let data): delimited(7, data)
        }
    }

    private mutating func fixed(_ number: Int, _ value: UInt64) {
        raw(UInt64(number) << 3 | 1)
        withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
    }

    private mutating func delimited(_ number: Int, _ value: [UInt8]) {
        raw(UInt64(number) << 3 | 2)
        raw(UInt64(value.count))
        bytes.append(contentsOf: value)
    }

    private mutating func raw(_ value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }
}
