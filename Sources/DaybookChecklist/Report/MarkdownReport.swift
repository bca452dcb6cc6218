extension [ScenarioVerdict] {
    /// The checklist's own text with the boxes of judged items ticked or cleared, and failures nested below them.
    ///
    /// Boxes of manual steps, of items that are not applicable and of scenarios that were not judged stay as they are. Failures of an earlier report are
    /// replaced, so that the result can be judged again; line ends become `\n`.
    public func markdownReport(of checklist: Checklist) -> String {
        var lines = ChecklistParser.lines(of: checklist.source).map(String.init)
        // From the last item to the first, so that line numbers stay right; all runs of an item together.
        let items = Dictionary(grouping: flatMap { run in run.items.map { (run, $0) } }) { $0.1.item.location.line }
        for (_, runs) in items.sorted(by: { $0.key > $1.key }) {
            let judged = runs.filter { $0.1.status != .manual && $0.1.status != .notApplicable }
            guard let item = judged.first?.1.item else { continue }
            let first = item.location.line - 1
            let indent = lines[first].unicodeScalars.prefix { $0 == " " || $0 == "\t" }.count
            let nested = String(repeating: " ", count: indent + 4)
            var block = lines[first + 1..<item.lastLine].filter { !Self.isFailure($0) }
            for (run, verdict) in judged where verdict.status != .ok {
                let reason = (verdict.reason ?? "") + run.run.suffix
                block.append("\(nested)- \(ChecklistParser.failureMark)\(Self.inline(reason))")
                block += verdict.evidence.map { "\(nested)- \(ChecklistParser.failureMark)`\(Self.inline($0.line))`" }
            }
            lines.replaceSubrange(first + 1..<item.lastLine, with: block)
            lines[first] = Self.tick(lines[first], at: item.boxOffset, judged.allSatisfy { $0.1.status == .ok })
        }
        return lines.joined(separator: "\n")
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
