import DaybookBase

/// The ids of the outputs, in the order of their bits in a frame's mask: at most 64.
package struct OutputTable: Equatable, Sendable {
    static let maximumCount = 64
    /// The longest id that is stored as it is, in bytes of UTF-8. A longer one is shortened and made unique by its
    /// checksum, alike in tables and cursors.
    static let maximumIDBytes = 128

    package let ids: [String]

    /// Outputs after the 64th have no bit and are left out.
    init(_ ids: [String]) {
        self.ids = ids.prefix(Self.maximumCount).map(Self.storedID)
    }

    /// The id as tables and cursor files hold it.
    static func storedID(_ id: String) -> String {
        guard id.utf8.count > maximumIDBytes else { return id }
        var prefix = id.prefix(100)
        while prefix.utf8.count > 100 { prefix.removeLast() }
        let sum = Array(id.utf8).withUnsafeBytes { checksum($0) }
        return prefix + "~" + Hex.text(UInt64(sum)).suffix(8)
    }

    /// The payload of a frame that tells this table.
    func encoded() -> [UInt8] {
        var out = ByteWriter()
        out.put(UInt16(ids.count))
        for id in ids {
            out.put(UInt16(id.utf8.count))
            out.put(id.utf8)
        }
        return out.bytes
    }

    /// The table in such a payload; `nil` where there is none.
    package init?(decoding payload: UnsafeRawBufferPointer) {
        var input = ByteReader(payload)
        guard let count = input.take(UInt16.self), count <= Self.maximumCount else { return nil }
        var ids: [String] = []
        for _ in 0..<count {
            guard let length = input.take(UInt16.self), let id = input.take(count: Int(length)) else { return nil }
            ids.append(String(decoding: id, as: UTF8.self))
        }
        self.init(ids)
    }

    /// The bit of an output, or `nil` if the table lacks it.
    func bit(of id: String) -> Int? {
        ids.firstIndex(of: id)
    }
}

/// Turns masks of one table into masks of another, by output id.
struct MaskTranslation: Sendable {
    private let isIdentity: Bool
    /// For each bit of the old table, the mask of the new one (0 where the output is gone).
    private let targets: [UInt64]
    /// Outputs that ask for everything from before they existed.
    private let backfill: UInt64

    init(from old: OutputTable, to new: OutputTable, backfill wanted: Set<String>) {
        targets = old.ids.map { id in new.bit(of: id).map { 1 << UInt64($0) } ?? 0 }
        var backfill: UInt64 = 0
        for (bit, id) in new.ids.enumerated() where wanted.contains(id) && old.bit(of: id) == nil {
            backfill |= 1 << UInt64(bit)
        }
        self.backfill = backfill
        isIdentity = backfill == 0 && old == new
    }

    func callAsFunction(_ mask: UInt64) -> UInt64 {
        if isIdentity { return mask }
        var result = mask == 0 ? 0 : backfill
        var rest = mask
        while rest != 0 {
            let bit = rest.trailingZeroBitCount
            if bit < targets.count { result |= targets[bit] }
            rest &= rest - 1
        }
        return result
    }
}

/// One of the two slots of a cursor file. The valid slot with the higher generation counts; writing goes to the other,
/// so that a torn write costs nothing but the last step.
package struct CursorSlot: Sendable {
    static let magic: UInt32 = 0x5352_5543  // "CURS"
    static let majorVersion: UInt16 = 1
    /// A slot fills a disk sector, so that no write touches both.
    package static let byteCount = 512
    package static let fileBytes = 2 * byteCount
    private static let crcOffset = 4

    package let output: String
    package var generation: UInt64
    /// Everything through this sequence is done with.
    package var sequence: UInt64
    /// When the output was first missed at an open, by the monotonic clock of `removedBoot`; 0 while it is there.
    var removedAt: UInt64 = 0
    var removedBoot = JournalID(high: 0, low: 0)
    /// Through which sequence the output was given its records; 0 where nobody noted it.
    var delivered: UInt64 = 0
    /// What the output's sender wants to know at the next launch; 0 for nothing.
    var note: UInt32 = 0

    /// Where in the file this generation goes.
    var offset: Int { generation % 2 == 0 ? 0 : Self.byteCount }

    func encoded() -> [UInt8] {
        var out = ByteWriter()
        out.put(Self.magic)
        out.put(UInt32(0))  // the checksum, patched below
        out.put(Self.majorVersion)
        out.put(UInt16(output.utf8.count))
        out.put(note)
        out.put(generation)
        out.put(sequence)
        out.put(removedAt)
        out.put(removedBoot)
        out.put(delivered)
        out.pad(to: 64)
        out.put(output.utf8)
        out.pad(to: Self.byteCount)
        out.patch(out.bytes.withUnsafeBytes { maskedChecksum(of: $0, leavingOut: Self.crcOffset) }, at: Self.crcOffset)
        return out.bytes
    }

    package static func decode(_ file: UnsafeRawBufferPointer, at offset: Int) -> CursorSlot? {
        guard file.count - offset >= byteCount else { return nil }
        let block = UnsafeRawBufferPointer(rebasing: file[offset..<offset + byteCount])
        var input = ByteReader(block)
        guard input.take(UInt32.self) == magic, let crc = input.take(UInt32.self),
            maskedChecksum(of: block, leavingOut: crcOffset) == crc, input.take(UInt16.self) == majorVersion,
            let count = input.take(UInt16.self), let note = input.take(UInt32.self),
            let generation = input.take(UInt64.self), let sequence = input.take(UInt64.self),
            let removedAt = input.take(UInt64.self), let boot = input.takeID(), let delivered = input.take(UInt64.self),
            sequence <= Sequences.highest
        else { return nil }
        var name = ByteReader(block, at: 64)
        guard let id = name.take(count: Int(count)) else { return nil }
        return CursorSlot(
            output: String(decoding: id, as: UTF8.self), generation: generation, sequence: sequence,
            removedAt: removedAt, removedBoot: boot, delivered: delivered, note: note)
    }

    /// The slot that counts in a cursor file's bytes; `nil` if both are damaged.
    static func newest(in file: UnsafeRawBufferPointer) -> CursorSlot? {
        let slots = [0, byteCount].compactMap { decode(file, at: $0) }
        return slots.max { $0.generation < $1.generation }
    }
}
