/// Segments whose counts a walk takes from the index, in its own order, so that all counts lie before its position.
struct CountedSegments {
    var segments: Set<Int64>
    var add: (Int64) throws(StoreError) -> Void
}

/// A ``RecordWalk`` that skips blocks without a match in the index.
struct IndexedWalk {
    private(set) var walk: RecordWalk
    private let probe: IndexProbe
    private let view: IndexView
    private let counted: CountedSegments?
    private let connection: SQLiteConnection
    private let isFull: () -> Bool
    private var known: (segment: Int64, blocks: UInt64)?

    init(
        _ walk: RecordWalk, _ filter: RecordFilter, _ view: IndexView, steps: Int64?, counted: CountedSegments? = nil,
        isFull: @escaping () -> Bool = { false }, _ connection: SQLiteConnection
    ) throws(StoreError) {
        self.walk = walk
        probe = IndexProbe(filter.expression)
        self.view = view
        self.counted = counted
        self.isFull = isFull
        self.connection = connection
        guard let steps else { return }
        _ = try skipGap()
        self.walk.end(after: steps)
    }

    /// The next range to read; `nil` at the end, or when the budget is spent.
    mutating func next() throws(StoreError) -> ArrivalRange? {
        while let range = walk.next() {
            let isNewestFirst = walk.isNewestFirst
            let edge = isNewestFirst ? range.upper - 1 : range.lower
            let segment = IndexSegment.number(of: edge)
            let bounds = ArrivalRange(lower: segment * IndexSegment.size, upper: (segment + 1) * IndexSegment.size)
            let part = ArrivalRange(
                lower: max(walk.rest.lower, bounds.lower), upper: min(walk.rest.upper, bounds.upper))
            if let counted, counted.segments.contains(segment) {
                try counted.add(segment)
                walk.skip(part)
                if walk.isLate() || isFull() { return nil }
                continue
            }
            let isPlain = probe.isAnything && (counted?.segments.isEmpty ?? true)
            if isPlain || view.segments[segment] == nil {
                if try skipGap() { continue }
                return isPlain ? range : unindexed(range)
            }
            let blocks = try blocks(of: segment)
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
        let first = IndexSegment.number(of: range.lower)
        let last = IndexSegment.number(of: range.upper - 1)
        if first == last { return part }
        if walk.isNewestFirst {
            var segment = last
            while segment > first, view.segments[segment - 1] == nil { segment -= 1 }
            part.lower = max(range.lower, segment * IndexSegment.size)
        } else {
            var segment = first
            while segment < last, view.segments[segment + 1] == nil { segment += 1 }
            part.upper = min(range.upper, (segment + 1) * IndexSegment.size)
        }
        return part
    }

    private mutating func blocks(of segment: Int64) throws(StoreError) -> UInt64 {
        if let known, known.segment == segment { return known.blocks }
        let blocks = try probe.blocks(of: segment, connection)
        known = (segment, blocks)
        return blocks
    }

    /// The first run of marked blocks in a part of a segment, in walking order.
    private func run(
        of blocks: UInt64, in part: ArrivalRange, from start: Int64, _ isNewestFirst: Bool
    ) -> ArrivalRange? {
        let first = (part.lower - start) / IndexSegment.blockSize
        let last = (part.upper - 1 - start) / IndexSegment.blockSize
        let isMarked = { (block: Int64) in blocks >> UInt64(block) & 1 == 1 }
        let order = isNewestFirst ? Array((first...last).reversed()) : Array(first...last)
        guard let place = order.firstIndex(where: isMarked) else { return nil }
        var end = place
        while end + 1 < order.count, isMarked(order[end + 1]) { end += 1 }
        let lower = min(order[place], order[end])
        let upper = max(order[place], order[end]) + 1
        return .init(
            lower: max(part.lower, start + lower * IndexSegment.blockSize),
            upper: min(part.upper, start + upper * IndexSegment.blockSize))
    }
}
