/// One event as a case of its category's enum.
struct SwiftEvent {
    /// The case's name, escaped.
    let name: String
    /// The member of the category's descriptors; no camel-cased name ends with a `_`, so that it needs no backticks.
    let descriptorName: String
    /// The columns in use: those of the category, then the event's own.
    let parameters: [SwiftParameter]
    private let event: Event
    private let tag: String
    /// All columns in the order of their definition, obsolete ones included.
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
        let names = columns.map { SwiftSource.literal($0.column.name) }.joined(separator: ", ")
        let classified = names.isEmpty ? "" : ", private: [\(names)]"
        return "let \(descriptorName) = EventDescriptor(\(SwiftSource.literal(tag))\(classified))"
    }

    func writeCase(to source: inout SwiftSource) {
        source.documentation(documentation)
        if isObsolete {
            let reason = event.description.asOneLine
            let message = reason.isEmpty ? "\(tag) is obsolete" : "\(tag) is obsolete: \(reason)"
            source.line("@available(*, unavailable, message: \(SwiftSource.literal(message)))")
        }
        if parameters.isEmpty {
            source.line("case \(name)")
        } else {
            source.line("case \(name)(", parameters.map(\.declaration), ")")
        }
    }

    /// A call that still passes an obsolete column keeps compiling, with a warning. There is a form for each obsolete
    /// column, in which that one must be given, so that no call fits two forms.
    func writeDeprecatedForms(to source: inout SwiftSource) {
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
            source.line("@available(*, deprecated, message: \(SwiftSource.literal(column.obsolescence)))")
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
