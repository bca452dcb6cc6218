import CChecksum

/// Appends little-endian fields to a byte array.
struct ByteWriter {
    private(set) var bytes: [UInt8] = []

    mutating func put(_ value: some FixedWidthInteger) {
        withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
    }

    mutating func put(_ id: JournalID) {
        bytes.append(contentsOf: id.bytes)
    }

    mutating func put(_ more: some Collection<UInt8>) {
        bytes.append(contentsOf: more)
    }

    mutating func pad(to count: Int) {
        if bytes.count < count { bytes.append(contentsOf: repeatElement(0, count: count - bytes.count)) }
    }

    mutating func patch(_ value: UInt32, at offset: Int) {
        withUnsafeBytes(of: value.littleEndian) { bytes.replaceSubrange(offset..<offset + 4, with: $0) }
    }
}

/// Reads little-endian fields from bytes that may be damaged; `nil` where they end.
struct ByteReader {
    private let bytes: UnsafeRawBufferPointer
    private(set) var offset: Int

    init(_ bytes: UnsafeRawBufferPointer, at offset: Int = 0) {
        self.bytes = bytes
        self.offset = offset
    }

    mutating func take<Value: FixedWidthInteger>(_: Value.Type) -> Value? {
        let size = MemoryLayout<Value>.size
        guard offset >= 0, bytes.count - offset >= size else { return nil }
        defer { offset += size }
        return Value(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: Value.self))
    }

    mutating func takeID() -> JournalID? {
        guard let high = take(UInt64.self), let low = take(UInt64.self) else { return nil }
        return JournalID(high: high.byteSwapped, low: low.byteSwapped)
    }

    mutating func take(count: Int) -> [UInt8]? {
        guard count >= 0, offset >= 0, bytes.count - offset >= count else { return nil }
        defer { offset += count }
        return Array(bytes[offset..<offset + count])
    }
}

func checksum(_ bytes: UnsafeRawBufferPointer, continuing crc: UInt32 = 0) -> UInt32 {
    daybook_crc32c(crc, bytes.baseAddress, bytes.count)
}

/// The masked checksum of a block, without the four bytes at `hole` that store it.
func maskedChecksum(of block: UnsafeRawBufferPointer, leavingOut hole: Int, continuing crc: UInt32 = 0) -> UInt32 {
    let front = checksum(UnsafeRawBufferPointer(rebasing: block[..<hole]), continuing: crc)
    return FrameLayout.masked(checksum(UnsafeRawBufferPointer(rebasing: block[(hole + 4)...]), continuing: front))
}
