import Daybook

/// JSON on its way into and out of `jsonb`.
enum PostgreSQLJSON {
    /// Appends a text that is a JSON object, as sent by Daybook's own writer. `jsonb` has no zero character: it becomes
    /// U+FFFD.
    static func append(_ text: String, to bytes: inout [UInt8]) {
        var text = text
        text.withUTF8 { units in
            guard units.contains(0x5C) else {
                bytes.append(contentsOf: units)
                return
            }
            var index = 0
            while index < units.count {
                guard units[index] == 0x5C, index + 1 < units.count else {
                    bytes.append(units[index])
                    index += 1
                    continue
                }
                let isZero = units[index...].starts(with: #"\u0000"#.utf8)
                bytes.append(contentsOf: isZero ? Array(#"\ufffd"#.utf8)[...] : Array(units[index...index + 1])[...])
                index += isZero ? 6 : 2
            }
        }
    }

    /// Appends any text: what is no JSON object becomes a JSON string, which ``text(of:)`` gives back as it was.
    static func appendChecked(_ text: String, to bytes: inout [UInt8]) {
        if case .object(let members)? = try? JSONReader.value(of: Array(text.utf8)) {
            append(JSONWriter.text(members), to: &bytes)
        } else {
            var quoted: [UInt8] = []
            JSONWriter.write(text, into: &quoted)
            append(String(decoding: quoted, as: UTF8.self), to: &bytes)
        }
    }

    /// The compact form of `jsonb`'s text, which has a space behind each colon and comma.
    static func text(of json: UnsafeRawBufferPointer) -> String {
        if json.first == 0x22, case .string(let text)? = try? JSONReader.value(of: Array(json)) { return text }
        var compact: [UInt8] = []
        compact.reserveCapacity(json.count)
        var isString = false
        var index = 0
        while index < json.count {
            let byte = json[index]
            index += 1
            if byte == 0x20, !isString { continue }
            compact.append(byte)
            if byte == 0x22 { isString.toggle() }
            if byte == 0x5C, index < json.count {
                compact.append(json[index])
                index += 1
            }
        }
        return String(decoding: compact, as: UTF8.self)
    }
}
