import DaybookTools

extension [ScenarioVerdict] {
    /// The verdicts for people: a line per item, what came instead below failed ones, and a total at the end.
    public func textReport() -> String {
        var lines: [String] = []
        for scenario in self {
            if let problem = scenario.problem {
                lines.append("✗ \(scenario.name) / \(problem.reason)")
                lines += problem.evidence.map { "  " + $0.line }
            }
            for verdict in scenario.items {
                lines.append("\(verdict.status.mark) \(scenario.name) / \(verdict.summary)")
                guard verdict.status.isOpen else { continue }
                lines += verdict.evidence.map { "  " + $0.line(unless: verdict.reason ?? "") }
            }
        }
        lines.append(sum)
        return lines.joined(separator: "\n") + "\n"
    }

    /// "3 ok, 1 failed, 1 manual".
    public var sum: String {
        let all = flatMap(\.items)
        var parts: [String] = []
        for status in [ItemVerdict.Status.ok, .failed, .waiting, .manual, .notApplicable, .notJudged] {
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
        case .notJudged: "?"
        }
    }

    fileprivate var words: String {
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
        return text + (reason.map { "; \($0)" } ?? "") + (waiver.map { "; waived: \($0)" } ?? "")
    }
}

extension Evidence {
    /// `#1042 10:02:11.204 feed.show {article_id: 123}   one too many`.
    var line: String { line(unless: "") }

    /// The same, without the note where `reason` has it already.
    func line(unless reason: String) -> String {
        let values = values.map { "\($0.column): \($0.value?.description ?? "–")" }.joined(separator: ", ")
        return "#\(number) \(TimeText.clock(time)) \(tag) {\(values)}"
            + (note.map { reason.hasSuffix($0) ? "" : "   " + $0 } ?? "")
    }
}

extension [ScenarioVerdict] {
    /// The checklist's own text with the boxes of judged items ticked or cleared, and failures nested below them.
    ///
    /// Boxes of manual steps, of items that are not applicable and of scenarios that were not judged stay as they are.
    /// Failures of an earlier report are replaced, so that the result can be judged again; line ends become `\n`.
    ///
    /// - Parameter header: one line below the title: who tested, when, on what. Empty for none.
    public func markdownReport(of checklist: Checklist, header: String = "") -> String {
        var lines = MarkdownText.split(checklist.source).map(String.init)
        // From the last item to the first, so that line numbers stay right; all runs of an item together.
        let items = Dictionary(grouping: flatMap { run in run.items.map { (run, $0) } }) { $0.1.item.location.line }
        for (_, runs) in items.sorted(by: { $0.key > $1.key }) {
            let judged = runs.filter { $0.1.status != .manual && $0.1.status != .notApplicable || $0.1.isTicked }
            guard let item = judged.first?.1.item else { continue }
            let first = item.location.line - 1
            let indent = lines[first].unicodeScalars.prefix { $0 == " " || $0 == "\t" }.count
            let nested = String(repeating: " ", count: indent + 4)
            var block = lines[first + 1..<item.lastLine].filter { !Self.isFailure($0) }
            for (run, verdict) in judged where verdict.status.isOpen {
                if let waiver = verdict.waiver {
                    block.append("\(nested)- \(ChecklistParser.failureMark)waived: \(Self.inline(waiver))")
                }
                let reason = (verdict.reason ?? "") + run.run.suffix
                block.append("\(nested)- \(ChecklistParser.failureMark)\(Self.inline(reason))")
                block += verdict.evidence.map { "\(nested)- \(ChecklistParser.failureMark)`\(Self.inline($0.line))`" }
            }
            lines.replaceSubrange(first + 1..<item.lastLine, with: block)
            lines[first] = Self.tick(lines[first], at: item.boxOffset, judged.allSatisfy { !$0.1.status.isOpen })
        }
        if !header.isEmpty {
            // A paragraph of its own, so that the report can be judged again.
            let paragraph = Self.inline(header)
            let place = Self.headerPlace(in: MarkdownText(lines.joined(separator: "\n")).lines)
            lines.insert(contentsOf: place == 0 ? [paragraph, ""] : ["", paragraph, ""], at: place)
        }
        return lines.joined(separator: "\n")
    }

    /// Behind the title and its underline, or at the top, behind front matter.
    private static func headerPlace(in lines: [MarkdownText.Line]) -> Int {
        func isHidden(_ line: MarkdownText.Line) -> Bool { if case .hidden = line.kind { true } else { false } }
        let title = lines.firstIndex { if case .heading(level: 1, _) = $0.kind { true } else { false } }
        return lines[(title.map { $0 + 1 } ?? 0)...].firstIndex { !isHidden($0) } ?? lines.count
    }

    private static func isFailure(_ line: String) -> Bool {
        line.drop(while: \.isWhitespace).hasPrefix("- " + ChecklistParser.failureMark)
    }

    /// Values come from records: one line, and no backtick that would end the code span.
    private static func inline(_ text: String) -> String {
        text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).joined(separator: " ")
            .split(separator: "`", omittingEmptySubsequences: false).joined(separator: "'")
    }

    private static func tick(_ line: String, at offset: Int, _ isTicked: Bool) -> String {
        var scalars = [Unicode.Scalar](line.unicodeScalars)
        scalars[offset] = isTicked ? "x" : " "
        var view = String.UnicodeScalarView()
        view.append(contentsOf: scalars)
        return String(view)
    }
}

/// Times and durations as reports print them, without Foundation.
enum TimeText {
    /// `10:02:11.204`: the time of day in UTC of a number of nanoseconds since 1970.
    static func clock(_ nanoseconds: Int64) -> String {
        let day: Int64 = 86_400_000_000_000
        let ofDay = ((nanoseconds % day) + day) % day / 1_000_000
        return "\(padded(ofDay / 3_600_000, 2)):\(padded(ofDay / 60_000 % 60, 2)):\(padded(ofDay / 1_000 % 60, 2))"
            + ".\(padded(ofDay % 1_000, 3))"
    }

    /// `+3.676`: the seconds of a difference of times, to the millisecond.
    static func seconds(_ nanoseconds: Int64) -> String {
        let milliseconds = (nanoseconds.magnitude + 500_000) / 1_000_000
        return "\(nanoseconds < 0 ? "-" : "+")\(milliseconds / 1_000).\(padded(Int64(milliseconds % 1_000), 3))"
    }

    /// `3.676`: the seconds of a distance in time, to the millisecond.
    static func distance(_ nanoseconds: Int64) -> String {
        String(seconds(nanoseconds).dropFirst())
    }

    /// `250ms`, `10s`: a duration as a checklist writes it.
    static func duration(_ nanoseconds: Int64) -> String {
        if nanoseconds % 1_000_000_000 == 0 { return "\(nanoseconds / 1_000_000_000)s" }
        return "\(Double(nanoseconds) / 1e6)ms"
    }

    private static func padded(_ number: Int64, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
}
