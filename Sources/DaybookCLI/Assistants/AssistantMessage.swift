import DaybookBase

/// A JSON-RPC 2.0 message.
struct AssistantMessage {
    enum ID {
        case none
        /// As written: a number of any size or notation, or a string.
        case known([UInt8])
        /// Neither a number nor a string.
        case wrong
    }

    /// An invalid message, with its id if known.
    struct Unreadable: Error {
        var id = ID.none
        var reason: String
    }

    let id: ID
    let members: Attributes

    /// - Throws: ``Unreadable`` for anything but one JSON object.
    init(_ bytes: [UInt8]) throws(Unreadable) {
        var id = ID.none
        var place: Range<Int>?
        // Truncated JSON is refused below, with the reader's message.
        try? Self.find(&id, at: &place, in: bytes)
        var bytes = bytes
        // No numeric type represents every id, so the reader sees a 0.
        if let place {
            bytes.replaceSubrange(place, with: Array("0".utf8) + repeatElement(0x20, count: place.count - 1))
        }
        let value: Value
        do { value = try JSONReader.value(of: bytes) } catch { throw Unreadable(id: id, reason: "\(error)") }
        guard case .object(let members) = value else { throw Unreadable(reason: "a message is one JSON object") }
        (self.id, self.members) = (id, members)
    }

    private static func find(_ id: inout ID, at place: inout Range<Int>?, in bytes: [UInt8]) throws(JSONFault) {
        var scanner = JSONScanner(bytes)
        guard case .beginObject = try scanner.value() else { return }
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
            place = range
            switch token {
            case .number, .string: id = .known(Array(bytes[range]))
            default: id = .wrong
            }
        }
    }

    /// Strips a byte order mark.
    static func withoutMark(_ bytes: [UInt8]) -> [UInt8] {
        bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(bytes.dropFirst(3)) : bytes
    }

    /// The raw messages of a batch; `nil` if it is not one.
    /// - Throws: ``Unreadable`` for truncated JSON.
    static func batch(_ bytes: [UInt8]) throws(Unreadable) -> [[UInt8]]? {
        guard bytes.first(where: { $0 > 0x20 }) == UInt8(ascii: "[") else { return nil }
        var messages: [[UInt8]] = []
        do throws(JSONFault) {
            var scanner = JSONScanner(bytes)
            _ = try scanner.value()
            var isFirst = true
            while try scanner.element(&isFirst) {
                _ = scanner.peek()
                let start = scanner.offset
                switch try scanner.value() {
                case .beginObject, .beginArray: try scanner.skipContainer()
                default: break
                }
                messages.append(Array(bytes[start..<scanner.offset]))
            }
            try scanner.end()
        } catch {
            throw Unreadable(reason: "\(JSONError(error))")
        }
        return messages
    }

    /// A response with the message's id as written; `null` if it has none.
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
