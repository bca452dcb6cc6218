import Daybook
import DaybookChecklist
import DaybookStore
import DaybookTools

/// What one alert says when it is asked once, by hand.
package struct AlertTrial: Sendable {
    private var alert: String
    private var label: String
    /// `holds`, `quiet`, `no_data` or `failed`.
    private var outcome: String
    private var value: Double?
    private var failure: String?
    /// What a watch says about it.
    private var reason: String?

    /// Whether somebody would be told, or the statement is wrong.
    package var isTrouble: Bool { outcome == "holds" || outcome == "failed" }

    /// The outcome as people may see it; see ``MaskingPolicy``.
    private func masked(by policy: MaskingPolicy) -> AlertTrial {
        var trial = self
        trial.label = policy.masked(reason: label)
        trial.reason = reason.map { policy.masked(reason: $0) }
        return trial
    }

    /// For programs.
    package var members: Attributes {
        [
            "alert": .string(alert), "label": label.isEmpty ? .null : .string(label), "outcome": .string(outcome),
            "value": value.map { .double($0) } ?? .null, "failure": failure.map { .string($0) } ?? .null,
            "reason": reason.map { .string($0) } ?? .null,
        ]
    }

    /// For people.
    package var line: String {
        let label = label.isEmpty ? "" : " (\(label.printable))"
        let value = value.map { "  value \(JSONWriter.text(.double($0)))" } ?? ""
        return "\(outcome)  \(alert.printable)\(label)\(value)"
            + ((failure ?? reason).map { "  \($0.printable)" } ?? "")
    }

    /// Why a store does not answer an alert's statement as an alert wants it; `nil` if it does, and for a watch, which
    /// has none.
    package static func problem(of rule: AlertRule, by statements: any StatementRunner) async -> AlertProblem? {
        guard case .sql(let sql) = rule.question else { return nil }
        do {
            _ = try await AlertRunner.reading(of: sql, by: statements)
            return nil
        } catch {
            return AlertProblem(file: rule.file, line: rule.line, column: 1, message: "\(rule.name): \(error)")
        }
    }

    /// Asks an alert: one outcome for each label. Of a watch the last window is judged, and the one before it says which
    /// values used to come.
    /// - Parameters:
    ///   - statements: runs an alert's statement; `nil`, the default, for the store itself.
    ///   - masking: what is masked in the outcomes; `nil`, the default, for nothing.
    ///   - now: nanoseconds since 1970.
    package static func run(
        _ rule: AlertRule, in store: any RecordAccess, statements: (any StatementRunner)? = nil,
        masking: MaskingPolicy? = nil, at now: Int64
    ) async -> [AlertTrial] {
        let reading: AlertReading
        do {
            switch rule.question {
            case .sql(let sql): reading = try await AlertRunner.reading(of: sql, by: statements ?? store)
            case .watch(let watched):
                let start = now - 2 * watched.over * 1_000_000_000
                var watch = try AlertWatch(
                    watched, every: rule.every, from: start, masking: masking, judgesHidden: false)
                reading = try await watch.reading(of: store, at: now) ?? AlertReading(values: [:])
            }
        } catch {
            let trial = AlertTrial(alert: rule.name, label: "", outcome: "failed", failure: "\(error)")
            return [masking.map(trial.masked) ?? trial]
        }
        return reading.labels.sorted().map { label in
            let value = reading.value(of: label)
            let outcome = reading.holds(rule, for: label) ? "holds" : value == nil ? "no_data" : "quiet"
            let trial = AlertTrial(
                alert: rule.name, label: label, outcome: outcome, value: value, reason: reading.troubles[label])
            return masking.map(trial.masked) ?? trial
        }
    }
}
