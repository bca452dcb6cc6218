import DaybookChecklist
import DaybookDefinitions

extension EventCatalog {
    /// What a folder of definitions says of events and columns.
    package init(_ definitions: Definitions) {
        func columns(_ columns: [Column]) -> Columns {
            Columns(columns.map { ($0.name, $0.values.map { .text($0.value) }) }, uniquingKeysWith: { own, _ in own })
        }
        var events: [String: Columns] = [:]
        for category in definitions.categories {
            for event in category.events {
                events["\(category.name).\(event.name)"] = columns(event.columns + category.columns)
            }
        }
        self.init(events: events, common: columns(definitions.common))
    }
}
