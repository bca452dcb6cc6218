/// A column as a property of a Kotlin class.
struct KotlinParameter {
    private let column: Column
    private let types: SwiftTypes

    init(_ column: Column, _ types: SwiftTypes) {
        self.column = column
        self.types = types
    }

    var name: String { KotlinName.member(column.name) }

    var isObsolete: Bool { column.isObsolete }

    /// `val keyword: String` or `val order: SearchOrder? = null`.
    var declaration: String { "val \(parameterDeclaration)" }

    /// The same as a parameter that is no property.
    var parameterDeclaration: String { "\(name): \(type)\(column.isOptional ? "? = null" : "")" }

    /// An obsolete column as a parameter whose value is ignored: any value it may once have had is accepted. The app may
    /// have dropped a type that nothing else uses.
    func ignoredDeclaration(isRequired: Bool) -> String {
        "\(name): \(types.swift(column.type) == nil ? "Any" : type)?\(isRequired ? "" : " = null")"
    }

    /// What a caller is told about an obsolete column.
    var obsolescence: String { column.obsolescence }

    private var type: String {
        switch column.type {
        case .smallint: "Short"
        case .integer: "Int"
        case .bigint: "Long"
        case .real: "Float"
        case .double: "Double"
        case .boolean: "Boolean"
        case .string: "String"
        case .date: "LocalDate"
        case .timestamp, .timestamptz: "Instant"
        case .custom(let name): name
        }
    }

    /// The statement that puts the value into the record.
    var encoding: String {
        let key = KotlinName.literal(column.name)
        let mark = column.isOptional ? "?" : ""
        // A column may be called `fields`, as the parameter is.
        let value = name == "fields" ? "this.fields" : name
        guard column.classification != .sensitive else {
            let text =
                switch column.type {
                case .string: value
                case .custom: "\(value)\(mark).logValue"
                default: "\(value)\(mark).toString()"
                }
            return "fields.addSensitive(\(key), \(text))"
        }
        return switch column.type {
        case .smallint, .integer: "fields.add(\(key), \(value)\(mark).toLong())"
        case .real: "fields.add(\(key), \(value)\(mark).toDouble())"
        case .string(let limit?): "fields.add(\(key), \(value), \(limit))"
        default: "fields.add(\(key), \(value))"
        }
    }

    /// The property's line of documentation; empty if there is nothing to say.
    var documentation: String {
        let fate = types.options.overflow == .reject ? "left out" : "cut"
        let text = column.documentation(
            column.type.limit.map { ["at most \($0) bytes of UTF-8, longer text is \(fate)"] } ?? [])
        return text.isEmpty ? "" : "@property \(SwiftName.member(column.name)) \(text)"
    }
}
