import DaybookChecklist
import DaybookDefinitions
import DaybookStore
import DaybookTools

/// One alert as written: what to ask, how often, and when to fire. See docs/formats/alerts.md.
package struct AlertRule: Sendable, Hashable {
    package enum Question: Sendable, Hashable {
        /// One read-only statement.
        case sql(String)
        /// A checklist that must be fulfilled in every window.
        case watch(Watch)
    }

    package struct Condition: Sendable, Hashable {
        package enum Comparison: String, Sendable, CaseIterable {
            // Longer ones first: `>=` begins as `>` does.
            case atLeast = ">="
            case atMost = "<="
            case notEqual = "!="
            case above = ">"
            case below = "<"
            case equal = "="
        }

        var comparison: Comparison
        var bound: Double

        func holds(for value: Double) -> Bool {
            switch comparison {
            case .above: value > bound
            case .atLeast: value >= bound
            case .below: value < bound
            case .atMost: value <= bound
            case .equal: value == bound
            case .notEqual: value != bound
            }
        }

        /// As written: `value > 0`.
        var text: String {
            "value \(comparison.rawValue) \(bound == bound.rounded() && abs(bound) < 1e15 ? String(Int64(bound)) : String(bound))"
        }
    }

    /// The heading; unique among all alerts.
    package var name: String
    /// The prose below the heading, for whoever is on call.
    package var prose: String
    package var question: Question
    /// Seconds between evaluations.
    package var every: Int64
    /// `nil` if only `firesWithoutData` counts, and for a watch.
    package var condition: Condition?
    /// Whether an answer without rows fires, too.
    package var firesWithoutData: Bool
    /// Seconds that the condition must hold before the alert fires; 0: fires at once.
    package var duration: Int64
    /// Where notices go, with `${NAME}` unresolved. See ``AlertTarget``.
    package var targets: [String]
    package var file: String
    /// The heading's line, from 1.
    package var line: Int
    /// The body for targets of kind `template`.
    var template: AlertTemplate?
    /// When firing notices are held back.
    package var quiet: [QuietHours] = []
    /// Location of the statement; `nil` for a checklist.
    var place: StatementPlace?

    /// The longest gap between evaluations that still counts as continuous, in nanoseconds.
    var longestPause: Int64 { max(3 * every, 60) * 1_000_000_000 }
}

extension AlertRule {
    /// Events and columns of a watch that the definitions lack: such items fire forever. Empty for a statement, which
    /// the store checks.
    package func problems(with catalog: EventCatalog) -> [Diagnostic] {
        guard case .watch(let watch) = question else { return [] }
        return watch.checklist.problems(with: catalog).map(\.diagnostic)
    }
}

extension AlertRule {
    /// Likely mistakes in the alert and its statement.
    /// - Parameter masking: what the statement cannot see.
    package func warnings(_ tables: StatementTables, masking: MaskingPolicy?) -> [Diagnostic] {
        (targets.isEmpty ? [untold] : []) + statementWarnings(tables, masking)
    }

    private var untold: Diagnostic {
        .warning(
            SourceLocation(file: file, line: line, column: 1),
            "the alert `\(name)` notifies nobody: it is only shown (write `- notify URL`)")
    }

    private func statementWarnings(_ tables: StatementTables, _ masking: MaskingPolicy?) -> [Diagnostic] {
        guard case .sql(let sql) = question, let place else { return [] }
        return tables.warnings(of: sql, masking: masking).map { warning in
            let (line, column) = place.place(of: warning)
            return .warning(SourceLocation(file: file, line: line, column: column), warning.message)
        }
    }
}
