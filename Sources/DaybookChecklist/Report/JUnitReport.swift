import DaybookBase

extension [ScenarioVerdict] {
    /// The verdicts as JUnit XML for CI systems: a suite per scenario, a case per item; manual steps and inapplicable
    /// items are skipped. A scenario's own problem is a separate case.
    ///
    /// - Parameter properties: facts about the run: who tested, when, on what. Default: none.
    public func junitReport(of checklist: Checklist, properties: [(name: String, value: String)] = []) -> String {
        [JudgedChecklist(checklist: checklist, verdicts: self)].junitReport(properties: properties)
    }

    fileprivate func suites(of checklist: Checklist, _ properties: [(name: String, value: String)]) -> [String] {
        var lines: [String] = []
        let isNothingJudged = result == .nothingJudged
        for scenario in self {
            lines.append(
                "  <testsuite name=\(XMLText.quoted(scenario.name)) tests=\"\(scenario.cases)\" "
                    + "failures=\"\(scenario.failures - (isNothingJudged ? scenario.problems : 0))\" "
                    + "skipped=\"\(scenario.skipped)\" "
                    + "errors=\"\(isNothingJudged ? scenario.problems : 0)\">")
            if !properties.isEmpty {
                lines.append("    <properties>")
                lines += properties.map {
                    "      <property name=\(XMLText.quoted($0.name)) value=\(XMLText.quoted($0.value))/>"
                }
                lines.append("    </properties>")
            }
            if let problem = scenario.problem {
                let element = problem.waiver != nil ? "skipped" : isNothingJudged ? "error" : "failure"
                let message = problem.waiver.map { "waived: \($0); \(problem.reason)" } ?? problem.reason
                lines.append(
                    "    <testcase classname=\(XMLText.quoted("\(checklist.title).\(scenario.name)")) "
                        + "name=\"scenario\"><\(element) message=\(XMLText.quoted(message))>"
                        + XMLText.lines(problem.evidence.map(\.line))
                        + "</\(element)></testcase>")
            }
            for verdict in scenario.items {
                let name =
                    "classname=\(XMLText.quoted("\(checklist.title).\(scenario.name)")) "
                    + "name=\(XMLText.quoted(verdict.item.text)) file=\(XMLText.quoted(checklist.file)) "
                    + "line=\"\(verdict.item.location.line)\""
                if verdict.isFailure {
                    lines.append("    <testcase \(name)>")
                    lines.append(
                        "      <failure message=\(XMLText.quoted(verdict.reason ?? verdict.status.words))>"
                            + XMLText.lines(verdict.evidence.map(\.line)) + "</failure>")
                    lines.append("    </testcase>")
                } else if verdict.isSkipped {
                    let waived = verdict.waiver.map { "waived: \($0); \(verdict.reason ?? "")" }
                    let message = XMLText.quoted(waived ?? verdict.reason ?? "manual step")
                    lines.append("    <testcase \(name)><skipped message=\(message)/></testcase>")
                } else {
                    lines.append("    <testcase \(name)/>")
                }
            }
            lines.append("  </testsuite>")
        }
        return lines
    }
}

extension [JudgedChecklist] {
    /// All verdicts as one JUnit report.
    public func junitReport(properties: [(name: String, value: String)] = []) -> String {
        let all = map { JudgedChecklist(checklist: $0.checklist, verdicts: $0.verdicts.sayingWhatIsNotJudged) }
        let scenarios = all.flatMap(\.verdicts)
        let isEmpty = scenarios.isEmpty
        let unjudged = all.filter { $0.verdicts.result == .nothingJudged }.flatMap(\.verdicts)
        let errors = isEmpty ? 1 : unjudged.map(\.problems).reduce(0, +)
        let tests = isEmpty ? 1 : scenarios.map(\.cases).reduce(0, +)
        let failures = scenarios.map(\.failures).reduce(0, +) - (isEmpty ? 0 : errors)
        let title = map(\.checklist.title).joined(separator: ", ")
        let lines =
            [
                "<?xml version=\"1.0\" encoding=\"UTF-8\"?>",
                "<testsuites name=\(XMLText.quoted(title)) tests=\"\(tests)\" failures=\"\(failures)\" errors=\"\(errors)\">",
            ] + (isEmpty ? Self.emptySuite(title) : all.flatMap { $0.verdicts.suites(of: $0.checklist, properties) })
            + ["</testsuites>"]
        return lines.joined(separator: "\n") + "\n"
    }

    /// Without scenarios: a report without a case would be green.
    private static func emptySuite(_ title: String) -> [String] {
        [
            "  <testsuite name=\(XMLText.quoted(title)) tests=\"1\" failures=\"0\" skipped=\"0\" errors=\"1\">",
            "    <testcase classname=\(XMLText.quoted(title)) name=\"checklist\">"
                + "<error message=\(XMLText.quoted(ScenarioProblem.nothingJudged.reason))/></testcase>",
            "  </testsuite>",
        ]
    }
}

extension ScenarioVerdict {
    fileprivate var problems: Int { problem.map { $0.waiver == nil ? 1 : 0 } ?? 0 }
    fileprivate var cases: Int { items.count + (problem == nil ? 0 : 1) }
    fileprivate var skipped: Int { items.count(where: \.isSkipped) + (problem?.waiver == nil ? 0 : 1) }
    fileprivate var failures: Int { items.count(where: \.isFailure) + problems }
}

extension ItemVerdict {
    fileprivate var isFailure: Bool { status.isOpen && waiver == nil }
    /// Items not judged, and waived ones.
    fileprivate var isSkipped: Bool {
        status == .notApplicable || status.isOpen && waiver != nil || status == .manual && !isTicked
    }
}

/// XML output. Printable text has only characters that XML 1.0 permits.
private enum XMLText {
    static func quoted(_ text: String) -> String { "\"\(escaped(text))\"" }

    static func lines(_ lines: [String]) -> String { lines.map(escaped).joined(separator: "&#10;") }

    private static func escaped(_ text: String) -> String {
        text.printable.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
            .replacing("\"", with: "&quot;")
    }
}
