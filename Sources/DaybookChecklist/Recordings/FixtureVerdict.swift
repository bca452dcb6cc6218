import DaybookTools

extension Fixture {
    /// The comparison as a checklist with verdicts, for all checklist reports: an item per event, and one for events
    /// that the fixture does not name.
    ///
    /// - Parameters:
    ///   - difference: the result of ``difference(to:listedOnly:)``.
    ///   - name: the checklist's name.
    ///   - file: the fixture's file.
    ///   - listedOnly: whether other events were allowed.
    ///   - records: the recording's number of records; without any, nothing is compared.
    ///   - lines: each event's line in the file, from 1.
    /// - Throws: if an event's name is not one line of text.
    public func judged(
        by difference: FixtureDifference, name: String, file: String, listedOnly: Bool, records: Int, lines: [Int]
    ) throws(ChecklistError) -> JudgedChecklist {
        var titles = events.map { "Records of \(Markdown.text($0.event)): \($0.records.count)" }
        titles.append(listedOnly ? "Other events are allowed" : "No other events")
        let text = "# \(Markdown.text(name))\n\n" + titles.map { "- [ ] \($0)\n" }.joined()
        var checklist = try Checklist(markdown: text, file: file)
        checklist.title = name
        checklist.scenarios[0].name = name
        for (index, line) in zip(checklist.scenarios[0].items.indices, lines + [1]) {
            checklist.scenarios[0].items[index].ownLine = checklist.scenarios[0].items[index].location.line
            checklist.scenarios[0].items[index].location = SourceLocation(file: file, line: line, column: 1)
        }
        let named = Set(events.map(\.event))
        let others = difference.events.filter { !named.contains($0.event) }
        let found = events.map { event in difference.events.filter { $0.event == event.event } } + [others]
        var items = zip(checklist.scenarios[0].items, found).map { item, differences in
            ItemVerdict(
                item: item, status: records == 0 ? .notJudged : differences.isEmpty ? .ok : .failed,
                isProvisional: false,
                because: records == 0
                    ? Reason([.init(.noRecords)])
                    : differences.isEmpty ? nil : Reason(text: differences.map(\.oneLine).joined(separator: "; ")),
                evidence: [], matches: 0)
        }
        if listedOnly { items[items.count - 1].status = .notApplicable }
        let verdict = ScenarioVerdict(scenario: checklist.scenarios[0], items: items)
        return JudgedChecklist(checklist: checklist, verdicts: [verdict].sayingWhatIsNotJudged)
    }
}

extension FixtureDifference.EventDifference {
    /// `expected 2, got 1; 2. missing: {article_id: 7}`.
    fileprivate var oneLine: String {
        lines.map { line in String(line.drop { " ✗-+~".contains($0) }) }.joined(separator: "; ")
    }
}
