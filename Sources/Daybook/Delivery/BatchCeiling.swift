/// How many records a receiver takes at once, as its refusals teach. Pure.
///
/// A receiver that finds a batch too large does not say how large one may be, nor whether it is the size or a record in it
/// that it refuses. So a smaller batch follows: as large as one that was taken before, else a round number, as limits are,
/// else half. When all records of the refused batch have arrived, it was the size: that is kept, over launches too, and
/// a quarter more is tried now and then. A single record that is refused shows that it was not the size.
///
/// A connection that breaks is mostly an outage, but some servers close it instead of refusing what is too large. So a batch
/// that breaks twice is followed by smaller ones until one arrives, and then by one of its own size: an outage is over. If
/// that breaks twice too, and the smaller one then arrives at once, its size counts as refused.
struct BatchCeiling {
    /// Full batches before a larger one is tried: in general, and after a trial was refused.
    private static let patience: UInt8 = 32
    private static let patienceAfterRefusal: UInt8 = 255

    /// Records at most, as refusals taught; `Int.max` where no limit is known.
    private var known = Int.max
    /// The largest batch that was taken in this launch and not refused since; 0 for none.
    private(set) var taken = 0
    private var patience = Self.patience
    private var search: Search?
    private var doubt: Doubt?
    /// Batches that broke since the last one that arrived.
    private var breaks = 0

    /// From the refusal of a batch until it is known whether its size was at fault.
    private struct Search {
        /// Records of the refused batch that have not arrived.
        var remaining: Int
        var before: UInt32
        var isContent = false
    }

    /// From a batch that broke twice until it is known whether its size was at fault.
    private struct Doubt {
        enum Stage { case smaller, equal, smallerAgain }

        /// Records of the batch that broke.
        let broken: Int
        /// So many are tried instead.
        var smaller: Int
        var stage = Stage.smaller
    }

    /// Records at most; `Int.max` where no limit is known.
    var count: Int {
        guard let doubt else { return known }
        return min(doubt.stage == .equal ? doubt.broken : doubt.smaller, known)
    }

    /// - Parameter note: ``note`` of an earlier launch; 0 for none.
    init(note: UInt32 = 0) { recall(note) }

    /// What the next launch should know, in 24 bits for the count and 8 for the patience; 0 for nothing. Of a search only what
    /// was known before it.
    var note: UInt32 {
        if let search { return search.before }
        return known == .max ? 0 : UInt32(min(known, 0xFF_FFFF)) << 8 | UInt32(patience)
    }

    private mutating func recall(_ note: UInt32) {
        known = note >> 8 == 0 ? .max : Int(note >> 8)
        patience = max(1, UInt8(truncatingIfNeeded: note))
    }

    /// So many records arrived at once.
    mutating func take(_ records: Int) {
        taken = max(taken, records)
        breaks = 0
        if let asked = doubt {
            switch asked.stage {
            case .smaller: doubt = Doubt(broken: asked.broken, smaller: records, stage: .equal)
            // It was an outage, or there is no more to send.
            case .equal: doubt = nil
            case .smallerAgain: refuse(asked.broken)
            }
        }
        if var found = search {
            found.remaining -= records
            search = found
            guard found.isContent || found.remaining <= 0 else { return }
            search = nil
            if found.isContent { recall(found.before) }
            return
        }
        guard records == known else { return }
        patience -= 1
        guard patience == 0 else { return }
        patience = Self.patience
        known += max(1, known / 4)
    }

    /// So many records, at least two, were refused at once.
    mutating func refuse(_ records: Int) {
        (doubt, breaks) = (nil, 0)
        var found = search ?? Search(remaining: records, before: note)
        // One that reaches beyond the first begins no search of its own: its record at fault would pass for a size.
        found.remaining = max(found.remaining, records)
        search = found
        let next = next(below: records)
        patience = next == taken && known < .max ? Self.patienceAfterRefusal : Self.patience
        known = next
        if taken >= records { taken = 0 }
    }

    /// So many records were sent at once, and nobody said what became of them.
    mutating func lose(_ records: Int) {
        breaks += 1
        guard breaks > 1 else { return }
        if let asked = doubt, asked.stage == .equal, records > asked.smaller {
            doubt?.stage = .smallerAgain
        } else {
            let broken = doubt?.stage == .smaller ? doubt?.broken : records
            doubt = Doubt(broken: broken ?? records, smaller: max(1, next(below: records)))
        }
    }

    /// A single record was refused: it was at fault, and not the size.
    mutating func refuseOne() { search?.isContent = true }

    /// The next smaller batch: as large as one that was taken, else a round number, else half.
    private func next(below records: Int) -> Int {
        var round = 100
        while round * 10 < records { round *= 10 }
        let smaller = records > 100 ? round : records / 2
        return (min(smaller, records / 2)..<records).contains(taken) ? taken : smaller
    }
}
