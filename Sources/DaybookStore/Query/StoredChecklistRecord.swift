import DaybookBase
import DaybookChecklist

/// A stored record as a checklist sees it. Its JSON is read when an item asks for a column, and once only.
///
/// Not safe to share between threads.
package final class StoredChecklistRecord: ChecklistRecord {
    private let record: StoredRecord
    private lazy var attributes = Self.object(record.row.attributes)
    private lazy var context = Self.object(record.row.context)

    package init(_ record: StoredRecord) { self.record = record }

    package var tag: String { record.row.tag }
    /// The arrival number: what the page's addresses name a record by.
    package var number: Int64 { record.id }
    package var time: Int64 { record.row.time }

    package func value(of column: String) -> ChecklistValue? {
        if let own = attributes[column] { return Self.checklistValue(own) }
        if let common = context[column] { return Self.checklistValue(common) }
        switch column {
        case "_session": return record.row.session.map { .text($0) }
        case "_installation": return record.row.installation.map { .text($0) }
        case "_level": return record.row.level == 0 ? nil : .integer(Int64(record.row.level))
        default: return nil
        }
    }

    package func commonValue(of column: String) -> ChecklistValue? { context[column].flatMap(Self.checklistValue) }

    /// Attributes that are no JSON object have no columns.
    private static func object(_ text: String) -> Attributes {
        guard case .object(let attributes)? = try? JSONReader.value(of: Array(text.utf8)) else { return [:] }
        return attributes
    }

    private static func checklistValue(_ value: Value) -> ChecklistValue? {
        switch value {
        case .null: nil
        case .bool(let value): .boolean(value)
        case .int(let value): .integer(value)
        case .double(let value): .number(value)
        case .string(let value): .text(value)
        case .bytes, .array, .object: .structure(JSONWriter.text(value))
        }
    }
}
