import DaybookBase

extension [ScenarioVerdict] {
    /// The verdicts for people: a line per item, what came instead below failed ones, and a total at the end.
    public func textReport() -> String {
        var lines: [String] = []
        for scenario in sayingWhatIsNotJudged {
            if let problem = scenario.problem {
                lines.append("\(problem.isNothingJudged ? "?" : "✗") \(scenario.name) / \(problem.reason)")
                lines += problem.evidence.map { "  " + $0.line }
            }
            for verdict in scenario.items {
                lines.append("\(verdict.status.mark) \(scenario.name) / \(verdict.summary)")
                guard verdict.status.isOpen else { continue }
                lines += verdict.evidence.map { "  " + $0.line(unless: verdict.reason ?? "") }
            }
        }
        lines.append(sum)
        return lines.map { $0.printable + "\n" }.joined()
    }

    /// "3 ok, 1 failed, 1 manual".
    public var sum: String {
        let all = flatMap(\.items)
        var parts: [String] = []
        for status in [ItemVerdict.Status.ok, .failed, .waiting, .manual, .notApplicable, .notJudged] {
            let count = all.count { $0.status == status }
            if count > 0 || status == .ok || status == .failed { parts.append("\(count) \(status.words)") }
            let naming = status == .manual ? all.count { $0.status == .manual && $0.reason != nil } : 0
            if naming > 0 { parts[parts.count - 1] += " (\(naming) \(naming == 1 ? "names" : "name") an event)" }
        }
        let failures = count { $0.problem.map { !$0.isNothingJudged } ?? false }
        if failures > 0 { parts.append("\(failures) \(failures == 1 ? "scenario" : "scenarios") failed as a whole") }
        return parts.joined(separator: ", ") + (result == .nothingJudged ? "; nothing judged" : "")
    }
}

extension ItemVerdict.Status {
    /// A sign per status; the report's words do not rely on it alone.
    fileprivate var mark: String {
        switch self {
        case .ok: "✓"
        case .failed: "✗"
        case .waiting: "…"
        case .manual: "☐"
        case .notApplicable: "–"
        case .notJudged: "?"
        }
    }

    var words: String {
        switch self {
        case .notApplicable: "not applicable"
        case .notJudged: "not judged"
        default: rawValue
        }
    }
}

extension ItemVerdict {
    fileprivate var summary: String {
        var text = item.text
        if status == .manual { text += " (manual)" }
        var nested: [String] = []
        if !item.tests.isEmpty { nested.append(item.tests.count == 1 ? "1 test" : "\(item.tests.count) tests") }
        if !item.notes.isEmpty { nested.append(item.notes.count == 1 ? "1 note" : "\(item.notes.count) notes") }
        if !nested.isEmpty { text += " [\(nested.joined(separator: ", "))]" }
        let place = status == .notJudged ? " (\(item.location))" : ""
        return text + (reason.map { "; \($0)\(place)" } ?? "") + (waiver.map { "; waived: \($0)" } ?? "")
    }
}

extension Evidence {
    /// `#1042 10:02:11.204 feed.show {article_id: 123}   one too many`.
    var line: String { line(unless: "") }

    /// As ``line``, without the note if `reason` already has it.
    func line(unless reason: String) -> String {
        let values = values.map { "\($0.column): \($0.value?.description ?? "–")" }.joined(separator: ", ")
        return "#\(number) \(TimeText.clock(time)) \(tag) {\(values)}"
            + (note.map { reason.hasSuffix($0) ? "" : "   " + $0 } ?? "")
    }
}

/// Times and durations in reports, without Foundation.
enum TimeText {
    /// `10:02:11.204`: the UTC time of day, from nanoseconds since 1970.
    static func clock(_ nanoseconds: Int64) -> String {
        let day: Int64 = 86_400_000_000_000
        let ofDay = ((nanoseconds % day) + day) % day / 1_000_000
        return "\(padded(ofDay / 3_600_000, 2)):\(padded(ofDay / 60_000 % 60, 2)):\(padded(ofDay / 1_000 % 60, 2))"
            + ".\(padded(ofDay % 1_000, 3))"
    }

    /// `+3.676`: a time difference in seconds, to the millisecond.
    static func seconds(_ nanoseconds: Int64) -> String {
        let milliseconds = (nanoseconds.magnitude + 500_000) / 1_000_000
        return "\(nanoseconds < 0 ? "-" : "+")\(milliseconds / 1_000).\(padded(Int64(milliseconds % 1_000), 3))"
    }

    /// `3.676`: an absolute time difference in seconds, to the millisecond.
    static func distance(_ nanoseconds: Int64) -> String {
        String(seconds(nanoseconds).dropFirst())
    }

    /// `250ms`, `10s`: a duration as in checklists.
    static func duration(_ nanoseconds: Int64) -> String {
        if nanoseconds % 1_000_000_000 == 0 { return "\(nanoseconds / 1_000_000_000)s" }
        return "\(Double(nanoseconds) / 1e6)ms"
    }

    private static func padded(_ number: Int64, _ width: Int) -> String { String(number).zeroPadded(to: width) }
}
