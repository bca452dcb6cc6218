import DaybookBase
import DaybookStore

/// Who comes back how long after their first period.
struct RetentionFold {
    fileprivate static let none = Int32.max

    private let insight: Insight
    private let sight: FoldSight
    private let source: any ColumnSource
    private let flags: StepFlags
    private let times: Range<Int64>

    init(_ insight: Insight, times: Range<Int64>, _ source: any ColumnSource, _ sight: FoldSight) {
        (self.insight, self.times, self.source, self.sight) = (insight, times, source, sight)
        flags = StepFlags(insight.steps, times: times, sight.masking)
    }

    /// People with the same first period, and the same value in their first event.
    struct Cohort: Hashable {
        var first: Int32
        /// By number; 0 if nothing is divided.
        var value: Int32
    }

    /// For each cohort how many people it has, and how many of them came back so many periods later; and the values.
    func counts(periods: Int) throws(StoreError) -> (people: [Cohort: [Int64]], values: [String]) {
        var counts: [Cohort: [Int64]] = [:]
        var values = DividingValues(insight, sight)
        try PeopleParts.forEach { part throws(StoreError) in
            guard let people = try people(part, periods, &values) else { return false }
            for (number, first) in people.firsts.enumerated() where first != Self.none {
                let cohort = Cohort(first: first, value: people.origins.isEmpty ? 0 : people.origins[number].value)
                counts[cohort, default: Array(repeating: 0, count: periods + 1)][0] += 1
                var rest = people.ages[number]
                while rest != 0 {
                    counts[cohort]?[rest.trailingZeroBitCount] += 1
                    rest &= rest - 1
                }
            }
            return true
        }
        return (counts, values.texts)
    }

    /// Whoever counts, as far as it is known.
    fileprivate struct Person {
        var first = none
        /// The periods that they came back in: a bit for each from `base` on.
        var base = none
        var periods: UInt64 = 0
        /// Whether a period did not fit into the bits.
        var isWide = false
    }

    /// A person's first event that begins a retention; of equal times the first to arrive.
    private struct Origin {
        var time = Int64.max
        var value: Int32 = 0
    }

    /// For each person of a part the first period, and a bit for each later one that they came back in, by its
    /// distance, and their first event where its value divides the answer; `nil` if they do not fit into the memory.
    private func people(
        _ part: PeopleParts, _ periods: Int, _ values: inout DividingValues
    ) throws(StoreError) -> (firsts: [Int32], ages: [UInt64], origins: [Origin])? {
        guard let clock = Periods(insight) else { return nil }
        let isDivided = insight.parameter != nil
        var codes = PersonCodes(insight, part, most: max(1, sight.bounds.memory / (isDivided ? 76 : 60)), sight)
        var people: [Person] = []
        var origins: [Origin] = []
        try forEach(&codes) { found, persons, slice, count throws(StoreError) in
            if isDivided {
                origins += Array(repeating: Origin(), count: count - origins.count)
                let numbers = values.numbers(of: found, in: slice)
                try sight.bounds.check(names: values.texts.count)
                for (index, person) in persons.enumerated() where person >= 0 && found.flags[index] & 1 != 0 {
                    let time = slice.times[Int(found.places[index])]
                    guard time < origins[Int(person)].time else { continue }
                    origins[Int(person)] = Origin(time: time, value: numbers[index])
                }
            }
            people += Array(repeating: Person(), count: count - people.count)
            people.withUnsafeMutableBufferPointer { people in
                for (index, person) in persons.enumerated() where person >= 0 {
                    let period = clock.number(of: slice.times[Int(found.places[index])])
                    people[Int(person)].add(period, found.flags[index], periods)
                }
            }
        }
        guard !codes.isFull else { return nil }
        // Nothing that may count is left out, apart from the wide ones.
        var ages = people.map { $0.ages(periods) }
        if people.contains(where: \.isWide) {
            try forEach(&codes) { found, persons, slice, _ in
                for (index, person) in persons.enumerated() where person >= 0 && people[Int(person)].isWide {
                    guard found.flags[index] & 2 != 0 else { continue }
                    let period = clock.number(of: slice.times[Int(found.places[index])])
                    let age = Int(period) - Int(people[Int(person)].first)
                    if (1...periods).contains(age) { ages[Int(person)] |= 1 << UInt64(age) }
                }
            }
        }
        return (people.map(\.first), ages, origins)
    }

    private func forEach(
        _ people: inout PersonCodes,
        _ body: (StepFlags.Found, _ people: [Int32], ColumnSlice, _ count: Int) throws(StoreError) -> Void
    ) throws(StoreError) {
        let valued = flags.columns.union(people.valued).union(DividingValues.columns(insight, sight))
        let request = ColumnRequest(valued: valued, keyed: people.keyed, times: times, records: flags.records)
        try source.forEach(request) { slice throws(StoreError) in
            let found = flags.find(in: slice)
            let persons = people.people(of: found, in: slice, source.key)
            try body(found, persons, slice, people.count)
            return !people.isFull
        }
    }
}

extension RetentionFold.Person {
    /// Takes note of an event in a period.
    mutating func add(_ period: Int32, _ flags: UInt16, _ periods: Int) {
        if flags & 1 != 0 { first = min(first, period) }
        // An earlier first period would only make it more distant.
        guard flags & 2 != 0, first == RetentionFold.none || Int(period) - Int(first) <= periods else { return }
        if base == RetentionFold.none {
            (base, self.periods) = (period, 1)
        } else if period >= base {
            if period - base < 64 { self.periods |= 1 << UInt64(period - base) } else { isWide = true }
        } else if Int(base) - Int(period) <= self.periods.leadingZeroBitCount {
            self.periods = self.periods << UInt64(base - period) | 1
            base = period
        } else {
            isWide = true
        }
    }

    /// A bit for each period in which they came back, by its distance from the first.
    func ages(_ periods: Int) -> UInt64 {
        guard first != RetentionFold.none, base != RetentionFold.none, !isWide else { return 0 }
        let distance = Int(base) - Int(first)
        let ages = distance >= 0 ? self.periods << UInt64(distance) : self.periods >> UInt64(-distance)
        return ages & (UInt64.max >> UInt64(63 - periods)) & ~1
    }
}
