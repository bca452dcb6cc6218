import DaybookBase
import DaybookTools

/// A JSON document with the offset of every value, for files that people write.
struct JSONDocument: Sendable {
    /// A value and its first byte.
    struct Node: Sendable {
        enum Content: Sendable {
            case null
            case boolean(Bool)
            case number(Double)
            case string(String)
            case array([Node])
            case object([Member])
        }

        struct Member: Sendable {
            let name: String
            let nameOffset: Int
            let value: Node
        }

        let content: Content
        let offset: Int

        var kind: String {
            switch content {
            case .null: "null"
            case .boolean: "a truth value"
            case .number: "a number"
            case .string: "a text"
            case .array: "a list"
            case .object: "an object"
            }
        }
    }

    /// The nesting limit.
    static let greatestDepth = 32

    let root: Node
    private let file: String
    private let bytes: [UInt8]

    /// - Throws: A located error for the first byte that is not JSON.
    init(file: String, bytes: [UInt8]) throws(Diagnostic) {
        self.file = file
        self.bytes = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(bytes.dropFirst(3)) : bytes
        guard String(wellFormed: self.bytes) != nil else {
            throw .error(
                SourceLocation(file: file, line: 1, column: 1), "this is not UTF-8 text",
                hint: "save the file in the encoding UTF-8")
        }
        var scanner = JSONScanner(self.bytes)
        do throws(JSONFault) {
            root = try JSONDocument.node(&scanner, depth: 0)
            try scanner.end()
        } catch {
            if let line = ConflictMarkers.line(in: self.bytes) {
                throw .error(
                    SourceLocation(file: file, line: line, column: 1), ConflictMarkers.message,
                    hint: ConflictMarkers.hint)
            }
            throw .error(JSONDocument.location(of: error.offset, in: self.bytes, file: file), error.message)
        }
    }

    func location(of offset: Int) -> SourceLocation { JSONDocument.location(of: offset, in: bytes, file: file) }

    private static func location(of offset: Int, in bytes: [UInt8], file: String) -> SourceLocation {
        var location = SourceLocation(file: file, line: 1, column: 1)
        for byte in bytes.prefix(offset) {
            if byte == .lineFeed {
                location.line += 1
                location.column = 1
            } else if byte & 0xC0 != 0x80 {
                location.column += 1
            }
        }
        return location
    }

    private static func node(_ scanner: inout JSONScanner, depth: Int) throws(JSONFault) -> Node {
        _ = scanner.peek()
        let offset = scanner.offset
        guard depth < greatestDepth else {
            throw JSONFault(.tooDeep, offset)
        }
        var isFirst = true
        let content: Node.Content
        switch try scanner.value() {
        case .null: content = .null
        case .boolean(let value): content = .boolean(value)
        case .number(let value): content = .number(value.double(in: scanner.bytes))
        case .string(let value): content = .string(value.text(in: scanner.bytes))
        case .beginArray:
            var elements: [Node] = []
            while try scanner.element(&isFirst) { elements.append(try node(&scanner, depth: depth + 1)) }
            content = .array(elements)
        case .beginObject:
            var members: [Node.Member] = []
            while let name = try scanner.member(&isFirst) {
                let value = try node(&scanner, depth: depth + 1)
                members.append(
                    Node.Member(
                        name: name.text(in: scanner.bytes), nameOffset: name.range.lowerBound - 1, value: value))
            }
            content = .object(members)
        }
        return Node(content: content, offset: offset)
    }
}

extension JSONFault {
    /// Phrased like a compiler error.
    fileprivate var message: String {
        switch kind {
        case .endBeforeValue: "the text ends where a value should be"
        case .endInContainer: "the text ends inside an object or array"
        case .otherEncoding(let name): "this is \(name) text; save the file in the encoding UTF-8"
        case .notAValue, .unknownWord: "this is not a JSON value"
        case .missingName: "a member's name in double quotes is missing"
        case .missingColon: "`:` is missing after the member's name"
        case .missingComma(let closing): "a comma or `\(Unicode.Scalar(closing))` is missing"
        case .commaBeforeEnd(let closing): "an unexpected comma before `\(Unicode.Scalar(closing))`"
        case .endlessString: "the string that begins here does not end"
        case .controlCharacter: "a string contains a line break or a control character"
        case .unknownEscape, .missingHexDigit: "JSON has no such escape"
        case .missingDigit, .numberOutOfRange: "this is not a number"
        case .textBehindEnd: "something follows the end of the value"
        case .tooDeep, .tooMany: "values are nested too deeply here"
        }
    }
}
