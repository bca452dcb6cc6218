import DaybookBase
import DaybookChecklist
import DaybookTools

/// Alert labels: stored, compared and sent unchanged (pure).
///
/// Private values get their stand-ins here, where their columns are known. The stand-ins' key persists, and so do
/// labels.
struct AlertLabels: Sendable, Equatable {
    /// In bytes: all labels are stored and sent.
    static let longest = 1_024
    /// Bytes reserved for the ellipsis and digest of a truncated label.
    private static let mark = 32

    let pseudonyms: Pseudonyms

    /// The label of an item and a record's `per` columns. Values are JSON, so different values never look alike.
    func label(_ item: String, _ columns: [String], of record: JSONChecklistRecord) -> String {
        let values = columns.map { column in
            guard let value = record.value(of: column) else { return "\(column) = absent" }
            guard record.hides(column) else { return "\(column) = \(value.labelText)" }
            let standIn = pseudonyms.standIn(for: .string(value.labelText))
            return "\(column) = \(standIn.text ?? Record.mask)"
        }
        return fitting("\(item): \(values.joined(separator: ", "))")
    }

    /// Truncates a text to ``longest`` bytes, and appends a digest that keeps truncated texts distinct.
    func fitting(_ text: String) -> String {
        guard text.utf8.count > Self.longest else { return text }
        return "\(text.cut(toUTF8Bytes: Self.longest - Self.mark))… (\(pseudonyms.digest(of: text)))"
    }

    /// Strips the values from labels of versions that stored them unmasked.
    static func withoutValues(_ label: String) -> String {
        guard let values = label.firstMatch(of: #/: [^ ]+ = /#) else { return label }
        return "\(label[..<values.range.lowerBound]): \(Record.mask)"
    }
}

extension ChecklistValue {
    fileprivate var labelText: String {
        if case .text(let text) = self { JSONWriter.text(.string(text)) } else { description }
    }
}
