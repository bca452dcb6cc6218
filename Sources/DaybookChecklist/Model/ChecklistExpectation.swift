import DaybookBase

/// What an item requires of the records: `[never] EVENT-OR-PATTERN clause…`.
public struct ChecklistExpectation: Sendable, Hashable {
    /// How many records are required.
    public enum Count: Sendable, Hashable {
        case exactly(Int)
        case atLeast(Int)
        case atMost(Int)
    }

    /// A second event that a clause refers to, with its filter: `feed.refresh(tab = "home")`.
    public struct EventReference: Sendable, Hashable {
        public var pattern: TagPattern
        /// The tests, which must all hold; empty if there is no filter.
        public var filter: [ColumnTest]
    }

    /// One clause and its location.
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
            /// Requires such an event before each match.
            case after(EventReference)
            /// Requires such an event after each match.
            case before(EventReference)
            /// The longest time to the event of `after` or `before`, in nanoseconds.
            case within(Int64)
            /// The columns in which the event of `after` or `before` must equal the match.
            case joining([String])
            /// Selects the records that count.
            case `where`([ColumnTest])
            /// Makes the item not applicable if it does not hold for the persona.
            case when(ColumnTest)
        }

        /// The clause's first word: `exactly`, `per`, …
        public var keyword: String
        public var meaning: Meaning
        /// Where the keyword is.
        public var location: SourceLocation
    }

    /// Whether no record may match.
    public var isNever: Bool
    public var pattern: TagPattern
    /// The clauses, in the order written; each kind at most once.
    public var clauses: [Clause]

    func clause(_ keyword: String) -> Clause? { clauses.first { $0.keyword == keyword } }

    /// How many records are required; at least one by default.
    public var count: Count {
        for case .count(let count) in clauses.map(\.meaning) { return count }
        return .atLeast(1)
    }

    /// The tests that select the records that count.
    public var selection: [ColumnTest] {
        for case .where(let tests) in clauses.map(\.meaning) { return tests }
        return []
    }

    /// Whether the item is about a record: of its event, and not excluded by `where`.
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
    /// What the column is compared with.
    public enum Condition: Sendable, Hashable {
        case equal(ChecklistValue)
        case notEqual(ChecklistValue)
        case less(ChecklistValue)
        case lessOrEqual(ChecklistValue)
        case greater(ChecklistValue)
        case greaterOrEqual(ChecklistValue)
        case oneOf([ChecklistValue])
        /// The column's text contains a match of the expression.
        case matches(TextPattern)
        case exists
        case absent
    }

    public var column: String
    public var condition: Condition
    /// Where the column's name is.
    public var location: SourceLocation
    /// The test as written.
    public var text: String

    /// Whether it tests the column's value, rather than its presence.
    var comparesValue: Bool { condition != .exists && condition != .absent }

    /// The values that the column is compared with.
    var comparedValues: [ChecklistValue] {
        switch condition {
        case .equal(let value), .notEqual(let value), .less(let value), .lessOrEqual(let value), .greater(let value),
            .greaterOrEqual(let value):
            [value]
        case .oneOf(let values): values
        case .matches, .exists, .absent: []
        }
    }

    /// Whether the condition holds for a record's value in the column, or `nil`.
    ///
    /// A missing column fulfils only `absent`, not even `!=`. Values of different types are unequal and unordered.
    /// `matches` applies to texts, and to numbers as written.
    package func holds(for value: ChecklistValue?) -> Bool {
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

    /// What a record has that fails the test: `position is absent`, `position is "3", a text`.
    func explanation(of value: ChecklistValue?) -> [Reason.Phrase] {
        let column = Reason.Argument(self.column)
        guard let value else { return [.init(.absent, ["column": column])] }
        let found = Reason.Phrase(.value, ["column": column, "value": .init(value, of: self.column)])
        guard let wanted = comparedValues.first, wanted.typeName != value.typeName else { return [found] }
        return [found, .init(value.isType), .init(wanted.isNotType)]
    }
}
