import DaybookBase
import DaybookStore

/// Who comes back how long after their first period.
struct RetentionFold {
    private static let memory = 96 << 20
    private static let none = Int32.max

    private let insight: Insight
    private let source: any ColumnSource
    private let flags: StepFlags
    private let times: Range<Int64>

    init(_ insight: Insight, times: Range<Int64>, _ source: any ColumnSource) {
        (self.insight, self.times, self.source) = (insight, times, source)
        flags = StepFlags(insight.steps, times: times)
    }

    /// For each first period how many people had it, and how many of them came back so many periods later.
    func counts(periods: Int) throws(StoreError) -> [Int32: [Int64]] {
        var counts: [Int32: [Int64]] = [:]
        var parts = [(part: 0, of: 1)]
        while let (part, count) = parts.popLast() {
            guard let people = try people(part, of: count, periods) else {
                parts += [(part, count * 2), (part + count, count * 2)]
                continue
            }
            for (first, ages) in zip(people.firsts, people.ages) where first != Self.none {
                counts[first, default: Array(repeating: 0, count: periods + 1)][0] += 1
                var rest = ages
                while rest != 0 {
                    counts[first]?[rest.trailingZeroBitCount] += 1
                    rest &= rest - 1
                }
            }
        }
        return counts
    }

    /// For each person of a part the first period, and a bit for each later one that they came back in; `nil` if they
    /// do not fit into the memory.
    private func people(_ part: Int, of parts: Int, _ periods: Int) throws(StoreError) -> (
        firsts: [Int32], ages: [UInt64]
    )? {
        guard let clock = Periods(insight) else { return nil }
        var people = PersonCodes(insight, part: part, parts: parts, most: Self.memory / 40)
        var firsts: [Int32] = []
        // Two passes: late events may make the first period an earlier one.
        try forEach(&people) { time, flags, person in
            if person == firsts.count { firsts.append(Self.none) }
            if flags & 1 != 0 { firsts[person] = min(firsts[person], clock.number(of: time)) }
        }
        guard !people.isFull else { return nil }
        var ages = [UInt64](repeating: 0, count: firsts.count)
        try forEach(&people) { time, flags, person in
            guard flags & 2 != 0, firsts[person] != Self.none else { return }
            let age = Int(clock.number(of: time)) - Int(firsts[person])
            if age >= 1, age <= periods { ages[person] |= 1 << UInt64(age) }
        }
        return (firsts, ages)
    }

    private func forEach(
        _ people: inout PersonCodes, _ body: (_ time: Int64, _ flags: UInt16, _ person: Int) -> Void
    ) throws(StoreError) {
        let request = ColumnRequest(
            valued: flags.columns.union(people.valued), keyed: people.keyed, times: times)
        try source.forEach(request) { slice in
            let flags = flags.flags(of: slice)
            people.forEach(slice, flags, source.key) { place, person in
                body(slice.times[place], flags[place], person)
            }
            return !people.isFull
        }
    }
}
