/// A JSON value that keeps the order of its members, so that output is deterministic and reads like the definition.
indirect enum JSONText {
    case null
    case bool(Bool)
    case number(Int)
    case string(String)
    case array([JSONText])
    case object([(String, JSONText)])

    /// Indented by two spaces, with a line feed at the end.
    var text: String { String(decoding: utf8, as: UTF8.self) }

    /// The bytes of `text`.
    var utf8: [UInt8] {
        var bytes: [UInt8] = []
        write(to: &bytes, margin: "\n")
        bytes.append(.lineFeed)
        return bytes
    }

    /// - Parameter margin: The line feed and spaces that begin a line.
    private func write(to bytes: inout [UInt8], margin: String) {
        switch self {
        case .null: bytes += "null".utf8
        case .bool(let value): bytes += (value ? "true" : "false").utf8
        case .number(let value): bytes += String(value).utf8
        case .string(let value): JSONText.quote(value, to: &bytes)
        case .array(let values) where values.isEmpty: bytes += "[]".utf8
        case .object(let members) where members.isEmpty: bytes += "{}".utf8
        case .array(let values):
            let inner = margin + "  "
            for (index, value) in values.enumerated() {
                bytes.append(UInt8(ascii: index == 0 ? "[" : ","))
                bytes += inner.utf8
                value.write(to: &bytes, margin: inner)
            }
            bytes += margin.utf8
            bytes.append(UInt8(ascii: "]"))
        case .object(let members):
            let inner = margin + "  "
            for (index, member) in members.enumerated() {
                bytes.append(UInt8(ascii: index == 0 ? "{" : ","))
                bytes += inner.utf8
                JSONText.quote(member.0, to: &bytes)
                bytes += ": ".utf8
                member.1.write(to: &bytes, margin: inner)
            }
            bytes += margin.utf8
            bytes.append(UInt8(ascii: "}"))
        }
    }

    /// Source: RFC 8259, section 7.
    private static func quote(_ value: String, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\""))
        for byte in value.utf8 {
            switch byte {
            case UInt8(ascii: "\""): bytes += "\\\"".utf8
            case UInt8(ascii: "\\"): bytes += "\\\\".utf8
            case .lineFeed: bytes += "\\n".utf8
            case .carriageReturn: bytes += "\\r".utf8
            case .tab: bytes += "\\t".utf8
            case 0..<0x20:
                let digits = String(byte, radix: 16)
                bytes += "\\u\(String(repeating: "0", count: 4 - digits.count))\(digits)".utf8
            default: bytes.append(byte)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }
}
