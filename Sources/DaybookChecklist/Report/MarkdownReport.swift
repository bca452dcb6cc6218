import DaybookBase
import DaybookTools

extension [ScenarioVerdict] {
    /// The checklist's own text with the boxes of judged items ticked or cleared, and failures below them. A scenario's
    /// own problem is below its heading, or at the top without a heading.
    ///
    /// Boxes of manual steps, inapplicable items and unjudged scenarios stay as they are. Failures of an earlier report
    /// are replaced, so that the result can be judged again. Line ends become `\n`, and control characters are escaped.
    ///
    /// Text from outside the checklist is code, so that no value makes a link, an image or a mention.
    ///
    /// - Parameter properties: facts about the run, on one line below the title: who tested, when, on what. Default:
    ///   none.
    /// - Parameter link: the run's address, the only link in the report. Default: none; also if it is not a web
    ///   address.
    public func markdownReport(
        of checklist: Checklist, properties: [(name: String, value: String)] = [], link: String? = nil
    ) -> String {
        var report = MarkdownReport(checklist)
        // From last to first, so that line numbers stay valid.
        for scenario in checklist.scenarios.reversed() {
            let runs = filter { $0.scenario.isSame(as: scenario) }
            guard !runs.isEmpty else { continue }
            report.tick(runs)
            if scenario.hasHeading { report.fail(runs.flatMap(MarkdownReport.problem), scenario) }
        }
        // Problems of the recording, not the file, go to the top.
        let others = filter { verdict in
            !checklist.scenarios.contains { $0.hasHeading && $0.isSame(as: verdict.scenario) }
        }
        var header = properties.map { "\($0.name): \(Markdown.text($0.value))" }
        if let link = link.flatMap(Markdown.link) { header.append("link: \(link)") }
        report.begin(
            failures: others.flatMap(MarkdownReport.problem), isNothingJudged: result == .nothingJudged,
            header: header.joined(separator: " · "))
        return report.text
    }
}

private struct MarkdownReport {
    private static let nothingJudged = "**Nothing judged.**"

    private var lines: [String]
    /// Line indices are from 0 in the checklist's text; edits move only what is below them.
    private let title: Int?
    /// The start of the first scenario.
    private let start: Int
    /// Front matter and heading underlines.
    private let hidden: Set<Int>

    init(_ checklist: Checklist) {
        lines = TextLines.split(checklist.source, alsoAtSeparators: true).map(String.init)
        let markdown = MarkdownText(checklist.source).lines
        title = markdown.firstIndex { if case .heading(level: 1, _) = $0.kind { true } else { false } }
        hidden = Set(markdown.indices.filter { if case .hidden = markdown[$0].kind { true } else { false } })
        let scenario = checklist.scenarios.first
        start = (scenario.map { $0.hasHeading ? $0.location.line : $0.items.first?.boxLine ?? 1 } ?? 1) - 1
    }

    /// Printable, except for tabs of indentation.
    var text: String {
        lines.map { line in
            line.split(separator: "\t", omittingEmptySubsequences: false).map(\.printable).joined(separator: "\t")
        }.joined(separator: "\n")
    }

    /// A run's problem as a whole. That nothing was judged is said once for all.
    static func problem(of verdict: ScenarioVerdict) -> [String] {
        guard let problem = verdict.problem, !problem.isNothingJudged else { return [] }
        return failure("\(verdict.name) / \(problem.reason)", waiver: problem.waiver, problem.evidence)
    }

    /// One line per statement.
    private static func failure(_ reason: String, waiver: String?, _ evidence: [Evidence]) -> [String] {
        (waiver.map { ["waived: \(Markdown.text($0))"] } ?? [])
            + ([reason] + evidence.map(\.line)).map { Markdown.text($0) }
    }

    /// Ticks or clears the boxes of a scenario's items by all of its runs, and nests failures.
    mutating func tick(_ runs: [ScenarioVerdict]) {
        let items = Dictionary(grouping: runs.flatMap { run in run.items.map { (run, $0) } }) { $0.1.item.boxLine }
        for (_, runs) in items.sorted(by: { $0.key > $1.key }) {
            let judged = runs.filter { $0.1.status != .manual && $0.1.status != .notApplicable || $0.1.isTicked }
            guard let item = judged.first?.1.item else { continue }
            let first = item.boxLine - 1
            let indent = lines[first].unicodeScalars.prefix { $0 == " " || $0 == "\t" }.count
            let nested = String(repeating: " ", count: indent + 4)
            var block = lines[first + 1..<item.lastLine].filter { !Self.isFailure($0) }
            for (run, verdict) in judged where verdict.status.isOpen {
                let reason = (verdict.reason ?? verdict.status.words) + run.run.suffix
                block += Self.failure(reason, waiver: verdict.waiver, verdict.evidence).map {
                    "\(nested)- \(ChecklistParser.failureMark)\($0)"
                }
            }
            lines.replaceSubrange(first + 1..<item.lastLine, with: block)
            lines[first] = Self.tick(lines[first], at: item.boxOffset, judged.allSatisfy { !$0.1.status.isOpen })
        }
    }

    private static func tick(_ line: String, at offset: Int, _ isTicked: Bool) -> String {
        var scalars = [Unicode.Scalar](line.unicodeScalars)
        scalars[offset] = isTicked ? "x" : " "
        var view = String.UnicodeScalarView()
        view.append(contentsOf: scalars)
        return String(view)
    }

    /// Inserts a scenario's own failures below its heading.
    mutating func fail(_ failures: [String], _ scenario: Checklist.Scenario) {
        let place = behind(scenario.location.line - 1)
        let end = lines[place...].firstIndex { !Self.isBlank($0) && !Self.isOfReport($0) }
        forget(in: place..<(end ?? lines.count))
        insert(failures.map { "- \(ChecklistParser.failureMark)\($0)" }, at: place)
    }

    /// Inserts what concerns all at the top.
    mutating func begin(failures: [String], isNothingJudged: Bool, header: String) {
        let place = behind(title)
        forget(in: place..<Swift.max(place, start))
        insert(failures.map { "- \(ChecklistParser.failureMark)\($0)" }, at: place)
        if isNothingJudged { insert([Self.nothingJudged], at: place) }
        // A separate paragraph, so that the report can be judged again.
        if !header.isEmpty { insert([header], at: place) }
    }

    /// After a heading and its underline, or without one at the top after front matter.
    private func behind(_ heading: Int?) -> Int {
        var place = heading.map { $0 + 1 } ?? 0
        while hidden.contains(place) { place += 1 }
        return place
    }

    private mutating func insert(_ block: [String], at place: Int) {
        guard !block.isEmpty else { return }
        let isLast = place == lines.count || Self.isBlank(lines[place])
        lines.insert(contentsOf: (place == 0 ? [] : [""]) + block + (isLast ? [] : [""]), at: place)
    }

    /// Removes the blocks of an earlier report, each with one adjacent empty line.
    private mutating func forget(in range: Range<Int>) {
        var end = range.upperBound
        while let last = lines[range.lowerBound..<end].lastIndex(where: Self.isOfReport) {
            let first =
                lines[range.lowerBound...last].lastIndex { !Self.isOfReport($0) }.map { $0 + 1 } ?? range.lowerBound
            lines.removeSubrange(first...last)
            let isFree =
                (first == 0 || Self.isBlank(lines[first - 1])) && first < lines.count && Self.isBlank(lines[first])
            if isFree { lines.remove(at: first) }
            end = first
        }
    }

    private static func isBlank(_ line: String) -> Bool { line.allSatisfy(\.isWhitespace) }

    private static func isOfReport(_ line: String) -> Bool { line == nothingJudged || isFailure(line) }

    private static func isFailure(_ line: String) -> Bool {
        line.drop(while: \.isWhitespace).hasPrefix("- " + ChecklistParser.failureMark)
    }
}

extension Checklist.Scenario {
    fileprivate func isSame(as other: Self) -> Bool { name == other.name && location.line == other.location.line }

    /// Whether it has a heading; items before the first one do not.
    fileprivate var hasHeading: Bool { items.first.map { $0.boxLine != location.line } ?? true }
}
