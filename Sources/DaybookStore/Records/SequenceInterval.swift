/// Sequence numbers of a stream: greater than `after`, up to and including `through`.
public struct SequenceInterval: Sendable, Hashable {
    public var after: UInt64
    public var through: UInt64

    /// Creates the interval (`after`, `through`]; empty if `after` is not less than `through`.
    public init(after: UInt64, through: UInt64) {
        self.after = after
        self.through = through
    }

    /// A single number; not 0, because sequences start at 1.
    package static func one(_ sequence: UInt64) -> SequenceInterval { .init(after: sequence - 1, through: sequence) }

    package func contains(_ sequence: UInt64) -> Bool { after < sequence && sequence <= through }

    package mutating func extend(over other: SequenceInterval) {
        after = min(after, other.after)
        through = max(through, other.through)
    }
}

extension [String: SequenceInterval] {
    package mutating func extend(_ stream: String, over other: SequenceInterval) {
        self[stream, default: other].extend(over: other)
    }
}

/// A set of sequence numbers, as disjoint intervals (after, through] in ascending order. Adjacent ones are merged, so a
/// stream without gaps is one interval. 0 cannot be a member.
package struct IntervalSet: Sendable, Hashable {
    /// Disjoint, not adjacent, ascending, not empty.
    package private(set) var intervals: [SequenceInterval] = []

    package init() {}

    /// The union of intervals in any order; empty ones are allowed.
    package init(_ intervals: some Sequence<SequenceInterval>) {
        for interval in intervals.sorted(by: { $0.after < $1.after }) { insert(interval) }
    }

    /// Whether `number` is a member, in logarithmic time.
    package func contains(_ number: UInt64) -> Bool {
        let index = firstIndex(endingAtOrAfter: number)
        return index < intervals.count && intervals[index].after < number
    }

    /// Adds an interval; an empty one is ignored.
    package mutating func insert(_ interval: SequenceInterval) {
        guard interval.after < interval.through else { return }
        // Merge those that overlap or touch: they end at or after its start, and start at or before its end.
        let first = firstIndex(endingAtOrAfter: interval.after)
        var end = first
        var merged = interval
        while end < intervals.count, intervals[end].after <= interval.through {
            merged.after = min(merged.after, intervals[end].after)
            merged.through = max(merged.through, intervals[end].through)
            end += 1
        }
        intervals.replaceSubrange(first..<end, with: CollectionOfOne(merged))
    }

    /// Adds intervals in any order, in about linear time.
    package mutating func formUnion(_ others: [SequenceInterval]) {
        if !others.isEmpty { self = IntervalSet(intervals + others) }
    }

    package func intervals(notIn other: IntervalSet) -> [SequenceInterval] {
        let known = Set(other.intervals)
        return intervals.filter { !known.contains($0) }
    }

    private func firstIndex(endingAtOrAfter number: UInt64) -> Int {
        var low = 0
        var high = intervals.count
        while low < high {
            let middle = (low + high) / 2
            if intervals[middle].through < number { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
