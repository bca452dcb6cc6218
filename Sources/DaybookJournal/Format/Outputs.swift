import DaybookBase

/// The ids of at most 64 outputs, in the order of their bits in a frame's mask.
package struct OutputTable: Equatable, Sendable {
    static let maximumCount = 64
    /// The longest id stored unchanged, in UTF-8 bytes. A longer one is cut and made unique by a checksum, in tables
    /// and cursors alike.
    static let maximumIDBytes = 128

    package let ids: [String]

    /// Leaves out outputs after the 64th, which have no bit.
    init(_ ids: [String]) {
        self.ids = ids.prefix(Self.maximumCount).map(Self.storedID)
    }

    /// The id in tables and cursor files.
    static func storedID(_ id: String) -> String {
        guard id.utf8.count > maximumIDBytes else { return id }
        var prefix = id.prefix(100)
        while prefix.utf8.count > 100 { prefix.removeLast() }
        let sum = Array(id.utf8).withUnsafeBytes { checksum($0) }
        return prefix + "~" + Hex.text(UInt64(sum)).suffix(8)
    }

    /// The payload of an `outputsChange` frame.
    func encoded() -> [UInt8] {
        var out = ByteWriter()
        out.put(UInt16(ids.count))
        for id in ids {
            out.put(UInt16(id.utf8.count))
            out.put(id.utf8)
        }
        return out.bytes
    }

    /// Reads an `outputsChange` frame's payload; `nil` if it is damaged.
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

    func bit(of id: String) -> Int? {
        ids.firstIndex(of: id)
    }
}

struct MaskTranslation: Sendable {
    private let isIdentity: Bool
    /// The new mask of each old bit; 0 if the output is gone.
    private let targets: [UInt64]
    /// New outputs that want earlier records.
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

/// One of a cursor file's two slots. The valid slot with the higher generation counts. Writes go to the other one, so a
/// torn write costs only the last step.
package struct CursorSlot: Sendable {
    static let magic: UInt32 = 0x5352_5543  // "CURS"
    static let majorVersion: UInt16 = 1
    /// A disk sector, so that no write touches both slots.
    package static let byteCount = 512
    package static let fileBytes = 2 * byteCount
    private static let crcOffset = 4

    package let output: String
    package var generation: UInt64
    /// The output is done with everything through this sequence.
    package var sequence: UInt64
    /// When an open first missed the output, on the monotonic clock of `removedBoot`; 0 if it is present.
    var removedAt: UInt64 = 0
    var removedBoot = JournalID(high: 0, low: 0)
    /// The last sequence that the output was given; 0 if unknown.
    var delivered: UInt64 = 0
    /// The sender's note for the next launch; 0 for none.
    var note: UInt32 = 0

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

    /// The valid slot with the higher generation; `nil` if both are damaged.
    static func newest(in file: UnsafeRawBufferPointer) -> CursorSlot? {
        let slots = [0, byteCount].compactMap { decode(file, at: $0) }
        return slots.max { $0.generation < $1.generation }
    }
}
