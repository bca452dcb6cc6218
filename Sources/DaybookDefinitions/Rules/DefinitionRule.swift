/// One thing that must hold over all definitions.
protocol DefinitionRule: Sendable {
    var id: RuleID { get }

    /// A located diagnostic for every violation.
    ///
    /// - Parameter sites: The definitions' `columnSites`, gathered once for all rules.
    func check(_ definitions: Definitions, _ sites: [ColumnSite]) -> [Diagnostic]
}

extension RuleSettings {
    /// The rules that are on. The parser itself checks `category_heading` and `unmarked_values`.
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

/// The rules by name, as in `daybook.json` and in the findings of `check --json`.
public enum RuleID: String, Sendable, CaseIterable {
    case categoryHeading = "category_heading"
    case columnCount = "column_count"
    case declaredValueSets = "declared_value_sets"
    case describedEvents = "described_events"
    case duplicateNames = "duplicate_names"
    case generatedNames = "generated_names"
    case generatedTypeNames = "generated_type_names"
    case nameLength = "name_length"
    case oneTypePerColumn = "one_type_per_column"
    case reservedColumnNames = "reserved_column_names"
    case sensitiveColumnTypes = "sensitive_column_types"
    case shadowedCommonColumns = "shadowed_common_columns"
    case snakeCaseNames = "snake_case_names"
    case unmarkedValues = "unmarked_values"

    /// The level that applies if the project sets none.
    public var standardLevel: RuleLevel {
        switch self {
        case .describedEvents, .snakeCaseNames: .off
        case .categoryHeading, .unmarkedValues: .warning
        default: .error
        }
    }

    /// Whether code that breaks this rule would not compile; then generating it ends with an error whatever the level.
    var isNeededForSwift: Bool {
        switch self {
        case .columnCount, .declaredValueSets, .duplicateNames, .generatedNames, .generatedTypeNames,
            .sensitiveColumnTypes:
            true
        default: false
        }
    }
}

/// How a rule's findings are treated.
public enum RuleLevel: String, Sendable, CaseIterable {
    /// Not checked.
    case off
    /// Shown; the definitions are still used.
    case warning
    /// Shown; nothing is generated.
    case error
}

/// A project's settings for the rules.
public struct RuleSettings: Sendable, Hashable {
    /// The levels that differ from ``RuleID/standardLevel``.
    public var levels: [RuleID: RuleLevel]
    /// The most characters of a name, for `name_length`. Default 64, as in the original format.
    public var greatestNameLength: Int
    /// The name of the generated struct of the common columns, which nothing else may take.
    var contextName = "CommonPayload"

    /// Creates the standard settings with the given changes.
    public init(levels: [RuleID: RuleLevel] = [:], greatestNameLength: Int = 64) {
        self.levels = levels
        self.greatestNameLength = greatestNameLength
    }

    /// The level of a rule.
    public subscript(rule: RuleID) -> RuleLevel { levels[rule] ?? rule.standardLevel }

    /// The same, with every rule an error that generated Swift needs.
    var forSwift: RuleSettings {
        var settings = self
        for rule in RuleID.allCases where rule.isNeededForSwift { settings.levels[rule] = .error }
        return settings
    }

    /// Diagnostics with the severities of the settings, without those of rules that are off.
    func applied(to diagnostics: [Diagnostic]) -> [Diagnostic] {
        diagnostics.compactMap { diagnostic in
            guard let rule = diagnostic.rule else { return diagnostic }
            var diagnostic = diagnostic
            switch self[rule] {
            case .off: return nil
            case .warning: diagnostic.severity = .warning
            case .error: diagnostic.severity = .error
            }
            return diagnostic
        }
    }
}
