/// A JSON value that keeps the order of its members, so that output is deterministic and reads like the definition.
indirect enum JSONText {
    case null
    case bool(Bool)
    case number(Int)
    case string(String)
    case array([JSONText])
    case object([(String, JSONText)])

    /// Indented by two spaces, with a line feed at the end.
    var text: String {
        var text = ""
        write(to: &text, margin: "\n")
        return text + "\n"
    }

    private func write(to text: inout String, margin: String) {
        switch self {
        case .null: text += "null"
        case .bool(let value): text += value ? "true" : "false"
        case .number(let value): text += String(value)
        case .string(let value): JSONText.quote(value, to: &text)
        case .array(let values) where values.isEmpty: text += "[]"
        case .object(let members) where members.isEmpty: text += "{}"
        case .array(let values):
            for (index, value) in values.enumerated() {
                text += index == 0 ? "[" : ","
                text += margin + "  "
                value.write(to: &text, margin: margin + "  ")
            }
            text += margin + "]"
        case .object(let members):
            for (index, member) in members.enumerated() {
                text += index == 0 ? "{" : ","
                text += margin + "  "
                JSONText.quote(member.0, to: &text)
                text += ": "
                member.1.write(to: &text, margin: margin + "  ")
            }
            text += margin + "}"
        }
    }

    /// Source: RFC 8259, section 7.
    private static func quote(_ value: String, to text: inout String) {
        text += "\""
        for scalar in value.unicodeScalars {
            switch scalar {
            case "\"": text += "\\\""
            case "\\": text += "\\\\"
            case "\n": text += "\\n"
            case "\r": text += "\\r"
            case "\t": text += "\\t"
            case "\u{0}"..."\u{1F}":
                let digits = String(scalar.value, radix: 16)
                text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: text.unicodeScalars.append(scalar)
            }
        }
        text += "\""
    }
}
