/// A JSON text read whole, every value with the place where it begins. For files that people write.
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

        /// What it is, in a message.
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

    /// Values nested deeper are refused.
    static let greatestDepth = 32

    let root: Node
    private let file: String
    private let bytes: [UInt8]

    /// - Throws: A located error for the first byte that is not JSON.
    init(file: String, bytes: [UInt8]) throws(Diagnostic) {
        self.file = file
        self.bytes = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(bytes.dropFirst(3)) : bytes
        guard String(validating: self.bytes, as: UTF8.self) != nil else {
            throw .error(
                SourceLocation(file: file, line: 1, column: 1), "this is not UTF-8 text",
                hint: "save the file in the encoding UTF-8")
        }
        var scanner = JSONScanner(self.bytes)
        do {
            root = try JSONDocument.node(&scanner, depth: 0)
            try scanner.end()
        } catch {
            throw .error(JSONDocument.location(of: error.offset, in: self.bytes, file: file), error.message)
        }
    }

    /// The place of a byte.
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

    private static func node(_ scanner: inout JSONScanner, depth: Int) throws(JSONScanner.SyntaxError) -> Node {
        _ = scanner.peek()
        let offset = scanner.offset
        guard depth < greatestDepth else {
            throw JSONScanner.SyntaxError(offset: offset, message: "values are nested too deeply here")
        }
        var isFirst = true
        let content: Node.Content
        switch try scanner.value() {
        case .null: content = .null
        case .boolean(let value): content = .boolean(value)
        case .integer(let value): content = .number(Double(value))
        case .number(let value): content = .number(value)
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

/// Reads JSON (RFC 8259) piece by piece, without recursion and without building anything.
///
/// The caller pulls: the next token, the next member of an object it is in, the next element of an array it is in.
struct JSONScanner {
    /// A piece of JSON. Containers are entered: their members or elements come next.
    enum Token {
        case null
        case boolean(Bool)
        /// A number without fraction and exponent that fits.
        case integer(Int64)
        case number(Double)
        case string(JSONString)
        case beginObject
        case beginArray
    }

    /// What is wrong, and at which byte.
    struct SyntaxError: Error {
        let offset: Int
        let message: String
    }

    let bytes: [UInt8]
    /// The next byte to read.
    private(set) var offset = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// The next token, which is a value.
    mutating func value() throws(SyntaxError) -> Token {
        guard let byte = peek() else { throw error("the text ends where a value should be") }
        switch byte {
        case UInt8(ascii: "{"):
            offset += 1
            return .beginObject
        case UInt8(ascii: "["):
            offset += 1
            return .beginArray
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return .boolean(try word("true", true))
        case UInt8(ascii: "f"): return .boolean(try word("false", false))
        case UInt8(ascii: "n"):
            _ = try word("null", true)
            return .null
        default: return try number()
        }
    }

    /// The name of the next member of the object being read, whose value comes next; `nil` at the object's end.
    ///
    /// - Parameter isFirst: `true` before the first member; becomes `false`.
    mutating func member(_ isFirst: inout Bool) throws(SyntaxError) -> JSONString? {
        guard try next(closing: UInt8(ascii: "}"), &isFirst) else { return nil }
        guard peek() == UInt8(ascii: "\"") else { throw error("a member's name in double quotes is missing") }
        let name = try string()
        guard peek() == UInt8(ascii: ":") else { throw error("`:` is missing after the member's name") }
        offset += 1
        return name
    }

    /// Whether another element of the array being read comes next.
    ///
    /// - Parameter isFirst: `true` before the first element; becomes `false`.
    mutating func element(_ isFirst: inout Bool) throws(SyntaxError) -> Bool {
        try next(closing: UInt8(ascii: "]"), &isFirst)
    }

    /// Passes over the rest of a container that was entered. Its brackets and strings are matched, nothing else.
    mutating func skipContainer() throws(SyntaxError) {
        var depth = 1
        while depth > 0 {
            guard let byte = peek() else { throw error("the text ends inside an object or array") }
            switch byte {
            case UInt8(ascii: "\""): _ = try string()
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                depth += 1
                offset += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                depth -= 1
                offset += 1
            default: offset += 1
            }
        }
    }

    /// Checks that nothing follows but white space.
    mutating func end() throws(SyntaxError) {
        guard peek() == nil else { throw error("something follows the end of the value") }
    }

    /// The next byte that is not white space, which stays unread.
    mutating func peek() -> UInt8? {
        while offset < bytes.count {
            switch bytes[offset] {
            case .space, .lineFeed, .carriageReturn, .tab: offset += 1
            default: return bytes[offset]
            }
        }
        return nil
    }

    private mutating func next(closing: UInt8, _ isFirst: inout Bool) throws(SyntaxError) -> Bool {
        guard let byte = peek() else { throw error("the text ends inside an object or array") }
        if byte == closing {
            offset += 1
            return false
        }
        if !isFirst {
            guard byte == UInt8(ascii: ",") else { throw error("a comma or `\(Character(.init(closing)))` is missing") }
            offset += 1
            if peek() == closing { throw error("a comma stands before `\(Character(.init(closing)))`") }
        }
        isFirst = false
        return true
    }

    private mutating func word<Value>(_ text: StaticString, _ value: Value) throws(SyntaxError) -> Value {
        guard bytes[offset...].starts(with: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
        else { throw error("this is not a JSON value") }
        offset += text.utf8CodeUnitCount
        return value
    }

    private mutating func string() throws(SyntaxError) -> JSONString {
        let start = offset + 1
        var hasEscapes = false
        var index = start
        while index < bytes.count {
            let byte = bytes[index]
            if byte == UInt8(ascii: "\"") {
                offset = index + 1
                return JSONString(range: start..<index, hasEscapes: hasEscapes)
            }
            if byte == UInt8(ascii: "\\") {
                hasEscapes = true
                index += 1
            } else if byte < 0x20 {
                offset = index
                throw error("a line ends or a control character stands inside a string")
            }
            index += 1
        }
        throw error("the string that begins here does not end")
    }

    private mutating func number() throws(SyntaxError) -> Token {
        let start = offset
        var end = start
        var isInteger = true
        scan: while end < bytes.count {
            switch bytes[end] {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"): break
            case UInt8(ascii: "."), UInt8(ascii: "e"), UInt8(ascii: "E"), UInt8(ascii: "+"): isInteger = false
            default: break scan
            }
            end += 1
        }
        guard end > start, bytes[end - 1].isDigit, bytes[start] != UInt8(ascii: "+"),
            bytes[start] != UInt8(ascii: ".")
        else { throw error("this is not a JSON value") }
        let text = String(decoding: bytes[start..<end], as: UTF8.self)
        if isInteger, let integer = Int64(text) {
            offset = end
            return .integer(integer)
        }
        guard let number = Double(text) else { throw error("this is not a number") }
        offset = end
        return .number(number)
    }

    private func error(_ message: String) -> SyntaxError { SyntaxError(offset: offset, message: message) }
}

/// A string of a JSON text, still as it was written.
struct JSONString {
    /// The bytes between the quotes.
    let range: Range<Int>
    /// Whether it must be decoded before it means anything.
    let hasEscapes: Bool

    /// Whether it says the same as `other`, which is UTF-8.
    func equals(_ other: [UInt8], in bytes: [UInt8]) -> Bool {
        guard !hasEscapes else { return Array(text(in: bytes).utf8) == other }
        return range.count == other.count && bytes[range].elementsEqual(other)
    }

    /// How many bytes of UTF-8 it has once decoded.
    func utf8Count(in bytes: [UInt8]) -> Int { hasEscapes ? text(in: bytes).utf8.count : range.count }

    /// What it says. Escapes that mean nothing become U+FFFD.
    func text(in bytes: [UInt8]) -> String {
        guard hasEscapes else { return String(decoding: bytes[range], as: UTF8.self) }
        var units: [UInt8] = []
        units.reserveCapacity(range.count)
        var index = range.lowerBound
        while index < range.upperBound {
            guard bytes[index] == UInt8(ascii: "\\") else {
                units.append(bytes[index])
                index += 1
                continue
            }
            let scalar = scalar(at: &index, in: bytes)
            units.append(contentsOf: String(Character(scalar)).utf8)
        }
        return String(decoding: units, as: UTF8.self)
    }

    /// The scalar of the escape at `index`, which moves behind it.
    private func scalar(at index: inout Int, in bytes: [UInt8]) -> Unicode.Scalar {
        guard index + 1 < range.upperBound else {
            index += 1
            return "\u{FFFD}"
        }
        index += 2
        switch bytes[index - 1] {
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{C}"
        case UInt8(ascii: "u"):
            guard let unit = unit(at: index, in: bytes) else { return "\u{FFFD}" }
            index += 4
            if 0xD800..<0xDC00 ~= unit, index + 6 <= range.upperBound, bytes[index] == UInt8(ascii: "\\"),
                bytes[index + 1] == UInt8(ascii: "u"), let low = self.unit(at: index + 2, in: bytes),
                0xDC00..<0xE000 ~= low
            {
                index += 6
                return Unicode.Scalar(0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00)) ?? "\u{FFFD}"
            }
            return Unicode.Scalar(unit) ?? "\u{FFFD}"
        case let other: return Unicode.Scalar(other)
        }
    }

    private func unit(at index: Int, in bytes: [UInt8]) -> UInt32? {
        guard index + 4 <= range.upperBound else { return nil }
        return bytes[index..<(index + 4)].reduce(UInt32?.some(0)) { sum, byte in
            guard let sum, let digit = Character(.init(byte)).hexDigitValue else { return nil }
            return sum << 4 | UInt32(digit)
        }
    }
}
