/// Writes the struct of the columns that every event has.
struct SwiftContext {
    private let name: String
    private let description: String
    private let all: [SwiftParameter]
    private let parameters: [SwiftParameter]

    init(_ definitions: Definitions, types: SwiftTypes, name: String) {
        self.name = name
        description = definitions.commonDescription
        all = definitions.common.map { SwiftParameter($0, types: types) }
        parameters = all.filter { !$0.column.isObsolete }
    }

    func write(to source: inout SwiftSource) {
        source.documentation(description.isEmpty ? "The columns that every event has." : description)
        source.block("public struct \(name): LogContext") { source in
            for parameter in parameters {
                source.documentation(parameter.documentation)
                source.line("public var \(parameter.label): \(parameter.type)")
            }
            source.line()
            source.block("public init(", parameters.map(\.functionDeclaration), ")") { source in
                for parameter in parameters { source.line("self.\(parameter.label) = \(parameter.local)") }
            }
            writeDeprecatedInits(to: &source)
            let columns = parameters.filter { $0.column.classification == .private }
            if !columns.isEmpty {
                let names = columns.map { SwiftSource.literal($0.column.name) }.joined(separator: ", ")
                source.line()
                source.line("public static let privateColumns = [\(names)]")
            }
            source.line()
            source.block("public func encode(into fields: inout FieldEncoder)") { source in
                for parameter in parameters {
                    // A column may be called `fields`, as the encoder is.
                    let value = parameter.label == "fields" ? "self.fields" : parameter.label
                    source.line(parameter.encoding(of: value))
                }
            }
        }
    }

    private func writeDeprecatedInits(to source: inout SwiftSource) {
        for required in all.indices where all[required].column.isObsolete {
            let declarations = all.indices.compactMap { index -> String? in
                guard all[index].column.isObsolete else { return all[index].functionDeclaration }
                return index < required ? nil : all[index].ignoredDeclaration(isRequired: index == required)
            }
            source.line()
            source.line("/// The context with an obsolete column, whose value is ignored.")
            source.line("@available(*, deprecated, message: \(SwiftSource.literal(all[required].column.obsolescence)))")
            source.block("public init(", declarations, ")") { source in
                source.line("self.init(", parameters.map { "\($0.callLabel): \($0.local)" }, ")")
            }
        }
    }
}
