import DaybookBase
import DaybookStore
import DaybookTools

/// The state of one alert, and how an evaluation changes it (pure). Times are nanoseconds since 1970.
struct AlertMachine: Sendable, Equatable {
    /// The state of one label. A healthy label has no entry.
    struct Standing: Sendable, Equatable {
        enum Phase: String, CaseIterable, Sendable {
            /// The condition holds, but not long enough yet.
            case pending
            case firing
        }

        var phase: Phase
        /// Start of the phase.
        var since: Int64
        /// The last value; `nil` for no data.
        var value: Double?
        /// A watch's explanation.
        var reason: String?
        /// Targets notified of the firing, as in the file; `nil` before it fires, empty while held back.
        var targets: [String]?
        /// Fires, but muted or in quiet hours: nobody was notified.
        var isHeld = false
    }

    /// By label.
    var standings: [String: Standing] = [:]
    /// When each value of a watch's `per` columns last arrived, by label.
    var seen: [String: Int64] = [:]
    /// Time of the last successful evaluation.
    var evaluated: Int64?
    /// Whether it ever compared private values; then readers must not see its state.
    var comparesHidden = false
    /// Whether the last answer had no rows.
    var hasNoData = false
    /// Why the last evaluation failed; standings are then from the one before.
    var failure: String?
    /// What the last answer left out.
    var remarks: [String] = []

    /// Applies an answer.
    /// - Parameter isQuiet: whether to hold back firing notices. Resolved notices still go to targets notified before.
    /// - Returns: notices to send or hold back, in label order.
    mutating func take(
        _ reading: AlertAnswer, of rule: AlertRule, at now: Int64, isQuiet: Bool = false
    ) -> [AlertNotice] {
        forgetPendingAfterPause(rule, now)
        failure = nil
        evaluated = now
        hasNoData = reading.hasNoData
        // A missing label has recovered, unless the answer was incomplete or could not read it.
        let gone = reading.isWhole ? Set(standings.keys).subtracting(reading.unread) : []
        let labels = reading.labels.union(gone)
        var room = AlertAnswer.maximumLabels
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
            remarks.append("labels beyond the \(AlertAnswer.maximumLabels) that are told: \(crowd)")
        }
        return notices
    }

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
        // After the clock was set back, do not wait for the old time to come again.
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

    /// After a gap in evaluation, nobody knows whether the condition held: the wait restarts.
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

/// A notification: an alert fires or has resolved.
struct AlertNotice: Sendable, Hashable {
    enum Status: String, Sendable {
        case firing
        case resolved
        /// A test message that a person requested.
        case test
    }

    var alert: String
    var status: Status
    /// Empty for an alert without labels.
    var label: String
    /// `nil` for no data.
    var value: Double?
    /// A watch's explanation, or why it resolved without an answer.
    var reason: String?
    /// When it began to fire.
    var since: Int64
    var time: Int64
    /// Held back, or resolves a firing that was.
    var isHeld = false
}
