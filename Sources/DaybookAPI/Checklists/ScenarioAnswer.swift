import DaybookBase
import DaybookChecklist
import DaybookStore
import DaybookTools

package struct ScenarioAnswer: Sendable {
    package var id: String
    package var title: String
    package var outcome: ChecklistOutcome
    package var problem: ShownReason
    package var waiver: String?
    package var items: [ItemAnswer]

    static let form = Form<ScenarioAnswer>.object(
        "Scenario", .init("id", .text, \.id), .init("title", .text, \.title),
        .init(members: ChecklistOutcome.form, \.outcome),
        .init(
            members: ShownReason.form("problem", about: "Why it fails as a whole, in English."), \.problem),
        .init("waiver", .optional(.text), \.waiver), .init("items", .list(ItemAnswer.form), \.items),
        make: ScenarioAnswer.init)
}

extension ScenarioAnswer {
    init(_ verdict: ScenarioVerdict) {
        (id, title, outcome) = (verdict.scenario.name, verdict.scenario.name, ChecklistOutcome([verdict]))
        (problem, waiver) = (ShownReason(verdict.problem?.why), verdict.problem?.waiver)
        items = verdict.items.enumerated().map { ItemAnswer($1, number: $0 + 1) }
    }
}

/// The overall result of verdicts.
package struct ChecklistOutcome: Sendable {
    package var result: ChecklistResult
    package var judged: Int

    static let form = Form<ChecklistOutcome>.object(
        "ChecklistOutcome", FormField("passed", .bool) { $0.result == ChecklistResult.passed },
        .init(
            "result", .word.named("ChecklistResult"),
            about: "`nothing_judged` where no item was judged, so that nothing can have passed.", \.result),
        .init("judged", .number, about: "How many items records decide.", \.judged)
    ) { ChecklistOutcome(result: $1, judged: $2) }
}

extension ChecklistOutcome {
    init(_ verdicts: [ScenarioVerdict]) { (result, judged) = (verdicts.result, verdicts.judged) }
}

package struct ItemAnswer: Sendable {
    package var id: String
    package var text: String
    package var pattern: String?
    package var tests: [String]
    package var notes: [String]
    package var state: ItemVerdict.Status
    package var isProvisional: Bool
    package var reason: ShownReason
    package var matches: Int
    package var records: [EvidenceAnswer]
    package var waiver: String?
    package var isTicked: Bool

    fileprivate static let form = Form<ItemAnswer>.object(
        "ChecklistItem", .init("id", .text, \.id), .init("text", .text, \.text),
        .init(
            "pattern", .optional(.text), about: "A tag, or what ends in `.*` or `.**`; null for a manual item.",
            \.pattern), .init("tests", .list(.text), \.tests), .init("notes", .list(.text), \.notes),
        .init("state", .word.named("ItemState"), \.state), .init("provisional", .bool, \.isProvisional),
        .init(members: ShownReason.form("reason", about: "In English."), \.reason),
        .init("matches", .number, \.matches), .init("records", .list(EvidenceAnswer.form), \.records),
        .init("waiver", .optional(.text), about: "Why somebody signed off all the same.", \.waiver),
        .init("ticked", .bool, \.isTicked), make: ItemAnswer.init)
}

extension ItemAnswer {
    fileprivate init(_ verdict: ItemVerdict, number: Int) {
        (id, text, state) = (String(number), verdict.item.text, verdict.status)
        if case .expectation(let expectation) = verdict.item.content { pattern = expectation.pattern.description }
        (tests, notes) = (verdict.item.tests.map(\.text), verdict.item.notes)
        (isProvisional, reason) = (verdict.isProvisional, ShownReason(verdict.why))
        (matches, records) = (verdict.matches, verdict.evidence.map { EvidenceAnswer($0) })
        (waiver, isTicked) = (verdict.waiver, verdict.isTicked)
    }
}

/// A record that a verdict is based on.
package struct EvidenceAnswer: Sendable {
    package var id: Int64
    package var time: Int64
    package var tag: String
    package var values: [(column: String, value: ChecklistValue?)]
    package var note: ShownReason

    fileprivate static let form = Form<EvidenceAnswer>.object(
        "Evidence", .init("id", .integer, \.id), .init("time", .nanoseconds, \.time), .init("tag", .text, \.tag),
        .init("values", .list(value), \.values), .init(members: ShownReason.form("note"), \.note),
        make: EvidenceAnswer.init)

    private static let value = Form<(column: String, value: ChecklistValue?)>.object(
        "EvidenceValue", .init("column", .text, \.column),
        .init("value", .optional(ChecklistValue.form).named("Json"), \.value)
    ) { ($0, $1) }
}

extension EvidenceAnswer {
    fileprivate init(_ evidence: Evidence) {
        (id, time, tag) = (evidence.number, evidence.time, evidence.tag.boundedName)
        (values, note) = (evidence.values.map { ($0.column, $0.value) }, ShownReason(evidence.remark))
    }
}

extension ChecklistValue {
    /// Shortened. Integers that JavaScript would round become text.
    static let form = Form<ChecklistValue>("Json") { value, builder in
        switch value {
        case .boolean(let value): builder.bool(value)
        case .integer(let value): builder.integer(value)
        case .number(let value): builder.real(value)
        case .text(let text): builder.string(text.shortened(to: RecordBounds.listed.text))
        case .structure(let json): builder.spliced(json, limit: RecordBounds.listed.text)
        }
    } read: { value throws(FormError) in
        switch value {
        case .bool(let value): .boolean(value)
        case .int(let number): .integer(number)
        case .double(let number): .number(number)
        case .string(let text): .text(text)
        default: .structure(JSONWriter.text(value))
        }
    }
}

/// An English sentence, and phrases to translate it; none if it is cut.
package struct ShownReason: Sendable {
    package var text: String?
    package var phrases: [ShownPhrase]

    /// - Parameter name: The sentence's member, beside the phrases.
    static func form(_ name: String, about meaning: String? = nil) -> Form<ShownReason> {
        .object(
            "Reason", .init(name, .optional(.text), about: meaning, \.text),
            .init(
                "phrases", .list(ShownPhrase.form),
                about: "What `\(name)` is made of; none for null, or a text that is cut.", \.phrases),
            make: ShownReason.init)
    }
}

extension ShownReason {
    init(_ reason: Reason?) {
        text = reason?.text.shortened(to: RecordBounds.listed.text)
        phrases = (text != reason?.text ? [] : reason?.phrases ?? []).map { phrase in
            ShownPhrase(
                code: phrase.code.rawValue,
                arguments: phrase.arguments.sorted { $0.key < $1.key }.map { ($0.key, $0.value.text) })
        }
    }
}

/// A part of a reason, identified by its code in every language.
package struct ShownPhrase: Sendable {
    package var code: String
    package var arguments: [(name: String, value: String)]

    fileprivate static let form = Form<ShownPhrase>.object(
        "Phrase", .init("code", .text, \.code), .init("arguments", .members(.text), \.arguments),
        make: ShownPhrase.init)
}
