import Daybook
import DaybookChecklist
import DaybookStore
import DaybookTools

/// The result of asking one alert once, by hand.
package struct AlertTrial: Sendable {
    private var alert: String
    private var label: String
    /// `holds`, `quiet`, `no_data` or `failed`; `left_out` for what was not judged.
    private var outcome: String
    private var value: Double?
    private var failure: String?
    /// A watch's explanation.
    private var reason: String?

    /// Whether the alert would fire, or its statement failed.
    package var isTrouble: Bool { outcome == "holds" || outcome == "failed" }

    package var members: Attributes {
        [
            "alert": .string(alert), "label": label.isEmpty ? .null : .string(label), "outcome": .string(outcome),
            "value": value.map { .double($0) } ?? .null, "failure": Value(failure),
            "reason": Value(reason),
        ]
    }

    package var line: String {
        let label = label.isEmpty ? "" : " (\(label.printable))"
        let value = value.map { "  value \(JSONWriter.text(.double($0)))" } ?? ""
        return "\(outcome)  \(alert.printable)\(label)\(value)"
            + ((failure ?? reason).map { "  \($0.printable)" } ?? "")
    }

    /// Why the store cannot answer an alert's statement; `nil` if it can, and for a watch.
    package static func problem(of rule: AlertRule, by statements: any StatementRunner) async -> Diagnostic? {
        guard case .sql(let sql) = rule.question else { return nil }
        do {
            let labels = AlertLabels(pseudonyms: Pseudonyms())
            let remarks = try await AlertRunner.reading(of: sql, by: statements, labels).remarks
            return remarks.isEmpty ? nil : problem(of: rule, "left out are " + remarks.joined(separator: "; "))
        } catch {
            return problem(of: rule, "\(error)")
        }
    }

    private static func problem(of rule: AlertRule, _ message: String) -> Diagnostic {
        .error(SourceLocation(file: rule.file, line: rule.line, column: 1), "\(rule.name): \(message)")
    }

    /// Asks an alert: one outcome per label, and one per thing left out. A watch judges the last window, and learns the
    /// expected values from the one before.
    /// - Parameters:
    ///   - statements: runs the alert's statement; `nil`, the default, for the store itself.
    ///   - masking: applies to the outcomes; `nil`, the default, masks nothing.
    ///   - now: nanoseconds since 1970.
    package static func run(
        _ rule: AlertRule, in store: any RecordAccess, statements: (any StatementRunner)? = nil,
        masking: MaskingPolicy? = nil, at now: Int64
    ) async -> [AlertTrial] {
        let reading: AlertAnswer
        let labels = AlertLabels(pseudonyms: Pseudonyms())
        do {
            switch rule.question {
            case .sql(let sql): reading = try await AlertRunner.reading(of: sql, by: statements ?? store, labels)
            case .watch(let watched):
                let start = now - 2 * watched.over * 1_000_000_000
                var watch = try AlertWatch(
                    watched, every: rule.every, from: start, masking: masking, labels: labels, judgesHidden: false)
                reading = try await watch.reading(of: store, at: now) ?? AlertAnswer(values: [:])
            }
        } catch {
            return [AlertTrial(alert: rule.name, label: "", outcome: "failed", failure: "\(error)")]
        }
        let remarks = reading.remarks.map { AlertTrial(alert: rule.name, label: "", outcome: "left_out", reason: $0) }
        return remarks
            + reading.labels.sorted().map { label in
                let value = reading.value(of: label)
                let outcome = reading.holds(rule, for: label) ? "holds" : value == nil ? "no_data" : "quiet"
                return AlertTrial(
                    alert: rule.name, label: label, outcome: outcome, value: value, reason: reading.troubles[label])
            }
    }
}
