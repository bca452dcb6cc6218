import DaybookBase

/// What an item demands of the records: `[never] EVENT-OR-PATTERN clause…`.
public struct ChecklistExpectation: Sendable, Hashable {
    /// How many records are wanted.
    public enum Count: Sendable, Hashable {
        case exactly(Int)
        case atLeast(Int)
        case atMost(Int)
    }

    /// A second event that a clause refers to, with its filter: `feed.refresh(tab = "home")`.
    public struct EventReference: Sendable, Hashable {
        public var pattern: TagPattern
        /// All must hold; empty if there is no filter.
        public var filter: [ColumnTest]
    }

    /// One clause with its place.
    public struct Clause: Sendable, Hashable {
        /// What the clause says.
        public enum Meaning: Sendable, Hashable {
            case count(Count)
            /// Counts within each distinct combination of these columns.
            case per([String])
            /// One match for each listed value; `nil` means the values that the definition declares.
            case each(column: String, values: [ChecklistValue]?)
            /// Starts a new window at each such event.
            case until(EventReference)
            /// Wants such an event before each match.
            case after(EventReference)
            /// Wants such an event after each match.
            case before(EventReference)
            /// The longest time to the event of `after` or `before`, in nanoseconds.
            case within(Int64)
            /// The columns in which the event of `after` or `before` must agree with the match.
            case joining([String])
            /// Selects the records that count.
            case `where`([ColumnTest])
            /// Makes the item not applicable where it does not hold for the persona.
            case when(ColumnTest)
        }

        /// The clause's first word: `exactly`, `per`, …
        public var keyword: String
        public var meaning: Meaning
        /// Where the keyword stands.
        public var location: ChecklistLocation
    }

    /// Whether no record may match.
    public var isNever: Bool
    public var pattern: TagPattern
    /// In the order written; each kind at most once.
    public var clauses: [Clause]

    /// The clause that `keyword` begins, if there is one.
    func clause(_ keyword: String) -> Clause? { clauses.first { $0.keyword == keyword } }

    /// How many records are wanted: at least one where nothing is said.
    public var count: Count {
        for case .count(let count) in clauses.map(\.meaning) { return count }
        return .atLeast(1)
    }

    /// The tests that select the records that count.
    public var selection: [ColumnTest] {
        for case .where(let tests) in clauses.map(\.meaning) { return tests }
        return []
    }

    /// Whether a record is one of those that the item is about: of its event, and not left out by `where`.
    public func selects(_ record: some ChecklistRecord) -> Bool {
        pattern.judges(record.tag) && selection.allSatisfy { $0.holds(for: record.value(of: $0.column)) }
    }
}

extension ChecklistExpectation.Count: CustomStringConvertible {
    public var description: String {
        switch self {
        case .exactly(let number): "exactly \(number)"
        case .atLeast(let number): "at least \(number)"
        case .atMost(let number): "at most \(number)"
        }
    }
}

/// A test of one column of a record: `position >= 0`.
public struct ColumnTest: Sendable, Hashable {
    /// What the column is held against.
    public enum Condition: Sendable, Hashable {
        case equal(ChecklistValue)
        case notEqual(ChecklistValue)
        case less(ChecklistValue)
        case lessOrEqual(ChecklistValue)
        case greater(ChecklistValue)
        case greaterOrEqual(ChecklistValue)
        case oneOf([ChecklistValue])
        /// The column's text has the expression somewhere in it.
        case matches(TextPattern)
        case exists
        case absent
    }

    public var column: String
    public var condition: Condition
    /// Where the column's name stands.
    public var location: ChecklistLocation
    /// The test as written.
    public var text: String

    /// Whether the condition holds for what a record has in the column, `nil` where it has nothing.
    ///
    /// A column that is absent fulfils `absent` alone, not even `!=`. Values of different types are unequal and have no
    /// order. `matches` looks at texts, and at numbers as they are written.
    func holds(for value: ChecklistValue?) -> Bool {
        guard let value else { return condition == .absent }
        switch condition {
        case .equal(let wanted): return value.equals(wanted)
        case .notEqual(let unwanted): return !value.equals(unwanted)
        case .less(let bound): return value.order(against: bound) == .before
        case .lessOrEqual(let bound): return value.order(against: bound).map { $0 != .after } ?? false
        case .greater(let bound): return value.order(against: bound) == .after
        case .greaterOrEqual(let bound): return value.order(against: bound).map { $0 != .before } ?? false
        case .oneOf(let wanted): return wanted.contains { value.equals($0) }
        case .exists: return true
        case .matches(let pattern):
            switch value {
            case .text(let text): return pattern.matches(text)
            case .structure: return false
            default: return pattern.matches(value.description)
            }
        case .absent: return false
        }
    }

    /// What a record has that breaks the test: `position is absent`, `position is "3", a text`.
    func explanation(of value: ChecklistValue?) -> String {
        guard let value else { return "\(column) is absent" }
        let wanted: ChecklistValue? =
            switch condition {
            case .equal(let bound), .notEqual(let bound), .less(let bound), .lessOrEqual(let bound),
                .greater(let bound), .greaterOrEqual(let bound):
                bound
            case .oneOf(let bounds): bounds.first
            case .matches, .exists, .absent: nil
            }
        guard let wanted, wanted.typeName != value.typeName else { return "\(column) is \(value)" }
        return "\(column) is \(value), \(value.typeName), not \(wanted.typeName)"
    }
}
