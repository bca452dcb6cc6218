import DaybookDefinitions
import DaybookStore

/// The typed views of a team's events.
package enum EventViews {
    /// A view per event: its own columns, its category's, and the common ones.
    package static func views(of definitions: Definitions) -> [EventView] {
        definitions.categories.flatMap { category in
            category.events.map { event in
                EventView(
                    tag: "\(category.name).\(event.name)",
                    columns: (event.columns + category.columns).map { column($0, .attributes) }
                        + definitions.common.map { column($0, .context) })
            }
        }
    }

    private static func column(_ column: Column, _ place: EventView.Column.Place) -> EventView.Column {
        EventView.Column(name: column.name, type: type(of: column), place: place)
    }

    private static func type(of column: Column) -> EventView.JSONType {
        // What is sensitive is stored as the text of its hash, whatever its type.
        if column.classification == .sensitive { return .string }
        return switch column.type {
        case .smallint, .integer, .bigint: .integer
        case .real, .double: .number
        case .boolean: .boolean
        case .string, .date, .timestamp, .timestamptz, .custom: .string
        }
    }
}
