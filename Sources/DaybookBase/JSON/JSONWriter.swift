/// Writes values as JSON: UTF-8, minimal escapes, keys in their order. All JSON output uses it.
///
/// Of a duplicate key the last value is written. Bytes become base64. A finite double is the shortest text that reads
/// back as the same double; infinities and NaN become the strings `"Infinity"`, `"-Infinity"` and `"NaN"`.
package enum JSONWriter {
    package static func text(_ attributes: Attributes) -> String {
        if attributes.isEmpty { return "{}" }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(attributes.elements.count * 32)
        write(attributes, into: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    package static func text(_ value: Value) -> String {
        var bytes: [UInt8] = []
        write(value, into: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Indented by two spaces, one member or element per line, with a final line feed.
    package static func indentedText(_ value: Value) -> String {
        var bytes: [UInt8] = []
        writeLines(value, into: &bytes, margin: "\n")
        bytes.append(0x0A)
        return String(decoding: bytes, as: UTF8.self)
    }

    package static func write(_ attributes: Attributes, into bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "{"))
        writeMembers(attributes.elements[...], into: &bytes)
        bytes.append(UInt8(ascii: "}"))
    }

    /// Without the braces.
    package static func writeMembers(_ elements: ArraySlice<Attributes.Element>, into bytes: inout [UInt8]) {
        forEachMember(elements) { element, isFirst in
            if !isFirst { bytes.append(UInt8(ascii: ",")) }
            write(element.key, into: &bytes)
            bytes.append(UInt8(ascii: ":"))
            write(element.value, into: &bytes)
        }
    }

    package static func write(_ value: Value, into bytes: inout [UInt8]) {
        switch value {
        case .null: bytes.append(contentsOf: "null".utf8)
        case .bool(let bool): bytes.append(contentsOf: (bool ? "true" : "false").utf8)
        case .int(let int): bytes.append(contentsOf: String(int).utf8)
        case .double(let double): write(double, into: &bytes)
        case .string(let string): write(string, into: &bytes)
        case .bytes(let data): write(Base64.encode(data), into: &bytes)
        case .object(let attributes): write(attributes, into: &bytes)
        case .array(let values):
            bytes.append(UInt8(ascii: "["))
            for (index, value) in values.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                write(value, into: &bytes)
            }
            bytes.append(UInt8(ascii: "]"))
        }
    }

    /// A string where JSON has no such number.
    package static func write(_ double: Double, into bytes: inout [UInt8]) {
        if double.isFinite {
            // Swift's description is the shortest that reads back as the same double, and is valid JSON.
            bytes.append(contentsOf: double.description.utf8)
        } else {
            bytes.append(contentsOf: (double.isNaN ? "\"NaN\"" : double < 0 ? "\"-Infinity\"" : "\"Infinity\"").utf8)
        }
    }

    /// - Parameter margin: The line feed and indentation before the closing bracket.
    private static func writeLines(_ value: Value, into bytes: inout [UInt8], margin: String) {
        let inner = margin + "  "
        switch value {
        case .array(let values) where !values.isEmpty:
            for (index, value) in values.enumerated() {
                bytes.append(UInt8(ascii: index == 0 ? "[" : ","))
                bytes.append(contentsOf: inner.utf8)
                writeLines(value, into: &bytes, margin: inner)
            }
            bytes.append(contentsOf: margin.utf8)
            bytes.append(UInt8(ascii: "]"))
        case .object(let attributes) where !attributes.isEmpty:
            forEachMember(attributes.elements[...]) { element, isFirst in
                bytes.append(UInt8(ascii: isFirst ? "{" : ","))
                bytes.append(contentsOf: inner.utf8)
                write(element.key, into: &bytes)
                bytes.append(contentsOf: ": ".utf8)
                writeLines(element.value, into: &bytes, margin: inner)
            }
            bytes.append(contentsOf: margin.utf8)
            bytes.append(UInt8(ascii: "}"))
        default: write(value, into: &bytes)
        }
    }

    /// Calls `body` with the members that no later duplicate overrides.
    private static func forEachMember(
        _ elements: ArraySlice<Attributes.Element>, _ body: (_ element: Attributes.Element, _ isFirst: Bool) -> Void
    ) {
        let overridden = overriddenIndices(elements)
        var isFirst = true
        for (index, element) in zip(elements.indices, elements) {
            if let overridden, overridden.contains(index) { continue }
            body(element, isFirst)
            isFirst = false
        }
    }

    /// The entries that a later duplicate overrides; `nil` if none, the usual case.
    private static func overriddenIndices(_ elements: ArraySlice<Attributes.Element>) -> Set<Int>? {
        if elements.count < 2 { return nil }
        if elements.count <= 12 {
            var overridden: Set<Int>?
            for index in elements.indices.dropLast() {
                let isRepeated = elements[(index + 1)...].contains { $0.key == elements[index].key }
                if isRepeated { overridden = (overridden ?? []).union([index]) }
            }
            return overridden
        }
        var last: [String: Int] = [:]
        last.reserveCapacity(elements.count)
        var overridden: Set<Int> = []
        for index in elements.indices {
            if let earlier = last.updateValue(index, forKey: elements[index].key) { overridden.insert(earlier) }
        }
        return overridden.isEmpty ? nil : overridden
    }
}

// MARK: Texts

package enum JSONEscapes: Sendable {
    /// What JSON requires: quotes, backslashes, control characters.
    case needed
    /// Also what could break out of HTML or scripts: `<`, `>`, DEL, U+2028 and U+2029.
    case markup

    /// Bytes at `index` that become one escape; 0 for none.
    fileprivate func length(at index: Int, of units: UnsafeBufferPointer<UInt8>) -> Int {
        let unit = units[index]
        if unit < 0x20 || unit == UInt8(ascii: "\"") || unit == UInt8(ascii: "\\") { return 1 }
        guard self == .markup else { return 0 }
        if unit == UInt8(ascii: "<") || unit == UInt8(ascii: ">") || unit == 0x7F { return 1 }
        // U+2028 and U+2029 are E2 80 A8 and E2 80 A9.
        let isSeparator =
            unit == 0xE2 && index + 2 < units.count && units[index + 1] == 0x80 && units[index + 2] & 0xFE == 0xA8
        return isSeparator ? 3 : 0
    }
}

extension JSONWriter {
    package static func write(_ text: String, into bytes: inout [UInt8], escapes: JSONEscapes = .needed) {
        bytes.append(UInt8(ascii: "\""))
        var text = text
        text.withUTF8 { units in
            // Fast path: nearly every text is copied whole.
            guard units.indices.contains(where: { escapes.length(at: $0, of: units) > 0 }) else {
                bytes.append(contentsOf: units)
                return
            }
            var copied = 0
            var index = 0
            while index < units.count {
                let length = escapes.length(at: index, of: units)
                if length == 0 {
                    index += 1
                    continue
                }
                bytes.append(contentsOf: UnsafeBufferPointer(rebasing: units[copied..<index]))
                // Only the two line separators are longer than one byte.
                let scalar = length == 1 ? UInt16(units[index]) : 0x2000 | UInt16(units[index + 2] & 0x3F)
                write(escapeOf: scalar, into: &bytes)
                index += length
                copied = index
            }
            bytes.append(contentsOf: UnsafeBufferPointer(rebasing: units[copied...]))
        }
        bytes.append(UInt8(ascii: "\""))
    }

    /// Appends the escape of a character below U+10000: a short one if JSON has it, else `\u001b`.
    package static func write(escapeOf scalar: UInt16, into bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\\"))
        switch scalar {
        case 0x22, 0x5C: bytes.append(UInt8(scalar))
        case 0x0A: bytes.append(UInt8(ascii: "n"))
        case 0x0D: bytes.append(UInt8(ascii: "r"))
        case 0x09: bytes.append(UInt8(ascii: "t"))
        default:
            bytes.append(UInt8(ascii: "u"))
            for shift in [12, 8, 4, 0] {
                let digit = UInt8(scalar >> UInt16(shift) & 15)
                bytes.append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
            }
        }
    }
}
