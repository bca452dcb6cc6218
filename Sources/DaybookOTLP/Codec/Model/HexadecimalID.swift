import Daybook

/// Trace and span identifiers as text.
enum HexadecimalID {
    /// The lower-case digits of an identifier of `count` bytes; `nil` where it has another length or is all zero, which
    /// OpenTelemetry calls invalid.
    static func text(_ bytes: UnsafeRawBufferPointer, count: Int) -> String? {
        guard bytes.count == count, bytes.contains(where: { $0 != 0 }) else { return nil }
        return Hex.text(bytes)
    }

    /// The identifier written in hexadecimal digits of either case, as text in lower case.
    static func text(_ digits: String, count: Int) -> String? {
        bytes(digits).withUnsafeBytes { text($0, count: count) }
    }

    /// The bytes of hexadecimal digits; empty where they are not.
    static func bytes(_ digits: String) -> [UInt8] { Hex.bytes(digits) ?? [] }
}
