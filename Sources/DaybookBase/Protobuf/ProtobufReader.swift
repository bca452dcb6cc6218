/// Reads protobuf's wire format field by field. Every read is bounds-checked, nesting is capped, and no input traps.
///
/// Source: protobuf.dev, *Encoding*. Treat a field of an unexpected wire type as unknown: pass it to ``skip(_:)``.
///
/// The reader borrows the bytes: it and what ``bytes()`` returns are valid only within the caller's `withUnsafeBytes`.
/// A copy reads independently.
@usableFromInline
package struct ProtobufReader {
    @usableFromInline
    package enum WireType: UInt8, Sendable {
        case varint = 0
        case fixed64 = 1
        case lengthDelimited = 2
        case startGroup = 3
        case endGroup = 4
        case fixed32 = 5
    }

    /// A field's number and wire type; its value follows.
    @usableFromInline
    package struct Field: Sendable {
        @usableFromInline package var number: Int
        @usableFromInline package var wireType: WireType

        @inlinable
        init(number: Int, wireType: WireType) {
            self.number = number
            self.wireType = wireType
        }
    }

    /// Deepest nesting of messages; one level more is an error.
    @inlinable package static var maximumDepth: Int { 64 }

    @usableFromInline let whole: UnsafeRawBufferPointer
    @usableFromInline let end: Int
    @usableFromInline let depth: Int
    /// From the start of the outermost message.
    @usableFromInline package internal(set) var offset: Int

    @inlinable
    package init(_ bytes: UnsafeRawBufferPointer) {
        self.init(whole: bytes, from: 0, to: bytes.count, depth: 0)
    }

    @inlinable
    init(whole: UnsafeRawBufferPointer, from: Int, to end: Int, depth: Int) {
        self.whole = whole
        self.offset = from
        self.end = end
        self.depth = depth
    }

    @inlinable package var isAtEnd: Bool { offset >= end }

    /// The next field; `nil` at the message's end. Read or skip its value before the next call.
    @inlinable
    package mutating func nextField() throws(ProtobufError) -> Field? {
        if isAtEnd { return nil }
        let start = offset
        let key = try varint()
        guard let wireType = WireType(rawValue: UInt8(key & 7)) else { throw ProtobufError(.badWireType, start) }
        // Field numbers are 1 to 2^29 - 1.
        let number = key >> 3
        guard number > 0, number < 1 << 29 else { throw ProtobufError(.badFieldNumber, start) }
        return Field(number: Int(truncatingIfNeeded: number), wireType: wireType)
    }

    /// A base-128 number of at most ten bytes.
    @inlinable
    package mutating func varint() throws(ProtobufError) -> UInt64 {
        if offset < end, whole[offset] < 0x80 {
            defer { offset += 1 }
            return UInt64(whole[offset])
        }
        return try longVarint()
    }

    @usableFromInline
    mutating func longVarint() throws(ProtobufError) -> UInt64 {
        let start = offset
        var value: UInt64 = 0
        var shift: UInt64 = 0
        while offset < end {
            let byte = whole[offset]
            offset += 1
            // The tenth byte holds only the topmost bit.
            if shift == 63, byte > 1 { throw ProtobufError(.badVarint, start) }
            value |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return value }
            shift += 7
        }
        throw ProtobufError(.truncated, start)
    }

    /// Little-endian: `fixed64`, `sfixed64`, and a `double`'s bit pattern.
    @inlinable
    package mutating func fixed64() throws(ProtobufError) -> UInt64 {
        guard end - offset >= 8 else { throw ProtobufError(.truncated, offset) }
        defer { offset += 8 }
        return UInt64(littleEndian: whole.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }

    /// Little-endian.
    @inlinable
    package mutating func fixed32() throws(ProtobufError) -> UInt32 {
        guard end - offset >= 4 else { throw ProtobufError(.truncated, offset) }
        defer { offset += 4 }
        return UInt32(littleEndian: whole.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
    }

    /// A length-delimited value, borrowed.
    @inlinable
    package mutating func bytes() throws(ProtobufError) -> UnsafeRawBufferPointer {
        let start = offset
        let length = try varint()
        guard length <= UInt64(end - offset) else { throw ProtobufError(.truncated, start) }
        let count = Int(truncatingIfNeeded: length)
        defer { offset += count }
        return UnsafeRawBufferPointer(rebasing: whole[offset..<offset + count])
    }

    /// Malformed UTF-8 becomes U+FFFD, so that one bad character costs no record.
    @inlinable
    package mutating func string() throws(ProtobufError) -> String {
        String(decoding: try bytes(), as: UTF8.self)
    }

    /// A reader of the nested message; this one continues after it.
    @inlinable
    package mutating func message() throws(ProtobufError) -> ProtobufReader {
        let start = offset
        guard depth < Self.maximumDepth else { throw ProtobufError(.tooDeep, start) }
        let length = try varint()
        guard length <= UInt64(end - offset) else { throw ProtobufError(.truncated, start) }
        let from = offset
        offset += Int(truncatingIfNeeded: length)
        return ProtobufReader(whole: whole, from: from, to: offset, depth: depth + 1)
    }

    @inlinable
    package mutating func skip(_ field: Field) throws(ProtobufError) {
        switch field.wireType {
        case .varint: _ = try varint()
        case .fixed64: _ = try fixed64()
        case .fixed32: _ = try fixed32()
        case .lengthDelimited: _ = try bytes()
        case .startGroup: try skipGroup(field.number)
        case .endGroup: throw ProtobufError(.badGroup, offset)
        }
    }

    /// Skips a group and the groups in it, iteratively, so that no nesting exhausts the stack.
    @usableFromInline
    mutating func skipGroup(_ number: Int) throws(ProtobufError) {
        var open = [number]
        while let innermost = open.last {
            let start = offset
            guard let field = try nextField() else { throw ProtobufError(.truncated, start) }
            switch field.wireType {
            case .startGroup:
                guard depth + open.count < Self.maximumDepth else { throw ProtobufError(.tooDeep, start) }
                open.append(field.number)
            case .endGroup:
                guard field.number == innermost else { throw ProtobufError(.badGroup, start) }
                open.removeLast()
            default:
                try skip(field)
            }
        }
    }
}

@usableFromInline
package struct ProtobufError: Error, Sendable, CustomStringConvertible {
    @usableFromInline
    package enum Reason: String, Sendable {
        case truncated = "a value reaches beyond its message"
        case badVarint = "a number is longer than 64 bits"
        case badWireType = "a field has an unknown wire type"
        case badFieldNumber = "a field number is out of range"
        case badGroup = "a group does not end where it began"
        case tooDeep = "messages nest deeper than 64 levels"
        case tooManyValues = "it has more values than are accepted at once"
    }

    package var reason: Reason
    /// The faulty value's first byte, from the start of the outermost message.
    package var offset: Int

    @usableFromInline
    package init(_ reason: Reason, _ offset: Int) {
        self.reason = reason
        self.offset = offset
    }

    @usableFromInline
    package var description: String { "Not a protobuf message: \(reason.rawValue), at byte \(offset)." }
}
