import DaybookStore

/// In which values two events differ. A record that is both counts on both sides.
struct DifferenceFold {
    private struct Sides {
        var first: Int64 = 0
        var second: Int64 = 0

        mutating func add(_ flags: UInt16) {
            first += Int64(flags & 1)
            second += Int64(flags >> 1 & 1)
        }
    }

    /// The values of a column, and how often each side has them.
    private struct Part {
        let name: String
        var divisions: Divisions
        var counts: [Sides] = []

        init(_ name: String, _ insight: Insight, _ sight: FoldSight) {
            var divided = insight
            if name == Insight.version { divided.isByVersion = true } else { divided.parameter = name }
            (self.name, divisions) = (name, Divisions(divided, sight))
        }

        mutating func add(_ found: StepFlags.Found, in slice: ColumnSlice) {
            let groups = divisions.groups(of: found, in: slice, nil)
            counts += Array(repeating: Sides(), count: divisions.count - counts.count)
            for (group, flags) in zip(groups, found.flags) { counts[Int(group)].add(flags) }
        }
    }

    private let flags: StepFlags
    private let sight: FoldSight
    private let times: Range<Int64>
    private let top: Int
    private let parts: [Part]

    init(_ insight: Insight, by columns: [String], times: Range<Int64>, _ sight: FoldSight) {
        (self.times, self.sight, top) = (times, sight, insight.top)
        flags = StepFlags(insight.steps, times: times, sight.masking)
        parts = columns.map { Part($0, insight, sight) }
    }

    /// The rows of the statement.
    func answer(from source: any ColumnSource) throws(StoreError) -> [[QueryResult.Cell]] {
        let request = ColumnRequest(
            valued: parts.reduce(into: flags.columns) { $0.formUnion($1.divisions.columns) }, times: times,
            records: flags.records)
        var parts = parts
        try source.forEach(request) { slice throws(StoreError) in
            let found = flags.find(in: slice)
            for index in parts.indices { parts[index].add(found, in: slice) }
            let largest = parts.max { $0.divisions.count < $1.divisions.count }
            try sight.bounds.check(names: parts.reduce(0) { $0 + $1.divisions.count }, mostOf: largest?.name)
            return true
        }
        // Each column has a value in each record, if only the empty one.
        var all = Sides()
        for sides in parts[0].counts { (all.first, all.second) = (all.first + sides.first, all.second + sides.second) }
        var rows: [(difference: Int64, cells: [QueryResult.Cell])] = []
        for part in parts {
            for (group, sides) in part.counts.enumerated() {
                let counts = [sides.first, sides.second, all.first, all.second].map { QueryResult.Cell.integer($0) }
                rows.append(
                    (
                        abs(sides.first * all.second - sides.second * all.first),
                        [.text(part.name)] + part.divisions.cells(group) + counts
                    ))
            }
        }
        rows.sort { left, right in
            left.difference == right.difference
                ? QueryResult.precedes(left.cells, right.cells) : left.difference > right.difference
        }
        return rows.prefix(top).map(\.cells)
    }
}
