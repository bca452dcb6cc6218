import DaybookBase

/// Judges one item: which records count, whether each is correct, and whether their number is right.
struct ItemJudge: Sendable {
    /// The most open combinations of `per` columns; beyond that the item fails and says so.
    static let combinationLimit = 100_000

    /// A record's position relative to the item's turn in a numbered list.
    enum Turn {
        /// The predecessor is not fulfilled yet.
        case early
        case now
        /// The successor is already fulfilled.
        case past
    }

    /// An item's state, without its text.
    struct Outcome {
        var status: ItemVerdict.Status
        var isProvisional: Bool
        var reason: [Reason.Phrase] = []
        var evidence: [Evidence] = []
    }

    /// A permanent failure.
    struct Failure {
        /// Identifies the kind of failure; only the first of each is reported.
        var cause: String
        var reason: [Reason.Phrase]
        var evidence: [Evidence]
    }

    /// The most reasons per item.
    static let reasonLimit = 5

    /// Records that did not count: their number, and the first one with the reason.
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
    /// The previous item in a numbered list.
    private let predecessor: TagPattern?
    private var tally: Tally
    private var neighbours: Neighbours
    private var asked: AskedColumns
    /// At most ``reasonLimit``, one per cause.
    private var failures: [Failure] = []
    /// Records that counted.
    private(set) var matches = 0
    /// The position of the record that completed the count, for numbered lists.
    private(set) var fulfilledAt: Int?
    private var first: Evidence?
    /// Records that `where` excluded, and records that came before their turn.
    private var leftOut = Sightings()
    private var tooEarly = Sightings()

    /// Whether successors in a numbered list wait for this item: it requires something.
    var holdsOthersBack: Bool { expectation.holdsOthersBack }

    /// - Parameters:
    ///   - catalog: supplies the values of an `each` without a list.
    ///   - predecessor: the previous item's event in a numbered list.
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

    /// Judges a record that the item's pattern or one of its clauses' may match. After a failure it continues, so that
    /// all errors are reported at once.
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
        // The first failing record has already been counted.
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

    func outcome(finished: Bool) -> Outcome {
        let open = expectation.isNever ? nil : (tally.missing ?? neighbours.missing)
        if !failures.isEmpty {
            var failures = failures
            // A record out of turn was not counted; do not report it as missing, too.
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

    /// Why the records cannot judge an item that looks fulfilled, or one with `within` in any state.
    func doubt(of status: ItemVerdict.Status, isWindow: Bool) -> [Reason.Phrase]? {
        if let timeless = neighbours.timeless { return [.init(.noTime, ["record": .init(timeless)])] }
        return status == .ok ? asked.doubt(isWindow: isWindow) : nil
    }

    /// Whether the fulfilled item can no longer fail.
    private var isSettled: Bool {
        !expectation.isNever && tests.isEmpty && !neighbours.hasReference && tally.isSettled
    }

    /// What an early record should have waited for.
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
    /// A failure caused by one record.
    init(cause: String, _ note: [Reason.Phrase], of record: Evidence) {
        var record = record
        record.remark = Reason(note)
        self.init(
            cause: cause, reason: [.init(.record, ["record": .init(record.number)])] + note, evidence: [record])
    }
}

extension ChecklistExpectation {
    /// Empty unless the item has an `each` without a list.
    fileprivate func declaredValues(in catalog: EventCatalog?) -> [ChecklistValue] {
        for case .each(let column, nil) in clauses.map(\.meaning) {
            return catalog?.declaredValues(of: column, in: pattern) ?? []
        }
        return []
    }

    /// Whether successors in a numbered list wait for this item.
    var holdsOthersBack: Bool {
        if case .atMost = count { return false }
        return !isNever
    }

    var isBounded: Bool {
        if case .atLeast = count { return false }
        return true
    }
}

extension ChecklistExpectation.EventReference {
    func covers(_ record: some ChecklistRecord) -> Bool {
        pattern.judges(record.tag) && filter.allSatisfy { $0.holds(for: record.value(of: $0.column)) }
    }
}
