/// Learns from refusals how many records a receiver takes at once. Pure.
///
/// A refusal says neither the limit nor whether the size or a record is at fault. So a smaller batch follows: as large
/// as one taken before, else a round number (as limits are), else half. If all records of the refused batch then
/// arrive, the size was at fault: the limit is kept across launches, and a quarter more is tried now and then. If a
/// single record is refused, it was not the size.
///
/// A broken connection is usually an outage, but some servers close it when a batch is too large. So after a batch
/// breaks twice, smaller ones follow until one arrives, then one of the broken size. If that arrives, it was an outage.
/// If it breaks twice too and a smaller one then arrives at once, its size counts as refused.
struct BatchCeiling {
    /// Full batches before a larger one is tried; then the same after a refused trial.
    private static let patience: UInt8 = 32
    private static let patienceAfterRefusal: UInt8 = 255

    /// Learned limit of records; `Int.max` if none is known.
    private var known = Int.max
    /// The largest batch taken in this launch and not refused since; 0 for none.
    private(set) var taken = 0
    private var patience = Self.patience
    private var search: Search?
    private var doubt: Doubt?
    /// Batches broken since one arrived.
    private var breaks = 0

    /// From a batch's refusal until it is known whether its size was at fault.
    private struct Search {
        /// Records of the refused batch still to arrive.
        var remaining: Int
        var before: UInt32
        var isContent = false
    }

    /// From a batch's second break until it is known whether its size was at fault.
    private struct Doubt {
        enum Stage { case smaller, equal, smallerAgain }

        /// Records of the broken batch.
        let broken: Int
        /// Records to try instead.
        var smaller: Int
        var stage = Stage.smaller
    }

    /// Most records; `Int.max` if no limit is known.
    var count: Int {
        guard let doubt else { return known }
        return min(doubt.stage == .equal ? doubt.broken : doubt.smaller, known)
    }

    /// - Parameter note: ``note`` of an earlier launch; 0 for none.
    init(note: UInt32 = 0) { recall(note) }

    /// State for the next launch: 24 bits of count, 8 of patience; 0 for none. During a search, the state before it.
    var note: UInt32 {
        if let search { return search.before }
        return known == .max ? 0 : UInt32(min(known, 0xFF_FFFF)) << 8 | UInt32(patience)
    }

    private mutating func recall(_ note: UInt32) {
        known = note >> 8 == 0 ? .max : Int(truncatingIfNeeded: note >> 8)
        patience = max(1, UInt8(truncatingIfNeeded: note))
    }

    /// A batch of so many records arrived.
    mutating func take(_ records: Int) {
        taken = max(taken, records)
        breaks = 0
        if let asked = doubt {
            switch asked.stage {
            case .smaller: doubt = Doubt(broken: asked.broken, smaller: records, stage: .equal)
            // It was an outage, or nothing larger is left to send.
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

    /// A batch of so many records, at least two, was refused.
    mutating func refuse(_ records: Int) {
        (doubt, breaks) = (nil, 0)
        var found = search ?? Search(remaining: records, before: note)
        // A refused batch that reaches beyond the first starts no search of its own: a bad record in it would pass for
        // a size limit.
        found.remaining = max(found.remaining, records)
        search = found
        let next = next(below: records)
        patience = next == taken && known < .max ? Self.patienceAfterRefusal : Self.patience
        known = next
        if taken >= records { taken = 0 }
    }

    /// A batch of so many records was sent, without an answer.
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

    /// A single record was refused, so the size was not at fault.
    mutating func refuseOne() { search?.isContent = true }

    /// The next smaller size: that of a batch taken before, else a round number, else half.
    private func next(below records: Int) -> Int {
        var round = 100
        while round * 10 < records { round *= 10 }
        let smaller = records > 100 ? round : records / 2
        return (min(smaller, records / 2)..<records).contains(taken) ? taken : smaller
    }
}
