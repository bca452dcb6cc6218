import Daybook

/// What a target is told: one JSON object; docs/formats/alerts.md lists its members.
enum AlertMessage {
    static func text(_ notice: AlertNotice, _ rule: AlertRule) -> String {
        let label = notice.label.isEmpty ? "" : " (\(notice.label))"
        let summary = "\(notice.status == .firing ? "FIRING" : "RESOLVED"): \(notice.alert)\(label)"
        return JSONWriter.text(
            [
                // Chat services show `text`; the rest is for programs.
                "text": .string(summary + (notice.value.map { ", value " + JSONWriter.text(.double($0)) } ?? "")),
                "status": .string(notice.status.rawValue),
                "alert": .string(notice.alert),
                "label": notice.label.isEmpty ? .null : .string(notice.label),
                "value": notice.value.map { .double($0) } ?? .null,
                "condition": .string(rule.conditionText),
                "since": .string(Timestamp(nanoseconds: notice.since).rfc3339(fractionDigits: 3)),
                "time": .string(Timestamp(nanoseconds: notice.time).rfc3339(fractionDigits: 3)),
                "description": .string(rule.prose),
            ] as Attributes)
    }
}

extension AlertRule {
    /// When it fires, in its own words.
    package var conditionText: String {
        let parts = [condition?.text, firesWithoutData ? "no data" : nil].compactMap { $0 }
        return parts.joined(separator: " or ") + (duration > 0 ? " for \(AlertDuration.text(duration))" : "")
    }
}
