/// The warehouse's own columns cannot be defined.
struct ReservedColumnNames: DefinitionRule {
    let id = RuleID.reservedColumnNames
    static let reserved: Set = ["id", "log_id", "event_name", "event_category"]

    func check(_ definitions: Definitions, _ sites: [ColumnSite]) -> [Diagnostic] {
        sites.filter { ReservedColumnNames.reserved.contains($0.column.name) }.map { site in
            .error(
                site.column.location, "`\(site.column.name)` is a reserved column name",
                hint: "say whose it is, as in `recipe_\(site.column.name)`")
        }
    }
}
