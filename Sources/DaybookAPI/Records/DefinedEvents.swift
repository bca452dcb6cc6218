import DaybookDefinitions
import DaybookStore
import DaybookTools

/// Checks stored records against the definitions; without any, nothing is a violation. Safe to share between threads.
package struct DefinedEvents: Sendable {
    private let validator: RecordValidator?

    package init(_ definitions: Definitions) {
        validator = definitions.categories.contains { !$0.events.isEmpty } ? RecordValidator(definitions) : nil
    }

    /// A record's violations; none if it has no definition.
    package func violations(_ row: RecordRow) -> [Violation] {
        guard let validator, concerns(row) else { return [] }
        // Without the context, common columns cannot be required.
        let isContextLost = row.attributes.contains("\"daybook.context.unknown\"")
        return validator.violations(
            tag: row.tag, attributes: row.attributes, context: isContextLost ? nil : row.context)
    }

    private func concerns(_ row: RecordRow) -> Bool { validator != nil && row.kind == .event && !row.isOwn }

    package func isUndefined(_ row: RecordRow) -> Bool {
        guard row.kind == .event, !row.isOwn else { return false }
        return validator.map { !$0.isDefined(row.tag) } ?? true
    }

    /// The defined tag most similar to a mistyped one, if any is.
    package func nearest(to tag: String) -> String? { validator?.nearestTag(to: tag) }

    /// Matches records with a violation.
    /// - Parameters:
    ///   - kind: The violation. Default: `nil`, any.
    ///   - column: Its column. Default: `nil`, any.
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
