/// An event stays within what warehouses and compilers bear: at most 500 columns, those of its category included.
struct ColumnCount: DefinitionRule {
    let id = RuleID.columnCount
    static let greatest = 500

    func check(_ definitions: Definitions, _ sites: [ColumnSite]) -> [Diagnostic] {
        var diagnostics: [Diagnostic] = []
        func check(_ count: Int, _ what: String, at location: SourceLocation) {
            guard count > ColumnCount.greatest else { return }
            diagnostics.append(
                .error(location, "\(what) has \(count) columns; at most \(ColumnCount.greatest) are allowed"))
        }
        if let location = definitions.commonLocation { check(definitions.common.count, "the context", at: location) }
        for category in definitions.categories {
            check(category.columns.count, "the category", at: category.location)
            for event in category.events {
                check(category.columns.count + event.columns.count, "the event", at: event.location)
            }
        }
        return diagnostics
    }
}
