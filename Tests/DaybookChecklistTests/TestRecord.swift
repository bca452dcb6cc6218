import DaybookChecklist

/// A record for tests: a tag and some columns.
struct TestRecord: ChecklistRecord, CustomStringConvertible {
    var tag: String
    var number: Int64
    var time: Int64
    var columns: [String: ChecklistValue]
    var hasTime = true

    /// Common columns that `columns` need not repeat.
    var common: [String: ChecklistValue] = [:]

    func value(of column: String) -> ChecklistValue? { columns[column] ?? common[column] }

    func commonValue(of column: String) -> ChecklistValue? { common[column] }

    var description: String { "#\(number) \(tag) @\(time / 1_000_000_000)s \(columns)" }
}

/// Records numbered from 1, one a second.
func recording(_ entries: (String, [String: ChecklistValue])...) -> [TestRecord] {
    entries.enumerated().map { index, entry in
        TestRecord(
            tag: entry.0, number: Int64(index + 1), time: Int64(index) * 1_000_000_000, columns: entry.1)
    }
}

func judge(
    _ markdown: String, _ records: [TestRecord], scenarios: [String] = [], persona: PersonaTable.Persona? = nil,
    catalog: EventCatalog? = nil, finished: Bool = true
) throws -> [ScenarioVerdict] {
    var run = try ChecklistRun(
        Checklist(markdown: markdown, file: "test.md"), scenarios: scenarios, persona: persona, catalog: catalog)
    for record in records { run.observe(record) }
    return run.verdicts(finished: finished)
}

func statuses(_ markdown: String, _ records: [TestRecord], finished: Bool = true) throws -> [ItemVerdict.Status] {
    try judge(markdown, records, finished: finished).flatMap(\.items).map(\.status)
}

/// The problems of a checklist text, as printed.
func problems(
    _ markdown: String, persona: PersonaTable.Persona? = nil, catalog: EventCatalog? = nil
) -> [String] {
    do throws(ChecklistError) {
        _ = try ChecklistRun(Checklist(markdown: markdown, file: "test.md"), persona: persona, catalog: catalog)
        return []
    } catch {
        return error.problems.map(\.description)
    }
}
