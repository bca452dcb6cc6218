/// The ids of the outputs, in the order of their bits in a frame's mask: at most 64.
struct OutputTable: Equatable, Sendable {
    static let maximumCount = 64
    /// The longest id that is stored as it is, in bytes of UTF-8. A longer one is shortened and made unique by its
    /// checksum, alike in tables and cursors.
    static let maximumIDBytes = 128

    let ids: [String]

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
        return prefix + "~" + hexadecimal(UInt64(sum)).suffix(8)
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
