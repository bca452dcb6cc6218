import Daybook

/// What a target is told: one JSON object; docs/formats/alerts.md lists its members.
enum AlertMessage {
    /// - Parameter rule: `nil` for an alert that is in no file any more.
    static func text(_ notice: AlertNotice, _ rule: AlertRule?) -> String {
        let label = notice.label.isEmpty ? "" : " (\(notice.label))"
        let summary = "\(notice.status == .firing ? "FIRING" : "RESOLVED"): \(notice.alert)\(label)"
        let why =
            notice.reason.map { ": " + $0 } ?? notice.value.map { ", value " + JSONWriter.text(.double($0)) } ?? ""
        return JSONWriter.text(
            [
                // Chat services show `text`; the rest is for programs.
                "text": .string(summary + why),
                "status": .string(notice.status.rawValue),
                "alert": .string(notice.alert),
                "label": notice.label.isEmpty ? .null : .string(notice.label),
                "value": notice.value.map { .double($0) } ?? .null,
                "reason": notice.reason.map { .string($0) } ?? .null,
                "condition": rule.map { .string($0.conditionText) } ?? .null,
                "since": .string(Timestamp(nanoseconds: notice.since).rfc3339(fractionDigits: 3)),
                "time": .string(Timestamp(nanoseconds: notice.time).rfc3339(fractionDigits: 3)),
                "description": rule.map { .string($0.prose) } ?? .null,
            ] as Attributes)
    }
}

extension AlertRule {
    /// When it fires, in its own words.
    package var conditionText: String {
        var parts = [condition?.text, firesWithoutData ? "no data" : nil].compactMap { $0 }
        if case .watch(_, let seconds) = question { parts = ["not fulfilled over \(AlertDuration.text(seconds))"] }
        return parts.joined(separator: " or ") + (duration > 0 ? " for \(AlertDuration.text(duration))" : "")
    }
}
