import Daybook
import DaybookChecklist

/// What was expected of some records and did not come. Thrown, so that both Swift Testing and XCTest report it.
public struct ExpectationFailure: Error, Sendable, CustomStringConvertible {
    /// What was expected, what came, and which records; in the last line the place of the call that expected it, because
    /// a test framework knows only where the error was caught.
    public let description: String
}

/// Records that a test looks at, with what may be expected of them.
///
/// Value semantics.
public struct RecordedRecords: Sendable {
    /// In the order in which they were logged.
    public let records: [Record]

    /// Wraps records, to check expectations on them.
    ///
    /// ```swift
    /// let output = CollectingOutput()
    /// try RecordedRecords(output.records).expect("app.launch exactly 1")
    /// ```
    public init(_ records: [Record]) {
        self.records = records
    }

    /// Expects one item of a checklist: `feed.show exactly 1 per article_id`.
    ///
    /// - Throws: ``ExpectationFailure``, or `ChecklistError` if the item is none.
    public func expect(_ item: String, filePath: StaticString = #filePath, line: UInt = #line) throws {
        try judge(Checklist(markdown: "- [ ] " + item, file: "expectation"), place: "\(filePath):\(line)")
    }

    /// Expects a checklist, its manual steps left out, of one finished run.
    ///
    /// - Parameters:
    ///   - scenarios: their names; empty means all.
    ///   - persona: the name of a row of the checklist's table.
    /// - Throws: ``ExpectationFailure``, or `ChecklistError` for a scenario or a persona that is unknown.
    public func expect(
        _ checklist: Checklist, scenarios: [String] = [], persona: String? = nil, filePath: StaticString = #filePath,
        line: UInt = #line
    ) throws {
        try judge(
            checklist, scenarios: scenarios, persona: persona, title: "\(checklist.file) is not fulfilled:\n",
            place: "\(filePath):\(line)")
    }

    private func judge(
        _ checklist: Checklist, scenarios: [String] = [], persona: String? = nil, title: String = "", place: String
    ) throws {
        let persona = try persona.map { name throws(ChecklistError) in try checklist.persona(named: name) }
        var run = try ChecklistRun(checklist, scenarios: scenarios, persona: persona)
        for record in records where record.kind != .run { run.observe(JudgedRecord(record: record)) }
        let verdicts = run.verdicts(finished: true)
        if !verdicts.passed { throw failure(title + verdicts.textReport(), place) }
    }

    /// Expects the records of a fixture, in their order.
    ///
    /// - Parameter listedOnly: whether other events than the fixture's are allowed. Default: they are.
    /// - Throws: ``ExpectationFailure`` with a difference per record.
    public func expect(
        _ fixture: Fixture, listedOnly: Bool = true, filePath: StaticString = #filePath, line: UInt = #line
    ) throws {
        let seen = records.filter { $0.kind != .run }.map { JudgedRecord(record: $0).fixtureRecord }
        let difference = fixture.difference(to: seen, listedOnly: listedOnly)
        if !difference.isEmpty { throw failure(difference.description, "\(filePath):\(line)") }
    }

    /// Expects exactly these records of one event, in their order; `"@any"`, `"@uuid"`, `"@int"` and `"@timestamp"` match.
    ///
    /// - Throws: ``ExpectationFailure`` with a difference per record.
    public func expect(
        _ event: String, _ records: [Attributes], filePath: StaticString = #filePath, line: UInt = #line
    ) throws {
        let fixture = Fixture(events: [Fixture.Expected(event: event, records: records.map(\.columns))])
        try expect(fixture, filePath: filePath, line: line)
    }

    private func failure(_ text: String, _ place: String) -> ExpectationFailure {
        ExpectationFailure(description: "\(text)\(summary)expected at \(place)\n")
    }

    /// What there was, so that an empty recording is told from a wrong one.
    private var summary: String {
        if records.isEmpty { return "nothing was recorded; does the code under test log to this recorder's log?\n" }
        var tags: [String] = []
        for record in records where !tags.contains(record.tag) && tags.count < 20 { tags.append(record.tag) }
        return "recorded: \(records.count) records, of \(tags.joined(separator: ", "))\n"
    }
}

extension JudgedRecord {
    fileprivate init(record: Record) {
        self.init(
            tag: record.tag, number: Int64(clamping: record.sequence), time: record.time,
            level: Int64(record.level.rawValue), session: record.context["session.id"],
            installation: record.context["app.installation.id"], attributes: record.attributes, context: record.context)
    }
}
