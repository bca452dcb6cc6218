import DaybookBase
import DaybookStore

/// How often an event occurs, by how many, and how large its numbers are. The order of events does not matter.
struct TallyFold {
    private let insight: Insight
    private let sight: FoldSight
    private let source: any ColumnSource
    private let times: Range<Int64>
    private let flags: StepFlags
    private let periods: Periods?

    init(_ insight: Insight, times: Range<Int64>, _ source: any ColumnSource, _ sight: FoldSight) {
        (self.insight, self.times, self.source, self.sight) = (insight, times, source, sight)
        flags = StepFlags(insight.steps, times: times, readsAllKinds: insight.readsAllKinds, sight.masking)
        periods = Periods(insight)
    }

    /// The rows of the statement.
    func count() throws(StoreError) -> [[QueryResult.Cell]] {
        // The people are counted in parts if they are too many; the times in the first pass, which reads all records.
        var divisions = Divisions(insight, sight)
        var (counts, people): ([Int64], [Int64]) = ([], [])
        var isFirst = true
        try PeopleParts.forEach { part throws(StoreError) in
            var met = PersonTable(most: max(1, sight.bounds.memory / 16))
            var own = [Int64](repeating: 0, count: people.count)
            let persons = PersonKeys(insight)
            try forEach(&divisions, keyed: persons.columns) { slice, places, groups, count throws(StoreError) in
                if own.count < count { own += Array(repeating: 0, count: count - own.count) }
                if isFirst, counts.count < count { counts += Array(repeating: 0, count: count - counts.count) }
                let keys = persons.columns(of: slice, source.key)
                // Whoever has been met in this slice; empty for too many.
                let pairs = keys.count * count
                var isMet = [Bool](repeating: false, count: pairs <= sight.bounds.pairs ? pairs : 0)
                for (index, group) in groups.enumerated() where group >= 0 {
                    if isFirst { counts[Int(group)] += 1 }
                    let value = keys.value(at: Int(places[index]))
                    guard value >= 0, part.contains(keys.keys[value]) else { continue }
                    let key = keys.keys[value]
                    if !isMet.isEmpty {
                        if isMet[value * count + Int(group)] { continue }
                        isMet[value * count + Int(group)] = true
                    }
                    let known = met.count
                    let number = met.number(of: PersonTable.pair(key, Int(group)))
                    if number == known { own[Int(group)] += 1 }
                }
                return isFirst || !met.isFull
            }
            isFirst = false
            guard !met.isFull else { return false }
            if people.count < own.count { people += Array(repeating: 0, count: own.count - people.count) }
            for (group, count) in own.enumerated() { people[group] += count }
            return true
        }
        let rows = counts.indices.map { group in
            divisions.cells(group) + [.integer(counts[group]), .integer(people[group])]
        }
        return sorted(rows, empty: [.integer(0), .integer(0)])
    }

    /// The rows of the statement.
    func measure(_ number: Insight.Number) throws(StoreError) -> [[QueryResult.Cell]] {
        var divisions = Divisions(insight, sight)
        var numbers: [[Double]] = []
        var total = 0
        try forEach(&divisions, valued: Set(number.columns)) { slice, places, groups, count throws(StoreError) in
            if numbers.count < count { numbers += Array(repeating: [], count: count - numbers.count) }
            let found = NumberColumn(number, of: slice, at: places.count, sight)
            for (index, group) in groups.enumerated() where group >= 0 {
                guard let number = found.number(at: Int(places[index])) else { continue }
                numbers[Int(group)].append(number)
                total += 1
            }
            try sight.bounds.check(answer: total)
            return true
        }
        let rows = numbers.indices.filter { !numbers[$0].isEmpty }.map { group -> [QueryResult.Cell] in
            let count = numbers[group].count
            let places = [0] + Insight.percentiles.map { (count * $0 + 99) / 100 - 1 } + [count - 1]
            let shown = numbers[group].smallest(at: places)
            return divisions.cells(group) + [.integer(Int64(count))] + shown.map { .real($0) }
        }
        return sorted(rows, empty: insight.answered.map { _ in .null })
    }

    /// The rows of the statement.
    func buckets(of number: Insight.Number) throws(StoreError) -> [[QueryResult.Cell]] {
        var divisions = Divisions(insight, sight)
        var counts: [[Int64]] = []
        try forEach(&divisions, valued: Set(number.columns)) { slice, places, groups, count throws(StoreError) in
            let none = [Int64](repeating: 0, count: NumberBuckets.count)
            if counts.count < count { counts += Array(repeating: none, count: count - counts.count) }
            try sight.bounds.check(answer: counts.count * NumberBuckets.count)
            let found = NumberColumn(number, of: slice, at: places.count, sight)
            for (index, group) in groups.enumerated() where group >= 0 {
                if let number = found.number(at: Int(places[index])) {
                    counts[Int(group)][NumberBuckets.place(of: number)] += 1
                }
            }
            return true
        }
        let rows = counts.enumerated().flatMap { group, counts in
            counts.enumerated().filter { $1 > 0 }.map { place, count in
                let least = NumberBuckets.least(place).map { QueryResult.Cell.real($0) } ?? .null
                return divisions.cells(group) + [least, .integer(count)]
            }
        }
        return rows.sorted(by: QueryResult.precedes)
    }

    /// - Parameter empty: What a statement answers about no records, if nothing divides them.
    private func sorted(_ rows: [[QueryResult.Cell]], empty: [QueryResult.Cell]) -> [[QueryResult.Cell]] {
        rows.isEmpty && insight.dividing.isEmpty ? [empty] : rows.sorted(by: QueryResult.precedes)
    }

    /// Passes the records that count: their slice, their places, and for each the number of its group, or -1 if its
    /// version does not count; and how many groups there are by then.
    private func forEach(
        _ divisions: inout Divisions, valued: Set<ColumnName> = [], keyed: Set<ColumnName> = [],
        _ body: (ColumnSlice, [UInt16], [Int32], Int) throws(StoreError) -> Bool
    ) throws(StoreError) {
        let request = ColumnRequest(
            valued: flags.columns.union(divisions.columns).union(valued), keyed: keyed, times: times,
            records: flags.records)
        try source.forEach(request) { slice throws(StoreError) in
            let found = flags.find(in: slice)
            let groups = divisions.groups(of: found, in: slice, periods)
            try sight.bounds.check(names: divisions.count)
            return try body(slice, found.places, groups, divisions.count)
        }
    }
}

/// The numbers of a slice's records.
private struct NumberColumn {
    private struct Part {
        var column: SeenColumn
        /// Of each value; `nil` where there are more values than are asked for.
        var numbers: [Double?]?
    }

    /// The record's own column first.
    private var parts: [Part]

    /// - Parameter count: How many records' numbers are asked for.
    init(_ number: Insight.Number, of slice: ColumnSlice, at count: Int, _ sight: FoldSight) {
        let classes = sight.masking.map { RecordClasses($0, slice) }
        parts = number.columns.compactMap { name in
            SeenColumn(name, of: slice, classes).map { column in
                Part(column: column, numbers: column.count > count ? nil : (1..<column.count + 1).map(column.number))
            }
        }
    }

    func number(at place: Int) -> Double? {
        for part in parts where part.column.codes[place] != 0 {
            let code = Int(part.column.codes[place])
            return part.numbers.map { $0[code - 1] } ?? part.column.number(code)
        }
        return nil
    }
}

extension [Double] {
    /// What would be at these places if this were sorted; sorts no more than that takes.
    ///
    /// Source: C. A. R. Hoare, *Algorithm 65: Find*, Communications of the ACM 4 (1961).
    /// - Parameter places: In ascending order.
    fileprivate mutating func smallest(at places: [Int]) -> [Double] {
        withUnsafeMutableBufferPointer { numbers in
            var first = 0
            return places.map { place in
                var (low, high) = (first, numbers.count - 1)
                while low < high {
                    // The middle one of three, so that sorted numbers take no longer than others.
                    let sample = [numbers[low], numbers[low + (high - low) / 2], numbers[high]].sorted()
                    let pivot = sample[1]
                    var (left, right) = (low, high)
                    while left <= right {
                        while numbers[left] < pivot { left += 1 }
                        while pivot < numbers[right] { right -= 1 }
                        guard left <= right else { break }
                        numbers.swapAt(left, right)
                        left += 1
                        right -= 1
                    }
                    if place <= right {
                        high = right
                    } else if place >= left {
                        low = left
                    } else {
                        break
                    }
                }
                // What is before this place is not larger, so that the next search begins here.
                first = place
                return numbers[place]
            }
        }
    }
}

extension Insight.Number {
    /// The columns of its values, the one that takes precedence first.
    fileprivate var columns: [ColumnName] {
        switch self {
        case .duration: [.field(.duration)]
        case .column(let name): FacetQuery.Field.attribute(name).columns
        }
    }
}
