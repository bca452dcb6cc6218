import Foundation

/// A text as it is in a request's bytes: not copied, and not known to be UTF-8.
///
/// It borrows the bytes, as `ProtobufReader.bytes()` does: it is valid only while they are being read.
package struct WireText: BitwiseCopyable {
    package let bytes: UnsafeRawBufferPointer

    package init(_ bytes: UnsafeRawBufferPointer = UnsafeRawBufferPointer(start: nil, count: 0)) { self.bytes = bytes }

    package var isEmpty: Bool { bytes.isEmpty }

    /// A copy; bytes that are not UTF-8 become U+FFFD, so that one bad character costs no record.
    package var string: String { String(decoding: bytes, as: UTF8.self) }

    /// Whether a text has the same bytes.
    package func isEqual(to string: String) -> Bool {
        guard string.utf8.count == bytes.count else { return false }
        // Lent where it is: a copy would have to be counted.
        return string.utf8.withContiguousStorageIfAvailable { isEqual(to: UnsafeRawBufferPointer($0)) }
            ?? string.utf8.elementsEqual(bytes)
    }

    /// Whether other bytes are the same.
    package func isEqual(to other: UnsafeRawBufferPointer) -> Bool {
        guard bytes.count == other.count else { return false }
        guard let start = bytes.baseAddress, let otherStart = other.baseAddress else { return bytes.isEmpty }
        // Both hold `count` bytes for the call.
        return memcmp(start, otherStart, bytes.count) == 0
    }

    /// Whether it begins with other bytes.
    package func hasPrefix(_ other: UnsafeRawBufferPointer) -> Bool {
        guard bytes.count >= other.count else { return false }
        return WireText(UnsafeRawBufferPointer(rebasing: bytes[..<other.count])).isEqual(to: other)
    }

    /// A number that texts of different length, begin or end mostly do not share; for tables that may forget.
    package var mark: UInt64 {
        var first: UInt64 = 0
        var last: UInt64 = 0
        if bytes.count >= 8 {
            first = bytes.loadUnaligned(fromByteOffset: 0, as: UInt64.self)
            last = bytes.loadUnaligned(fromByteOffset: bytes.count - 8, as: UInt64.self)
        } else {
            for byte in bytes { first = first << 8 | UInt64(byte) }
        }
        let mixed = (first ^ (last << 29 | last >> 35) ^ UInt64(bytes.count)) &* 0x9E37_79B9_7F4A_7C15
        return mixed >> 40
    }
}
