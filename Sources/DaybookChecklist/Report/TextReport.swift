extension [ScenarioVerdict] {
    /// The verdicts for people: a line per item, what came instead below the failed ones, a sum at the end.
    public func textReport() -> String {
        var lines: [String] = []
        for scenario in self {
            if let problem = scenario.problem {
                lines.append("✗ \(scenario.name) / \(problem.reason)")
                lines += problem.evidence.map { "  " + $0.line }
            }
            for verdict in scenario.items {
                lines.append("\(verdict.status.mark) \(scenario.name) / \(verdict.summary)")
                guard verdict.status == .failed || verdict.status == .waiting else { continue }
                lines += verdict.evidence.map { "  " + $0.line }
            }
        }
        lines.append(sum)
        return lines.joined(separator: "\n") + "\n"
    }

    /// "3 ok, 1 failed, 1 manual".
    public var sum: String {
        let all = flatMap(\.items)
        var parts: [String] = []
        for status in [ItemVerdict.Status.ok, .failed, .waiting, .manual, .notApplicable] {
            let count = all.count { $0.status == status }
            if count > 0 || status == .ok || status == .failed { parts.append("\(count) \(status.words)") }
        }
        let failures = count { $0.problem != nil }
        if failures > 0 { parts.append("\(failures) \(failures == 1 ? "scenario" : "scenarios") failed as a whole") }
        return parts.joined(separator: ", ")
    }
}

extension ItemVerdict.Status {
    /// One sign for each status; the report's words do not rely on it alone.
    fileprivate var mark: String {
        switch self {
        case .ok: "✓"
        case .failed: "✗"
        case .waiting: "…"
        case .manual: "☐"
        case .notApplicable: "–"
        }
    }

    fileprivate var words: String { self == .notApplicable ? "not applicable" : rawValue }
}

extension ItemVerdict {
    fileprivate var summary: String {
        var text = item.text
        if status == .manual { text += " (manual)" }
        var nested: [String] = []
        if !item.tests.isEmpty { nested.append(item.tests.count == 1 ? "1 test" : "\(item.tests.count) tests") }
        if !item.notes.isEmpty { nested.append(item.notes.count == 1 ? "1 note" : "\(item.notes.count) notes") }
        if !nested.isEmpty { text += " [\(nested.joined(separator: ", "))]" }
        return text + (reason.map { "; \($0)" } ?? "")
    }
}

extension Evidence {
    /// `#1042 10:02:11.204 feed.show {article_id: 123}   one too many`.
    var line: String {
        let values = values.map { "\($0.column): \($0.value?.description ?? "–")" }.joined(separator: ", ")
        return "#\(number) \(TimeText.clock(time)) \(tag) {\(values)}" + (note.map { "   " + $0 } ?? "")
    }
}
