@testable import DaybookChecklist

/// What an item demands, said again over the whole recording at once: slow, without state, for comparison.
enum NaiveModel {
    /// Whether a finished recording fulfils the item, which stands in no numbered list.
    static func isFulfilled(_ item: ChecklistItem, by records: [TestRecord]) -> Bool {
        guard case .expectation(let expectation) = item.content else { return true }
        let counted = records.indices.filter { index in
            expectation.pattern.matches(records[index].tag) && all(expectation.selection, records[index])
        }
        if expectation.isNever {
            return counted.allSatisfy { !isForbidden($0, expectation, records) }
        }
        return counted.allSatisfy { all(item.tests, records[$0]) && hasNeighbours($0, expectation, records) }
            && hasRightNumber(counted, expectation, records)
    }

    private static func all(_ tests: [ColumnTest], _ record: TestRecord) -> Bool {
        tests.allSatisfy { $0.holds(for: record.columns[$0.column]) }
    }

    private static func covers(_ event: ChecklistExpectation.EventReference, _ record: TestRecord) -> Bool {
        event.pattern.matches(record.tag) && all(event.filter, record)
    }

    private static func isForbidden(_ index: Int, _ expectation: ChecklistExpectation, _ records: [TestRecord]) -> Bool
    {
        for clause in expectation.clauses {
            switch clause.meaning {
            case .before(let event): return !records[...index].contains { covers(event, $0) }
            case .after(let event): return records[..<index].contains { covers(event, $0) }
            default: break
            }
        }
        return true
    }

    private static func hasNeighbours(_ index: Int, _ expectation: ChecklistExpectation, _ records: [TestRecord])
        -> Bool
    {
        var limit = Int64.max
        var columns: [String] = []
        for clause in expectation.clauses {
            if case .within(let nanoseconds) = clause.meaning { limit = nanoseconds }
            if case .joining(let names) = clause.meaning { columns = names }
        }
        let record = records[index]
        func joins(_ other: TestRecord) -> Bool {
            columns.allSatisfy { column in
                guard let left = record.columns[column], let right = other.columns[column] else { return false }
                return left.equals(right)
            }
        }
        return expectation.clauses.allSatisfy { clause in
            switch clause.meaning {
            case .after(let event):
                guard let last = records[..<index].last(where: { covers(event, $0) && joins($0) }) else { return false }
                return record.time - last.time <= limit
            case .before(let event):
                let next = records[(index + 1)...].first { covers(event, $0) && joins($0) }
                guard let next else { return false }
                return next.time - record.time <= limit
            default: return true
            }
        }
    }

    private static func hasRightNumber(
        _ counted: [Int], _ expectation: ChecklistExpectation, _ records: [TestRecord]
    ) -> Bool {
        var columns: [String] = []
        var boundaries: [Int] = []
        for clause in expectation.clauses {
            switch clause.meaning {
            case .per(let names): columns = names
            case .until(let event): boundaries = records.indices.filter { covers(event, records[$0]) }
            case .each(let column, let values):
                return (values ?? []).allSatisfy { value in
                    let number = counted.count { records[$0].columns[column]?.equals(value) ?? false }
                    return isRight(number, expectation.count)
                }
            default: break
            }
        }
        if counted.isEmpty {
            if case .atMost = expectation.count { return true }
            return false
        }
        // The window of a record is the number of boundaries up to it; what is counted together agrees in window and
        // columns. Every record's group is counted anew.
        return counted.allSatisfy { index in
            let group = counted.filter { other in
                boundaries.count { $0 <= index } == boundaries.count { $0 <= other }
                    && columns.allSatisfy { column in
                        switch (records[index].columns[column], records[other].columns[column]) {
                        case (nil, nil): true
                        case (let left?, let right?): left.equals(right)
                        default: false
                        }
                    }
            }
            return isRight(group.count, expectation.count)
        }
    }

    private static func isRight(_ number: Int, _ count: ChecklistExpectation.Count) -> Bool {
        switch count {
        case .exactly(let wanted): number == wanted
        case .atLeast(let wanted): number >= wanted
        case .atMost(let wanted): number <= wanted
        }
    }
}
