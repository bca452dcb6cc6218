/// Counts the records of one item: in all, per combination of columns, per listed value, and per window.
struct Tally: Sendable {
    /// What is counted together: a value for each `per` column, or the value of `each`.
    private struct Combination: Hashable {
        var values: [ChecklistValue?]
    }

    /// One combination in the open window: its count and the first records of it.
    private struct Count {
        var count = 0
        var evidence: [Evidence] = []
    }

    private let count: ChecklistExpectation.Count
    private let columns: [String]
    /// The values that `each` lists, `nil` without it.
    private let listed: [ChecklistValue]?
    private let hasWindows: Bool
    /// The combinations of the open window, and the order in which they came.
    private var combinations: [Combination: Count] = [:]
    private var order: [Combination] = []
    /// Combinations of the open window that have fewer than the count wants.
    private var short = 0
    private var hasCounted = false

    init(_ expectation: ChecklistExpectation) {
        count = expectation.count
        var columns: [String] = []
        var listed: [ChecklistValue]?
        for clause in expectation.clauses {
            switch clause.meaning {
            case .per(let names): columns = names
            case .each(let column, let values):
                columns = [column]
                listed = values?.map(\.key)
            default: break
            }
        }
        self.columns = columns
        self.listed = listed
        hasWindows = expectation.clause("until") != nil
    }

    private var minimum: Int {
        switch count {
        case .exactly(let number), .atLeast(let number): number
        case .atMost: 0
        }
    }

    private var maximum: Int {
        switch count {
        case .exactly(let number), .atMost(let number): number
        case .atLeast: .max
        }
    }

    /// Counts a record; what is returned fails the item at once.
    mutating func add(_ record: some ChecklistRecord, _ evidence: Evidence) -> ItemJudge.Failure? {
        let combination = Combination(values: columns.map { record.value(of: $0)?.key })
        if let listed, !combination.values.contains(where: { $0.map(listed.contains) ?? false }) { return nil }
        hasCounted = true
        var entry = combinations[combination] ?? Count()
        if entry.count == 0 {
            guard combinations.count < ItemJudge.combinationLimit else {
                return ItemJudge.Failure(
                    reason:
                        "more than \(ItemJudge.combinationLimit) combinations of \(columns.joined(separator: ", "))",
                    evidence: [evidence])
            }
            order.append(combination)
            if minimum > 1 { short += 1 }
        }
        entry.count += 1
        if entry.count == minimum, minimum > 1 { short -= 1 }
        if entry.evidence.count < 4 { entry.evidence.append(evidence) }
        if entry.count > maximum {
            var last = evidence
            last.note = "one too many" + elapsed(since: entry.evidence.first, until: evidence)
            let story = entry.evidence.dropLast(entry.evidence.last == evidence ? 1 : 0).prefix(3)
            return ItemJudge.Failure(
                reason: "got \(entry.count)\(name(combination))", evidence: story + [last])
        }
        combinations[combination] = entry
        return nil
    }

    /// Starts a new window; what is returned fails the item.
    mutating func closeWindow() -> ItemJudge.Failure? {
        if let missing = missingOfWindow { return missing }
        combinations.removeAll(keepingCapacity: true)
        order.removeAll(keepingCapacity: true)
        short = 0
        return nil
    }

    /// Whether the records so far are enough; asked only of items in a numbered list, which have no `each`.
    var isFulfilled: Bool { hasCounted && short == 0 }

    /// Whether enough stays enough: a lower bound alone, of one count, over the whole run.
    var isSettled: Bool {
        if case .atLeast = count { return !hasWindows && (columns.isEmpty || listed != nil) }
        return false
    }

    /// What the records so far lack.
    var missing: ItemJudge.Failure? {
        if let listed {
            let lacking = listed.filter { (combinations[Combination(values: [$0])]?.count ?? 0) < minimum }
            guard !lacking.isEmpty else { return nil }
            let values = lacking.map { value in
                let got = combinations[Combination(values: [value])]?.count ?? 0
                return got == 0 ? "\(value)" : "\(value) (got \(got))"
            }
            return ItemJudge.Failure(
                reason: "none for \(columns[0]) = \(values.joined(separator: ", "))", evidence: [])
        }
        if !hasCounted, minimum > 0 { return ItemJudge.Failure(reason: "got none", evidence: []) }
        return missingOfWindow
    }

    private var missingOfWindow: ItemJudge.Failure? {
        guard short > 0 else { return nil }
        for combination in order {
            guard let entry = combinations[combination], entry.count < minimum else { continue }
            return ItemJudge.Failure(
                reason: "got \(entry.count)\(name(combination))" + (hasWindows ? " in one window" : ""),
                evidence: entry.evidence)
        }
        return nil
    }

    private func name(_ combination: Combination) -> String {
        guard !columns.isEmpty else { return "" }
        let pairs = zip(columns, combination.values).map { column, value in
            value.map { "\(column) = \($0)" } ?? "\(column) absent"
        }
        return " (\(pairs.joined(separator: ", ")))"
    }

    private func elapsed(since first: Evidence?, until last: Evidence) -> String {
        guard let first, first != last else { return "" }
        let (difference, overflow) = last.time.subtractingReportingOverflow(first.time)
        guard !overflow else { return "" }
        return ", " + TimeText.difference(difference) + " after the first"
    }
}
