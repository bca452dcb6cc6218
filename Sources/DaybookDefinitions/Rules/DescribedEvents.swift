/// Every event says when it is sent: a description of at least one paragraph. Off unless a project asks for it.
struct DescribedEvents: DefinitionRule {
    let id = RuleID.describedEvents

    func check(_ definitions: Definitions, _ sites: [ColumnSite]) -> [Diagnostic] {
        definitions.categories.flatMap { category in
            category.events.filter { $0.description.isEmpty }.map { event in
                .error(
                    event.location, "the event `\(event.name.clipped)` has no description",
                    hint: "say below the heading when it is sent")
            }
        }
    }
}
