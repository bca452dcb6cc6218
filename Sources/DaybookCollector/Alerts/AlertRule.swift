import DaybookChecklist
import DaybookDefinitions
import DaybookStore
import DaybookTools

/// One alert as it is written: what is asked, how often, and when it fires. docs/formats/alerts.md says how.
package struct AlertRule: Sendable, Hashable {
    /// What is asked.
    package enum Question: Sendable, Hashable {
        /// One statement that reads.
        case sql(String)
        /// A checklist that is to be fulfilled in every window of so many seconds.
        case watch(Watch)
    }

    /// When a value fires.
    package struct Condition: Sendable, Hashable {
        package enum Comparison: String, Sendable, CaseIterable {
            // The longer ones first: `>=` begins as `>` does.
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

        /// As it is written: `value > 0`.
        var text: String {
            "value \(comparison.rawValue) \(bound == bound.rounded() && abs(bound) < 1e15 ? String(Int64(bound)) : String(bound))"
        }
    }

    /// The heading; names the alert among all.
    package var name: String
    /// What stands between the heading and the list, for who is woken.
    package var prose: String
    package var question: Question
    /// Seconds between two evaluations.
    package var every: Int64
    /// `nil` where only `firesWithoutData` counts, and for a watch, which fires by its items.
    package var condition: Condition?
    /// Whether no row at all fires too.
    package var firesWithoutData: Bool
    /// Seconds for which the condition holds before the alert fires; 0 fires at once.
    package var duration: Int64
    /// Where notices go, with `${NAME}` in it as it is written; never the values. See ``AlertTarget``.
    package var targets: [String]
    package var file: String
    /// The heading's line, from 1.
    package var line: Int
    /// The body for targets of the kind `template`.
    var template: AlertTemplate?
    /// When nobody is told that it fires.
    package var quiet: [QuietHours] = []
    /// Where the statement stands; `nil` for a checklist.
    var place: StatementPlace?

    /// The longest time between two evaluations after which still is known what was in between, in nanoseconds.
    var longestPause: Int64 { max(3 * every, 60) * 1_000_000_000 }
}

/// A fault in a file of alerts.
package struct AlertProblem: Error, Sendable, Hashable, CustomStringConvertible {
    package var file: String
    package var line: Int
    package var column: Int
    package var message: String

    /// A fault at a place; lines and columns count from 1.
    package init(file: String, line: Int, column: Int, message: String) {
        self.file = file
        self.line = line
        self.column = column
        self.message = message
    }

    package var description: String { text("error") }

    /// The fault where it stops nothing.
    package var warning: String { text("warning") }

    private func text(_ severity: String) -> String { "\(file):\(line):\(column): \(severity): \(message)".printable }
}

extension AlertRule {
    /// What a watch says of events and columns that the definitions do not know; such an item fires for ever. Empty for a
    /// statement, which is the store's to judge.
    package func problems(with catalog: EventCatalog) -> [AlertProblem] {
        guard case .watch(let watch) = question else { return [] }
        return watch.checklist.problems(with: catalog).map { AlertProblem($0) }
    }
}

extension AlertRule {
    /// What it and its statement say and hardly mean.
    /// - Parameter masking: what its statement does not see.
    package func warnings(_ tables: StatementTables, masking: MaskingPolicy?) -> [AlertProblem] {
        (targets.isEmpty ? [untold] : []) + statementWarnings(tables, masking)
    }

    private var untold: AlertProblem {
        AlertProblem(
            file: file, line: line, column: 1,
            message: "the alert `\(name)` notifies nobody: it is only shown (write `- notify URL`)")
    }

    private func statementWarnings(_ tables: StatementTables, _ masking: MaskingPolicy?) -> [AlertProblem] {
        guard case .sql(let sql) = question, let place else { return [] }
        return tables.warnings(of: sql, masking: masking).map { warning in
            let (line, column) = place.place(of: warning)
            return AlertProblem(file: file, line: line, column: column, message: warning.message)
        }
    }
}

extension AlertProblem {
    /// What is wrong with the file as Markdown.
    init(_ problem: MarkdownText.Problem, file: String) {
        self.init(
            file: file, line: problem.line, column: problem.column,
            message: problem.message + (problem.hint.map { " (\($0))" } ?? ""))
    }

    /// What is wrong with an alert's checklist.
    init(_ problem: ChecklistError.Problem) {
        self.init(
            file: problem.location.file, line: problem.location.line, column: problem.location.column,
            message: problem.message + (problem.hint.map { " (\($0))" } ?? ""))
    }
}
