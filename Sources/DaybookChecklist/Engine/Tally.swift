import DaybookBase

/// Counts an item's records: in total, per combination of columns, per listed value, and per window.
///
/// A *group* is what is counted together: the records of one window that agree in the `per` columns. In each group,
/// every value that `each` lists (or the group itself, without `each`) must have the right count.
struct Tally: Sendable {
    /// Values of the `per` columns.
    private typealias Group = [ChecklistValue?]

    private struct Count {
        var count = 0
        var evidence: [Evidence] = []
    }

    private let count: ChecklistExpectation.Count
    private let columns: [String]
    /// The column of `each` and its values.
    private let each: (column: String, values: [ChecklistValue])?
    private let until: TagPattern?
    /// The open window's groups in order of arrival, with the index of each.
    private var groups: [Group] = []
    private var numbers: [Group: Int] = [:]
    /// The groups' counts, consecutively; each group has one per value of `each`.
    private var counts: [Count] = []
    /// Counts of the open window below the minimum.
    private var short = 0
    private var hasCounted = false
    /// The first values that `each` does not list, with their records.
    private var unlisted: [(value: ChecklistValue, number: Int64)] = []

    /// - Parameter declared: the values of an `each` without a list.
    init(_ expectation: ChecklistExpectation, declared: [ChecklistValue]) {
        count = expectation.count
        var columns: [String] = []
        var each: (column: String, values: [ChecklistValue])?
        var until: TagPattern?
        for clause in expectation.clauses {
            switch clause.meaning {
            case .per(let names): columns = names
            case .each(let column, let values):
                var distinct: [ChecklistValue] = []
                for value in values ?? declared where !distinct.contains(value.key) { distinct.append(value.key) }
                each = (column, distinct)
            case .until(let event): until = event.pattern
            default: break
            }
        }
        self.columns = columns
        self.each = each
        self.until = until
        // Without `per` and `until`, `each` requires its values even if nothing comes.
        if each != nil, columns.isEmpty, until == nil { open([]) }
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

    private var groupSize: Int { each?.values.count ?? 1 }

    private mutating func open(_ group: Group) {
        numbers[group] = groups.count
        groups.append(group)
        counts.append(contentsOf: repeatElement(Count(), count: groupSize))
        if minimum > 0 { short += groupSize }
    }

    mutating func add(_ record: some ChecklistRecord, _ evidence: Evidence) -> ItemJudge.Failure? {
        let group = columns.map { record.value(of: $0)?.key }
        if numbers[group] == nil {
            guard counts.count + groupSize <= ItemJudge.combinationLimit else {
                return ItemJudge.Failure(
                    cause: "combinations",
                    reason: [
                        .init(
                            .combinations,
                            ["limit": .init(ItemJudge.combinationLimit), "columns": .init(names: columns)])
                    ],
                    evidence: [evidence])
            }
            open(group)
        }
        hasCounted = true
        var place = (numbers[group] ?? 0) * groupSize
        var value: ChecklistValue?
        if let each {
            value = record.value(of: each.column)?.key
            guard let value, let index = each.values.firstIndex(of: value) else {
                if let value, unlisted.count < 3, !unlisted.contains(where: { $0.value == value }) {
                    unlisted.append((value, record.number))
                }
                return nil
            }
            place += index
        }
        counts[place].count += 1
        let count = counts[place].count
        if count == minimum { short -= 1 }
        guard count > maximum else {
            if counts[place].evidence.count < 3 { counts[place].evidence.append(evidence) }
            return nil
        }
        // Once per count; `maximum` is below `.max` if it can be exceeded.
        guard count == maximum + 1 else { return nil }
        var last = evidence
        last.remark = Reason([.init(.surplus)] + elapsed(since: counts[place].evidence.first, until: evidence))
        let name = name(group, value)
        return ItemJudge.Failure(
            cause: "many" + Reason(name).text, reason: [.init(.count, ["count": .init(count)])] + name,
            evidence: counts[place].evidence + [last])
    }

    /// Returns a failure of the last window, if any.
    mutating func closeWindow() -> ItemJudge.Failure? {
        let missing = missingOfWindow
        groups.removeAll(keepingCapacity: true)
        numbers.removeAll(keepingCapacity: true)
        counts.removeAll(keepingCapacity: true)
        short = 0
        return missing
    }

    var isFulfilled: Bool { hasCounted && short == 0 }

    /// Whether fulfilment is final: only a lower bound, of one count, over the whole run.
    var isSettled: Bool {
        if case .atLeast = count { return until == nil && columns.isEmpty }
        return false
    }

    /// What is missing so far.
    var missing: ItemJudge.Failure? {
        if !hasCounted, minimum > 0, groups.isEmpty {
            return ItemJudge.Failure(cause: "missing", reason: [.init(.nothing)], evidence: [])
        }
        return missingOfWindow
    }

    private var missingOfWindow: ItemJudge.Failure? {
        guard short > 0 else { return nil }
        for (number, group) in groups.enumerated() {
            let counts = counts[number * groupSize..<(number + 1) * groupSize]
            guard let first = counts.first(where: { $0.count < minimum }) else { continue }
            let window = until == nil ? [] : [Reason.Phrase(.window)]
            guard let each else {
                return ItemJudge.Failure(
                    cause: "missing",
                    reason: [.init(.count, ["count": .init(first.count)])] + name(group, nil) + window,
                    evidence: first.evidence)
            }
            let lacking = zip(each.values, counts).filter { $1.count < minimum }
            let none = Reason.Phrase(
                .lacking, ["column": .init(each.column), "value": .init(lacking[0].0, of: each.column)])
            let wanted = lacking.flatMap { value, found -> [Reason.Phrase] in
                let got = found.count == 0 ? [] : [Reason.Phrase(.counted, ["count": .init(found.count)])]
                return [.init(.also, ["value": .init(value.description)])] + got
            }
            return ItemJudge.Failure(
                cause: "missing",
                reason: [none] + wanted.dropFirst() + name(group, nil) + window + notListed(each.column),
                evidence: lacking.flatMap(\.1.evidence))
        }
        return nil
    }

    private func notListed(_ column: String) -> [Reason.Phrase] {
        unlisted.enumerated().flatMap { index, found -> [Reason.Phrase] in
            [
                .init(index == 0 ? .unlisted : .also, ["value": .init(found.value, of: column)]),
                .init(.atRecord, ["record": .init(found.number)]),
            ]
        }
    }

    private func name(_ group: Group, _ value: ChecklistValue?) -> [Reason.Phrase] {
        var pairs = zip(columns, group).map { Evidence.Value(column: $0, value: $1) }
        if let each, let value { pairs.append(Evidence.Value(column: each.column, value: value)) }
        return pairs.isEmpty
            ? [] : [.init(.group, ["values": .init(pairs, link: " = ", nothing: " absent")])]
    }

    private func elapsed(since first: Evidence?, until last: Evidence) -> [Reason.Phrase] {
        guard let first else { return [] }
        let (difference, overflow) = last.time.subtractingReportingOverflow(first.time)
        guard !overflow else { return [] }
        let between = until.map { [Reason.Phrase(.noneBetween, ["event": .init($0.description)])] } ?? []
        return [.init(.sinceFirst, ["seconds": .init(TimeText.seconds(difference))])] + between
    }
}
