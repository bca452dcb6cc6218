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
