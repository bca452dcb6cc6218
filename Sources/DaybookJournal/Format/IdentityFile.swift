/// The file that gives a journal its id for life.
enum IdentityFile {
    private static let magic: UInt32 = 0x4449_4a44  // "DJID"
    private static let version: UInt32 = 1
    private static let crcOffset = 4
    static let byteCount = 32

    static func encoded(_ id: JournalID) -> [UInt8] {
        var out = ByteWriter()
        out.put(magic)
        out.put(UInt32(0))  // the checksum, patched below
        out.put(version)
        out.put(UInt32(0))  // reserved
        out.put(id)
        out.patch(out.bytes.withUnsafeBytes { maskedChecksum(of: $0, leavingOut: crcOffset) }, at: crcOffset)
        return out.bytes
    }

    static func decode(_ bytes: UnsafeRawBufferPointer) -> JournalID? {
        guard bytes.count >= byteCount else { return nil }
        let block = UnsafeRawBufferPointer(rebasing: bytes[..<byteCount])
        var input = ByteReader(block)
        guard input.take(UInt32.self) == magic, let crc = input.take(UInt32.self),
            maskedChecksum(of: block, leavingOut: crcOffset) == crc, input.take(UInt32.self) == version,
            input.take(UInt32.self) != nil
        else { return nil }
        return input.takeID()
    }
}
