/// Writes values as compact JSON: UTF-8, nothing escaped that need not be, keys in their order.
///
/// Of a key given twice the last value is written. Bytes become base64; infinities and NaN become the strings
/// `"Infinity"`, `"-Infinity"` and `"NaN"`.
package enum JSONWriter {
    /// The text of a JSON object.
    package static func text(_ attributes: Attributes) -> String {
        if attributes.isEmpty { return "{}" }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(attributes.elements.count * 32)
        write(attributes, into: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The text of a value.
    package static func text(_ value: Value) -> String {
        var bytes: [UInt8] = []
        write(value, into: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Appends an object.
    package static func write(_ attributes: Attributes, into bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "{"))
        writeMembers(attributes.elements[...], into: &bytes)
        bytes.append(UInt8(ascii: "}"))
    }

    /// Appends an object's members without the braces.
    package static func writeMembers(_ elements: ArraySlice<Attributes.Element>, into bytes: inout [UInt8]) {
        let overridden = overriddenIndices(elements)
        var isFirst = true
        for (index, element) in zip(elements.indices, elements) {
            if let overridden, overridden.contains(index) { continue }
            if !isFirst { bytes.append(UInt8(ascii: ",")) }
            isFirst = false
            write(element.key, into: &bytes)
            bytes.append(UInt8(ascii: ":"))
            write(element.value, into: &bytes)
        }
    }

    /// Appends a value.
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

    /// Appends a text in double quotes.
    package static func write(_ text: String, into bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\""))
        var text = text
        text.withUTF8 { units in
            if units.allSatisfy({ $0 >= 0x20 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }) {
                bytes.append(contentsOf: units)
            } else {
                for unit in units { escape(unit, into: &bytes) }
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    private static func escape(_ unit: UInt8, into bytes: inout [UInt8]) {
        switch unit {
        case UInt8(ascii: "\""): bytes.append(contentsOf: "\\\"".utf8)
        case UInt8(ascii: "\\"): bytes.append(contentsOf: "\\\\".utf8)
        case 0x0A: bytes.append(contentsOf: "\\n".utf8)
        case 0x0D: bytes.append(contentsOf: "\\r".utf8)
        case 0x09: bytes.append(contentsOf: "\\t".utf8)
        case 0..<0x20:
            let digits = Array("0123456789abcdef".utf8)
            bytes.append(contentsOf: "\\u00".utf8)
            bytes.append(digits[Int(unit >> 4)])
            bytes.append(digits[Int(unit & 15)])
        default: bytes.append(unit)
        }
    }

    private static func write(_ double: Double, into bytes: inout [UInt8]) {
        if double.isFinite {
            // Swift's description is the shortest text that reads back as the same double, and valid JSON.
            bytes.append(contentsOf: double.description.utf8)
        } else {
            bytes.append(contentsOf: (double.isNaN ? "\"NaN\"" : double < 0 ? "\"-Infinity\"" : "\"Infinity\"").utf8)
        }
    }

    /// The entries that a later one of the same key replaces; `nil`, the usual case, where no key is given twice.
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
