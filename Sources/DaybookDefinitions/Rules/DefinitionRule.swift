/// One thing that must hold over all definitions.
protocol DefinitionRule: Sendable {
    /// A located diagnostic for every violation.
    ///
    /// - Parameter sites: The definitions' `columnSites`, gathered once for all rules.
    func check(_ definitions: Definitions, _ sites: [ColumnSite]) -> [Diagnostic]
}

/// The rules that every set of definitions is checked against.
enum DefinitionRules {
    static let all: [any DefinitionRule] = [
        OneTypePerColumn(), ReservedColumnNames(), ShadowedCommonColumns(), NameLength(), DuplicateNames(),
        GeneratedNames(), GeneratedTypeNames(), DeclaredValueSets(), SensitiveColumnTypes(),
        ColumnCount(),
    ]
}

/// A column together with what surrounds it.
struct ColumnSite {
    let column: Column
    /// Whether every event has it.
    let isCommon: Bool
    /// Whether it is still sent: neither the column nor its event is obsolete.
    let isInUse: Bool
}

extension Definitions {
    /// Every column: the common ones first, then category by category.
    var columnSites: [ColumnSite] {
        var sites = common.map { ColumnSite(column: $0, isCommon: true, isInUse: !$0.isObsolete) }
        for category in categories {
            sites += category.columns.map { ColumnSite(column: $0, isCommon: false, isInUse: !$0.isObsolete) }
            for event in category.events {
                sites += event.columns.map {
                    ColumnSite(column: $0, isCommon: false, isInUse: !$0.isObsolete && !event.isObsolete)
                }
            }
        }
        return sites
    }
}
