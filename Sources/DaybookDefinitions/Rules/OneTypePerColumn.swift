/// A column name means the same wherever it is used: one type and one limit. Optionality may differ.
struct OneTypePerColumn: DefinitionRule {
    let id = RuleID.oneTypePerColumn

    func check(_ definitions: Definitions, _ sites: [ColumnSite]) -> [Diagnostic] {
        var first: [String: Column] = [:]
        var diagnostics: [Diagnostic] = []
        for site in sites where !site.isCommon {
            let column = site.column
            guard let known = first[column.name] else {
                first[column.name] = column
                continue
            }
            guard known.type != column.type else { continue }
            diagnostics.append(
                .error(
                    column.location,
                    "`\(column.name)` is `\(column.type.source)` here and `\(known.type.source)` in \(known.location)",
                    hint: "a column name has one type in all events"))
        }
        return diagnostics
    }
}
