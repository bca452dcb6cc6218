/// A pull parser for JSON, without recursion or allocation. All JSON readers are built on it.
///
/// The caller pulls the next value, member or element. Strings and numbers are validated ranges, decoded on request.
/// The caller, who recurses, bounds the nesting.
///
/// Source: RFC 8259.
package struct JSONScanner {
    /// After `beginObject` or `beginArray`, members or elements come next.
    package enum Token {
        case null
        case boolean(Bool)
        case number(JSONNumber)
        case string(JSONString)
        case beginObject
        case beginArray
    }

    package let bytes: [UInt8]
    package private(set) var offset = 0

    /// Starts at the beginning, after a UTF-8 byte order mark if there is one.
    package init(_ bytes: [UInt8]) {
        self.bytes = bytes
        if ByteOrderMark.begins(bytes) { offset = ByteOrderMark.utf8.count }
    }

    // MARK: What the caller pulls

    package mutating func value() throws(JSONFault) -> Token {
        guard let byte = peek() else { throw fault(.endBeforeValue) }
        switch byte {
        case UInt8(ascii: "{"):
            offset += 1
            return .beginObject
        case UInt8(ascii: "["):
            offset += 1
            return .beginArray
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"):
            try word("true")
            return .boolean(true)
        case UInt8(ascii: "f"):
            try word("false")
            return .boolean(false)
        case UInt8(ascii: "n"):
            try word("null")
            return .null
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return .number(try number())
        default: throw fault(inUTF8: .notAValue)
        }
    }

    /// The name of the next member of the current object; its value comes next. `nil` at the object's end.
    ///
    /// - Parameter isFirst: `true` before the first member; becomes `false`.
    package mutating func member(_ isFirst: inout Bool) throws(JSONFault) -> JSONString? {
        guard try next(closing: UInt8(ascii: "}"), &isFirst) else { return nil }
        guard peek() == UInt8(ascii: "\"") else {
            throw fault(inUTF8: .missingName)
        }
        let name = try string()
        guard peek() == UInt8(ascii: ":") else { throw fault(.missingColon) }
        offset += 1
        return name
    }

    /// Whether the current array has another element, which comes next.
    ///
    /// - Parameter isFirst: `true` before the first element; becomes `false`.
    package mutating func element(_ isFirst: inout Bool) throws(JSONFault) -> Bool {
        try next(closing: UInt8(ascii: "]"), &isFirst)
    }

    /// Skips the rest of the current container. Matches brackets and strings, and validates nothing else.
    package mutating func skipContainer() throws(JSONFault) {
        var depth = 1
        while depth > 0 {
            guard let byte = peek() else {
                throw fault(.endInContainer(closing: UInt8(ascii: "}"), isEmpty: false))
            }
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

    package mutating func end() throws(JSONFault) {
        guard peek() == nil else { throw fault(.textBehindEnd) }
    }

    /// The next byte that is not white space, without consuming it.
    package mutating func peek() -> UInt8? {
        while offset < bytes.count {
            let byte = bytes[offset]
            guard byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 else { return byte }
            offset += 1
        }
        return nil
    }

    // MARK: The grammar

    private mutating func next(closing: UInt8, _ isFirst: inout Bool) throws(JSONFault) -> Bool {
        guard let byte = peek() else { throw fault(.endInContainer(closing: closing, isEmpty: isFirst)) }
        if byte == closing {
            offset += 1
            return false
        }
        if !isFirst {
            guard byte == UInt8(ascii: ",") else { throw fault(.missingComma(closing: closing)) }
            offset += 1
            if peek() == closing { throw fault(.commaBeforeEnd(closing: closing)) }
        }
        isFirst = false
        return true
    }

    private mutating func word(_ text: StaticString) throws(JSONFault) {
        let count = text.utf8CodeUnitCount
        let isThere = text.withUTF8Buffer { bytes[offset...].starts(with: $0) }
        guard isThere else { throw fault(.unknownWord) }
        offset += count
    }

    private mutating func string() throws(JSONFault) -> JSONString {
        let start = offset + 1
        var hasEscapes = false
        var index = start
        while index < bytes.count {
            let byte = bytes[index]
            if byte == UInt8(ascii: "\"") {
                offset = index + 1
                return JSONString(range: start..<index, hasEscapes: hasEscapes)
            }
            index += 1
            if byte == UInt8(ascii: "\\") {
                hasEscapes = true
                index = try endOfEscape(at: index)
            } else if byte < 0x20 {
                throw JSONFault(.controlCharacter, index - 1)
            }
        }
        throw fault(.endlessString)
    }

    /// The index after the escape whose letter is at `index`.
    private func endOfEscape(at index: Int) throws(JSONFault) -> Int {
        // The caller reports the missing end.
        guard index < bytes.count else { return index }
        switch bytes[index] {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
            UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            return index + 1
        case UInt8(ascii: "u"):
            for digit in index + 1...index + 4 where digit >= bytes.count || Hex.value(of: bytes[digit]) == nil {
                throw JSONFault(.missingHexDigit, digit)
            }
            return index + 5
        default: throw JSONFault(.unknownEscape, index - 1)
        }
    }

    private mutating func number() throws(JSONFault) -> JSONNumber {
        let start = offset
        var isInteger = true
        if bytes[offset] == UInt8(ascii: "-") { offset += 1 }
        if offset < bytes.count, bytes[offset] == UInt8(ascii: "0") {
            offset += 1
        } else {
            try digits()
        }
        if offset < bytes.count, bytes[offset] == UInt8(ascii: ".") {
            isInteger = false
            offset += 1
            try digits()
        }
        if offset < bytes.count, bytes[offset] | 0x20 == UInt8(ascii: "e") {
            isInteger = false
            offset += 1
            if offset < bytes.count, bytes[offset] == UInt8(ascii: "+") || bytes[offset] == UInt8(ascii: "-") {
                offset += 1
            }
            try digits()
        }
        return JSONNumber(range: start..<offset, isInteger: isInteger)
    }

    private mutating func digits() throws(JSONFault) {
        let start = offset
        while offset < bytes.count, bytes[offset] &- UInt8(ascii: "0") < 10 { offset += 1 }
        if offset == start { throw fault(.missingDigit) }
    }

    private func fault(_ kind: JSONFault.Kind) -> JSONFault { JSONFault(kind, offset) }

    /// Blames the encoding where the text is not UTF-8. UTF-16 shows within the first letter.
    private func fault(inUTF8 kind: JSONFault.Kind) -> JSONFault {
        let encoding = offset < 2 ? ByteOrderMark.otherEncoding(of: bytes) : nil
        return fault(encoding.map { .otherEncoding($0) } ?? kind)
    }
}

/// Why a text is not JSON, and where. Each reader words it for its audience.
package struct JSONFault: Error {
    package enum Kind: Sendable {
        case endBeforeValue
        case notAValue
        /// The encoding's name; UTF-8 is required.
        case otherEncoding(String)
        case unknownWord
        /// In an array or object; `isEmpty` if no element or member has begun.
        case endInContainer(closing: UInt8, isEmpty: Bool)
        case missingName
        case missingColon
        case missingComma(closing: UInt8)
        case commaBeforeEnd(closing: UInt8)
        case endlessString
        case controlCharacter
        case unknownEscape
        case missingHexDigit
        case missingDigit
        /// More than a double can hold; thrown by the code that converts the number.
        case numberOutOfRange
        case textBehindEnd
        /// Deeper than the reader allows.
        case tooDeep
        /// More values than the reader allows.
        case tooMany
    }

    package let kind: Kind
    /// The faulty byte, from 0.
    package let offset: Int

    package init(_ kind: Kind, _ offset: Int) {
        self.kind = kind
        self.offset = offset
    }
}

/// A number as written.
package struct JSONNumber {
    package let range: Range<Int>
    /// Whether it has neither fraction nor exponent.
    package let isInteger: Bool

    package func text(in bytes: [UInt8]) -> String { String(decoding: bytes[range], as: UTF8.self) }

    package func integer(in bytes: [UInt8]) -> Int64? {
        guard isInteger else { return nil }
        var digits = range
        let isNegative = bytes[range.lowerBound] == UInt8(ascii: "-")
        if isNegative { digits = digits.lowerBound + 1..<digits.upperBound }
        // Nineteen digits may overflow; they are rare, so the library parses them.
        guard digits.count < 19 else { return Int64(text(in: bytes)) }
        var sum: Int64 = 0
        for byte in bytes[digits] { sum = sum &* 10 &+ Int64(byte &- UInt8(ascii: "0")) }
        return isNegative ? -sum : sum
    }

    /// Infinite where a double cannot hold it.
    package func double(in bytes: [UInt8]) -> Double { Double(text(in: bytes)) ?? .infinity }
}

/// A validated string as written.
package struct JSONString {
    /// The bytes between the quotes.
    package let range: Range<Int>
    package let hasEscapes: Bool

    /// - Parameter other: UTF-8.
    package func equals(_ other: [UInt8], in bytes: [UInt8]) -> Bool {
        guard !hasEscapes else { return Array(text(in: bytes).utf8) == other }
        return range.count == other.count && bytes[range].elementsEqual(other)
    }

    /// Bytes of UTF-8 once decoded.
    package func utf8Count(in bytes: [UInt8]) -> Int { hasEscapes ? text(in: bytes).utf8.count : range.count }

    /// Malformed UTF-8 and lone surrogates become U+FFFD; marks are bounded.
    package func text(in bytes: [UInt8]) -> String {
        var flaws = TextFlaws()
        return text(in: bytes, noting: &flaws)
    }

    /// - Parameter flaws: collects the text's flaws.
    func text(in bytes: [UInt8], noting flaws: inout TextFlaws) -> String {
        guard hasEscapes else { return Self.text(of: bytes[range], noting: &flaws) }
        var units: [UInt8] = []
        units.reserveCapacity(range.count)
        var index = range.lowerBound
        while let escape = bytes[index..<range.upperBound].firstIndex(of: UInt8(ascii: "\\")) {
            units.append(contentsOf: bytes[index..<escape])
            index = escape + 1
            appendScalar(of: &index, in: bytes, to: &units, noting: &flaws)
        }
        units.append(contentsOf: bytes[index..<range.upperBound])
        return Self.text(of: units[...], noting: &flaws)
    }

    private static func text(of bytes: ArraySlice<UInt8>, noting flaws: inout TextFlaws) -> String {
        flaws.formUnion(bytes.withUnsafeBytes { TextFlaws(of: $0) })
        return String(streamSafe: bytes)
    }

    /// Appends the scalar of the escape whose letter is at `index`, and moves `index` past it.
    private func appendScalar(
        of index: inout Int, in bytes: [UInt8], to units: inout [UInt8], noting flaws: inout TextFlaws
    ) {
        index += 1
        switch bytes[index - 1] {
        case UInt8(ascii: "n"): units.append(0x0A)
        case UInt8(ascii: "t"): units.append(0x09)
        case UInt8(ascii: "r"): units.append(0x0D)
        case UInt8(ascii: "b"): units.append(0x08)
        case UInt8(ascii: "f"): units.append(0x0C)
        case UInt8(ascii: "u"):
            var value = unit(at: index, in: bytes)
            index += 4
            if 0xD800..<0xDC00 ~= value, index + 6 <= range.upperBound, bytes[index] == UInt8(ascii: "\\"),
                bytes[index + 1] == UInt8(ascii: "u"), case let low = unit(at: index + 2, in: bytes),
                0xDC00..<0xE000 ~= low
            {
                index += 6
                value = 0x10000 + (value - 0xD800) << 10 + (low - 0xDC00)
            }
            let scalar = Unicode.Scalar(value)
            if scalar == nil { flaws.insert(.halves) }
            units.append(contentsOf: scalar.flatMap(UTF8.encode) ?? UTF8.encodedReplacementCharacter)
        case let other: units.append(other)
        }
    }

    /// Four hexadecimal digits, already validated.
    private func unit(at index: Int, in bytes: [UInt8]) -> UInt32 {
        bytes[index..<index + 4].reduce(0) { $0 << 4 | UInt32(Hex.value(of: $1) ?? 0) }
    }
}
