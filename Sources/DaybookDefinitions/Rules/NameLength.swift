/// Names fit into the columns of a warehouse: at most 64 characters, or as many as the project sets.
struct NameLength: DefinitionRule {
    let id = RuleID.nameLength
    let greatest: Int

    func check(_ definitions: Definitions, _ sites: [ColumnSite]) -> [Diagnostic] {
        var diagnostics: [Diagnostic] = []
        func check(_ name: String, _ what: String, at location: SourceLocation) {
            let count = name.unicodeScalars.count
            guard count > greatest else { return }
            diagnostics.append(
                .error(
                    location,
                    "the \(what)'s name has \(count) characters; at most \(greatest) are allowed"))
        }
        for category in definitions.categories {
            check(category.name, "category", at: category.location)
            for event in category.events { check(event.name, "event", at: event.location) }
        }
        for site in sites { check(site.column.name, "column", at: site.column.location) }
        return diagnostics
    }
}
