/// A column as a labelled value of Swift.
struct SwiftParameter {
    let column: Column
    private let types: SwiftTypes
    private let name: String

    init(_ column: Column, types: SwiftTypes) {
        self.column = column
        self.types = types
        name = SwiftName.member(column.name)
    }

    /// The label and property name.
    var label: String { SwiftName.escaped(name) }

    /// The label in a call, where Swift wants backticks around `inout` alone and warns about others.
    var callLabel: String { name == "inout" ? label : name }

    /// The name of a local variable that holds the value.
    var local: String { SwiftName.local(name) }

    /// The type of a value in use.
    var type: String { (types.swift(column.type) ?? "any Sendable").asOptional(column.isOptional) }

    /// `keyword: String` or `order: SearchOrder? = nil`.
    var declaration: String { "\(label): \(type)\(column.isOptional ? " = nil" : "")" }

    /// The same as a function's parameter, whose name inside the function differs where the label is a keyword.
    var functionDeclaration: String {
        let inner = local == name ? "" : " \(local)"
        return "\(label)\(inner): \(type)\(column.isOptional ? " = nil" : "")"
    }

    /// An obsolete column as a parameter whose value is ignored: any value it may once have had is accepted.
    func ignoredDeclaration(isRequired: Bool) -> String {
        "\(label) _: \((types.swift(column.type) ?? "Any").asOptional(true))\(isRequired ? "" : " = nil")"
    }

    /// The statement that encodes `value`.
    func encoding(of value: String) -> String {
        let key = SwiftSource.literal(column.name)
        guard column.classification != .sensitive else {
            return "fields.addSensitive(\(key), \(sensitiveText(of: value)))"
        }
        return switch column.type {
        case .integer: "fields.add(\(key), \(isRejecting ? "rejecting" : "clamping"): \(value))"
        case .string(let limit?):
            "fields.add(\(key), \(value), \(isRejecting ? "rejectingOver" : "limit"): \(limit))"
        case .date: "fields.addDate(\(key), \(value))"
        default: "fields.add(\(key), \(value))"
        }
    }

    private var isRejecting: Bool { types.options.overflow == .reject }

    private func sensitiveText(of value: String) -> String {
        switch column.type {
        case .string: value
        case .custom: column.isOptional ? "\(value)?.rawValue" : "\(value).rawValue"
        default: column.isOptional ? "\(value).map { String($0) }" : "String(\(value))"
        }
    }

    /// Notes, declared values and limits in one line.
    var documentation: String {
        var facts: [String] = []
        if let limit = column.type.limit {
            facts.append("at most \(limit) bytes of UTF-8, longer text is \(isRejecting ? "rejected" : "cut")")
        }
        if column.type == .integer { facts.append(isRejecting ? "rejected beyond 32 bits" : "kept within 32 bits") }
        if column.type == .date { facts.append("a day") }
        return column.documentation(facts)
    }
}

extension String {
    fileprivate func asOptional(_ isOptional: Bool) -> String {
        guard isOptional else { return self }
        return hasPrefix("any ") ? "(\(self))?" : "\(self)?"
    }
}
