/// Extents that a walk counts as a whole, in its own order, so that all counts lie before its position.
struct CountedExtents {
    var contains: (Int64) -> Bool
    var add: (Int64) throws(StoreError) -> Void
}

/// A ``RecordWalk`` that skips blocks without a match in the index.
struct IndexedWalk {
    private(set) var walk: RecordWalk
    private let probe: IndexProbe
    private let view: IndexView
    private let counted: [CountedExtents]
    private let connection: SQLiteConnection
    private let isFull: () -> Bool
    /// Whether it is faster to look for a few records of a session or an installation than to count.
    private let isOfFew: Bool
    private var known: (extent: Int64, blocks: UInt64)?

    /// - Parameter counted: Of several that have an extent, the first one counts it.
    init(
        _ walk: RecordWalk, _ filter: RecordFilter, _ view: IndexView, steps: Int64?, counted: [CountedExtents] = [],
        isFull: @escaping () -> Bool = { false }, _ connection: SQLiteConnection
    ) throws(StoreError) {
        self.walk = walk
        probe = IndexProbe(filter.expression)
        isOfFew = filter.expression.conjuncts.contains { part in
            switch part {
            case .term(.field(.session, .text)), .term(.field(.installation, .text)): true
            default: false
            }
        }
        self.view = view
        self.counted = counted
        self.isFull = isFull
        self.connection = connection
        guard let steps else { return }
        _ = try skipGap()
        self.walk.end(after: reach(of: steps))
    }

    /// How many numbers a walk of so many steps passes. Columns count so many records in a step; extents are counted as
    /// a whole.
    private func reach(of steps: Int64) -> Int64 {
        guard walk.isNewestFirst else { return steps }
        let perStep: Int64 = 64
        var (rest, upper) = (steps * perStep, walk.rest.upper)
        while rest > 0, upper > walk.rest.lower {
            let extent = IndexExtent.number(of: upper - 1)
            let lower = max(walk.rest.lower, IndexExtent.range(extent).lower)
            let isCounted = counted.contains { $0.contains(extent) }
            let cost = isCounted && view.extents[extent] != nil ? 1 : perStep
            let passed = isCounted ? upper - lower : min(upper - lower, rest / cost + 1)
            (rest, upper) = (rest - passed * cost, upper - passed)
        }
        return walk.rest.upper - upper
    }

    /// The next range to read; `nil` at the end, or when the budget is spent.
    mutating func next() throws(StoreError) -> ArrivalRange? {
        while let range = walk.next() {
            let isNewestFirst = walk.isNewestFirst
            let edge = isNewestFirst ? range.upper - 1 : range.lower
            let extent = IndexExtent.number(of: edge)
            let bounds = ArrivalRange(lower: extent * IndexExtent.size, upper: (extent + 1) * IndexExtent.size)
            let part = ArrivalRange(
                lower: max(walk.rest.lower, bounds.lower), upper: min(walk.rest.upper, bounds.upper))
            if let counted = counted.first(where: { $0.contains(extent) }) {
                if view.extents[extent] == nil, try skipGap() { continue }
                let hasNone = isOfFew && view.extents[extent] != nil ? try blocks(of: extent) == 0 : false
                if !hasNone { try counted.add(extent) }
                walk.skip(part)
                if walk.isLate() || isFull() { return nil }
                continue
            }
            if probe.isAnything || view.extents[extent] == nil {
                if try skipGap() { continue }
                if !counted.isEmpty {
                    return .init(lower: max(range.lower, bounds.lower), upper: min(range.upper, bounds.upper))
                }
                return probe.isAnything ? range : unindexed(range)
            }
            let blocks = try blocks(of: extent)
            // From the near edge on: a run of blocks without a match, then one with.
            guard let match = run(of: blocks, in: part, from: bounds.lower, isNewestFirst) else {
                walk.skip(part)
                if walk.isLate() { return nil }
                continue
            }
            if isNewestFirst {
                walk.skip(.init(lower: match.upper, upper: part.upper))
                return .init(lower: max(match.lower, match.upper - walk.size), upper: match.upper)
            }
            walk.skip(.init(lower: part.lower, upper: match.lower))
            return .init(lower: match.lower, upper: min(match.upper, match.lower + walk.size))
        }
        return nil
    }

    mutating func pass(_ range: ArrivalRange, since start: ContinuousClock.Instant) {
        walk.pass(range, since: start)
    }

    /// Skips numbers without records at the near end, in one step; erasing and foreign writes leave gaps. Returns
    /// whether there were any.
    private mutating func skipGap() throws(StoreError) -> Bool {
        let rest = walk.rest
        var gap = rest
        if walk.isNewestFirst {
            gap.lower = max(rest.lower, (try connection.lastArrival(before: rest.upper) ?? 0) + 1)
        } else {
            gap.upper = min(rest.upper, try connection.firstArrival(from: rest.lower) ?? rest.upper)
        }
        walk.skip(gap)
        return !gap.isEmpty
    }

    private func unindexed(_ range: ArrivalRange) -> ArrivalRange {
        var part = range
        let first = IndexExtent.number(of: range.lower)
        let last = IndexExtent.number(of: range.upper - 1)
        if first == last { return part }
        if walk.isNewestFirst {
            var extent = last
            while extent > first, view.extents[extent - 1] == nil { extent -= 1 }
            part.lower = max(range.lower, extent * IndexExtent.size)
        } else {
            var extent = first
            while extent < last, view.extents[extent + 1] == nil { extent += 1 }
            part.upper = min(range.upper, (extent + 1) * IndexExtent.size)
        }
        return part
    }

    private mutating func blocks(of extent: Int64) throws(StoreError) -> UInt64 {
        if let known, known.extent == extent { return known.blocks }
        let blocks = try probe.blocks(of: extent, connection)
        known = (extent, blocks)
        return blocks
    }

    /// The first run of marked blocks in a part of an extent, in walking order.
    private func run(
        of blocks: UInt64, in part: ArrivalRange, from start: Int64, _ isNewestFirst: Bool
    ) -> ArrivalRange? {
        let first = (part.lower - start) / IndexExtent.blockSize
        let last = (part.upper - 1 - start) / IndexExtent.blockSize
        let isMarked = { (block: Int64) in blocks >> UInt64(block) & 1 == 1 }
        let order = isNewestFirst ? Array((first...last).reversed()) : Array(first...last)
        guard let place = order.firstIndex(where: isMarked) else { return nil }
        var end = place
        while end + 1 < order.count, isMarked(order[end + 1]) { end += 1 }
        let lower = min(order[place], order[end])
        let upper = max(order[place], order[end]) + 1
        return .init(
            lower: max(part.lower, start + lower * IndexExtent.blockSize),
            upper: min(part.upper, start + upper * IndexExtent.blockSize))
    }
}
