import DaybookBase

/// An identifier of OpenTelemetry, and the ways in which senders write it.
package enum WireIdentifier {
    case trace
    case span
    case parentSpan

    /// What a sender gave.
    package enum Reading {
        case absent
        case bytes([UInt8])
        /// Not an identifier of this kind; nothing of it is lost.
        case text(String)
    }

    /// The member that has it.
    package var name: String {
        switch self {
        case .trace: "traceId"
        case .span: "spanId"
        case .parentSpan: "parentSpanId"
        }
    }

    /// Its length in bytes.
    package var count: Int { self == .trace ? 16 : 8 }

    /// The attribute that keeps one that cannot be understood.
    package var attribute: String {
        switch self {
        case .trace: "otel.trace_id"
        case .span: "otel.span_id"
        case .parentSpan: "otel.parent_span_id"
        }
    }

    /// Reads an identifier's text: hexadecimal digits, also with dashes, in braces or behind `0x`, or base64 of the bytes
    /// or of those digits, as protobuf's own JSON mapping makes it.
    package func reading(text: String) -> Reading {
        if text.isEmpty { return .absent }
        if let bytes = bytes(digits: text) { return .bytes(bytes) }
        guard text.utf8.count <= 64, let decoded = Base64.decode(text) else { return .text(text) }
        if decoded.count == count { return .bytes(decoded) }
        return bytes(digits: String(decoding: decoded, as: UTF8.self)).map { .bytes($0) } ?? .text(text)
    }

    /// Reads an identifier's bytes; those of a text are read as the text.
    package func reading(bytes: UnsafeRawBufferPointer) -> Reading {
        if bytes.isEmpty { return .absent }
        if bytes.count == count { return .bytes(Array(bytes)) }
        let isPrintable = bytes.allSatisfy { (0x20...0x7E).contains($0) }
        return isPrintable ? reading(text: String(decoding: bytes, as: UTF8.self)) : .text(Hex.text(bytes))
    }

    private func bytes(digits text: String) -> [UInt8]? {
        guard text.utf8.count <= 2 * count + 10 else { return nil }
        var digits = text.filter { !"-{} ".contains($0) }[...]
        if digits.hasPrefix("0x") || digits.hasPrefix("0X") { digits.removeFirst(2) }
        guard digits.utf8.count == 2 * count else { return nil }
        return Hex.bytes(digits)
    }

    /// The lower-case digits of an identifier; `nil` where it has another length or is all zero, which OpenTelemetry calls
    /// invalid.
    package func text(_ bytes: UnsafeRawBufferPointer) -> String? {
        guard bytes.count == count, bytes.contains(where: { $0 != 0 }) else { return nil }
        return Hex.text(bytes)
    }
}

extension WireIdentifier.Reading {
    /// The lower-case digits for a record that keeps texts, or the attribute that keeps what is none.
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
