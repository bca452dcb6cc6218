import DaybookBase
import DaybookChecklist
import DaybookTools

/// What alerts call the things that they tell apart: texts that are kept, compared and told as they are (pure).
///
/// A value that is not for every eye has a stand-in from the beginning, while it is known which column it is of: nothing of
/// a label is masked later. The stand-ins are those of a key that lasts, so that a label is the same after a restart.
struct AlertLabels: Sendable, Equatable {
    /// Bytes of a label at most: all of them are remembered, and told.
    static let longest = 1_024
    /// Room for what tells labels apart of which only the beginning is left.
    private static let mark = 32

    let pseudonyms: Pseudonyms

    /// The label of an item and of what a record has in its `per` columns. Texts are written as JSON, so that no value looks
    /// like two.
    func label(_ item: String, _ columns: [String], of record: JSONChecklistRecord) -> String {
        let values = columns.map { column in
            guard let value = record.value(of: column) else { return "\(column) = absent" }
            guard record.hides(column) else { return "\(column) = \(value.labelText)" }
            let standIn = pseudonyms.standIn(for: .string(value.labelText))
            return "\(column) = \(standIn.text ?? Record.mask)"
        }
        return fitting("\(item): \(values.joined(separator: ", "))")
    }

    /// A text with as many bytes as a label may have: of a longer one the beginning, and a digest that keeps two apart.
    func fitting(_ text: String) -> String {
        guard text.utf8.count > Self.longest else { return text }
        return "\(text.cut(toUTF8Bytes: Self.longest - Self.mark))… (\(pseudonyms.digest(of: text)))"
    }

    /// A label of the versions that kept values as they are, without them.
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
