/// Wherever the values of a custom type are listed, they are the same, and they stay distinct in Swift.
struct DeclaredValueSets: DefinitionRule {
    let id = RuleID.declaredValueSets

    func check(_ definitions: Definitions, _ sites: [ColumnSite]) -> [Diagnostic] {
        var first: [String: Column] = [:]
        var diagnostics: [Diagnostic] = []
        for site in sites where !site.column.values.isEmpty {
            let column = site.column
            guard case .custom(let type) = column.type else { continue }
            guard let known = first[type] else {
                first[type] = column
                diagnostics += collisions(column)
                continue
            }
            guard Set(known.values.map(\.value)) != Set(column.values.map(\.value)) else { continue }
            diagnostics.append(
                .error(
                    column.location, "the values of `\(type)` differ from those in \(known.location)",
                    hint: "list them in one place, or the same ones in both"))
        }
        return diagnostics
    }

    private func collisions(_ column: Column) -> [Diagnostic] {
        var first: [String: String] = [:]
        return column.values.compactMap { value in
            let name = SwiftName.value(value.value)
            guard let other = first.updateValue(first[name] ?? value.value, forKey: name) else { return nil }
            return .error(
                column.location,
                "the values `\(other.clipped)` and `\(value.value.clipped)` both become `\(name.clipped)` in Swift")
        }
    }
}
