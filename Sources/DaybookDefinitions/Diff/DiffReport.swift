import DaybookBase
import DaybookTools

/// A diff for people and programs.
public struct DiffReport {
    /// The format of the report.
    public enum Format: String, Sendable, CaseIterable {
        /// A line per change.
        case text
        /// A heading and a table, for a pull request.
        case markdown
        /// For programs.
        case json
    }

    let diff: DefinitionsDiff
    let old: (label: String, hash: String)
    let new: (label: String, hash: String)

    /// The whole report, ending with a line feed.
    func written(as format: Format) -> String {
        switch format {
        case .text: text
        case .markdown: markdown
        case .json: JSONWriter.indentedText(json).printableJSON
        }
    }

    private var summary: String {
        guard !diff.changes.isEmpty else { return "No changes to the log definitions" }
        let count = diff.changes.count
        let broken = DefinitionsChange.Audience.allCases.compactMap { audience -> String? in
            let count = diff.count(breaking: audience)
            return count == 0 ? nil : "\(count) \(count == 1 ? "breaks" : "break") \(audience.rawValue)"
        }
        let ending = broken.isEmpty ? "nothing breaks" : broken.joined(separator: ", ")
        return "\(count) \(count == 1 ? "change" : "changes") to the log definitions: \(ending)"
    }

    private var text: String {
        var text = summary + "\n"
        for change in diff.changes {
            let place = change.subject + (change.column.map { " \($0)" } ?? "")
            text += "\(place): \(sentence(change) { "`\($0)`" })".printable
            if !change.breaks.isEmpty {
                text += " [breaks \(change.breaks.map(\.rawValue).joined(separator: ", "))]"
            }
            text += "\n"
        }
        return text
    }

    private var markdown: String {
        var text = "### \(summary)\n"
        guard !diff.changes.isEmpty else { return text }
        text += "\n| Where | Column | Change | Breaks |\n|---|---|---|---|\n"
        for change in diff.changes {
            let cells = [
                Markdown.cell(change.subject), change.column.map(Markdown.cell) ?? "", sentence(change, Markdown.cell),
                change.breaks.isEmpty ? "" : "**" + change.breaks.map(\.rawValue).joined(separator: ", ") + "**",
            ]
            text += "| " + cells.joined(separator: " | ") + " |\n"
        }
        if diff.changes.contains(where: \.migrates) {
            text += "\nThe warehouse's tables and views must be migrated: `daybook definitions migrate`.\n"
        }
        return text
    }

    private func sentence(_ change: DefinitionsChange, _ quoted: (String) -> String) -> String {
        let sentence = bareSentence(change, quoted)
        guard let other = change.renamed else { return sentence }
        let isGone = change.kind == .eventRemoved || change.kind == .columnRemoved
        return "\(sentence) (renamed \(isGone ? "to" : "from") \(quoted(other))?)"
    }

    private func bareSentence(_ change: DefinitionsChange, _ quoted: (String) -> String) -> String {
        let what = change.kind.rawValue
        switch change.kind {
        case .description: return "description changed"
        case .columnAdded, .valueAdded: return "\(what): \(quoted(change.after ?? ""))"
        case .columnRemoved, .valueRemoved: return "\(what): \(quoted(change.before ?? ""))"
        default:
            guard let before = change.before, let after = change.after else { return what }
            return "\(what): \(quoted(before)) → \(quoted(after))"
        }
    }

    private var json: Value {
        let breaks = DefinitionsChange.Audience.allCases.map { ($0.rawValue, Value(diff.count(breaking: $0))) }
        return [
            "version": 1,
            "old": ["label": .string(old.label), "hash": .string(old.hash)],
            "new": ["label": .string(new.label), "hash": .string(new.hash)],
            "breaks": .object(Attributes(breaks)),
            "changes": .array(
                diff.changes.map { change in
                    [
                        "kind": .string(change.kind.rawValue), "subject": .string(change.subject),
                        "column": Value(change.column), "before": Value(change.before), "after": Value(change.after),
                        "renamed": Value(change.renamed),
                        "breaks": .array(change.breaks.map { .string($0.rawValue) }),
                        "migrates": .bool(change.migrates),
                    ]
                }),
        ]
    }
}
