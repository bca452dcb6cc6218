/// The header of a segment or ring, with all that is needed to read its frames. A segment has copies behind the seal
/// and at the end.
package struct SegmentHeader: Sendable {
    static let magic: UInt64 = 0x4a4b_4f4f_4259_4144  // "DAYBOOKJ"
    /// The version written. Version 1 can be read: mapped segments without a copy behind the seal.
    static let majorVersion: UInt16 = 2
    private static let minorVersion: UInt16 = 0
    private static let fixedBytes = 128
    static let crcOffset = 12
    /// With 64 outputs of the longest ids, and the longest context.
    static let maximumBytes = FrameLayout.aligned(
        fixedBytes + OutputTable.maximumCount * (2 + OutputTable.maximumIDBytes) + maximumContextBytes)
    static let maximumContextBytes = 16 * 1024

    var majorVersion = Self.majorVersion
    package let stream: JournalStream
    /// Random per launch. Every checksum begins with it, so an earlier launch's frames in the ring are never valid.
    package let salt: UInt64
    package let firstSequence: UInt64
    /// The watermark at its creation.
    let syncedThrough: UInt64
    let createdWall: UInt64
    let createdMonotonic: UInt64
    let boot: JournalID
    let contextVersion: UInt32
    let tableVersion: UInt16
    package let outputs: OutputTable
    let context: [UInt8]

    /// A multiple of 64.
    package var byteCount: Int {
        let ids = outputs.ids.reduce(0) { $0 + 2 + $1.utf8.count }
        return FrameLayout.aligned(Self.fixedBytes + ids + context.count)
    }

    /// After the header, the seal and, from version 2 on, a copy of the header.
    package var framesOffset: Int { byteCount + SegmentSeal.byteCount + (majorVersion == 1 ? 0 : byteCount) }

    /// Where frames must end in a file of this size. Version 1 keeps room for the header's copy.
    package func framesLimit(fileBytes: Int) -> Int {
        (majorVersion == 1 ? fileBytes - byteCount : fileBytes) & ~(FrameLayout.alignment - 1)
    }

    /// Everything before the first frame. Without a seal, its place is zero.
    func front(_ seal: SegmentSeal? = nil) -> [UInt8] {
        let header = encoded()
        let seal = seal?.encoded(salt: salt) ?? [UInt8](repeating: 0, count: SegmentSeal.byteCount)
        return header + seal + (majorVersion == 1 ? [] : header)
    }

    func encoded() -> [UInt8] {
        var out = ByteWriter()
        out.put(Self.magic)
        out.put(majorVersion)
        out.put(Self.minorVersion)
        out.put(UInt32(0))  // the checksum, patched below
        out.put(UInt32(byteCount))
        out.put(UInt32(0))  // reserved
        out.put(salt)
        out.put(stream.journal)
        out.put(stream.epoch)
        out.put(firstSequence)
        out.put(syncedThrough)
        out.put(createdWall)
        out.put(createdMonotonic)
        out.put(boot)
        out.put(contextVersion)
        out.put(tableVersion)
        out.put(UInt16(outputs.ids.count))
        out.put(UInt32(context.count))
        out.put(UInt32(0))  // reserved
        out.put(UInt64(0))  // reserved
        for id in outputs.ids {
            out.put(UInt16(id.utf8.count))
            out.put(id.utf8)
        }
        out.put(context)
        out.pad(to: byteCount)
        out.patch(out.bytes.withUnsafeBytes { maskedChecksum(of: $0, leavingOut: Self.crcOffset) }, at: Self.crcOffset)
        return out.bytes
    }

    /// `nil` unless magic, version and checksum are right.
    static func decode(_ bytes: UnsafeRawBufferPointer, at offset: Int) -> SegmentHeader? {
        var input = ByteReader(bytes, at: offset)
        guard input.take(UInt64.self) == magic, let version = input.take(UInt16.self), version == 1 || version == 2,
            input.take(UInt16.self) != nil, let crc = input.take(UInt32.self),
            let length = input.take(UInt32.self).map({ Int(clamping: $0) }), length >= fixedBytes,
            length <= maximumBytes, length <= bytes.count - offset
        else { return nil }
        let block = UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + length])
        guard maskedChecksum(of: block, leavingOut: crcOffset) == crc else { return nil }
        guard input.take(UInt32.self) != nil, let salt = input.take(UInt64.self), let journal = input.takeID(),
            let epoch = input.take(UInt64.self), let first = input.take(UInt64.self),
            let synced = input.take(UInt64.self), let wall = input.take(UInt64.self),
            let monotonic = input.take(UInt64.self), let boot = input.takeID(),
            let contextVersion = input.take(UInt32.self), let tableVersion = input.take(UInt16.self),
            let outputCount = input.take(UInt16.self), let contextCount = input.take(UInt32.self),
            input.take(UInt32.self) != nil, input.take(UInt64.self) != nil, first > 0, first <= Sequences.highest,
            synced <= Sequences.highest
        else { return nil }
        var ids: [String] = []
        for _ in 0..<outputCount {
            guard let count = input.take(UInt16.self), let id = input.take(count: Int(count)) else { return nil }
            ids.append(String(decoding: id, as: UTF8.self))
        }
        guard let context = input.take(count: Int(clamping: contextCount)) else { return nil }
        let header = SegmentHeader(
            majorVersion: version, stream: JournalStream(journal: journal, epoch: epoch), salt: salt,
            firstSequence: first,
            syncedThrough: synced, createdWall: wall, createdMonotonic: monotonic, boot: boot,
            contextVersion: contextVersion, tableVersion: tableVersion, outputs: OutputTable(ids), context: context)
        // Later minor versions only use reserved fields, so the fields determine the length.
        return header.byteCount == length ? header : nil
    }

    /// Finds a segment's header: at the front or, if that is damaged, the copy at the end or behind the seal.
    package static func find(in file: UnsafeRawBufferPointer) -> (header: SegmentHeader, fromCopy: Bool)? {
        if let header = decode(file, at: 0) { return (header, false) }
        guard file.count >= fixedBytes else { return nil }
        var offset = (file.count - fixedBytes) & ~(FrameLayout.alignment - 1)
        while offset > 0, file.count - offset <= maximumBytes {
            // Only a copy fills the file exactly to its end; a payload that looks like a header does not.
            if let header = decode(file, at: offset), offset + header.byteCount == file.count { return (header, true) }
            offset -= FrameLayout.alignment
        }
        offset = fixedBytes + SegmentSeal.byteCount
        while offset <= maximumBytes + SegmentSeal.byteCount {
            // Its length determines its offset.
            if let header = decode(file, at: offset), header.majorVersion > 1,
                header.byteCount + SegmentSeal.byteCount == offset
            {
                return (header, true)
            }
            offset += FrameLayout.alignment
        }
        return nil
    }
}
