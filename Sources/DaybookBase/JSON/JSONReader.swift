/// Reads one JSON document into a ``Value``, strictly and within bounds.
///
/// What Foundation's reader loses is kept: the order of keys, and the difference between `1` and `1.0`. An integer
/// beyond `Int64` but within `UInt64` becomes a string (as ``Value`` says), one beyond that a double. A key given twice
/// is kept twice. Text that is not UTF-8 and lone surrogates become U+FFFD.
///
/// Source: RFC 8259.
package struct JSONReader {
    /// What a document may cost.
    package struct Limits: Sendable {
        /// Arrays and objects may nest this deep. Default 64.
        package var depth = 64
        /// Values in all, which bounds the memory: 16–32 bytes each. Default 2,000,000.
        package var values = 2_000_000

        /// Depth 64, 2,000,000 values.
        package init() {}
    }

    private let bytes: UnsafeRawBufferPointer
    private var offset = 0
    private var depth: Int
    private var values: Int

    private init(_ bytes: UnsafeRawBufferPointer, _ limits: Limits) {
        self.bytes = bytes
        depth = limits.depth
        values = limits.values
    }

    /// The value of a whole document.
    /// - Throws: ``JSONError`` with the offset of the first fault.
    package static func value(of bytes: [UInt8], limits: Limits = Limits()) throws(JSONError) -> Value {
        // The buffer lives for the closure, and so does the reader that borrows it. The result travels in a variable
        // because the closure cannot carry a typed error.
        let result = bytes.withUnsafeBytes { buffer in value(of: buffer, limits: limits) }
        return try result.get()
    }

    /// The value of a whole document.
    package static func value(
        of bytes: UnsafeRawBufferPointer, limits: Limits = Limits()
    ) -> Result<Value, JSONError> {
        var reader = JSONReader(bytes, limits)
        do throws(JSONError) {
            let value = try reader.document()
            return .success(value)
        } catch {
            return .failure(error)
        }
    }

    private mutating func document() throws(JSONError) -> Value {
        let result = try value()
        skipSpace()
        if offset < bytes.count { throw JSONError("text after the document's end", offset) }
        return result
    }

    private mutating func value() throws(JSONError) -> Value {
        skipSpace()
        guard offset < bytes.count else { throw JSONError("the document ends where a value is expected", offset) }
        guard values > 0 else { throw JSONError("too many values", offset, isLimit: true) }
        values -= 1
        switch bytes[offset] {
        case UInt8(ascii: "{"): return try nested { reader throws(JSONError) in .object(try reader.object()) }
        case UInt8(ascii: "["): return try nested { reader throws(JSONError) in .array(try reader.array()) }
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try word("true", .bool(true))
        case UInt8(ascii: "f"): return try word("false", .bool(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return try number()
        default: throw JSONError("an unexpected character where a value is expected", offset)
        }
    }

    private mutating func nested(
        _ read: (inout JSONReader) throws(JSONError) -> Value
    ) throws(JSONError) -> Value {
        guard depth > 0 else { throw JSONError("arrays and objects nest too deep", offset, isLimit: true) }
        depth -= 1
        offset += 1
        let value = try read(&self)
        depth += 1
        return value
    }

    private mutating func object() throws(JSONError) -> Attributes {
        var result = Attributes()
        if skip(UInt8(ascii: "}")) { return result }
        while true {
            skipSpace()
            guard offset < bytes.count, bytes[offset] == UInt8(ascii: "\"") else {
                throw JSONError("a key in double quotes is expected", offset)
            }
            let key = try string()
            guard skip(UInt8(ascii: ":")) else { throw JSONError("\":\" is expected", offset) }
            result.elements.append(Attributes.Element(key, try value()))
            if skip(UInt8(ascii: ",")) { continue }
            guard skip(UInt8(ascii: "}")) else { throw JSONError("\",\" or \"}\" is expected", offset) }
            return result
        }
    }

    private mutating func array() throws(JSONError) -> [Value] {
        var result: [Value] = []
        if skip(UInt8(ascii: "]")) { return result }
        while true {
            result.append(try value())
            if skip(UInt8(ascii: ",")) { continue }
            guard skip(UInt8(ascii: "]")) else { throw JSONError("\",\" or \"]\" is expected", offset) }
            return result
        }
    }

    private mutating func word(_ text: StaticString, _ value: Value) throws(JSONError) -> Value {
        let count = text.utf8CodeUnitCount
        guard bytes.count - offset >= count else { throw JSONError("an unknown word", offset) }
        for index in 0..<count where bytes[offset + index] != text.utf8Start[index] {
            throw JSONError("an unknown word", offset)
        }
        offset += count
        return value
    }

    private mutating func number() throws(JSONError) -> Value {
        let start = offset
        var isInteger = true
        _ = take(UInt8(ascii: "-"))
        if !take(UInt8(ascii: "0")) { try digits() }
        if take(UInt8(ascii: ".")) {
            isInteger = false
            try digits()
        }
        if take(UInt8(ascii: "e")) || take(UInt8(ascii: "E")) {
            isInteger = false
            if !take(UInt8(ascii: "+")) { _ = take(UInt8(ascii: "-")) }
            try digits()
        }
        let text = String(decoding: bytes[start..<offset], as: UTF8.self)
        if isInteger {
            if let integer = Int64(text) { return .int(integer) }
            if UInt64(text) != nil { return .string(text) }
        }
        guard let double = Double(text), double.isFinite else { throw JSONError("a number out of range", start) }
        return .double(double)
    }

    private mutating func digits() throws(JSONError) {
        let start = offset
        while offset < bytes.count, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[offset]) { offset += 1 }
        if offset == start { throw JSONError("a digit is expected", offset) }
    }

    private mutating func string() throws(JSONError) -> String {
        offset += 1
        let start = offset
        while offset < bytes.count {
            switch bytes[offset] {
            case UInt8(ascii: "\""):
                defer { offset += 1 }
                return String(decoding: bytes[start..<offset], as: UTF8.self)
            case UInt8(ascii: "\\"):
                return try escapedString(from: start)
            case 0..<0x20:
                throw JSONError("a control character in a text", offset)
            default:
                offset += 1
            }
        }
        throw JSONError("a text without an end", start - 1)
    }

    /// The rest of a text that has an escape; what came before it starts at `start`.
    private mutating func escapedString(from start: Int) throws(JSONError) -> String {
        var text = Array(bytes[start..<offset])
        while offset < bytes.count {
            let byte = bytes[offset]
            offset += 1
            switch byte {
            case UInt8(ascii: "\""): return String(decoding: text, as: UTF8.self)
            case UInt8(ascii: "\\"): try escape(into: &text)
            case 0..<0x20: throw JSONError("a control character in a text", offset - 1)
            default: text.append(byte)
            }
        }
        throw JSONError("a text without an end", start - 1)
    }

    private mutating func escape(into text: inout [UInt8]) throws(JSONError) {
        guard offset < bytes.count else { throw JSONError("a text without an end", offset) }
        let byte = bytes[offset]
        offset += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(byte)
        case UInt8(ascii: "b"): text.append(0x08)
        case UInt8(ascii: "f"): text.append(0x0C)
        case UInt8(ascii: "n"): text.append(0x0A)
        case UInt8(ascii: "r"): text.append(0x0D)
        case UInt8(ascii: "t"): text.append(0x09)
        case UInt8(ascii: "u"): text.append(contentsOf: UTF8.encode(try scalar()) ?? UTF8.encodedReplacementCharacter)
        default: throw JSONError("an unknown escape", offset - 2)
        }
    }

    /// The scalar of a `\u` escape, of two where they are a surrogate pair.
    private mutating func scalar() throws(JSONError) -> Unicode.Scalar {
        let first = try hexUnit()
        if let scalar = Unicode.Scalar(first) { return scalar }
        guard first < 0xDC00, bytes.count - offset >= 6, bytes[offset] == UInt8(ascii: "\\"),
            bytes[offset + 1] == UInt8(ascii: "u")
        else { return "\u{FFFD}" }
        let afterFirst = offset
        offset += 2
        let second = try hexUnit()
        guard (0xDC00...0xDFFF).contains(second) else {
            offset = afterFirst
            return "\u{FFFD}"
        }
        return Unicode.Scalar(0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00)) ?? "\u{FFFD}"
    }

    private mutating func hexUnit() throws(JSONError) -> UInt32 {
        var unit: UInt32 = 0
        for _ in 0..<4 {
            guard offset < bytes.count, let digit = Character(Unicode.Scalar(bytes[offset])).hexDigitValue else {
                throw JSONError("four hexadecimal digits are expected", offset)
            }
            unit = unit << 4 | UInt32(digit)
            offset += 1
        }
        return unit
    }

    private mutating func skipSpace() {
        while offset < bytes.count {
            switch bytes[offset] {
            case 0x20, 0x09, 0x0A, 0x0D: offset += 1
            default: return
            }
        }
    }

    /// Passes over space and `byte`; `false`, standing before the next character, where another follows.
    private mutating func skip(_ byte: UInt8) -> Bool {
        skipSpace()
        return take(byte)
    }

    private mutating func take(_ byte: UInt8) -> Bool {
        guard offset < bytes.count, bytes[offset] == byte else { return false }
        offset += 1
        return true
    }
}

/// Why a text is not JSON, and where.
package struct JSONError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The fault, as the middle of a sentence.
    package var reason: String
    /// The faulty byte, from 0.
    package var offset: Int
    /// Whether the text may be JSON but costs more than allowed.
    package var isLimit: Bool

    /// A fault at an offset.
    package init(_ reason: String, _ offset: Int, isLimit: Bool = false) {
        self.reason = reason
        self.offset = offset
        self.isLimit = isLimit
    }

    package var description: String { "Not valid JSON: \(reason), at byte \(offset)." }
}
