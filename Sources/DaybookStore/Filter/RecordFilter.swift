import DaybookBase
import DaybookTools

/// Selects records that meet an expression and a predicate. The empty filter selects all.
public struct RecordFilter: Sendable, Hashable {
    /// The condition in the filter language: see `docs/formats/filters.md`.
    public private(set) var expression = FilterExpression.everything
    /// A condition in code, such as whether a record violates its definition. Evaluated last.
    public var predicate: RecordPredicate?
    /// Only records that arrived before this time, in nanoseconds since 1970. Without a noted arrival time, a record's
    /// own counts.
    public var receivedBefore: Int64?
    /// What the reader may see. Default: everything, for the store's owner.
    package var sight = Sight.whole

    /// Creates a filter for records that meet all conditions; without conditions, for all records.
    public init(_ conditions: FilterExpression...) { narrow(by: .every(conditions)) }

    public var isEmpty: Bool { expression == .everything && predicate == nil && receivedBefore == nil }

    /// Adds a condition that records must meet as well.
    public mutating func narrow(by condition: FilterExpression) {
        expression = .every(expression.conjuncts + condition.conjuncts)
    }

    /// ``narrow(by:)`` on a copy.
    public func narrowed(by condition: FilterExpression) -> RecordFilter {
        var filter = self
        filter.narrow(by: condition)
        return filter
    }

    package func mapped(_ body: (FilterTerm) -> FilterTerm) -> RecordFilter {
        var filter = self
        filter.expression = expression.mapped(body)
        return filter
    }
}

/// A condition on records in code. Two with the same name are equal.
public struct RecordPredicate: Sendable, Hashable {
    /// Identifies the condition, such as `violation` and a hash of the definitions it is made from.
    public var name: String
    /// Whether a record meets it. Called on any thread, for many records: must be quick.
    public var matches: @Sendable (RecordRow) -> Bool
    /// Whether unmasked fields, such as the tag, allow a match; other records need no masking.
    package let concerns: @Sendable (RecordRow) -> Bool

    public init(name: String, matches: @escaping @Sendable (RecordRow) -> Bool) {
        self.init(name: name, concerns: { _ in true }, matches: matches)
    }

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
    package var asksForMasked: Bool { sight != .whole && (predicate != nil || expression.asksForMasked) }

    /// Arrival numbers that one answer scans; `nil` to stop by time instead. Otherwise progress would reveal how many
    /// records have a hidden value.
    package func steps(within budget: Duration) -> Int64? {
        asksForMasked ? max(4_096, Int64(min(budget / .milliseconds(1), 1e9)) * 400) : nil
    }
}
