import DaybookDefinitions
import DaybookStore

/// How stored records stand to the definitions. Without definitions nothing is judged. Safe to share between threads.
struct Verdicts: Sendable {
    private let validator: RecordValidator?

    init(_ definitions: Definitions) {
        validator = definitions.categories.contains { !$0.events.isEmpty } ? RecordValidator(definitions) : nil
    }

    /// What is wrong with a record; empty for what has no definition to keep to.
    func violations(_ row: RecordRow) -> [Violation] {
        guard let validator, row.kind == .event, !isOwn(row) else { return [] }
        // Common columns of a record whose context was lost cannot be missed.
        let isContextLost = row.attributes.contains("\"daybook.context.unknown\"")
        return validator.violations(
            tag: row.tag, attributes: row.attributes, context: isContextLost ? nil : row.context)
    }

    /// Whether a record is an event that nobody defined.
    func isUndefined(_ row: RecordRow) -> Bool {
        guard row.kind == .event, !isOwn(row) else { return false }
        return validator.map { !$0.isDefined(row.tag) } ?? true
    }

    /// Whether the collector made an event itself, as it does for alerts and violations: nobody defines those.
    private func isOwn(_ row: RecordRow) -> Bool { row.tag.hasPrefix("daybook.") }

    /// The defined tag closest to a mistyped one, if one is close.
    func nearest(to tag: String) -> String? { validator?.nearestTag(to: tag) }

    /// Lets pass what violates its definition.
    var predicate: RecordPredicate { RecordPredicate(name: "violation") { !violations($0).isEmpty } }
}
