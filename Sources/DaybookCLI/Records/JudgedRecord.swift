import Daybook
import DaybookChecklist
import DaybookStore

/// A record of a store or of its NDJSON, as a checklist sees it.
struct JudgedRecord: ChecklistRecord {
    let number: Int64
    private let row: RecordRow
    private let attributes: Attributes
    private let context: Attributes

    var tag: String { row.tag }
    var time: Int64 { row.time }

    /// A record under the number by which a report names it.
    ///
    /// - Throws: ``JSONError`` if its attributes or its context are no JSON.
    init(_ row: RecordRow, number: Int64) throws(JSONError) {
        self.row = row
        self.number = number
        attributes = try Self.members(of: row.attributes)
        context = try Self.members(of: row.context)
    }

    private static func members(of text: String) throws(JSONError) -> Attributes {
        if case .object(let members) = try JSONReader.value(of: Array(text.utf8)) { members } else { Attributes() }
    }

    func value(of column: String) -> ChecklistValue? {
        if let value = attributes[column] ?? context[column] { return ChecklistValue(value) }
        return switch column {
        case "_session": row.session.map { .text($0) }
        case "_installation": row.installation.map { .text($0) }
        case "_level": .integer(Int64(row.level))
        default: nil
        }
    }

    func commonValue(of column: String) -> ChecklistValue? { context[column].flatMap { ChecklistValue($0) } }
}

extension ChecklistValue {
    /// The value as a checklist compares it; `nil` for null.
    fileprivate init?(_ value: Value) {
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
