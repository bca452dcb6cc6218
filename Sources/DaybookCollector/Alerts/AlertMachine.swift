import DaybookBase
import DaybookStore
import DaybookTools

/// How one alert stands, and what an evaluation changes (pure). Times are nanoseconds since 1970, for they outlive the
/// process.
struct AlertMachine: Sendable, Equatable {
    /// How one label stands. A label that is not in trouble has no entry.
    struct Standing: Sendable, Equatable {
        enum Phase: String, Sendable {
            /// The condition holds, but not yet for long enough.
            case pending
            case firing
        }

        var phase: Phase
        /// When the phase began.
        var since: Int64
        /// The last value; `nil` for no data.
        var value: Double?
        /// What a watch says about it.
        var reason: String?
        /// Whom it was told that it fires, as they are written; `nil` before it does, and none while that is held back.
        var targets: [String]?
        /// Whether it fires and nobody has been told, because it was to be quiet.
        var isHeld = false
    }

    /// By label.
    var standings: [String: Standing] = [:]
    /// When each value of a watch's `per` columns came last, by label.
    var seen: [String: Int64] = [:]
    /// When the statement last answered; `nil` before the first time.
    var evaluated: Int64?
    /// Whether it has ever compared private values: how it stands is then not for readers.
    var comparesHidden = false
    /// Whether the last answer had no row.
    var hasNoData = false
    /// Why the last evaluation failed, if it did; the standings are then those of the one before.
    var failure: String?

    /// Takes an answer.
    /// - Parameter isQuiet: whether nobody is to be told that it fires. Who was told before is told the end.
    /// - Returns: what is to be told, in the labels' order, or to be held back.
    mutating func take(
        _ reading: AlertReading, of rule: AlertRule, at now: Int64, isQuiet: Bool = false
    ) -> [AlertNotice] {
        forgetPendingAfterPause(rule, now)
        failure = nil
        evaluated = now
        hasNoData = reading.hasNoData
        // A label that is gone is over, like the trouble it named.
        return reading.labels.union(standings.keys).sorted().compactMap { label in
            step(
                label, reading.value(of: label), reading.troubles[label], reading.holds(rule, for: label), rule, now,
                isQuiet)
        }
    }

    /// The statement failed: nothing is known, so nothing changes.
    mutating func fail(_ reason: String) {
        failure = reason
    }

    private mutating func step(
        _ label: String, _ value: Double?, _ reason: String?, _ holds: Bool, _ rule: AlertRule, _ now: Int64,
        _ isQuiet: Bool
    ) -> AlertNotice? {
        guard var standing = standings[label] else {
            guard holds else { return nil }
            var standing = Standing(phase: .pending, since: now, value: value, reason: reason)
            if rule.duration == 0 { standing.fire(rule, now, isQuiet) }
            standings[label] = standing
            return standing.phase == .firing ? notice(.firing, label, standing, rule, now) : nil
        }
        guard holds else {
            standings[label] = nil
            (standing.value, standing.reason) = (value, nil)
            return standing.phase == .firing ? notice(.resolved, label, standing, rule, now) : nil
        }
        (standing.value, standing.reason) = (value, reason)
        // A clock that was set back must not make an alert wait for what will not come.
        standing.since = min(standing.since, now)
        defer { standings[label] = standing }
        if standing.isHeld, !isQuiet {
            (standing.isHeld, standing.targets) = (false, rule.targets)
            return notice(.firing, label, standing, rule, now)
        }
        guard standing.phase == .pending, now - standing.since >= rule.duration * 1_000_000_000 else { return nil }
        standing.fire(rule, now, isQuiet)
        return notice(.firing, label, standing, rule, now)
    }

    /// While nobody looked, nobody knows whether the condition held: the wait begins anew.
    private mutating func forgetPendingAfterPause(_ rule: AlertRule, _ now: Int64) {
        guard let evaluated, now - evaluated > rule.longestPause else { return }
        standings = standings.filter { $0.value.phase == .firing }
    }

    private func notice(
        _ status: AlertNotice.Status, _ label: String, _ standing: Standing, _ rule: AlertRule, _ now: Int64
    ) -> AlertNotice {
        AlertNotice(
            alert: rule.name, status: status, label: label, value: standing.value, reason: standing.reason,
            since: standing.since, time: now, isHeld: standing.isHeld)
    }
}

extension AlertMachine.Standing {
    fileprivate mutating func fire(_ rule: AlertRule, _ now: Int64, _ isQuiet: Bool) {
        phase = .firing
        since = now
        isHeld = isQuiet
        targets = isQuiet ? [] : rule.targets
    }
}

/// Something to be told: an alert fires, or is over.
struct AlertNotice: Sendable, Hashable {
    enum Status: String, Sendable {
        case firing
        case resolved
        /// A person tries whether messages arrive.
        case test
    }

    var alert: String
    var status: Status
    /// Empty for an alert without labels.
    var label: String
    /// `nil` for no data.
    var value: Double?
    /// What a watch says about it, or why it is over without an answer.
    var reason: String?
    /// When it began to fire.
    var since: Int64
    var time: Int64
    /// Whether nobody is told for now, or, of an end, was told of the beginning.
    var isHeld = false

    /// The notice as people may see it; see ``MaskingPolicy``. What an alert is about is told apart by the whole label.
    func masked(by policy: MaskingPolicy) -> AlertNotice {
        var notice = self
        notice.label = policy.masked(reason: label)
        notice.reason = reason.map { policy.masked(reason: $0) }
        return notice
    }
}

/// What an alert's statement answered: a value for each label; `nil` where a value is no number or NULL.
struct AlertReading: Sendable, Equatable {
    /// The most labels of one alert; more is an error, for each would wake somebody.
    static let maximumLabels = 1_000
    /// Bytes of a label at most: all of them are remembered, and told.
    static let longestLabel = 4_096

    /// Why an answer cannot be used.
    struct Problem: Error, CustomStringConvertible {
        var description: String

        static func tooLong(_ label: String) -> Problem {
            Problem(description: "the label `\(label.prefix(40))…` is longer than \(longestLabel) bytes")
        }
    }

    /// By label; the label of an alert without a column `label` is empty. No row leaves no entry.
    var values: [String: Double?] = [:]
    /// The labels of a watch that are in trouble, each with why.
    var troubles: [String: String] = [:]

    init(values: [String: Double?], troubles: [String: String] = [:]) {
        self.values = values
        self.troubles = troubles
    }

    /// Whether the answer says nothing: no row, or NULL in all.
    var hasNoData: Bool { !values.values.contains { $0 != nil } }

    /// What there is to judge; an answer without a row stands for the whole.
    var labels: Set<String> { values.isEmpty ? [""] : Set(values.keys) }

    /// The value of a label; `nil` for no data.
    func value(of label: String) -> Double? { values[label] ?? nil }

    /// Whether a label is in trouble by a rule.
    func holds(_ rule: AlertRule, for label: String) -> Bool {
        if troubles[label] != nil { return true }
        guard let value = value(of: label) else { return rule.firesWithoutData && hasNoData && label.isEmpty }
        return rule.condition?.holds(for: value) ?? false
    }

    /// Reads an answer: the value is the first column that is not `label`; without such a column, of the first row.
    /// - Throws: ``Problem``.
    init(_ result: QueryResult) throws(Problem) {
        let label = result.columns.firstIndex(of: "label")
        guard let value = result.columns.indices.first(where: { $0 != label }) else {
            throw Problem(description: "the statement returns no value beside `label`")
        }
        if result.isTruncated || result.rows.count > Self.maximumLabels, label != nil {
            throw Problem(description: "the statement returns more than \(Self.maximumLabels) labels")
        }
        for row in label == nil ? Array(result.rows.prefix(1)) : result.rows {
            let name = label.map { Self.text(row[$0]) } ?? ""
            guard name.utf8.count <= Self.longestLabel else { throw .tooLong(name) }
            guard values[name] == nil else { throw Problem(description: "the result has the label `\(name)` twice") }
            values[name] = .some(try Self.number(row[value]))
        }
    }

    private static func number(_ cell: QueryResult.Cell) throws(Problem) -> Double? {
        switch cell {
        case .null: return nil
        case .integer(let integer): return Double(integer)
        case .real(let real): return real
        case .text(let text):
            if let number = Double(text) { return number }
            throw Problem(description: "the value `\(text.prefix(40))` is not a number")
        case .blob: throw Problem(description: "the value is not a number")
        }
    }

    private static func text(_ cell: QueryResult.Cell) -> String {
        switch cell {
        case .null, .blob: ""
        case .integer(let integer): String(integer)
        case .real(let real): String(real)
        case .text(let text): text
        }
    }
}
