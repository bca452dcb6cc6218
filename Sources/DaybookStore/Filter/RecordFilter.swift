import DaybookBase
import DaybookTools

/// Selects records: those that meet its expression and its predicate. The empty filter selects all.
public struct RecordFilter: Sendable, Hashable {
    /// The condition, as people write it: see `docs/formats/filters.md`.
    public private(set) var expression = FilterExpression.everything
    /// A condition that only code can evaluate, such as whether a record violates its definition. It is evaluated last.
    public var predicate: RecordPredicate?
    /// Only records that arrived before this time: nanoseconds since 1970. Of records of a store that did not keep when
    /// they arrived, those whose own time is before it.
    public var receivedBefore: Int64?
    /// What the asker sees. Default: everything, as an app does of its own store and a store for its own work; whatever
    /// answers somebody else sets it.
    package var sight = Sight.whole

    /// Creates a filter that selects the records that meet all of the conditions; without any, all records.
    public init(_ conditions: FilterExpression...) { narrow(by: .every(conditions)) }

    /// Whether no condition is set.
    public var isEmpty: Bool { expression == .everything && predicate == nil && receivedBefore == nil }

    /// Selects, of the records so far, those that meet a condition as well.
    public mutating func narrow(by condition: FilterExpression) {
        expression = .every(expression.conjuncts + condition.conjuncts)
    }

    /// ``narrow(by:)`` on a copy.
    public func narrowed(by condition: FilterExpression) -> RecordFilter {
        var filter = self
        filter.narrow(by: condition)
        return filter
    }

    /// The same filter with other terms.
    package func mapped(_ body: (FilterTerm) -> FilterTerm) -> RecordFilter {
        var filter = self
        filter.expression = expression.mapped(body)
        return filter
    }
}

/// A condition on records, in code. Two with the same name are considered the same condition.
public struct RecordPredicate: Sendable, Hashable {
    /// Identifies the condition: `violation`, and the hash of the definitions that it was made from.
    public var name: String
    /// Whether a record meets it. Called on any thread, for many records: must be quick.
    public var matches: @Sendable (RecordRow) -> Bool
    /// Whether a record can meet it, by what every record shows, such as its tag: others need not be masked first.
    package let concerns: @Sendable (RecordRow) -> Bool

    /// Creates a condition.
    public init(name: String, matches: @escaping @Sendable (RecordRow) -> Bool) {
        self.init(name: name, concerns: { _ in true }, matches: matches)
    }

    /// Creates a condition on records that it concerns.
    package init(
        name: String, concerns: @escaping @Sendable (RecordRow) -> Bool,
        matches: @escaping @Sendable (RecordRow) -> Bool
    ) {
        (self.name, self.concerns, self.matches) = (name, concerns, matches)
    }

    public static func == (left: Self, right: Self) -> Bool { left.name == right.name }
    public func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

extension RecordFilter {
    /// Whether a condition is about what masking may change.
    package var asksForMasked: Bool { sight != .whole && (predicate != nil || expression.asksForMasked) }

    /// How many arrival numbers one answer goes through, whatever it finds there; `nil` where it may stop when its time is
    /// over. How far it came would else tell how many stored records have what the asker may not see.
    package func steps(within budget: Duration) -> Int64? {
        asksForMasked ? max(4_096, Int64(min(budget / .milliseconds(1), 1e9)) * 400) : nil
    }
}
