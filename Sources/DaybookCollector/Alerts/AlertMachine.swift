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
        /// Whom it was told that it fires, as they are written; `nil` before it does.
        var targets: [String]?
    }

    /// By label.
    var standings: [String: Standing] = [:]
    /// When each value of a watch's `per` columns came last, by label.
    var seen: [String: Int64] = [:]
    /// When the statement last answered; `nil` before the first time.
    var evaluated: Int64?
    /// Whether the last answer had no row.
    var hasNoData = false
    /// Why the last evaluation failed, if it did; the standings are then those of the one before.
    var failure: String?

    /// Takes an answer.
    /// - Returns: what is to be told, in the labels' order.
    mutating func take(_ reading: AlertReading, of rule: AlertRule, at now: Int64) -> [AlertNotice] {
        forgetPendingAfterPause(rule, now)
        failure = nil
        evaluated = now
        hasNoData = reading.hasNoData
        // A label that is gone is over, like the trouble it named.
        return reading.labels.union(standings.keys).sorted().compactMap { label in
            step(
                label, reading.value(of: label), reading.troubles[label], reading.holds(rule, for: label), rule, now)
        }
    }

    /// The statement failed: nothing is known, so nothing changes.
    mutating func fail(_ reason: String) {
        failure = reason
    }

    private mutating func step(
        _ label: String, _ value: Double?, _ reason: String?, _ holds: Bool, _ rule: AlertRule, _ now: Int64
    ) -> AlertNotice? {
        guard var standing = standings[label] else {
            guard holds else { return nil }
            var standing = Standing(phase: .pending, since: now, value: value, reason: reason)
            if rule.duration == 0 { standing.fire(rule, now) }
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
        guard standing.phase == .pending, now - standing.since >= rule.duration * 1_000_000_000 else { return nil }
        standing.fire(rule, now)
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
            since: standing.since, time: now)
    }
}

extension AlertMachine.Standing {
    fileprivate mutating func fire(_ rule: AlertRule, _ now: Int64) {
        phase = .firing
        since = now
        targets = rule.targets
    }
}

/// Something to be told: an alert fires, or is over.
struct AlertNotice: Sendable, Hashable {
    enum Status: String, Sendable {
        case firing
        case resolved
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
}
