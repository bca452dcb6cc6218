/// One thing that must hold over all definitions.
protocol DefinitionRule: Sendable {
    var id: RuleID { get }

    /// A located diagnostic for every violation.
    ///
    /// - Parameter sites: The definitions' `columnSites`, gathered once for all rules.
    func check(_ definitions: Definitions, _ sites: [ColumnSite]) -> [Diagnostic]
}

extension RuleSettings {
    /// The rules that are on. The parser itself looks after `category_heading`.
    private var rules: [any DefinitionRule] {
        let all: [any DefinitionRule] = [
            OneTypePerColumn(), ReservedColumnNames(), ShadowedCommonColumns(),
            NameLength(greatest: greatestNameLength), DuplicateNames(), GeneratedNames(),
            GeneratedTypeNames(context: contextName),
            DeclaredValueSets(), SensitiveColumnTypes(), ColumnCount(), DescribedEvents(), SnakeCaseNames(),
        ]
        return all.filter { self[$0.id] != .off }
    }

    /// What the rules find, before their levels are applied.
    func findings(in definitions: Definitions) -> [Diagnostic] {
        let sites = definitions.columnSites
        return rules.flatMap { rule in
            rule.check(definitions, sites).map { diagnostic in
                var diagnostic = diagnostic
                diagnostic.rule = rule.id
                return diagnostic
            }
        }
    }
}

/// A column together with what surrounds it.
///
/// A class, because every rule walks over all of them: what is shared is not copied.
final class ColumnSite {
    let column: Column
    /// Whether every event has it.
    let isCommon: Bool
    /// Whether it is still sent: neither the column nor its event is obsolete.
    let isInUse: Bool

    init(column: Column, isCommon: Bool, isInUse: Bool) {
        self.column = column
        self.isCommon = isCommon
        self.isInUse = isInUse
    }
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
