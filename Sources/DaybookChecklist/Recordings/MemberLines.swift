import DaybookBase

/// The lines of an object's members, and of the elements of those that are lists.
package struct MemberLines {
    /// In text order.
    package struct Member {
        package var name: String
        /// From 1.
        package var line: Int
        /// Empty unless it is a list.
        package var elements: [Int] = []
    }

    package private(set) var members: [Member] = []
    private var scanner: JSONScanner
    private var line = 1
    private var counted = 0

    /// - Parameters:
    ///   - bytes: a JSON object.
    ///   - name: of a nested object whose members are meant. Default: the whole.
    /// - Throws: ``JSONError``.
    package init(of bytes: [UInt8], inside name: String? = nil) throws(JSONError) {
        scanner = JSONScanner(bytes)
        do throws(JSONFault) { try read(name) } catch { throw JSONError(error) }
    }

    private mutating func read(_ inside: String?) throws(JSONFault) {
        guard case .beginObject = try scanner.value() else { return }
        var isFirst = true
        while let name = try scanner.member(&isFirst)?.text(in: scanner.bytes) {
            if name == inside {
                try read(nil)
                continue
            }
            var member = Member(name: name, line: nextLine())
            switch try scanner.value() {
            case .beginArray where inside == nil:
                var isFirst = true
                while try scanner.element(&isFirst) {
                    member.elements.append(nextLine())
                    try passOver(scanner.value())
                }
            case let token: try passOver(token)
            }
            if inside == nil { members.append(member) }
        }
    }

    private mutating func passOver(_ token: JSONScanner.Token) throws(JSONFault) {
        switch token {
        case .beginObject, .beginArray: try scanner.skipContainer()
        case .null, .boolean, .number, .string: break
        }
    }

    private mutating func nextLine() -> Int {
        _ = scanner.peek()
        line += scanner.bytes[counted..<scanner.offset].count { $0 == UInt8(ascii: "\n") }
        counted = scanner.offset
        return line
    }
}
