/// Judges `after E` and `before E`, with `within` and `joining`: each record that counts has such an event before or
/// after it; for a `never` item, none may come there.
///
/// The nearest such event in the order of the records decides about `within`. A record is neither before nor after
/// itself. A record that lacks a `joining` column joins with nothing.
struct Neighbours: Sendable {
    /// The values of the `joining` columns.
    private typealias Key = [ChecklistValue]

    private let isNever: Bool
    private let after: ChecklistExpectation.EventReference?
    private let before: ChecklistExpectation.EventReference?
    private let within: Int64?
    private let joining: [String]
    /// The time of the last event of `after`.
    private var lastAfter: [Key: Int64] = [:]
    private var hasSeenBefore = false
    /// Records that still want an event of `before`.
    private var pending: [Key: [Evidence]] = [:]
    private var pendingCount = 0

    /// Whether the item has such a clause.
    var hasReference: Bool { after != nil || before != nil }

    init(_ expectation: ChecklistExpectation) {
        isNever = expectation.isNever
        var after: ChecklistExpectation.EventReference?
        var before: ChecklistExpectation.EventReference?
        var within: Int64?
        var joining: [String] = []
        for clause in expectation.clauses {
            switch clause.meaning {
            case .after(let event): after = event
            case .before(let event): before = event
            case .within(let limit): within = limit
            case .joining(let columns): joining = columns
            default: break
            }
        }
        self.after = after
        self.before = before
        self.within = within
        self.joining = joining
    }

    /// Takes a record; `match` is its evidence where it counts. What is returned fails the item.
    mutating func observe(_ record: some ChecklistRecord, match: Evidence?) -> ItemJudge.Failure? {
        guard hasReference else { return nil }
        if isNever { return observeNever(record, match: match) }
        let isBefore = before?.covers(record) ?? false
        let isAfter = after?.covers(record) ?? false
        guard match != nil || isBefore || isAfter else { return nil }
        let key = key(of: record)
        if isBefore, let key, let failure = settle(key, at: record.time) { return failure }
        if let match {
            if let after, let failure = check(match, after: after, key: key) { return failure }
            if let before, let failure = wait(for: before, since: match, key: key) { return failure }
        }
        if isAfter, let key {
            guard lastAfter.count < ItemJudge.combinationLimit || lastAfter[key] != nil else {
                return ItemJudge.Failure(
                    reason: "more than \(ItemJudge.combinationLimit) values of \(joining.joined(separator: ", "))",
                    evidence: [])
            }
            lastAfter[key] = record.time
        }
        return nil
    }

    /// `never X before E`: none before the first E; `never X after E`: none after it.
    private mutating func observeNever(_ record: some ChecklistRecord, match: Evidence?) -> ItemJudge.Failure? {
        if let before {
            if before.covers(record) { hasSeenBefore = true }
            guard let match, !hasSeenBefore else { return nil }
            return failure(match, "seen before any \(before.pattern)")
        }
        guard let after else { return nil }
        defer { if after.covers(record) { lastAfter[[]] = record.time } }
        guard let match, !lastAfter.isEmpty else { return nil }
        return failure(match, "seen after \(after.pattern)")
    }

    private func check(
        _ match: Evidence, after event: ChecklistExpectation.EventReference, key: Key?
    ) -> ItemJudge.Failure? {
        guard let time = key.flatMap({ lastAfter[$0] }) else {
            return failure(match, "no \(event.pattern) before it" + qualification)
        }
        guard !isNear(time, match.time) else { return nil }
        return failure(
            match,
            "no \(event.pattern) before it" + qualification
                + ", the last \(TimeText.difference(match.time &- time)) earlier")
    }

    private mutating func wait(
        for event: ChecklistExpectation.EventReference, since match: Evidence, key: Key?
    ) -> ItemJudge.Failure? {
        guard let key else { return failure(match, "no \(event.pattern) after it" + qualification) }
        guard pendingCount < ItemJudge.combinationLimit else {
            return failure(match, "more than \(ItemJudge.combinationLimit) records wait for \(event.pattern)")
        }
        pending[key, default: []].append(match)
        pendingCount += 1
        return nil
    }

    private mutating func settle(_ key: Key, at time: Int64) -> ItemJudge.Failure? {
        guard let waiting = pending.removeValue(forKey: key) else { return nil }
        pendingCount -= waiting.count
        guard let late = waiting.first(where: { !isNear($0.time, time) }), let before else { return nil }
        return failure(
            late,
            "no \(before.pattern) after it" + qualification
                + ", the next \(TimeText.difference(time &- late.time)) later")
    }

    private func failure(_ match: Evidence, _ note: String) -> ItemJudge.Failure {
        var evidence = match
        evidence.note = note
        return ItemJudge.Failure(reason: "#\(match.number): \(note)", evidence: [evidence])
    }

    private func isNear(_ earlier: Int64, _ later: Int64) -> Bool {
        guard let within else { return true }
        let (difference, overflow) = later.subtractingReportingOverflow(earlier)
        return overflow ? later < earlier : difference <= within
    }

    private func key(of record: some ChecklistRecord) -> Key? {
        var key: Key = []
        for column in joining {
            guard let value = record.value(of: column)?.key else { return nil }
            key.append(value)
        }
        return key
    }

    private var qualification: String {
        let time = within.map { " within \(TimeText.duration($0))" } ?? ""
        return time + (joining.isEmpty ? "" : " with equal " + joining.joined(separator: ", "))
    }

    /// The earliest record that lacks an event after it.
    var missing: ItemJudge.Failure? {
        guard let before, let first = pending.values.compactMap(\.first).min(by: { $0.number < $1.number }) else {
            return nil
        }
        return failure(first, "no \(before.pattern) after it" + qualification)
    }
}
