/// One thing that must hold over all definitions.
protocol DefinitionRule: Sendable {
    /// A located diagnostic for every violation.
    func check(_ definitions: Definitions) -> [Diagnostic]
}

/// The rules that every set of definitions is checked against.
enum DefinitionRules {
    static let all: [any DefinitionRule] = [
        OneTypePerColumn(), ReservedColumnNames(), ShadowedCommonColumns(), NameLength(), DuplicateNames(),
        GeneratedNames(), GeneratedTypeNames(), DeclaredValueSets(), SensitiveColumnTypes(),
        ColumnCount(),
    ]
}

/// A column together with where it is declared.
struct ColumnSite {
    let column: Column
    /// `nil` for a common column.
    let category: Category?
    /// `nil` for a column of the whole category, or a common one.
    let event: Event?

    /// `common`, `recipe_search` or `recipe_search.search`.
    var owner: String {
        guard let category else { return DefinitionFile.commonName }
        return event.map { "\(category.name).\($0.name)" } ?? category.name
    }
}

extension Definitions {
    /// Every column: the common ones first, then category by category.
    var columnSites: [ColumnSite] {
        var sites = common.map { ColumnSite(column: $0, category: nil, event: nil) }
        for category in categories {
            sites += category.columns.map { ColumnSite(column: $0, category: category, event: nil) }
            for event in category.events {
                sites += event.columns.map { ColumnSite(column: $0, category: category, event: event) }
            }
        }
        return sites
    }
}
