/// Writes protobuf fields into borrowed memory, in one pass and without allocation.
///
/// Source of the format: <https://protobuf.dev/programming-guides/encoding/>.
///
/// The pointers are sound because a writer exists only inside the closure that lends the memory. Every write goes
/// through `reserve`; a write that does not fit sets `overflowed` and leaves the memory alone.
@usableFromInline
package struct ProtobufWriter {
    @usableFromInline let start: UnsafeMutableRawPointer
    @usableFromInline package var position: UnsafeMutableRawPointer
    @usableFromInline var end: UnsafeMutableRawPointer

    /// - Parameter written: Bytes that are already there.
    @inlinable @inline(__always)
    package init(_ buffer: UnsafeMutableRawBufferPointer, startingAt base: UnsafeMutableRawPointer, written: Int = 0) {
        start = base
        position = base + written
        end = base + buffer.count
    }

    /// Whether a write did not fit; later writes then do nothing.
    @inlinable @inline(__always)
    package var overflowed: Bool { end == start }

    @inlinable @inline(__always)
    package var count: Int { position - start }

    /// Valid as long as the memory is lent.
    @inlinable @inline(__always)
    package var written: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: start, count: count) }

    @inlinable @inline(__always)
    package func hasRoom(_ bytes: Int) -> Bool { end - position >= bytes }

    /// Like `hasRoom`, and sets `overflowed` if not.
    @inlinable @inline(__always)
    package mutating func reserve(_ bytes: Int) -> Bool {
        if hasRoom(bytes) { return true }
        end = start
        return false
    }

    // The writers below require a `reserve` that covers them.

    @inlinable @inline(__always)
    package mutating func byte(_ value: UInt8) {
        position.storeBytes(of: value, as: UInt8.self)
        position += 1
    }

    @inlinable @inline(__always)
    package mutating func varint(_ value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            byte(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        byte(UInt8(truncatingIfNeeded: rest))
    }

    @inlinable @inline(__always)
    package mutating func fixed64(_ value: UInt64) {
        position.storeBytes(of: value.littleEndian, as: UInt64.self)
        position += 8
    }

    /// Little-endian.
    @inlinable @inline(__always)
    package mutating func word(_ value: UInt32) {
        position.storeBytes(of: value.littleEndian, as: UInt32.self)
        position += 4
    }

    /// Copies short runs, such as names and most values, without calling the library.
    @inlinable @inline(__always)
    package mutating func bytes(_ source: UnsafeRawPointer, _ count: Int) {
        if count > 128 {
            position.copyMemory(from: source, byteCount: count)
        } else {
            position.copyFew(source, count)
        }
        position += count
    }

    @inlinable @inline(__always)
    package mutating func text(_ string: String) {
        let done: Void? = string.utf8.withContiguousStorageIfAvailable { utf8 in
            if let base = utf8.baseAddress { bytes(base, utf8.count) }
        }
        if done == nil { bridgedText(string) }
    }

    /// A bridged string has no contiguous storage.
    @usableFromInline @inline(never)
    mutating func bridgedText(_ string: String) {
        var string = string
        string.withUTF8 { utf8 in
            if let base = utf8.baseAddress { bytes(base, utf8.count) }
        }
    }

    // Whole fields, each with its own `reserve`.

    @inlinable
    package mutating func string(field tag: UInt8, _ value: String) {
        let count = value.utf8.count
        guard reserve(1 + Protobuf.maximumVarint + count) else { return }
        byte(tag)
        varint(UInt64(count))
        text(value)
    }

    @inlinable
    package mutating func string(field tag: UInt8, _ value: StaticString) {
        let count = value.utf8CodeUnitCount
        guard value.hasPointerRepresentation, reserve(1 + Protobuf.maximumVarint + count) else { return }
        byte(tag)
        varint(UInt64(count))
        bytes(value.utf8Start, count)
    }

    package mutating func bytes(field tag: UInt8, _ value: some Collection<UInt8>) {
        guard reserve(1 + Protobuf.maximumVarint + value.count) else { return }
        byte(tag)
        varint(UInt64(value.count))
        for element in value { byte(element) }
    }

    /// A field of 8 or 16 bytes held in words, big-endian.
    @inlinable @inline(__always)
    package mutating func identifier(field tag: UInt8, _ high: UInt64, _ low: UInt64? = nil) {
        guard reserve(18) else { return }
        byte(tag)
        byte(low == nil ? 8 : 16)
        position.storeBytes(of: high.bigEndian, as: UInt64.self)
        position += 8
        if let low {
            position.storeBytes(of: low.bigEndian, as: UInt64.self)
            position += 8
        }
    }

    @inlinable @inline(__always)
    package mutating func fixed64(field tag: UInt8, _ value: UInt64) {
        guard reserve(9) else { return }
        byte(tag)
        fixed64(value)
    }

    @inlinable @inline(__always)
    package mutating func varint(field tag: UInt8, _ value: UInt64) {
        guard reserve(1 + Protobuf.maximumVarint) else { return }
        byte(tag)
        varint(value)
    }
}

extension UnsafeMutableRawPointer {
    /// Copies up to 16 bytes by two overlapping loads from both ends; more by 16 at a time.
    @inlinable @inline(__always)
    package func copyFew(_ source: UnsafeRawPointer, _ count: Int) {
        if count > 16 {
            copy(source, at: 0, as: SIMD2<UInt64>.self)
            if count > 32 {
                var offset = 16
                repeat {
                    copy(source, at: offset, as: SIMD2<UInt64>.self)
                    offset &+= 16
                } while offset < count &- 16
            }
            copy(source, at: count &- 16, as: SIMD2<UInt64>.self)
        } else if count >= 8 {
            copy(source, at: 0, as: UInt64.self)
            copy(source, at: count &- 8, as: UInt64.self)
        } else if count >= 4 {
            copy(source, at: 0, as: UInt32.self)
            copy(source, at: count &- 4, as: UInt32.self)
        } else if count > 0 {
            copy(source, at: 0, as: UInt8.self)
            copy(source, at: count >> 1, as: UInt8.self)
            copy(source, at: count &- 1, as: UInt8.self)
        }
    }

    @inlinable @inline(__always)
    func copy<Word: BitwiseCopyable>(_ source: UnsafeRawPointer, at offset: Int, as: Word.Type) {
        storeBytes(of: source.loadUnaligned(fromByteOffset: offset, as: Word.self), toByteOffset: offset, as: Word.self)
    }
}

@usableFromInline
package enum Protobuf {
    /// Most bytes of a 64-bit varint.
    @inlinable @inline(__always)
    package static var maximumVarint: Int { 10 }

    /// Bytes of `value` as a varint: seven bits each.
    @inlinable @inline(__always)
    package static func varintSize(_ value: UInt64) -> Int {
        (UInt64.bitWidth - (value | 1).leadingZeroBitCount + 6) / 7
    }

    /// Bytes of a length-delimited field with a one-byte tag.
    @inlinable @inline(__always)
    package static func fieldSize(_ length: Int) -> Int {
        length < 0x80 ? 2 &+ length : 1 + varintSize(UInt64(length)) + length
    }
}

extension [UInt8] {
    package mutating func appendVarint(_ value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        append(UInt8(truncatingIfNeeded: rest))
    }

    /// Appends a length-delimited field with a one-byte tag, so its number is at most 15.
    package mutating func appendField(_ tag: UInt8, _ bytes: some Collection<UInt8>) {
        append(tag)
        appendVarint(UInt64(bytes.count))
        append(contentsOf: bytes)
    }
}
