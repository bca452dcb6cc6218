/// No event may define a column that every event has already.
struct ShadowedCommonColumns: DefinitionRule {
    let id = RuleID.shadowedCommonColumns

    func check(_ definitions: Definitions, _ sites: [ColumnSite]) -> [Diagnostic] {
        let common = Dictionary(definitions.common.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        return sites.compactMap { site in
            guard !site.isCommon, let hidden = common[site.column.name] else { return nil }
            return .error(
                site.column.location, "`\(site.column.name)` is a common column already",
                hint: "it is defined in \(hidden.location)")
        }
    }
}
