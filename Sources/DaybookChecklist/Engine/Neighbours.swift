/// Judges `after E` and `before E`, with `within` and `joining`: each record that counts needs such an event before or
/// after it; for a `never` item, it must not have one.
///
/// The nearest such event in record order decides about `within`. A record is neither before nor after itself. A record
/// without a `joining` column joins nothing.
struct Neighbours: Sendable {
    /// Values of the `joining` columns.
    private typealias Key = [ChecklistValue]

    /// An event of `after`.
    private struct Sighting {
        var number: Int64
        var time: Int64
    }

    let after: ChecklistExpectation.EventReference?
    let before: ChecklistExpectation.EventReference?
    private let isNever: Bool
    private let within: Int64?
    private let joining: [String]
    /// The last event of `after`; for `never` with both clauses, only until the next event of `before`.
    private var lastAfter: [Key: Sighting] = [:]
    /// The last event of `after`, whatever its `joining` columns.
    private var nearMiss: (number: Int64, values: [Evidence.Value])?
    /// For `never`: keys for which an event of `before` has come.
    private var seenBefore: Set<Key> = []
    /// Records still waiting for an event of `before`; for `never`, the latest record, which none may follow in time.
    private var pending: [Key: [Evidence]] = [:]
    private var pendingCount = 0
    /// The first record without a time that `within` needed.
    private(set) var timeless: Int64?

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

    /// Takes a record, with its evidence in `match` if it counts. Returns a failure, if any.
    mutating func observe(_ record: some ChecklistRecord, match: Evidence?) -> ItemJudge.Failure? {
        guard hasReference else { return nil }
        let isBefore = before?.covers(record) ?? false
        let isAfter = after?.covers(record) ?? false
        guard match != nil || isBefore || isAfter else { return nil }
        if within != nil, timeless == nil, !record.hasTime { timeless = record.number }
        let key = key(of: record)
        // After a failure the item continues, so update all state before returning.
        var failed: ItemJudge.Failure?
        if isNever {
            failed = forbid(match, key: key, at: record.time, isBefore: isBefore)
        } else {
            if isBefore, let key { failed = settle(key, at: record.time) }
            if let match, let after, let failure = check(match, after: after, key: key) { failed = failed ?? failure }
            if let match, let before, let failure = wait(for: before, since: match, key: key) {
                failed = failed ?? failure
            }
        }
        guard isAfter else { return failed }
        if !joining.isEmpty {
            nearMiss = (record.number, joining.map { Evidence.Value(column: $0, value: record.value(of: $0)) })
        }
        guard let key else { return failed }
        guard lastAfter.count < ItemJudge.combinationLimit || lastAfter[key] != nil else { return failed ?? tooMany }
        lastAfter[key] = Sighting(number: record.number, time: record.time)
        return failed
    }

    // MARK: never

    /// `never X before E`: no X before the first E; with `within`, none that shortly before an E. `never X after E`: no
    /// X after an E (that shortly). `never X after E before F`: no X between an E and the next F.
    private mutating func forbid(_ match: Evidence?, key: Key?, at time: Int64, isBefore: Bool) -> ItemJudge.Failure? {
        switch (after, before) {
        case (let after?, nil): return forbid(match, after: after, key: key)
        case (let after?, let before?):
            if isBefore, let key { lastAfter[key] = nil }
            return forbid(match, after: after, key: key, before: before)
        case (nil, let before?) where within == nil:
            if isBefore, let key {
                guard seenBefore.count < ItemJudge.combinationLimit else { return tooMany }
                seenBefore.insert(key)
            }
            guard let match, key.map({ !seenBefore.contains($0) }) ?? true else { return nil }
            return failure(match, [.init(.beforeAny, before)] + qualification)
        case (nil, let before?):
            guard let key else { return nil }
            if isBefore, let seen = pending.removeValue(forKey: key)?.first, isNear(seen.time, time) {
                let followed = Reason.Phrase(.followed, ["seconds": distance(seen.time, time)])
                return failure(seen, [.init(.before, before)] + qualification + [followed])
            }
            if let match, pending[key].map({ $0[0].time <= match.time }) ?? true {
                guard pending.count < ItemJudge.combinationLimit || pending[key] != nil else { return tooMany }
                pending[key] = [match]
            }
            return nil
        case (nil, nil): return nil
        }
    }

    private func forbid(
        _ match: Evidence?, after event: ChecklistExpectation.EventReference, key: Key?,
        before: ChecklistExpectation.EventReference? = nil
    ) -> ItemJudge.Failure? {
        guard let match, let last = key.flatMap({ lastAfter[$0] }), isNear(last.time, match.time) else { return nil }
        let seen = Reason.Phrase(
            .after,
            [
                "seconds": distance(last.time, match.time), "event": .init(event.pattern.description),
                "record": .init(last.number),
            ])
        return failure(match, [seen] + (before.map { [.init(.andBefore, $0)] } ?? []) + qualification)
    }

    // MARK: wanted

    private func check(
        _ match: Evidence, after event: ChecklistExpectation.EventReference, key: Key?
    ) -> ItemJudge.Failure? {
        guard let last = key.flatMap({ lastAfter[$0] }) else {
            let near = nearMiss.map { miss in
                let values = Reason.Argument(miss.values, link: ": ", nothing: ": –")
                return [Reason.Phrase(.lastHas, ["record": .init(miss.number), "values": values])]
            }
            return failure(match, [.init(.noneBefore, event)] + qualification + (near ?? []))
        }
        guard !isNear(last.time, match.time) else { return nil }
        return failure(
            match,
            [.init(.noneBefore, event)] + qualification
                + [.init(.lastIs, ["record": .init(last.number), "seconds": distance(last.time, match.time)])])
    }

    private mutating func wait(
        for event: ChecklistExpectation.EventReference, since match: Evidence, key: Key?
    ) -> ItemJudge.Failure? {
        guard let key else { return failure(match, [.init(.noneAfter, event)] + qualification) }
        guard pendingCount < ItemJudge.combinationLimit else {
            let limit = Reason.Argument(ItemJudge.combinationLimit)
            return failure(
                match, [.init(.tooManyWait, ["limit": limit, "event": .init(event.pattern.description)])])
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
            [.init(.noneAfter, before)] + qualification + [.init(.nextIs, ["seconds": distance(late.time, time)])])
    }

    /// The earliest record that still lacks its following event.
    var missing: ItemJudge.Failure? {
        guard !isNever, let before,
            let first = pending.values.compactMap(\.first).min(by: { ($0.number, $0.time) < ($1.number, $1.time) })
        else { return nil }
        return failure(first, [.init(.noneAfter, before)] + qualification)
    }

    // MARK: common

    private var tooMany: ItemJudge.Failure {
        ItemJudge.Failure(
            cause: "combinations",
            reason: [
                .init(.tooManyValues, ["limit": .init(ItemJudge.combinationLimit), "columns": .init(names: joining)])
            ], evidence: [])
    }

    private func failure(_ match: Evidence, _ note: [Reason.Phrase]) -> ItemJudge.Failure {
        ItemJudge.Failure(cause: "neighbour", note, of: match)
    }

    private func distance(_ earlier: Int64, _ later: Int64) -> Reason.Argument {
        Reason.Argument(TimeText.distance(later &- earlier))
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

    private var qualification: [Reason.Phrase] {
        let time = within.map { [Reason.Phrase(.within, ["limit": .init(TimeText.duration($0))])] } ?? []
        return time + (joining.isEmpty ? [] : [.init(.joining, ["columns": .init(names: joining)])])
    }
}

extension Reason.Phrase {
    fileprivate init(_ code: Reason.Code, _ event: ChecklistExpectation.EventReference) {
        self.init(code, ["event": Reason.Argument(event.pattern.description)])
    }
}
