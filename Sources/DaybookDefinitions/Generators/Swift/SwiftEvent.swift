/// An event as a case of its category's enum.
struct SwiftEvent {
    /// Escaped.
    let name: String
    /// The member among the category's descriptors; ends with `_`, which camel-cased names never do, so it needs no
    /// backticks.
    let descriptorName: String
    /// The columns in use: the category's, then the event's own.
    let parameters: [SwiftParameter]
    private let event: Event
    private let tag: String
    /// In definition order, including obsolete ones.
    private let allParameters: [SwiftParameter]

    var isObsolete: Bool { event.isObsolete }

    init(_ event: Event, of category: Category, types: SwiftTypes) {
        self.event = event
        let member = SwiftName.member(event.name)
        name = SwiftName.escaped(member)
        descriptorName = member + "_"
        tag = "\(category.name).\(event.name)"
        allParameters = (category.columns + event.columns).map { SwiftParameter($0, types: types) }
        parameters = allParameters.filter { !$0.column.isObsolete }
    }

    var descriptorDeclaration: String {
        let columns = parameters.filter { $0.column.classification == .private }
        let names = columns.map { SwiftLiteral.text($0.column.name) }.joined(separator: ", ")
        let classified = names.isEmpty ? "" : ", private: [\(names)]"
        return "let \(descriptorName) = EventDescriptor(\(SwiftLiteral.text(tag))\(classified))"
    }

    func writeCase(to source: inout GeneratedText) {
        source.documentation(documentation)
        if isObsolete {
            let reason = event.description.asOneLine
            let message = reason.isEmpty ? "\(tag) is obsolete" : "\(tag) is obsolete: \(reason)"
            source.line("@available(*, unavailable, message: \(SwiftLiteral.text(message)))")
        }
        if parameters.isEmpty {
            source.line("case \(name)")
        } else {
            source.line("case \(name)(", parameters.map(\.declaration), ")")
        }
    }

    /// Overloads for calls that still pass an obsolete column: they compile with a warning. There is one per obsolete
    /// column, which is required in it, so no call is ambiguous.
    func writeDeprecatedForms(to source: inout GeneratedText) {
        guard !isObsolete else { return }
        let obsolete = allParameters.indices.filter { allParameters[$0].column.isObsolete }
        for required in obsolete {
            let column = allParameters[required].column
            let declarations = allParameters.indices.compactMap { index -> String? in
                let parameter = allParameters[index]
                guard parameter.column.isObsolete else { return parameter.functionDeclaration }
                guard index >= required else { return nil }
                return parameter.ignoredDeclaration(isRequired: index == required)
            }
            let values = parameters.map { "\($0.callLabel): \($0.local)" }
            source.line()
            source.line("/// The event with an obsolete column, whose value is ignored.")
            source.line("@available(*, deprecated, message: \(SwiftLiteral.text(column.obsolescence)))")
            source.block("public static func \(name)(", declarations, ") -> Self") { source in
                if values.isEmpty { source.line(".\(name)") } else { source.line(".\(name)(", values, ")") }
            }
        }
    }

    private var documentation: String {
        var text = event.description.isEmpty ? "The event `\(tag)`." : event.description
        var isFirst = true
        for parameter in parameters {
            let documentation = parameter.documentation
            guard !documentation.isEmpty else { continue }
            if isFirst { text += "\n\n- Parameters:" }
            isFirst = false
            text += "\n  - \(parameter.label): \(documentation)"
        }
        return text
    }
}

/// A column as a labelled Swift value.
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

    /// The label in a call, where Swift requires backticks only for `inout`, and warns about others.
    var callLabel: String { name == "inout" ? label : name }

    var local: String { SwiftName.local(name) }

    var type: String { (types.swift(column.type) ?? "any Sendable").asOptional(column.isOptional) }

    /// `keyword: String` or `order: SearchOrder? = nil`.
    var declaration: String { "\(label): \(type)\(column.isOptional ? " = nil" : "")" }

    /// As a function's parameter, with an internal name if the label is a keyword.
    var functionDeclaration: String {
        let inner = local == name ? "" : " \(local)"
        return "\(label)\(inner): \(type)\(column.isOptional ? " = nil" : "")"
    }

    /// An obsolete column as an ignored parameter that accepts any value it may once have had.
    func ignoredDeclaration(isRequired: Bool) -> String {
        "\(label) _: \((types.swift(column.type) ?? "Any").asOptional(true))\(isRequired ? "" : " = nil")"
    }

    /// The statement that encodes `value`.
    func encoding(of value: String) -> String {
        let key = SwiftLiteral.text(column.name)
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
