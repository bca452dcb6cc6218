import DaybookBase

/// Judges one item: which records count, whether each is as it should be, and whether their number is right.
struct ItemJudge: Sendable {
    /// The most distinct combinations of `per` columns that may be open at a time; with more, the item fails and says so.
    static let combinationLimit = 100_000

    /// Where a record stands in a numbered list, seen from the item.
    enum Turn {
        /// The item before is not fulfilled yet.
        case early
        case now
        /// The item behind is fulfilled already.
        case past
    }

    /// How an item stands, without its text.
    struct Outcome {
        var status: ItemVerdict.Status
        var isProvisional: Bool
        var reason: [Reason.Phrase] = []
        var evidence: [Evidence] = []
    }

    /// What makes an item fail for good.
    struct Failure {
        /// Tells reasons apart: of two with the same cause only the first is told.
        var cause: String
        var reason: [Reason.Phrase]
        var evidence: [Evidence]
    }

    /// The most reasons that one item tells.
    static let reasonLimit = 5

    /// Records that did not count: how many, and the first with what speaks against it.
    private struct Sightings {
        var count = 0
        var number: Int64 = 0
        var why: [Reason.Phrase] = []

        mutating func add(_ record: some ChecklistRecord, _ explanation: @autoclosure () -> [Reason.Phrase] = []) {
            if count == 0 {
                number = record.number
                why = explanation()
            }
            count += 1
        }
    }

    let expectation: ChecklistExpectation
    private let selection: [ColumnTest]
    private let tests: [ColumnTest]
    private let columns: [String]
    private let until: ChecklistExpectation.EventReference?
    private let onlyTag: String?
    /// The item before in a numbered list.
    private let predecessor: TagPattern?
    private var tally: Tally
    private var neighbours: Neighbours
    private var asked: AskedColumns
    /// The first of each cause, at most ``reasonLimit``.
    private var failures: [Failure] = []
    /// How many records counted.
    private(set) var matches = 0
    /// The position of the record that brought the number wanted; used for numbered lists.
    private(set) var fulfilledAt: Int?
    private var first: Evidence?
    /// Records of the event that `where` left out, and of those that came before their turn.
    private var leftOut = Sightings()
    private var tooEarly = Sightings()

    /// Whether the items behind in a numbered list wait for this one: it wants something.
    var holdsOthersBack: Bool { expectation.holdsOthersBack }

    /// - Parameters:
    ///   - catalog: has the values of an `each` without a list.
    ///   - predecessor: the event of the item before in a numbered list.
    init(
        _ expectation: ChecklistExpectation, tests: [ColumnTest], catalog: EventCatalog?, predecessor: TagPattern?
    ) {
        self.predecessor = predecessor
        self.expectation = expectation
        self.tests = tests
        selection = expectation.selection
        onlyTag = expectation.pattern.onlyTag
        tally = Tally(expectation, declared: expectation.declaredValues(in: catalog))
        neighbours = Neighbours(expectation)
        asked = AskedColumns(expectation, catalog: catalog)
        var until: ChecklistExpectation.EventReference?
        var columns: [String] = []
        for clause in expectation.clauses {
            switch clause.meaning {
            case .until(let event): until = event
            case .per(let names), .joining(let names): columns += names
            case .each(let column, _): columns.append(column)
            case .where(let tests): columns += tests.map(\.column)
            default: break
            }
        }
        self.until = until
        var seen: Set<String> = []
        self.columns = (columns + tests.map(\.column)).filter { seen.insert($0).inserted }
    }

    /// Takes a record that the item's own pattern or that of one of its clauses may match. An item that has failed goes on
    /// looking, so that all that is wrong is told at once.
    mutating func observe(_ record: some ChecklistRecord, at position: Int, turn: Turn) {
        guard failures.count < Self.reasonLimit else { return }
        asked.observe(record)
        if let until, until.covers(record), let failed = tally.closeWindow() { add(failed) }
        let isMatch = onlyTag.map { $0 == record.tag } ?? expectation.pattern.judges(record.tag)
        guard isMatch || neighbours.hasReference else { return }
        var isSelected = isMatch
        if isMatch, let test = selection.first(where: { !$0.holds(for: record.value(of: $0.column)) }) {
            isSelected = false
            leftOut.add(record, test.explanation(of: record.value(of: test.column)))
        }
        let evidence = isSelected && (turn == .now || !expectation.isNever) ? evidence(record) : nil
        if let failed = neighbours.observe(record, match: evidence) {
            if expectation.isNever, let evidence { count(evidence) }
            add(failed)
        }
        guard let evidence else { return }
        if expectation.isNever {
            if !neighbours.hasReference { fail("never", [.init(.seen)], evidence) }
            return
        }
        let counted = matches
        for test in tests where !test.holds(for: record.value(of: test.column)) {
            let found = test.explanation(of: record.value(of: test.column))
            fail(test.text, [.init(.test, ["test": .init(test.text)])] + found, evidence)
        }
        if turn == .early {
            guard expectation.isBounded else { return tooEarly.add(record) }
            let early = [Reason.Phrase(.early)] + awaited
            return fail(Self.outOfTurn, early, evidence)
        }
        if turn == .past, !holdsOthersBack {
            return fail(Self.outOfTurn, [.init(.late)], evidence)
        }
        // The first record that fails has been counted by then.
        if matches == counted { count(evidence) }
        if let failed = tally.add(record, evidence) { add(failed) }
        if failures.isEmpty, fulfilledAt == nil, tally.isFulfilled { fulfilledAt = position }
    }

    private static let outOfTurn = "turn"

    private mutating func count(_ evidence: Evidence) {
        matches += 1
        if first == nil { first = evidence }
    }

    private mutating func add(_ failure: Failure) {
        if !hasFailed(by: failure.cause) { failures.append(failure) }
    }

    private func hasFailed(by cause: String) -> Bool { failures.contains { $0.cause == cause } }

    private mutating func fail(_ cause: String, _ reason: @autoclosure () -> [Reason.Phrase], _ evidence: Evidence) {
        guard !hasFailed(by: cause) else { return }
        if matches == 0 { count(evidence) }
        add(Failure(cause: cause, reason(), of: evidence))
    }

    private func evidence(_ record: some ChecklistRecord) -> Evidence {
        Evidence(
            number: record.number, time: record.time, tag: record.tag,
            values: columns.map { Evidence.Value(column: $0, value: record.value(of: $0)) })
    }

    /// How the item stands after the records so far.
    func outcome(finished: Bool) -> Outcome {
        let open = expectation.isNever ? nil : (tally.missing ?? neighbours.missing)
        if !failures.isEmpty {
            var failures = failures
            // What came out of turn was not counted, and would be missing for the second time.
            if finished, let open, failures.count < Self.reasonLimit, !hasFailed(by: open.cause),
                !hasFailed(by: Self.outOfTurn)
            {
                failures.append(open)
            }
            return Outcome(
                status: .failed, isProvisional: false, reason: .joined(failures.map(\.reason)),
                evidence: failures.flatMap(\.evidence))
        }
        if let open {
            return Outcome(
                status: finished ? .failed : .waiting, isProvisional: true, reason: open.reason + hints,
                evidence: open.evidence)
        }
        return Outcome(status: .ok, isProvisional: !isSettled, evidence: first.map { [$0] } ?? [])
    }

    /// Why the records cannot judge the item, although it looks fulfilled, or, with `within`, as it stands.
    func doubt(of status: ItemVerdict.Status, isWindow: Bool) -> [Reason.Phrase]? {
        if let timeless = neighbours.timeless { return [.init(.noTime, ["record": .init(timeless)])] }
        return status == .ok ? asked.doubt(isWindow: isWindow) : nil
    }

    /// Whether no further record can make the fulfilled item fail.
    private var isSettled: Bool {
        !expectation.isNever && tests.isEmpty && !neighbours.hasReference && tally.isSettled
    }

    /// What a record came too early for.
    private var awaited: [Reason.Phrase] {
        predecessor.map { [.init(.awaited, ["event": .init($0.description)])] } ?? []
    }

    private var hints: [Reason.Phrase] {
        guard matches == 0 else { return [] }
        var hints: [Reason.Phrase] = []
        if leftOut.count > 0 {
            hints.append(.init(.leftOut, ["count": .init(leftOut.count), "record": .init(leftOut.number)]))
            hints += leftOut.why
        }
        if tooEarly.count > 0 {
            hints.append(.init(.cameEarly, ["record": .init(tooEarly.number)]))
            hints += awaited
            if tooEarly.count > 1 { hints.append(.init(.firstOf, ["count": .init(tooEarly.count)])) }
        }
        return hints
    }
}

extension ItemJudge.Failure {
    /// What is wrong with one record.
    init(cause: String, _ note: [Reason.Phrase], of record: Evidence) {
        var record = record
        record.remark = Reason(note)
        self.init(
            cause: cause, reason: [.init(.record, ["record": .init(record.number)])] + note, evidence: [record])
    }
}

extension ChecklistExpectation {
    /// The values of an `each` without a list; empty for any other item.
    fileprivate func declaredValues(in catalog: EventCatalog?) -> [ChecklistValue] {
        for case .each(let column, nil) in clauses.map(\.meaning) {
            return catalog?.declaredValues(of: column, in: pattern) ?? []
        }
        return []
    }

    /// Whether an item behind in a numbered list waits for this one.
    var holdsOthersBack: Bool {
        if case .atMost = count { return false }
        return !isNever
    }

    /// Whether a record more can be one too many.
    var isBounded: Bool {
        if case .atLeast = count { return false }
        return true
    }
}

extension ChecklistExpectation.EventReference {
    /// Whether a record is such an event.
    func covers(_ record: some ChecklistRecord) -> Bool {
        pattern.judges(record.tag) && filter.allSatisfy { $0.holds(for: record.value(of: $0.column)) }
    }
}
