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
    /// What the last answer left out.
    var remarks: [String] = []

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
        // A label that is gone is over, like the trouble it named; of what was not read nothing is known.
        let gone = reading.isWhole ? Set(standings.keys).subtracting(reading.unread) : []
        let labels = reading.labels.union(gone)
        var room = AlertReading.maximumLabels
        room -= standings.keys.count { !labels.contains($0) || reading.holds(rule, for: $0) }
        var crowd = 0
        let notices = labels.sorted().compactMap { label in
            let holds = reading.holds(rule, for: label)
            if holds, standings[label] == nil {
                guard room > 0 else {
                    crowd += 1
                    return AlertNotice?.none
                }
                room -= 1
            }
            return step(label, reading.value(of: label), reading.troubles[label], holds, rule, now, isQuiet)
        }
        remarks = reading.remarks
        if crowd > 0 {
            remarks.append("labels beyond the \(AlertReading.maximumLabels) that are told: \(crowd)")
        }
        return notices
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
}
