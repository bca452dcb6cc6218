import DaybookBase
import DaybookTools

extension [ScenarioVerdict] {
    /// The checklist's own text with the boxes of judged items ticked or cleared, and failures below them. What fails a
    /// scenario as a whole stands below its heading, or at the top where the scenario has none.
    ///
    /// Boxes of manual steps, of items that are not applicable and of scenarios that were not judged stay as they are.
    /// Failures of an earlier report are replaced, so that the result can be judged again; line ends become `\n`, and
    /// characters that steer a terminal or a line are escaped.
    ///
    /// What is not the checklist's own is code, so that no value makes a link, an image or a mention.
    ///
    /// - Parameter properties: what is known about the run, in one line below the title: who tested, when, on what.
    ///   Default: none.
    /// - Parameter link: where the run can be looked at, the only link that is made. Default: nowhere; the same for what
    ///   is not an address of the web.
    public func markdownReport(
        of checklist: Checklist, properties: [(name: String, value: String)] = [], link: String? = nil
    ) -> String {
        var report = MarkdownReport(checklist)
        // From the last line to the first, so that line numbers stay right.
        for scenario in checklist.scenarios.reversed() {
            let runs = filter { $0.scenario.isSame(as: scenario) }
            guard !runs.isEmpty else { continue }
            report.tick(runs)
            if scenario.hasHeading { report.fail(runs.flatMap(MarkdownReport.problem), scenario) }
        }
        // Those of the recording, not of the file, stand at the top.
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

/// A checklist's lines, as a report changes them.
private struct MarkdownReport {
    private static let nothingJudged = "**Nothing judged.**"

    private var lines: [String]
    /// The lines below are counted from 0, and in the checklist's text: what is above an edit stays where it is.
    private let title: Int?
    /// Where the first scenario begins.
    private let start: Int
    /// Front matter, and what underlines headings.
    private let hidden: Set<Int>

    init(_ checklist: Checklist) {
        lines = TextLines.split(checklist.source, alsoAtSeparators: true).map(String.init)
        let markdown = MarkdownText(checklist.source).lines
        title = markdown.firstIndex { if case .heading(level: 1, _) = $0.kind { true } else { false } }
        hidden = Set(markdown.indices.filter { if case .hidden = markdown[$0].kind { true } else { false } })
        let scenario = checklist.scenarios.first
        start = (scenario.map { $0.hasHeading ? $0.location.line : $0.items.first?.boxLine ?? 1 } ?? 1) - 1
    }

    /// Printable, but for the tabs that indent items.
    var text: String {
        lines.map { line in
            line.split(separator: "\t", omittingEmptySubsequences: false).map(\.printable).joined(separator: "\t")
        }.joined(separator: "\n")
    }

    /// What fails a run of a scenario as a whole. That nothing was judged is said once, of all.
    static func problem(of verdict: ScenarioVerdict) -> [String] {
        guard let problem = verdict.problem, !problem.isNothingJudged else { return [] }
        return failure("\(verdict.name) / \(problem.reason)", waiver: problem.waiver, problem.evidence)
    }

    /// A line for each thing that there is to say.
    private static func failure(_ reason: String, waiver: String?, _ evidence: [Evidence]) -> [String] {
        (waiver.map { ["waived: \(Markdown.text($0))"] } ?? [])
            + ([reason] + evidence.map(\.line)).map { Markdown.text($0) }
    }

    /// Ticks or clears the boxes of a scenario's items by all of its runs, and nests what failed.
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

    /// Says below a scenario's heading what fails it as a whole.
    mutating func fail(_ failures: [String], _ scenario: Checklist.Scenario) {
        let place = behind(scenario.location.line - 1)
        let end = lines[place...].firstIndex { !Self.isBlank($0) && !Self.isOfReport($0) }
        forget(in: place..<(end ?? lines.count))
        insert(failures.map { "- \(ChecklistParser.failureMark)\($0)" }, at: place)
    }

    /// Says at the top what concerns all.
    mutating func begin(failures: [String], isNothingJudged: Bool, header: String) {
        let place = behind(title)
        forget(in: place..<Swift.max(place, start))
        insert(failures.map { "- \(ChecklistParser.failureMark)\($0)" }, at: place)
        if isNothingJudged { insert([Self.nothingJudged], at: place) }
        // A paragraph of its own, so that the report can be judged again.
        if !header.isEmpty { insert([header], at: place) }
    }

    /// Behind a heading and its underline, or, where there is none, at the top, behind front matter.
    private func behind(_ heading: Int?) -> Int {
        var place = heading.map { $0 + 1 } ?? 0
        while hidden.contains(place) { place += 1 }
        return place
    }

    /// Inserts a block with an empty line on both sides.
    private mutating func insert(_ block: [String], at place: Int) {
        guard !block.isEmpty else { return }
        let isLast = place == lines.count || Self.isBlank(lines[place])
        lines.insert(contentsOf: (place == 0 ? [] : [""]) + block + (isLast ? [] : [""]), at: place)
    }

    /// Takes the blocks of an earlier report away, each with one of the empty lines around it.
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
    /// Whether both stand at one place, under one name.
    fileprivate func isSame(as other: Self) -> Bool { name == other.name && location.line == other.location.line }

    /// Whether it has a heading of its own; items above the first have not.
    fileprivate var hasHeading: Bool { items.first.map { $0.boxLine != location.line } ?? true }
}
