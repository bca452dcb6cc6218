extension [ScenarioVerdict] {
    /// The verdicts as JUnit XML, which CI systems show: a suite per scenario, a case per item; manual steps are skipped.
    public func junitReport(of checklist: Checklist) -> String {
        let all = flatMap(\.items)
        var lines = [
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>",
            "<testsuites name=\(XMLText.quoted(checklist.title)) tests=\"\(all.count)\" failures=\"\(all.count(where: \.isFailure))\">",
        ]
        for scenario in self {
            lines.append(
                "  <testsuite name=\(XMLText.quoted(scenario.scenario.name)) tests=\"\(scenario.items.count)\" "
                    + "failures=\"\(scenario.items.count(where: \.isFailure))\" "
                    + "skipped=\"\(scenario.count(.manual))\" errors=\"0\">")
            for verdict in scenario.items {
                let name =
                    "classname=\(XMLText.quoted("\(checklist.title).\(scenario.scenario.name)")) "
                    + "name=\(XMLText.quoted(verdict.item.text)) file=\(XMLText.quoted(checklist.file)) "
                    + "line=\"\(verdict.item.location.line)\""
                if verdict.isFailure {
                    lines.append("    <testcase \(name)>")
                    lines.append(
                        "      <failure message=\(XMLText.quoted(verdict.reason ?? verdict.status.rawValue))>"
                            + XMLText.escaped(verdict.evidence.map(\.line).joined(separator: "\n")) + "</failure>")
                    lines.append("    </testcase>")
                } else if verdict.status == .manual {
                    lines.append("    <testcase \(name)><skipped message=\"manual step\"/></testcase>")
                } else {
                    lines.append("    <testcase \(name)/>")
                }
            }
            lines.append("  </testsuite>")
        }
        lines.append("</testsuites>")
        return lines.joined(separator: "\n") + "\n"
    }
}

extension ItemVerdict {
    fileprivate var isFailure: Bool { status == .failed || status == .waiting }
}

/// The little of XML that a report writes.
private enum XMLText {
    static func quoted(_ text: String) -> String { "\"\(escaped(text))\"" }

    /// Text and attribute values; what XML 1.0 cannot hold (most control characters) becomes `�`.
    static func escaped(_ text: String) -> String {
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result.append(contentsOf: "&amp;".unicodeScalars)
            case "<": result.append(contentsOf: "&lt;".unicodeScalars)
            case ">": result.append(contentsOf: "&gt;".unicodeScalars)
            case "\"": result.append(contentsOf: "&quot;".unicodeScalars)
            case "\t", "\n", "\r": result.append(contentsOf: "&#\(scalar.value);".unicodeScalars)
            case "\u{0}"..."\u{1F}", "\u{FFFE}", "\u{FFFF}": result.append("\u{FFFD}")
            default: result.append(scalar)
            }
        }
        return String(result)
    }
}
