/// Definitions as warehouse objects, independent of the dialect: events with their columns, and the wide table's
/// columns.
struct Warehouse {
    var events: [WarehouseEvent] = []
    /// The common columns, then each category's in order; unique names.
    var columns: [WarehouseColumn] = []
    /// The common columns that identify people: private or sensitive ones, and `user_id`.
    var people: [WarehouseColumn] = []
    /// What was left out, a sentence each.
    var omissions: [String] = []

    /// Obsolete events and columns stay, since the warehouse still has their records.
    init(_ definitions: Definitions) {
        addColumns(of: definitions)
        people = definitions.common.filter { $0.classification != .plain || $0.name == "user_id" }
            .map { WarehouseColumn($0, place: .context) }
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
                var comment = Prose.line(of: event.description)
                if event.isObsolete { comment = comment.isEmpty ? "Obsolete" : "Obsolete; " + comment }
                events.append(
                    WarehouseEvent(
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
        // Declared values and classification may differ between events.
        var types: [String: WarehouseType] = [:]
        for column in all {
            let name = SQLName.folded(column.name)
            types[name] = types[name]?.joined(with: column.type) ?? column.type
        }
        for index in columns.indices {
            columns[index].type = types[SQLName.folded(columns[index].name)] ?? columns[index].type
        }
    }

    /// Of columns whose names differ only by case, or equal the envelope's, the first wins.
    private static func distinct(_ columns: [WarehouseColumn]) -> [WarehouseColumn] {
        var taken = Set(SQLEnvelope.all.map(\.name) + ["event_category", "event_name"])
        return columns.filter { taken.insert(SQLName.folded($0.name)).inserted }
    }
}

struct WarehouseEvent {
    /// The name of the event's view or table.
    let name: String
    let category: String
    let event: String
    /// One line of plain text; may be empty.
    let comment: String
    let columns: [WarehouseColumn]

    var tag: String { "\(category).\(event)" }
}

struct WarehouseColumn: Hashable {
    /// Where a record has the value.
    enum Place: Hashable {
        /// In the record's own attributes.
        case attributes
        /// In the context, where common columns are; in the attributes if a sender has no context.
        case context
    }

    /// Shortened to 63 bytes.
    let name: String
    /// The name in definitions and records.
    let key: String
    var type: WarehouseType
    let place: Place
    /// One line of plain text; may be empty.
    let comment: String

    init(_ column: Column, place: Place) {
        name = SQLName.shortened(column.name)
        key = column.name
        type = WarehouseType(column)
        self.place = place
        comment = WarehouseColumn.comment(on: column)
    }

    private static func comment(on column: Column) -> String {
        var parts: [String] = []
        if column.isObsolete { parts.append("Obsolete") }
        parts += column.notes.map { Prose.line(of: $0) }
        if !column.values.isEmpty {
            let values = column.values.map { value in
                let description = Prose.line(of: value.description)
                return value.value + (description.isEmpty ? "" : " (\(description))")
            }
            parts.append("Values: " + values.joined(separator: ", "))
        }
        if column.classification != .plain { parts.append(column.classification.rawValue) }
        return parts.filter { !$0.isEmpty }.joined(separator: "; ")
    }
}

/// The columns that precede an event's own in every view and table. They begin with `_`, so none collides.
struct SQLEnvelope {
    let name: String
    let comment: String
    /// The type in a team's own table, in the order of `SQLDialect.allCases`.
    private let types: [String]

    static let all = [
        SQLEnvelope(
            name: "_id", comment: "Order of arrival", types: ["INTEGER", "bigint", "bigint", "Int64"]),
        SQLEnvelope(
            name: "_uid", comment: "The record's identity; a record delivered twice has one",
            types: ["TEXT", "text", "varchar(128)", "String"]),
        SQLEnvelope(
            name: "_time", comment: "When it happened, by the device's clock",
            types: ["TEXT", "timestamptz", "timestamptz", "DateTime64(9, 'UTC')"]),
        SQLEnvelope(
            name: "_session", comment: "The user's visit",
            types: ["TEXT", "text", "varchar(128)", "Nullable(String)"]),
        SQLEnvelope(
            name: "_installation", comment: "The installation that sent it",
            types: ["TEXT", "text", "varchar(128)", "Nullable(String)"]),
        SQLEnvelope(
            name: "_level", comment: "OpenTelemetry severity number, 1 to 24",
            types: ["INTEGER", "smallint", "smallint", "Int16"]),
        SQLEnvelope(
            name: "_version", comment: "The app's version",
            types: ["TEXT", "text", "varchar(128)", "LowCardinality(Nullable(String))"]),
    ]

    func type(in dialect: SQLDialect) -> String {
        types[SQLDialect.allCases.firstIndex(of: dialect) ?? 0]
    }
}
