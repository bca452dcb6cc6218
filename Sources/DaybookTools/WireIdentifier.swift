import DaybookBase

/// An OpenTelemetry identifier, in the forms that senders use.
package enum WireIdentifier {
    case trace
    case span
    case parentSpan

    package enum Reading {
        case absent
        case bytes([UInt8])
        /// Not a valid identifier; kept as text.
        case text(String)
    }

    package var name: String {
        switch self {
        case .trace: "traceId"
        case .span: "spanId"
        case .parentSpan: "parentSpanId"
        }
    }

    /// The length in bytes.
    package var count: Int { self == .trace ? 16 : 8 }

    /// The attribute that keeps an invalid one.
    package var attribute: String {
        switch self {
        case .trace: "otel.trace_id"
        case .span: "otel.span_id"
        case .parentSpan: "otel.parent_span_id"
        }
    }

    /// Parses an identifier's text: hexadecimal digits, also with dashes, in braces or after `0x` or `urn:uuid:`, a W3C
    /// `traceparent`, a 64-bit trace id (B3, Datadog), or base64 of the bytes or of those digits, as in protobuf's own
    /// JSON mapping.
    package func reading(text: String) -> Reading {
        if text.isEmpty { return .absent }
        if let bytes = bytes(digits: text) { return .bytes(bytes) }
        // Digits of another length are not base64, although they would decode; `AAAA` is base64 of zeros.
        let isOfDigits = text.allSatisfy(\.isHexDigit) && text.contains { $0 != "A" }
        guard text.utf8.count <= 64, !isOfDigits, let decoded = Base64.decode(text) else { return .text(text) }
        if decoded.count == count { return .bytes(decoded) }
        return bytes(digits: String(decoding: decoded, as: UTF8.self)).map { .bytes($0) } ?? .text(text)
    }

    /// Parses an identifier's bytes; ASCII bytes are parsed as text.
    package func reading(bytes: UnsafeRawBufferPointer) -> Reading {
        if bytes.isEmpty { return .absent }
        if bytes.count == count { return .bytes(Array(bytes)) }
        if self == .trace, bytes.count == 8, bytes.contains(where: { !(0x20...0x7E).contains($0) }) {
            return .bytes([UInt8](repeating: 0, count: 8) + bytes)
        }
        let isPrintable = bytes.allSatisfy { (0x20...0x7E).contains($0) }
        return isPrintable ? reading(text: String(decoding: bytes, as: UTF8.self)) : .text(Hex.text(bytes))
    }

    private func bytes(digits text: String) -> [UInt8]? {
        guard text.utf8.count <= 64 else { return nil }
        var text = text.lowercased()[...]
        while text.last?.isWhitespace == true { text.removeLast() }
        if text.hasPrefix("urn:uuid:") { text.removeFirst(9) }
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        if parts.map(\.utf8.count) == [2, 32, 16, 2], self != .parentSpan {
            return Hex.bytes(parts[self == .trace ? 1 : 2])
        }
        var digits = text.filter { !"-{} ".contains($0) }[...]
        if digits.hasPrefix("0x") { digits.removeFirst(2) }
        if self == .trace, digits.utf8.count == 16 { digits = String(repeating: "0", count: 16) + digits }
        guard digits.utf8.count == 2 * count else { return nil }
        return Hex.bytes(digits)
    }

    /// Lowercase digits; `nil` for another length or all zeros, which OpenTelemetry defines as invalid.
    package func text(_ bytes: UnsafeRawBufferPointer) -> String? {
        guard bytes.count == count, bytes.contains(where: { $0 != 0 }) else { return nil }
        return Hex.text(bytes)
    }
}

extension WireIdentifier.Reading {
    /// Lowercase digits, for a record with text identifiers; an invalid one goes to an attribute.
    package func text(_ identifier: WireIdentifier, _ attributes: inout Attributes) -> String? {
        switch self {
        case .absent: return nil
        case .bytes(let bytes): return bytes.withUnsafeBytes { identifier.text($0) }
        case .text(let text):
            attributes[identifier.attribute] = .string(text)
            return nil
        }
    }
}
