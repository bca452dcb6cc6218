import DaybookDefinitions
import DaybookStore
import DaybookTools

/// How stored records stand to the definitions. Without definitions nothing is judged. Safe to share between threads.
package struct Verdicts: Sendable {
    private let validator: RecordValidator?

    package init(_ definitions: Definitions) {
        validator = definitions.categories.contains { !$0.events.isEmpty } ? RecordValidator(definitions) : nil
    }

    /// What is wrong with a record; empty for what has no definition to keep to.
    package func violations(_ row: RecordRow) -> [Violation] {
        guard let validator, concerns(row) else { return [] }
        // Common columns of a record whose context was lost cannot be missed.
        let isContextLost = row.attributes.contains("\"daybook.context.unknown\"")
        return validator.violations(
            tag: row.tag, attributes: row.attributes, context: isContextLost ? nil : row.context)
    }

    /// Whether a record is one that definitions are for.
    private func concerns(_ row: RecordRow) -> Bool { validator != nil && row.kind == .event && !row.isOwn }

    /// Whether a record is an event that nobody defined.
    package func isUndefined(_ row: RecordRow) -> Bool {
        guard row.kind == .event, !row.isOwn else { return false }
        return validator.map { !$0.isDefined(row.tag) } ?? true
    }

    /// The defined tag closest to a mistyped one, if one is close.
    package func nearest(to tag: String) -> String? { validator?.nearestTag(to: tag) }

    /// Lets pass what violates its definition, or does so in one way.
    /// - Parameters:
    ///   - kind: what is wrong; `nil`, the default, for anything.
    ///   - column: where; `nil`, the default, for anywhere.
    package func predicate(_ kind: Violation.Kind? = nil, column: String? = nil) -> RecordPredicate {
        RecordPredicate(
            name: ["violation", kind?.rawValue, column].compactMap(\.self).joined(separator: ":"), concerns: concerns
        ) { row in
            violations(row).contains {
                (kind == nil || $0.kind == kind) && (column == nil || $0.column == column)
            }
        }
    }
}
