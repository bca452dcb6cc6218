extension [ScenarioVerdict] {
    /// The checklist's own text with the boxes of judged items ticked or cleared, and failures nested below them.
    ///
    /// Boxes of manual steps and of scenarios that were not judged stay as they are. Failures of an earlier report are
    /// replaced, so that the result can be judged again; line ends become `\n`.
    public func markdownReport(of checklist: Checklist) -> String {
        var lines = ChecklistParser.lines(of: checklist.source).map(String.init)
        // From the last item to the first, so that line numbers stay right.
        for verdict in flatMap(\.items).sorted(by: { $0.item.location.line > $1.item.location.line }) {
            guard verdict.status != .manual else { continue }
            let item = verdict.item
            let first = item.location.line - 1
            let indent = lines[first].unicodeScalars.prefix { $0 == " " || $0 == "\t" }.count
            let nested = String(repeating: " ", count: indent + 4)
            var block = lines[first + 1..<item.lastLine].filter { !Self.isFailure($0) }
            if verdict.status != .ok {
                block.append("\(nested)- \(ChecklistParser.failureMark)\(Self.inline(verdict.reason ?? ""))")
                block += verdict.evidence.map { "\(nested)- \(ChecklistParser.failureMark)`\(Self.inline($0.line))`" }
            }
            lines.replaceSubrange(first + 1..<item.lastLine, with: block)
            lines[first] = Self.tick(lines[first], at: item.boxOffset, verdict.status == .ok)
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
