/// A checklist as the inspector shows it. What reads the team's Markdown maps its own type to this one.
public struct ChecklistView: Sendable, Hashable {
    /// A part of a checklist that is gone through in one visit.
    public struct Scenario: Sendable, Hashable {
        /// Unique within the checklist; part of the page's address.
        public var id: String
        public var title: String
        public var items: [Item]

        /// A scenario.
        public init(id: String, title: String, items: [Item]) {
            self.id = id
            self.title = title
            self.items = items
        }
    }

    /// One thing to see or to do.
    public struct Item: Sendable, Hashable {
        /// Unique within the scenario.
        public var id: String
        /// What the file says, in any language.
        public var text: String
        /// The tag that must be seen at least once: exact, or ending in `.*` (one term) or `.**` (any number of terms,
        /// none included); `nil` for a manual item.
        public var pattern: String?
        /// Whether a person ticks it.
        public var isManual: Bool { pattern == nil }

        /// An item; without a pattern a person ticks it.
        public init(id: String, text: String, pattern: String?) {
            self.id = id
            self.text = text
            self.pattern = pattern
        }
    }

    /// Unique among the inspector's checklists; part of the page's address.
    public var id: String
    public var title: String
    public var scenarios: [Scenario]

    /// A checklist.
    public init(id: String, title: String, scenarios: [Scenario]) {
        self.id = id
        self.title = title
        self.scenarios = scenarios
    }
}
