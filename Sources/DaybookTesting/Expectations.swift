import Daybook
import DaybookChecklist

/// An expectation that was not met. Thrown, so that both Swift Testing and XCTest report it.
public struct ExpectationFailure: Error, Sendable, CustomStringConvertible {
    /// What was expected, and what was recorded instead. The last line is the expectation's place, because a test
    /// framework knows only where the error was caught.
    public let description: String
}

/// Records in a test, and expectations about them. Value semantics.
public struct RecordedRecords: Sendable {
    /// In the order logged.
    public let records: [Record]

    /// Creates a value that checks expectations on these records.
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
    /// The first word is always an event, with or without a dot; quote one of several words.
    /// - Throws: ``ExpectationFailure``, or `ChecklistError` for what cannot be judged.
    public func expect(_ item: String, filePath: StaticString = #filePath, line: UInt = #line) throws {
        var run = try ChecklistRun(Checklist(expecting: item))
        try judge(&run, place: "\(filePath):\(line)") { $0.verdicts(finished: true) }
    }

    /// Expects a checklist, without its manual steps, of these records as one finished run. Fails if nothing is judged,
    /// because there is no record or no item about one.
    ///
    /// - Parameters:
    ///   - scenarios: Their names; empty means all.
    ///   - persona: The name of a row of the checklist's table.
    /// - Throws: ``ExpectationFailure``, or `ChecklistError` for an unknown scenario or persona.
    public func expect(
        _ checklist: Checklist, scenarios: [String] = [], persona: String? = nil, filePath: StaticString = #filePath,
        line: UInt = #line
    ) throws {
        let persona = try persona.map { name throws(ChecklistError) in try checklist.persona(named: name) }
        var run = try ChecklistRun(checklist, scenarios: scenarios, persona: persona)
        try judge(&run, title: "\(checklist.file) is not fulfilled:\n", place: "\(filePath):\(line)") {
            $0.verdictsUnlessSilent(finished: true)
        }
    }

    private func judge(
        _ run: inout ChecklistRun, title: String = "", place: String, by verdicts: (ChecklistRun) -> [ScenarioVerdict]
    ) throws {
        for (record, place) in zip(records, UInt64(1)...) where record.kind != .run {
            run.observe(JudgedRecord(record: record, place: place))
        }
        let verdicts = verdicts(run)
        if !verdicts.passed { throw failure(title + verdicts.textReport(), place) }
    }

    /// Expects the records of a fixture, in order.
    ///
    /// - Parameter listedOnly: Whether unlisted events are allowed. Default: they are.
    /// - Throws: ``ExpectationFailure`` with each record's difference.
    public func expect(
        _ fixture: Fixture, listedOnly: Bool = true, filePath: StaticString = #filePath, line: UInt = #line
    ) throws {
        let seen = records.filter { $0.kind != .run }.map { JudgedRecord(record: $0, place: 0).fixtureRecord }
        let difference = fixture.difference(to: seen, listedOnly: listedOnly)
        if fixture.events.isEmpty, listedOnly || seen.isEmpty {
            throw failure("nothing judged: the fixture has no event\n", "\(filePath):\(line)")
        }
        if !difference.isEmpty { throw failure(difference.description, "\(filePath):\(line)") }
    }

    /// Expects exactly these records of one event, in order; `"@any"`, `"@uuid"`, `"@int"` and `"@timestamp"` match.
    ///
    /// - Throws: ``ExpectationFailure`` with each record's difference.
    public func expect(
        _ event: String, _ records: [Attributes], filePath: StaticString = #filePath, line: UInt = #line
    ) throws {
        let fixture = Fixture(events: [Fixture.Expected(event: event, records: records.map(\.columns))])
        try expect(fixture, filePath: filePath, line: line)
    }

    private func failure(_ text: String, _ place: String) -> ExpectationFailure {
        ExpectationFailure(description: "\(text)\(summary)expected at \(place)\n")
    }

    /// Distinguishes an empty recording from a wrong one.
    private var summary: String {
        if records.isEmpty { return "nothing was recorded; does the code under test log to this recorder's log?\n" }
        var tags: [String] = []
        for record in records where !tags.contains(record.tag) && tags.count < 20 { tags.append(record.tag) }
        return "recorded: \(records.count) records, of \(tags.joined(separator: ", "))\n"
    }
}

extension JudgedRecord {
    /// - Parameter place: The number of a record without one from a journal, because it was made from a request.
    fileprivate init(record: Record, place: UInt64) {
        self.init(
            tag: record.tag, number: Int64(clamping: record.sequence == 0 ? place : record.sequence), time: record.time,
            level: Int64(record.level.rawValue), session: record.context["session.id"],
            installation: record.context["app.installation.id"], attributes: record.attributes, context: record.context)
    }
}
