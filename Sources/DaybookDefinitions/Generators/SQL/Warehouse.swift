/// What a set of definitions comes to in a warehouse, whatever its dialect: the events with their columns, and the
/// columns of the wide table.
struct Warehouse {
    struct Event {
        /// The name of the event's view or table.
        let name: String
        let category: String
        let event: String
        /// One line of plain text; empty if there is nothing to say.
        let comment: String
        let columns: [WarehouseColumn]

        var tag: String { "\(category).\(event)" }
    }

    var events: [Event] = []
    /// The common columns, then each category's in the order of the definitions: every name once.
    var columns: [WarehouseColumn] = []
    /// What could not be shown, a sentence each.
    var omissions: [String] = []

    /// Obsolete events and columns stay: the warehouse still has their records.
    init(_ definitions: Definitions) {
        addColumns(of: definitions)
        var names: Set = [SQLName.activityLog, "records"]
        for category in definitions.categories {
            for event in category.events {
                let tag = "\(category.name).\(event.name)"
                let name = SQLName.event(tag: tag)
                guard names.insert(SQLName.folded(name)).inserted else {
                    omissions.append("\(tag) has no view or table: the name \(name) is taken by another event")
                    continue
                }
                let own = (event.columns + category.columns).map { WarehouseColumn($0, place: .attributes) }
                let common = definitions.common.map { WarehouseColumn($0, place: .context) }
                var comment = SQLComment.line(event.description)
                if event.isObsolete { comment = comment.isEmpty ? "Obsolete" : "Obsolete; " + comment }
                events.append(
                    Event(
                        name: name, category: category.name, event: event.name, comment: comment,
                        columns: Warehouse.distinct(own + common)))
            }
        }
    }

    private mutating func addColumns(of definitions: Definitions) {
        var all = definitions.common.map { WarehouseColumn($0, place: .context) }
        for category in definitions.categories {
            let own = category.columns + category.events.flatMap(\.columns)
            all += own.map { WarehouseColumn($0, place: .attributes) }
        }
        columns = Warehouse.distinct(all)
        // Declared values and classification may differ from event to event.
        var types: [String: WarehouseType] = [:]
        for column in all {
            let name = SQLName.folded(column.name)
            types[name] = types[name]?.joined(with: column.type) ?? column.type
        }
        for index in columns.indices {
            columns[index].type = types[SQLName.folded(columns[index].name)] ?? columns[index].type
        }
    }

    /// Of columns whose names differ by case only, or are the envelope's, the first is shown.
    private static func distinct(_ columns: [WarehouseColumn]) -> [WarehouseColumn] {
        var taken = Set(SQLEnvelope.all.map(\.name) + ["event_category", "event_name"])
        return columns.filter { taken.insert(SQLName.folded($0.name)).inserted }
    }
}
