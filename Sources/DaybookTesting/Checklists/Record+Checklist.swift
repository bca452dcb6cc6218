import Daybook
import DaybookChecklist

extension ChecklistValue {
    /// A value as a checklist compares it; `nil` for null.
    package init?(_ value: Value) {
        switch value {
        case .null: return nil
        case .bool(let bool): self = .boolean(bool)
        case .int(let integer): self = .integer(integer)
        case .double(let number): self = .number(number)
        case .string(let text): self = .text(text)
        case .bytes(let bytes): self = .text(Base64.encode(bytes))
        case .array, .object: self = .structure(JSONWriter.text(value))
        }
    }
}

/// A record, as a checklist and a fixture see it.
struct JudgedRecord: ChecklistRecord {
    let record: Record

    var tag: String { record.tag }
    var number: Int64 { Int64(clamping: record.sequence) }
    var time: Int64 { record.time }

    func value(of column: String) -> ChecklistValue? {
        if let value = record.attributes[column] ?? record.context[column] { return ChecklistValue(value) }
        return switch column {
        case "_session": record.context["session.id"].flatMap { ChecklistValue($0) }
        case "_installation": record.context["app.installation.id"].flatMap { ChecklistValue($0) }
        case "_level": .integer(Int64(record.level.rawValue))
        default: nil
        }
    }

    func commonValue(of column: String) -> ChecklistValue? { record.context[column].flatMap { ChecklistValue($0) } }

    /// The record with all its own columns.
    var fixtureRecord: FixtureRecord {
        FixtureRecord(tag: tag, number: number, columns: record.attributes.columns)
    }
}

extension Attributes {
    /// The attributes that have something, as columns.
    package var columns: [String: ChecklistValue] {
        Dictionary(elements.compactMap { element in ChecklistValue(element.value).map { (element.key, $0) } }) {
            first, _ in first
        }
    }
}
