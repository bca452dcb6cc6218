/// How an item stands.
public struct ItemVerdict: Sendable, Hashable {
    /// How far an item is.
    public enum Status: String, Sendable, Hashable, CaseIterable {
        /// Records are still missing; the run is not finished.
        case waiting
        /// All is as demanded.
        case ok
        /// Something is not as demanded, and nothing can mend it.
        case failed
        /// A step for a person.
        case manual
    }

    public var item: ChecklistItem
    public var status: Status
    /// Whether records that come before the run ends may still turn `ok` into `failed`.
    public var isProvisional: Bool
    /// What came instead, in one line, for `waiting` and `failed`: "got 2 (article_id = 123)".
    public var reason: String?
    /// The records that the reason speaks of; otherwise the first that counted.
    public var evidence: [Evidence]
    /// How many records counted.
    public var matches: Int
}

/// One record that a verdict rests on.
public struct Evidence: Sendable, Hashable {
    public var number: Int64
    /// Nanoseconds since 1970-01-01T00:00:00Z.
    public var time: Int64
    public var tag: String
    /// What the record has in the columns that the item speaks of, in the item's order.
    public var values: [Value]
    /// What is wrong with it; `nil` for a record that only is part of the story.
    public var note: String?

    /// A column and what the record has there; `nil` for nothing.
    public struct Value: Sendable, Hashable {
        public var column: String
        public var value: ChecklistValue?
    }
}

/// How the items of one scenario stand, in their order.
public struct ScenarioVerdict: Sendable, Hashable {
    public var scenario: Checklist.Scenario
    public var items: [ItemVerdict]

    /// The number of items with a status.
    public func count(_ status: ItemVerdict.Status) -> Int {
        items.count { $0.status == status }
    }
}

extension Sequence<ScenarioVerdict> {
    /// Whether every item that the engine judges is fulfilled.
    public var passed: Bool {
        allSatisfy { $0.count(.failed) == 0 && $0.count(.waiting) == 0 }
    }
}
