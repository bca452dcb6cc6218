/// Reads one JSON document into a ``Value``, strictly and within limits.
///
/// Unlike Foundation's reader it keeps the order of keys, duplicate keys, and the difference between `1` and `1.0`. An
/// integer that fits only `UInt64` becomes a string, as does a larger one that a double cannot hold exactly. Malformed
/// UTF-8 and lone surrogates become U+FFFD, and marks are bounded (``StreamSafeText``).
package struct JSONReader {
    package struct Limits: Sendable {
        /// Deepest nesting of arrays and objects. Default 64.
        package var depth = 64
        /// Most values in all, which bounds memory (16–32 bytes each). Default 2,000,000.
        package var values = 2_000_000

        package init() {}
    }

    private var scanner: JSONScanner
    private var depth: Int
    private var values: Int
    private var flaws = TextFlaws()

    private init(_ bytes: [UInt8], _ limits: Limits) {
        (scanner, depth, values) = (JSONScanner(bytes), limits.depth, limits.values)
    }

    /// Parses a whole document.
    /// - Throws: ``JSONError`` with the offset of the first fault.
    package static func value(of bytes: [UInt8], limits: Limits = Limits()) throws(JSONError) -> Value {
        var flaws = TextFlaws()
        return try value(of: bytes, limits: limits, noting: &flaws)
    }

    /// Parses a whole document.
    /// - Parameter flaws: collects the flaws of the document's strings and keys.
    package static func value(
        of bytes: [UInt8], limits: Limits = Limits(), noting flaws: inout TextFlaws
    ) throws(JSONError) -> Value {
        var reader = JSONReader(bytes, limits)
        do throws(JSONFault) {
            let value = try reader.value()
            try reader.scanner.end()
            flaws.formUnion(reader.flaws)
            return value
        } catch {
            throw JSONError(error)
        }
    }

    private mutating func value() throws(JSONFault) -> Value {
        guard scanner.peek() != nil else { throw fault(.endBeforeValue) }
        guard values > 0 else { throw fault(.tooMany) }
        values -= 1
        switch try scanner.value() {
        case .null: return .null
        case .boolean(let value): return .bool(value)
        case .number(let number): return try value(of: number)
        case .string(let string): return .string(string.text(in: scanner.bytes, noting: &flaws))
        case .beginArray:
            try enter()
            var elements: [Value] = []
            var isFirst = true
            while try scanner.element(&isFirst) { elements.append(try value()) }
            depth += 1
            return .array(elements)
        case .beginObject:
            try enter()
            var members = Attributes()
            var isFirst = true
            while let name = try scanner.member(&isFirst) {
                let name = name.text(in: scanner.bytes, noting: &flaws)
                members.elements.append(Attributes.Element(name, try value()))
            }
            depth += 1
            return .object(members)
        }
    }

    private mutating func enter() throws(JSONFault) {
        guard depth > 0 else { throw JSONFault(.tooDeep, scanner.offset - 1) }
        depth -= 1
    }

    private func value(of number: JSONNumber) throws(JSONFault) -> Value {
        if let integer = number.integer(in: scanner.bytes) { return .int(integer) }
        let text = number.text(in: scanner.bytes)
        guard let double = Double(text), double.isFinite else {
            throw JSONFault(.numberOutOfRange, number.range.lowerBound)
        }
        if number.isInteger, UInt64(text) != nil || Double(exactly: text) == nil { return .string(text) }
        return .double(double)
    }

    private func fault(_ kind: JSONFault.Kind) -> JSONFault { JSONFault(kind, scanner.offset) }
}

package struct JSONError: Error, Sendable, CustomStringConvertible {
    /// Reads as the middle of a sentence.
    package var reason: String
    /// The faulty byte, from 0.
    package var offset: Int
    /// Whether a limit was exceeded; the text may be valid JSON.
    package var isLimit: Bool

    package init(_ reason: String, _ offset: Int, isLimit: Bool = false) {
        self.reason = reason
        self.offset = offset
        self.isLimit = isLimit
    }

    package var description: String { "Not valid JSON: \(reason), at byte \(offset)." }
}

extension JSONError {
    /// Words for senders.
    package init(_ fault: JSONFault) {
        let reason =
            switch fault.kind {
            case .endBeforeValue, .endInContainer(closing: UInt8(ascii: "]"), isEmpty: true):
                "the document ends where a value is expected"
            case .notAValue, .commaBeforeEnd(closing: UInt8(ascii: "]")):
                "an unexpected character where a value is expected"
            case .otherEncoding(let name): "the text is \(name) and must be UTF-8"
            case .unknownWord: "an unknown word"
            case .missingName, .commaBeforeEnd, .endInContainer(closing: UInt8(ascii: "}"), isEmpty: true):
                "a key in double quotes is expected"
            case .missingColon: "\":\" is expected"
            case .missingComma(let closing), .endInContainer(let closing, _):
                "\",\" or \"\(Unicode.Scalar(closing))\" is expected"
            case .endlessString: "a text without an end"
            case .controlCharacter: "a control character in a text"
            case .unknownEscape: "an unknown escape"
            case .missingHexDigit: "four hexadecimal digits are expected"
            case .missingDigit: "a digit is expected"
            case .numberOutOfRange: "a number out of range"
            case .textBehindEnd: "text after the document's end"
            case .tooDeep: "arrays and objects nest too deep"
            case .tooMany: "too many values"
            }
        let isLimit =
            switch fault.kind {
            case .tooDeep, .tooMany: true
            default: false
            }
        self.init(reason, fault.offset, isLimit: isLimit)
    }
}

extension Attributes {
    /// The members of a JSON object; `nil` for any other text.
    package init?(json text: String) {
        guard case .object(let members)? = try? JSONReader.value(of: Array(text.utf8)) else { return nil }
        self = members
    }
}
