/// A category's enum is a type of the app: it must not be named like a type of the team's, or hide one that the
/// generated code itself uses.
struct GeneratedTypeNames: DefinitionRule {
    let id = RuleID.generatedTypeNames
    /// What generated code refers to.
    static let taken: Set = [
        "Bool", "Date", "Daybook", "Double", "EventDescriptor", "FieldEncoder", "Float",
        "Foundation", "Int", "Int16", "Int32", "Int64", "LogContext", "LogEvent", "LogValue", "Optional", "Sendable",
        "String", "Swift",
    ]

    /// The struct of the common columns.
    let context: String

    func check(_ definitions: Definitions, _ sites: [ColumnSite]) -> [Diagnostic] {
        var diagnostics: [Diagnostic] = []
        var categories: [String: Category] = [:]
        for category in definitions.categories {
            let name = SwiftName.type(category.name)
            categories[name] = categories[name] ?? category
            if isTaken(name) || SwiftName.isKeyword(name) {
                diagnostics.append(
                    .error(
                        category.location, "the category becomes the type `\(name)`, which hides the one of that name",
                        hint: "say more, as in `\(category.name)_log`"))
            }
        }
        for site in sites {
            guard case .custom(let type) = site.column.type else { continue }
            if SwiftName.isKeyword(type) {
                diagnostics.append(
                    .error(site.column.location, "no Swift type can be named `\(type)`", hint: "choose another name"))
            } else if let category = categories[type] {
                diagnostics.append(
                    .error(
                        site.column.location, "the type `\(type)` has the name of a category's enum",
                        hint: "the category is defined in \(category.location)"))
            } else if !site.column.values.isEmpty, isTaken(type) {
                diagnostics.append(
                    .error(site.column.location, "an enum cannot be named `\(type)`", hint: "choose another name"))
            }
        }
        return diagnostics
    }

    private func isTaken(_ name: String) -> Bool { name == context || GeneratedTypeNames.taken.contains(name) }
}
