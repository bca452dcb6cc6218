import DaybookBase
import DaybookTools
import Foundation

/// A value that borrows a request's bytes.
package enum WireValue: BitwiseCopyable {
    case null
    case bool(Bool)
    case int(Int64)
    case double(Double)
    case string(WireText)
    case bytes(UnsafeRawBufferPointer)
    /// A decoded array or object: an index into ``WireAttributes/nested``.
    case nested(Int)
}

package struct WireAttribute: BitwiseCopyable {
    package var key = WireText()
    package var value = WireValue.null
}

/// A record's attributes and other values. Its memory is reused for the next record; a copy borrows the same memory and
/// is valid no longer than the original.
package struct WireAttributes {
    package private(set) var elements: [WireAttribute] = []
    /// Arrays and objects are rare, so they are decoded.
    package private(set) var nested: [Value] = []
    /// Invalid identifiers, as sent.
    private(set) var kept: [Attributes.Element] = []
    /// Lent bytes that are not in the request; `nil` if there are none.
    private var memory: WireMemory?

    init() {}

    /// A copy.
    package func value(_ value: WireValue) -> Value {
        switch value {
        case .null: .null
        case .bool(let bool): .bool(bool)
        case .int(let int): .int(int)
        case .double(let double): .double(double)
        case .string(let text): .string(text.string)
        case .bytes(let bytes): .bytes(Array(bytes))
        case .nested(let place): nested[place]
        }
    }

    mutating func clear() {
        elements.removeAll(keepingCapacity: true)
        if !nested.isEmpty { nested.removeAll() }
        if !kept.isEmpty { kept.removeAll() }
        memory?.clear()
    }

    mutating func append(_ element: WireAttribute) { elements.append(element) }

    mutating func nest(_ value: Value) -> WireValue {
        nested.append(value.storable)
        return .nested(nested.count - 1)
    }

    /// Lends a value that is not in the request's bytes.
    mutating func lend(_ value: Value) -> WireValue {
        switch value {
        case .null: .null
        case .bool(let bool): .bool(bool)
        case .int(let int): .int(int)
        case .double(let double): .double(double)
        case .string(let text): .string(lend(text))
        case .bytes(let bytes): .bytes(lend(bytes).bytes)
        case .array, .object: nest(value)
        }
    }

    mutating func lend(_ text: String) -> WireText {
        var text = text
        return text.withUTF8 { lend(UnsafeRawBufferPointer($0)) }
    }

    mutating func lend(_ bytes: [UInt8]) -> WireText { bytes.withUnsafeBytes { lend($0) } }

    /// Lends an identifier. An invalid one is kept separately, and the result is empty.
    mutating func lend(_ reading: WireIdentifier.Reading, _ identifier: WireIdentifier) -> WireText {
        switch reading {
        case .absent: return WireText()
        case .bytes(let bytes): return lend(bytes)
        case .text(let text):
            kept.append(Attributes.Element(identifier.attribute, .string(text.storable)))
            return WireText()
        }
    }

    private mutating func lend(_ bytes: UnsafeRawBufferPointer) -> WireText {
        if bytes.isEmpty { return WireText() }
        let memory = self.memory ?? WireMemory()
        self.memory = memory
        return WireText(memory.copy(bytes))
    }
}

/// Storage for lent bytes that the request lacks in the needed form: unescaped JSON strings, and identifiers decoded
/// from digits.
///
/// The pointers are sound because blocks neither move nor are freed before ``clear()``, which runs only once the sink
/// is done with the record. The record retains this object while it lends.
private final class WireMemory {
    /// Only the last one has room behind `used`.
    private var blocks: [UnsafeMutableRawBufferPointer] = []
    private var used = 0

    deinit {
        for block in blocks { block.deallocate() }
    }

    /// The copy stays valid until ``clear()``.
    func copy(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        let room = blocks.last?.count ?? 0
        if room - used < bytes.count {
            blocks.append(.allocate(byteCount: max(4_096, 2 * room, bytes.count), alignment: 1))
            used = 0
        }
        let place = UnsafeMutableRawBufferPointer(
            rebasing: blocks[blocks.count - 1][used..<used + bytes.count])
        place.copyMemory(from: bytes)
        used += bytes.count
        return UnsafeRawBufferPointer(place)
    }

    /// Frees all but the largest block, which serves the next record.
    func clear() {
        for block in blocks.dropLast() { block.deallocate() }
        blocks.removeFirst(max(0, blocks.count - 1))
        used = 0
    }
}

/// A text that borrows a request's bytes, not validated as UTF-8.
///
/// Like the result of `ProtobufReader.bytes()`, it is valid only while those bytes are.
package struct WireText: BitwiseCopyable {
    package let bytes: UnsafeRawBufferPointer

    package init(_ bytes: UnsafeRawBufferPointer = UnsafeRawBufferPointer(start: nil, count: 0)) { self.bytes = bytes }

    package var isEmpty: Bool { bytes.isEmpty }

    /// A storable copy; invalid UTF-8 becomes U+FFFD, so that one bad character costs no record.
    package var string: String { String(decoding: bytes, as: UTF8.self).storable }

    /// Bytewise comparison.
    package func isEqual(to string: String) -> Bool {
        guard string.utf8.count == bytes.count else { return false }
        // Borrowed in place; a copy would need reference counting.
        return string.utf8.withContiguousStorageIfAvailable { isEqual(to: UnsafeRawBufferPointer($0)) }
            ?? string.utf8.elementsEqual(bytes)
    }

    package func isEqual(to other: UnsafeRawBufferPointer) -> Bool {
        guard bytes.count == other.count else { return false }
        guard let start = bytes.baseAddress, let otherStart = other.baseAddress else { return bytes.isEmpty }
        // Both pointers are valid for `count` bytes during the call.
        return memcmp(start, otherStart, bytes.count) == 0
    }

    package func hasPrefix(_ other: UnsafeRawBufferPointer) -> Bool {
        guard bytes.count >= other.count else { return false }
        return WireText(UnsafeRawBufferPointer(rebasing: bytes[..<other.count])).isEqual(to: other)
    }

    /// A hash of length, beginning and end, for caches that tolerate collisions.
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
