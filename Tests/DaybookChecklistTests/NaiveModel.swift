@testable import DaybookChecklist

/// An item's meaning over the whole recording at once: slow and stateless, for comparison.
enum NaiveModel {
    /// Whether a finished recording fulfils the item, which is in no numbered list.
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

    /// Whether the records have each column that the item asks for, where its event came.
    static func isJudged(_ item: ChecklistItem, by records: [TestRecord]) -> Bool {
        guard case .expectation(let expectation) = item.content else { return true }
        func isAnswered(_ pattern: TagPattern, _ columns: [String]) -> Bool {
            let own = records.filter { pattern.matches($0.tag) }
            return own.isEmpty || columns.allSatisfy { column in own.contains { $0.columns[column] != nil } }
        }
        func columns(_ tests: [ColumnTest]) -> [String] { tests.filter { $0.condition != .absent }.map(\.column) }
        return expectation.clauses.allSatisfy { clause in
            switch clause.meaning {
            case .per(let names), .joining(let names): isAnswered(expectation.pattern, names)
            case .each(let name, _): isAnswered(expectation.pattern, [name])
            case .where(let tests): isAnswered(expectation.pattern, columns(tests))
            case .until(let event), .after(let event), .before(let event):
                isAnswered(event.pattern, columns(event.filter))
            case .count, .within, .when: true
            }
        }
    }

    private static func all(_ tests: [ColumnTest], _ record: TestRecord) -> Bool {
        tests.allSatisfy { $0.holds(for: record.columns[$0.column]) }
    }

    private static func covers(_ event: ChecklistExpectation.EventReference, _ record: TestRecord) -> Bool {
        event.pattern.matches(record.tag) && all(event.filter, record)
    }

    /// The limit of `within`, if any, and the columns of `joining`.
    private static func bounds(of expectation: ChecklistExpectation) -> (limit: Int64?, columns: [String]) {
        var limit: Int64?
        var columns: [String] = []
        for clause in expectation.clauses {
            if case .within(let nanoseconds) = clause.meaning { limit = nanoseconds }
            if case .joining(let names) = clause.meaning { columns = names }
        }
        return (limit, columns)
    }

    private static func joins(_ one: TestRecord, _ other: TestRecord, _ columns: [String]) -> Bool {
        columns.allSatisfy { column in
            guard let left = one.columns[column], let right = other.columns[column] else { return false }
            return left.equals(right)
        }
    }

    private static func isForbidden(_ index: Int, _ expectation: ChecklistExpectation, _ records: [TestRecord]) -> Bool
    {
        let (limit, columns) = bounds(of: expectation)
        let record = records[index]
        var after: ChecklistExpectation.EventReference?
        var before: ChecklistExpectation.EventReference?
        for clause in expectation.clauses {
            if case .after(let event) = clause.meaning { after = event }
            if case .before(let event) = clause.meaning { before = event }
        }
        func isNear(_ earlier: TestRecord, _ later: TestRecord) -> Bool { later.time - earlier.time <= limit ?? .max }
        if let after {
            let last = records[..<index].lastIndex { covers(after, $0) && joins(record, $0, columns) }
            guard let last, isNear(records[last], record) else { return false }
            guard let before else { return true }
            return !records[(last + 1)...index].contains { covers(before, $0) && joins(record, $0, columns) }
        }
        guard let before else { return true }
        guard limit != nil else {
            return !records[...index].contains { covers(before, $0) && joins(record, $0, columns) }
        }
        let next = records[(index + 1)...].first { covers(before, $0) && joins(record, $0, columns) }
        return next.map { isNear(record, $0) } ?? false
    }

    private static func hasNeighbours(_ index: Int, _ expectation: ChecklistExpectation, _ records: [TestRecord])
        -> Bool
    {
        let (limit, columns) = bounds(of: expectation)
        let record = records[index]
        return expectation.clauses.allSatisfy { clause in
            switch clause.meaning {
            case .after(let event):
                let last = records[..<index].last { covers(event, $0) && joins(record, $0, columns) }
                return last.map { record.time - $0.time <= limit ?? .max } ?? false
            case .before(let event):
                let next = records[(index + 1)...].first { covers(event, $0) && joins(record, $0, columns) }
                return next.map { $0.time - record.time <= limit ?? .max } ?? false
            default: return true
            }
        }
    }

    private static func hasRightNumber(
        _ counted: [Int], _ expectation: ChecklistExpectation, _ records: [TestRecord]
    ) -> Bool {
        var columns: [String] = []
        var each: (column: String, values: [ChecklistValue])?
        var boundaries: [Int]?
        for clause in expectation.clauses {
            switch clause.meaning {
            case .per(let names): columns = names
            case .until(let event): boundaries = records.indices.filter { covers(event, records[$0]) }
            case .each(let column, let values): each = (column, values ?? [])
            default: break
            }
        }
        func isRight(_ group: [Int]) -> Bool {
            guard let each else { return Self.isRight(group.count, expectation.count) }
            return each.values.allSatisfy { value in
                let number = group.count { records[$0].columns[each.column]?.equals(value) ?? false }
                return Self.isRight(number, expectation.count)
            }
        }
        if each != nil, columns.isEmpty, boundaries == nil { return isRight(counted) }
        if counted.isEmpty {
            if case .atMost = expectation.count { return true }
            return false
        }
        // A record's window is the number of boundaries up to it. Records counted together agree in window and columns;
        // every record's group is counted anew.
        return counted.allSatisfy { index in
            let group = counted.filter { other in
                (boundaries ?? []).count { $0 <= index } == (boundaries ?? []).count { $0 <= other }
                    && columns.allSatisfy { column in
                        switch (records[index].columns[column], records[other].columns[column]) {
                        case (nil, nil): true
                        case (let left?, let right?): left.equals(right)
                        default: false
                        }
                    }
            }
            return isRight(group)
        }
    }

    private static func isRight(_ number: Int, _ count: ChecklistExpectation.Count) -> Bool {
        switch count {
        case .exactly(let wanted): number == wanted
        case .atLeast(let wanted): number >= wanted
        case .atMost(let wanted): number <= wanted
        }
    }

    /// Which items of one numbered list a finished recording fulfils. The items have only counts and `where`, or are
    /// plain `never`.
    static func areFulfilled(_ items: [ChecklistItem], by records: [TestRecord]) -> [Bool] {
        let expectations = items.compactMap { item in
            if case .expectation(let expectation) = item.content { expectation } else { nil }
        }
        let counted = expectations.map { expectation in
            records.indices.filter {
                expectation.pattern.matches(records[$0].tag) && all(expectation.selection, records[$0])
            }
        }
        // Where each turn starts and, for items that require something, the record that fulfils them.
        var turns: [Int] = []
        var fulfilments: [Int?] = []
        var turn = -1
        for (expectation, counted) in zip(expectations, counted) {
            turns.append(turn)
            guard expectation.holdsOthersBack else {
                fulfilments.append(nil)
                continue
            }
            let inTurn = counted.filter { $0 > turn }
            var fulfilment = Int.max
            switch expectation.count {
            case .atLeast(let number): if inTurn.count >= number { fulfilment = inTurn[number - 1] }
            case .exactly(let number):
                if inTurn.count == counted.count, inTurn.count >= number { fulfilment = inTurn[number - 1] }
            case .atMost: break
            }
            fulfilments.append(fulfilment)
            turn = fulfilment
        }
        return expectations.indices.map { index in
            let inTurn = counted[index].filter { $0 > turns[index] }
            let end = fulfilments[(index + 1)...].compactMap { $0 }.first ?? .max
            if expectations[index].isNever { return !inTurn.contains { $0 <= end } }
            switch expectations[index].count {
            case .atLeast(let number): return inTurn.count >= number
            case .exactly(let number): return counted[index].count == number && inTurn.count == number
            case .atMost(let number):
                return counted[index].count <= number && counted[index].allSatisfy { $0 > turns[index] && $0 <= end }
            }
        }
    }
}
