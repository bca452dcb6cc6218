/// A condition on all definitions.
protocol DefinitionRule: Sendable {
    var id: RuleID { get }

    /// A located diagnostic per violation.
    ///
    /// - Parameter sites: The definitions' `columnSites`, collected once for all rules.
    func check(_ definitions: Definitions, _ sites: [ColumnSite]) -> [Diagnostic]
}

extension RuleSettings {
    /// The enabled rules. The parser itself checks `category_heading` and `unmarked_values`.
    private var rules: [any DefinitionRule] {
        let all: [any DefinitionRule] = [
            OneTypePerColumn(), ReservedColumnNames(), ShadowedCommonColumns(),
            NameLength(greatest: greatestNameLength), DuplicateNames(), GeneratedNames(),
            GeneratedTypeNames(context: contextName),
            DeclaredValueSets(), SensitiveColumnTypes(), ColumnCount(), DescribedEvents(), SnakeCaseNames(),
        ]
        return all.filter { self[$0.id] != .off }
    }

    /// The findings before levels are applied.
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

/// A column with its context.
///
/// A class, so that iterating over all of them for each rule copies nothing.
final class ColumnSite {
    let column: Column
    let isCommon: Bool
    /// Neither the column nor its event is obsolete.
    let isInUse: Bool

    init(column: Column, isCommon: Bool, isInUse: Bool) {
        self.column = column
        self.isCommon = isCommon
        self.isInUse = isInUse
    }
}

extension Definitions {
    /// The common columns first, then by category.
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

    /// Whether code that violates the rule would not compile; then generation fails whatever the level.
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
    /// The generated struct of the common columns, whose name is reserved.
    var contextName = "CommonPayload"

    /// Creates the standard settings with the given changes.
    public init(levels: [RuleID: RuleLevel] = [:], greatestNameLength: Int = 64) {
        self.levels = levels
        self.greatestNameLength = greatestNameLength
    }

    /// The level of a rule.
    public subscript(rule: RuleID) -> RuleLevel { levels[rule] ?? rule.standardLevel }

    /// The settings, with the rules that generated Swift requires as errors.
    var forSwift: RuleSettings {
        var settings = self
        for rule in RuleID.allCases where rule.isNeededForSwift { settings.levels[rule] = .error }
        return settings
    }

    /// Applies the levels to diagnostics, and drops those of disabled rules.
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
