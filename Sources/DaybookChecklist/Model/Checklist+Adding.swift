extension Checklist {
    /// The checklist with one item more, behind the last of a scenario. The rest of its text stays as it is.
    /// - Parameters:
    ///   - item: What follows the box: `feed.tap_article after feed.show_article`. One line.
    ///   - scenario: The scenario's name.
    /// - Throws: ``ChecklistError``, where the item does not parse or there is no such scenario; locations are those of
    ///   the longer text.
    public func adding(_ item: String, to scenario: String) throws(ChecklistError) -> Checklist {
        guard let index = scenarios.firstIndex(where: { $0.name == scenario }) else {
            throw Self.problem(
                "there is no scenario `\(scenario)`",
                hint: "choose one of: \(scenarios.map(\.name).joined(separator: ", "))",
                at: ChecklistLocation(file: file, line: 1, column: 1))
        }
        let lineEnd = source.contains("\r\n") ? "\r\n" : "\n"
        var lines = source.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" }.map(String.init)
        let end = Swift.min(endLine(ofScenario: index, lines), lines.count)
        // Directly behind a numbered list or a paragraph the line would be read as a part of it.
        let isBehindItem = scenarios[index].items.last.map { $0.numberedList == nil } ?? false
        lines.insert(contentsOf: isBehindItem ? ["- [ ] \(item)"] : ["", "- [ ] \(item)"], at: end)
        if lines.last != "" { lines.append("") }
        let longer = try Checklist(markdown: lines.joined(separator: lineEnd), file: file)
        guard longer.scenarios[index].items.count == scenarios[index].items.count + 1,
            longer.scenarios[index].items.last?.text == item
        else {
            throw Self.problem(
                "`\(item)` is not one item", hint: "an item is one line, without spaces at its ends",
                at: ChecklistLocation(file: file, line: end + 1, column: 1))
        }
        return longer
    }

    private static func problem(_ message: String, hint: String, at location: ChecklistLocation) -> ChecklistError {
        ChecklistError(problems: [.init(location: location, message: message, hint: hint)])
    }

    /// The last line of a scenario that says something, from 1.
    private func endLine(ofScenario index: Int, _ lines: [String]) -> Int {
        if let item = scenarios[index].items.last { return item.lastLine }
        let next = index + 1 < scenarios.count ? scenarios[index + 1].location.line - 1 : lines.count
        return lines[..<next].lastIndex { !$0.allSatisfy(\.isWhitespace) }.map { $0 + 1 } ?? next
    }
}
