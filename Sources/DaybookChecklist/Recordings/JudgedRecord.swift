import DaybookBase

/// A record with attributes and context, for checklists and fixtures.
package struct JudgedRecord: ChecklistRecord, Sendable {
    package let tag: String
    package let number: Int64
    package let time: Int64
    private let level: Int64
    private let session: Value?
    private let installation: Value?
    private let attributes: Attributes
    private let context: Attributes

    /// - Parameter number: identifies the record in reports.
    package init(
        tag: String, number: Int64, time: Int64, level: Int64, session: Value?, installation: Value?,
        attributes: Attributes, context: Attributes
    ) {
        self.tag = tag
        self.number = number
        self.time = time
        self.level = level
        self.session = session
        self.installation = installation
        self.attributes = attributes
        self.context = context
    }

    /// A record without a time has 0.
    package var hasTime: Bool { time != 0 }

    package func value(of column: String) -> ChecklistValue? {
        Self.value(
            of: column, attributes: attributes, context: context, level: level, session: session,
            installation: installation)
    }

    /// A column's value: from the record, else the context, else the envelope, which has no level if the sender gave
    /// none (0).
    static func value(
        of column: String, attributes: Attributes, context: @autoclosure () -> Attributes, level: Int64,
        session: Value?, installation: Value?
    ) -> ChecklistValue? {
        if let value = attributes[column] ?? context()[column] { return ChecklistValue(value) }
        return switch column {
        case "_session": session.flatMap { ChecklistValue($0) }
        case "_installation": installation.flatMap { ChecklistValue($0) }
        case "_level": level == 0 ? nil : .integer(level)
        default: nil
        }
    }

    package func commonValue(of column: String) -> ChecklistValue? {
        context[column].flatMap { ChecklistValue($0) }
    }

    /// The record with its non-null columns, without the call's column in its source line and Daybook's own attributes,
    /// such as the list of private ones.
    package var fixtureRecord: FixtureRecord {
        let columns = attributes.columns.filter { name, _ in
            name != WireName.column.description && !name.hasPrefix("daybook.")
        }
        return FixtureRecord(tag: tag, number: number, columns: columns)
    }
}

extension ChecklistValue {
    /// `nil` for null.
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

    /// The value, with a structure's text parsed.
    var json: Value {
        switch self {
        case .boolean(let value): .bool(value)
        case .integer(let value): .int(value)
        case .number(let value): .double(value)
        case .text(let value): .string(value)
        case .structure(let json): (try? JSONReader.value(of: Array(json.utf8))) ?? .string(json)
        }
    }
}

extension Attributes {
    /// The non-null attributes as columns.
    package var columns: [String: ChecklistValue] {
        Dictionary(elements.compactMap { element in ChecklistValue(element.value).map { (element.key, $0) } }) {
            first, _ in first
        }
    }
}
