/// Writes the enum of a custom type whose values are declared.
struct SwiftDeclaredType {
    let name: String
    let column: Column

    func write(to source: inout SwiftSource) {
        source.documentation("The values of `\(column.name)`.")
        source.block("public enum \(name): String, LogValue, Sendable, CaseIterable") { source in
            for value in column.values {
                source.documentation(value.description)
                let member = SwiftName.value(value.value)
                let raw = member == value.value ? "" : " = \(SwiftSource.literal(value.value))"
                source.line("case \(SwiftName.escaped(member))\(raw)")
            }
        }
    }
}
