/// How many records a receiver takes at once, as its refusals teach. Pure.
///
/// A receiver that finds a batch too large does not say how large one may be, nor whether it is the size or a record in it
/// that it refuses. So a smaller batch follows: as large as one that was taken before, else a round number, as limits are,
/// else half. When all records of the refused batch have arrived, it was the size: that is kept, over launches too, and
/// a quarter more is tried now and then. A single record that is refused shows that it was not the size.
struct BatchCeiling {
    /// Full batches before a larger one is tried: in general, and after a trial was refused.
    private static let patience: UInt8 = 32
    private static let patienceAfterRefusal: UInt8 = 255

    /// Records at most; `Int.max` where no limit is known.
    private(set) var count = Int.max
    /// The largest batch that was taken in this launch and not refused since; 0 for none.
    private(set) var taken = 0
    private var patience = Self.patience
    private var search: Search?

    /// From the refusal of a batch until it is known whether its size was at fault.
    private struct Search {
        /// Records of the refused batch that have not arrived.
        var remaining: Int
        var before: UInt32
        var isContent = false
    }

    /// - Parameter note: ``note`` of an earlier launch; 0 for none.
    init(note: UInt32 = 0) { recall(note) }

    /// What the next launch should know, in 24 bits for the count and 8 for the patience; 0 for nothing. Of a search only what
    /// was known before it.
    var note: UInt32 {
        if let search { return search.before }
        return count == .max ? 0 : UInt32(min(count, 0xFF_FFFF)) << 8 | UInt32(patience)
    }

    private mutating func recall(_ note: UInt32) {
        count = note >> 8 == 0 ? .max : Int(note >> 8)
        patience = max(1, UInt8(truncatingIfNeeded: note))
    }

    /// So many records arrived at once.
    mutating func take(_ records: Int) {
        taken = max(taken, records)
        if var found = search {
            found.remaining -= records
            search = found
            guard found.isContent || found.remaining <= 0 else { return }
            search = nil
            if found.isContent { recall(found.before) }
            return
        }
        guard records == count else { return }
        patience -= 1
        guard patience == 0 else { return }
        patience = Self.patience
        count += max(1, count / 4)
    }

    /// So many records, at least two, were refused at once.
    mutating func refuse(_ records: Int) {
        var found = search ?? Search(remaining: records, before: note)
        // One that reaches beyond the first begins no search of its own: its record at fault would pass for a size.
        found.remaining = max(found.remaining, records)
        search = found
        let smaller = Self.smaller(records)
        if (smaller..<records).contains(taken) {
            patience = count == .max ? Self.patience : Self.patienceAfterRefusal
            count = taken
        } else {
            (count, patience) = (smaller, Self.patience)
            if taken >= records { taken = 0 }
        }
    }

    /// A single record was refused: it was at fault, and not the size.
    mutating func refuseOne() { search?.isContent = true }

    private static func smaller(_ records: Int) -> Int {
        guard records > 100 else { return records / 2 }
        var round = 100
        while round * 10 < records { round *= 10 }
        return round
    }
}
