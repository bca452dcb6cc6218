import DaybookBase
import DaybookTools
import Foundation

/// A value as it is in a request's bytes.
package enum WireValue: BitwiseCopyable {
    case null
    case bool(Bool)
    case int(Int64)
    case double(Double)
    case string(WireText)
    case bytes(UnsafeRawBufferPointer)
    /// An array or object, decoded: its place in ``WireAttributes/nested``.
    case nested(Int)
}

/// A named value as it is in a request's bytes.
package struct WireAttribute: BitwiseCopyable {
    package var key = WireText()
    package var value = WireValue.null
}

/// The attributes of one record, and the other values that it has. Its memory serves one record after another; a copy
/// lends what the original does, and no longer.
package struct WireAttributes {
    package private(set) var elements: [WireAttribute] = []
    /// Arrays and objects, which are rare, as they are elsewhere.
    package private(set) var nested: [Value] = []
    /// Identifiers that cannot be understood, as their senders wrote them.
    private(set) var kept: [Attributes.Element] = []
    /// What is lent and is not in the request's bytes; `nil` where all is.
    private var memory: WireMemory?

    init() {}

    /// The value, copied.
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

    /// Lends a text that is not in the request's bytes.
    mutating func lend(_ text: String) -> WireText {
        var text = text
        return text.withUTF8 { lend(UnsafeRawBufferPointer($0)) }
    }

    /// Lends bytes that are not in the request.
    mutating func lend(_ bytes: [UInt8]) -> WireText { bytes.withUnsafeBytes { lend($0) } }

    /// Lends an identifier; nothing where it is none, which is kept apart.
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

/// Memory for what one record after another lends though it is not in the request's bytes as it has to be: the texts of
/// JSON, which may be escaped, and what JSON has in digits.
///
/// The pointers are sound because a block neither moves nor is given back before ``clear()``, which is called when the
/// sink is done with the record; the record holds this object, so it lives for as long as it lends.
private final class WireMemory {
    /// The last one has room behind `used`.
    private var blocks: [UnsafeMutableRawBufferPointer] = []
    private var used = 0

    deinit {
        for block in blocks { block.deallocate() }
    }

    /// Bytes that stay until all is cleared.
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

    /// Takes back all that was lent; the largest block stays for the next record.
    func clear() {
        for block in blocks.dropLast() { block.deallocate() }
        blocks.removeFirst(max(0, blocks.count - 1))
        used = 0
    }
}

/// A text as it is in a request's bytes: not copied, and not known to be UTF-8.
///
/// It borrows the bytes, as `ProtobufReader.bytes()` does: it is valid only while they are being read.
package struct WireText: BitwiseCopyable {
    package let bytes: UnsafeRawBufferPointer

    package init(_ bytes: UnsafeRawBufferPointer = UnsafeRawBufferPointer(start: nil, count: 0)) { self.bytes = bytes }

    package var isEmpty: Bool { bytes.isEmpty }

    /// A storable copy; bytes that are not UTF-8 become U+FFFD, so that one bad character costs no record.
    package var string: String { String(decoding: bytes, as: UTF8.self).storable }

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
