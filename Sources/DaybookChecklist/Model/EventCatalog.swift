/// What the team's definitions say, as far as a checklist needs it: which events exist, and their columns.
public struct EventCatalog: Sendable, Hashable {
    /// The values that the definition of each column declares, by the column's name; empty where it declares none.
    public typealias Columns = [String: [ChecklistValue]]

    /// The events by their tags, each with its own columns.
    public var events: [String: Columns]
    /// The columns of every event.
    public var common: Columns

    /// A catalog.
    public init(events: [String: Columns], common: Columns = [:]) {
        self.events = events
        self.common = common
    }

    /// Columns that every record has without a definition.
    static let envelope: Set<String> = ["_session", "_installation", "_level"]

    /// The columns of an event and the common ones; `nil` for an event that is not defined.
    func columns(of tag: String) -> Columns? {
        events[tag].map { $0.merging(common) { own, _ in own } }
    }

    /// The values that are declared for a column of the events that a pattern matches, in the order of the first event
    /// (by name) that declares any; empty for none.
    func declaredValues(of column: String, in pattern: TagPattern) -> [ChecklistValue] {
        var result: [ChecklistValue] = []
        for tag in events.keys.sorted() where pattern.matches(tag) {
            for value in columns(of: tag)?[column] ?? [] where !result.contains(value) { result.append(value) }
        }
        return result
    }
}
