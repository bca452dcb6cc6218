import DaybookBase

/// A message of JSON-RPC 2.0, and the answer to it.
struct AssistantMessage {
    /// What a message may be known by.
    enum ID {
        case none
        /// As it was written: a number of any size or spelling, or a text.
        case known([UInt8])
        /// Neither a number nor a text.
        case wrong
    }

    let id: ID
    let members: Attributes

    /// `nil` for what is not one JSON object. A byte order mark in front of it is passed over.
    init?(_ bytes: [UInt8]) {
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        var bytes = bytes.starts(with: mark) ? Array(bytes.dropFirst(mark.count)) : bytes
        guard let (id, range) = try? Self.id(in: bytes) else { return nil }
        // No number that a value holds would keep every id.
        if let range { bytes.replaceSubrange(range, with: "0".utf8) }
        guard case .object(let members)? = try? JSONReader.value(of: bytes) else { return nil }
        (self.id, self.members) = (id, members)
    }

    private static func id(in bytes: [UInt8]) throws(JSONFault) -> (ID, Range<Int>?) {
        var scanner = JSONScanner(bytes)
        guard case .beginObject = try scanner.value() else { return (.none, nil) }
        var found: (ID, Range<Int>?) = (.none, nil)
        var isFirst = true
        while let name = try scanner.member(&isFirst) {
            _ = scanner.peek()
            let start = scanner.offset
            let token = try scanner.value()
            switch token {
            case .beginObject, .beginArray: try scanner.skipContainer()
            default: break
            }
            guard name.text(in: bytes) == "id" else { continue }
            let range = start..<scanner.offset
            switch token {
            case .number, .string: found = (.known(Array(bytes[range])), range)
            default: found = (.wrong, range)
            }
        }
        return found
    }

    /// An answer to the message, with its id as it came; `null` where it has none.
    func answer(_ name: String, _ value: Value) -> [UInt8] { Self.answer(to: id, name, value) }

    static func answer(to id: ID, _ name: String, _ value: Value) -> [UInt8] {
        var bytes = Array(#"{"jsonrpc":"2.0","id":"#.utf8)
        if case .known(let id) = id { bytes += id } else { bytes += "null".utf8 }
        bytes.append(UInt8(ascii: ","))
        JSONWriter.write(name, into: &bytes)
        bytes.append(UInt8(ascii: ":"))
        JSONWriter.write(value, into: &bytes)
        bytes.append(UInt8(ascii: "}"))
        return bytes
    }
}
