/// Only what has an exact text can be replaced by a hash that is worth comparing.
struct SensitiveColumnTypes: DefinitionRule {
    let id = RuleID.sensitiveColumnTypes

    func check(_ definitions: Definitions, _ sites: [ColumnSite]) -> [Diagnostic] {
        let enums = Set(sites.filter { !$0.column.values.isEmpty }.map(\.column.type))
        return sites.compactMap { site in
            guard site.column.classification == .sensitive else { return nil }
            switch site.column.type {
            case .string, .smallint, .integer, .bigint: return nil
            case .custom where enums.contains(site.column.type): return nil
            default:
                return .error(
                    site.column.location, "`\(site.column.type.source)` cannot be `[sensitive]`",
                    hint: "use `!string`, a whole number or a type with declared values")
            }
        }
    }
}
